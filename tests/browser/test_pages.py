"""Pages in a real browser: silent, self-contained, true to their reports, usable."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from harness.judge.comparable import from_report
from harness.judge.compare import compare
from harness.judge.faces.history import history_page
from harness.judge.faces.html import Sides, comparison_page
from harness.judge.history import read_history
from harness.judge.statistics.policy import judge
from harness.report.faces.html import report_page
from harness.report.faces.visible import visible
from harness.report.store import save
from tests.browser.opening import Scheme, opened
from tests.face_reports import (
    HOSTILE,
    a_hostile_report,
    a_judged_recall_report,
    a_longmemeval_report,
    an_eval_report,
)

Make = Callable[[Path], bytes]


def of_eval(_: Path) -> bytes:
    return report_page([an_eval_report(), an_eval_report(filler=1000)])


def of_recall(_: Path) -> bytes:
    return report_page([a_judged_recall_report()])


def of_longmemeval(folder: Path) -> bytes:
    return report_page([a_longmemeval_report(folder)])


def of_comparison(_: Path) -> bytes:
    base, new = an_eval_report(queries=12), an_eval_report(queries=12, shift=-0.125)
    judgement = judge(compare(from_report(base), from_report(new)), "both")
    return comparison_page(judgement, Sides(base, new))


def of_history(folder: Path) -> bytes:
    kept = folder / "kept"
    for day in (1, 2, 3):
        changed = {"created_at": f"2026-11-{day:02d}T12:00:00Z"}
        save(an_eval_report(shift=0.05 * day, changed=changed), kept / f"{day}.json")
    return history_page(read_history(kept))


def of_hostile(_: Path) -> bytes:
    return report_page([a_hostile_report()])


PAGES: dict[str, Make] = {
    "eval": of_eval,
    "recall": of_recall,
    "longmemeval": of_longmemeval,
    "comparison": of_comparison,
    "history": of_history,
    "hostile": of_hostile,
}


def kept(folder: Path, name: str) -> Path:
    """Write a page into *folder*."""
    path = folder / f"{name}.html"
    path.write_bytes(PAGES[name](folder))
    return path


@pytest.fixture
def eval_page(tmp_path: Path) -> Path:
    return kept(tmp_path, "eval")


def rows_of(page: Page) -> list[list[str]]:
    """Read the table of queries, without the rankings that are open."""
    return cells_of(page, ".queries tbody tr:not(.detail)")


def cells_of(page: Page, rows: str) -> list[list[str]]:
    """Read the cells of every row that the selector *rows* finds."""
    found: list[list[str]] = page.locator(rows).evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )
    return found


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_silent_and_asks_for_nothing(
    name: str, width: int, scheme: Scheme, browser: Browser, tmp_path: Path
) -> None:
    path = kept(tmp_path, name)
    with opened(browser, path, width=width, scheme=scheme) as found:
        page = found.page
        page.screenshot(path=tmp_path / f"{name}-{width}-{scheme}.png", full_page=True)
        reach = page.evaluate("document.documentElement.scrollWidth")
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert found.complaints == []
    assert found.requests == [path.as_uri()]
    assert reach <= width
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


def test_a_request_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "leaky.html"
    path.write_text("<!doctype html><img src='other.png'>")
    with opened(browser, path) as found:
        found.page.wait_for_load_state("load")

    assert len(found.requests) == 2


def test_hostile_text_stays_text(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, kept(tmp_path, "hostile")) as found:
        page = found.page
        queries = [row[0] for row in rows_of(page)]
        for button in page.locator(".queries tbody button").all():
            button.click()
        hits = page.locator("ol.hits bdi").all_text_contents()
        hurt = page.evaluate("typeof window.hurt")
        scripts = page.locator("script").count()
        others = page.locator("img, iframe, form, object, embed, base, link").count()

    assert sorted(queries) == sorted(map(visible, HOSTILE))
    assert set(map(visible, HOSTILE)) == set(hits) | {visible(HOSTILE[3])}
    assert (hurt, scripts, others) == ("undefined", 2, 0)


def test_the_policy_stops_a_script_that_gets_in(
    browser: Browser, eval_page: Path
) -> None:
    with opened(browser, eval_page) as found:
        found.page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.hurt = 1";
                document.body.append(script);
            }"""
        )
        hurt = found.page.evaluate("typeof window.hurt")

    assert hurt == "undefined"
    assert "Content Security Policy" in found.complaints[0]


def test_the_table_of_queries_equals_the_report(
    browser: Browser, eval_page: Path
) -> None:
    report = an_eval_report()
    with opened(browser, eval_page) as found:
        rows = rows_of(found.page)

    figures = {(row[0], row[1]): [float(cell) for cell in row[3:]] for row in rows}
    for result in report.configurations:
        for ranking in result.rankings:
            times = sorted(ranking.service_ms)
            metrics = ("ndcg@10", "recall@10", "recall@5", "mrr")
            wanted = [ranking.metrics[metric] for metric in metrics]
            got = figures.pop((ranking.query, result.name))
            assert got[:4] == pytest.approx(wanted, abs=0.0005 + 1e-9)
            assert got[4] == 2  # d2 is relevant and came second
            assert got[5] == pytest.approx(times[1], abs=0.005 + 1e-9)
    assert figures == {}


def test_the_means_and_times_equal_the_report(
    browser: Browser, eval_page: Path
) -> None:
    report = an_eval_report()
    with opened(browser, eval_page) as found:
        quality = cells_of(found.page, "#quality > .scroll tbody tr")
        latency = cells_of(found.page, "#latency > .scroll tbody tr")
        tips = found.page.locator("#quality svg title").all_text_contents()

    for result, means, times in zip(
        report.configurations, quality, latency[:-1], strict=True
    ):
        assert result.latency is not None
        value = result.metrics["ndcg@10"]
        assert means[:2] == [result.name, "6"]
        assert float(means[5]) == pytest.approx(value, abs=0.0005)
        assert times[0] == result.name
        assert float(times[2]) == pytest.approx(
            result.latency.service.p50_ms, abs=0.005
        )
        assert f"all queries, {result.name}: {value:.3f}" in tips


def test_queries_are_found_sorted_and_opened_by_keyboard(
    browser: Browser, eval_page: Path
) -> None:
    with opened(browser, eval_page) as found:
        page = found.page
        page.get_by_label("Find").focus()
        page.keyboard.type("Q03")
        some = rows_of(page)
        said = page.get_by_role("status").text_content()
        page.keyboard.press("Control+A")
        page.keyboard.press("Delete")

        page.keyboard.press("Tab")
        page.keyboard.type("hybrid")
        chosen = {row[1] for row in rows_of(page)}

        page.get_by_role("button", name="median ms").focus()
        page.keyboard.press("Enter")
        down = [float(row[-1]) for row in rows_of(page)]
        page.keyboard.press("Space")
        up = [float(row[-1]) for row in rows_of(page)]
        sorted_by = page.locator("[aria-sort]").all_text_contents()
        way = page.locator("[aria-sort]").get_attribute("aria-sort")

        page.locator(".queries tbody button").first.focus()
        page.keyboard.press("Enter")
        opened_ = page.locator(".detail").all_text_contents()
        expanded = page.locator(":focus").get_attribute("aria-expanded")
        page.keyboard.press("Enter")
        closed = page.locator(".detail").count()

    assert [row[0] for row in some] == ["q03"] * 3
    assert said == "3 of 18 rows"
    assert chosen == {"hybrid"}
    assert down == sorted(down, reverse=True)
    assert up == sorted(up)
    assert (sorted_by, way) == (["median ms"], "ascending")
    assert len(opened_) == 1
    assert "d2" in opened_[0]
    assert "grade 2" in opened_[0]
    assert "Did not come back: d9 (grade 1)." in opened_[0]
    assert (expanded, closed) == ("true", 0)
    assert found.complaints == []


def test_a_comparison_shows_both_rankings_of_a_query(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, kept(tmp_path, "comparison")) as found:
        first = rows_of(found.page)[0]
        found.page.locator(".queries tbody button").first.click()
        titles = found.page.locator(".detail h4").all_text_contents()

    assert first[1] == "hybrid"
    assert float(first[5]) == pytest.approx(-0.125, abs=0.0005)
    assert float(first[4]) - float(first[3]) == pytest.approx(-0.125, abs=0.001)
    assert titles == ["Base", "New"]


def test_figures_are_there_without_scripts(browser: Browser, eval_page: Path) -> None:
    with opened(browser, eval_page, scripts=False) as found:
        text = found.page.locator("body").inner_text()
        plots = found.page.locator("figure svg").count()

    assert "The table of queries needs scripts." in text
    assert "hybrid ranks best" in text
    assert plots >= 5


def test_paper_hides_the_controls_and_opens_what_is_folded(
    browser: Browser, eval_page: Path
) -> None:
    with opened(browser, eval_page) as found:
        page = found.page
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        controls = page.locator(".controls").is_visible()
        folded = page.locator("details:not([open])").count()
        paper = page.pdf()

    assert (controls, folded) == (False, 0)
    assert paper.startswith(b"%PDF")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_the_paper(
    scheme: Scheme, browser: Browser, eval_page: Path
) -> None:
    """WCAG 2 asks for a contrast of 4.5 for text, and 3 for marks."""
    names = ["ink", "quiet", "link", "good", "bad", "warn"]
    marks = [f"s{place}" for place in range(8)]
    with opened(browser, eval_page, scheme=scheme) as found:
        colours = found.page.evaluate(
            """names => Object.fromEntries(names.map(name => {
                const probe = document.createElement("canvas").getContext("2d");
                const style = getComputedStyle(document.documentElement);
                probe.fillStyle = style.getPropertyValue(`--${name}`).trim();
                return [name, probe.fillStyle];
            }))""",
            ["paper", *names, *marks],
        )

    ratios = {name: contrast(colours[name], colours["paper"]) for name in colours}
    assert {name: ratios[name] for name in names if ratios[name] < 4.5} == {}
    assert {name: ratios[name] for name in marks if ratios[name] < 3} == {}


def contrast(one: str, other: str) -> float:
    """Compute the ratio of two colours as WCAG 2 defines it."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Compute the relative luminance of ``#rrggbb``."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
