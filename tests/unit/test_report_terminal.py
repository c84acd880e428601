"""The report's tables, as they come out where nothing may be decorated.

The golden file is written anew by ``python -m tests.unit.test_report_terminal``.
"""

import io
from pathlib import Path

import pytest
from rich.console import Console

from harness.judge.discrimination import with_discrimination
from harness.report.model import (
    BuildFacts,
    DaemonFacts,
    Discrimination,
    ImageFacts,
    Report,
)
from harness.report.terminal import print_report
from tests.builders import (
    a_caution,
    a_configuration,
    a_dataset,
    a_latency,
    a_ranking,
    a_report,
    a_violation,
    an_environment,
    some_invariants,
    some_metrics,
    some_parameters,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "report-width-100.txt"


def a_full_report() -> Report:
    """Measure four configurations in three categories, with a thing of every kind."""
    categories = {
        "graph": some_metrics(0.373),
        "paraphrase": some_metrics(0.315, recall_10=0.4),
        "temporal": some_metrics(1.0),
    }
    better = {**categories, "paraphrase": some_metrics(0.944)}
    rankings = [a_ranking(f"q{place}", plan="exact;rows=59") for place in range(11)]
    # One query less than the checks on rankings need is asked on both sides.
    exact = [*rankings, a_ranking("q12", plan="exact;rows=59")]
    mixed = [*rankings, a_ranking("q11", ["d2", "d1"], plan="index;rows=59")]
    counts = {"graph": 3, "paraphrase": 5, "temporal": 4}

    def measured(name: str, value: float, p50_ms: float) -> object:
        return a_configuration(
            name,
            metrics=some_metrics(value),
            by_category=categories if name == "lexical" else better,
            queries=12,
            category_queries=counts,
            latency=a_latency(p50_ms, samples=60),
            rankings=mixed if name == "hybrid" else exact,
        )

    return with_discrimination(
        Report.model_validate(
            a_report(warnings=(a_caution(),)).model_dump()
            | {
                "dataset": a_dataset(queries=12),
                "configurations": (
                    measured("lexical", 0.762, 1.25),
                    measured("semantic", 0.907, 2.5),
                    measured("hybrid", 0.907, 3.75),
                    a_configuration(
                        "lexical+expand",
                        metrics=some_metrics(1.0),
                        by_category={"graph": some_metrics(1.0)},
                        queries=3,
                        category_queries={"graph": 3},
                        latency=a_latency(2.0, samples=15),
                    ),
                ),
            }
        )
    )


def printed(
    report: Report, *, width: int = 100, encoding: str = "utf-8", terminal: bool = False
) -> str:
    """Print *report* into a buffer and read it back."""
    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    console = Console(file=buffer, width=width, force_terminal=terminal)
    print_report(report, Path("reports/small.json"), console=console)
    buffer.flush()
    buffer.seek(0)
    return buffer.read()


def test_the_whole_report_reads_as_it_did() -> None:
    lines = [line.rstrip() for line in printed(a_full_report()).splitlines()]

    assert lines == GOLDEN.read_text().splitlines()


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(width: int) -> None:
    text = printed(a_full_report(), width=width)

    assert max(len(line) for line in text.splitlines()) <= width
    for word in ("precision@5", "lexical+expand (15)", "exact 11", "index 1", "235.3"):
        assert word in text
    assert "…" not in text


def test_without_a_terminal_the_output_is_ascii_without_escapes() -> None:
    assert printed(a_full_report()).isascii()
    assert "\x1b" not in printed(a_full_report())


def test_no_color_makes_a_terminal_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    text = printed(a_full_report(), terminal=True)

    assert text == printed(a_full_report())


def test_on_a_terminal_the_best_of_equal_tasks_is_set_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    lines = printed(a_full_report(), terminal=True).splitlines()
    overall = [line for line in lines if "(12)" in line or "(3/12)" in line]

    # lexical+expand answered three queries of twelve, so its 1.000 is no record.
    assert ["\x1b[1;32m" in line for line in overall] == [False, True, True, False]


def test_what_was_not_measured_is_a_dash_and_never_a_zero() -> None:
    report = a_report(
        a_configuration(metrics={"mrr": 0.5}, by_category={}), seeding=None
    )
    row = next(line for line in printed(report).splitlines() if "lexical (2)" in line)

    assert row.split() == ["lexical", "(2)", "-", "-", "-", "-", "-", "0.500"]
    assert "Latency  not measured: no timed pass" in printed(report)
    assert "seeding         -" in printed(report)


def test_a_name_out_of_a_file_cannot_command_the_terminal() -> None:
    report = a_report(dataset=a_dataset("\x1b[2J[bold]x[/bold]\u202egnp\n:smile:"))
    text = printed(report, terminal=True)

    assert "\x1b[2J" not in text
    assert r"\x1b[2J[bold]x[/bold]\u202egnp\n:smile:" in text


def test_what_the_output_cannot_encode_is_escaped() -> None:
    report = a_report(dataset=a_dataset("café ☕"))

    assert "café ☕ 1," in printed(report)
    assert r"caf\xe9 \u2615 1," in printed(report, encoding="ascii")


def test_violations_are_named_and_counted_when_there_are_many() -> None:
    many = [a_violation(f"d{place}") for place in range(12)]
    text = printed(a_report(invariants=some_invariants(violations=many)), width=200)

    assert "12 violations; checked: known 20" in text
    assert "visible: lexical, query q1, rank 3, document d9: superseded" in text
    assert "d10" not in text
    assert "and 2 more in the report" in text


@pytest.mark.parametrize("passed", [True, False, None])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_check_without_a_figure_has_a_dash(side: str, passed: bool | None) -> None:
    # A file may say that a check failed without saying on what.
    figures = {"left": 0.5, "right": 0.5, side: None}
    check = Discrimination(name="it is told apart", passed=passed, **figures)
    text = printed(a_report(discrimination=(check,)))

    shown = {"left": "- against 0.5", "right": "0.5 against -"}[side]
    assert (f"told apart: {shown}" in text) == (passed is False)


def test_a_run_that_checked_nothing_says_so() -> None:
    assert "invariants      none was checked" in printed(a_report(invariants=()))


def test_a_daemon_that_says_little_is_described_by_that() -> None:
    report = a_report(
        daemon=DaemonFacts(name="old", version=None, build=BuildFacts(name="unknown")),
        environment=an_environment(
            postgres=None,
            pgvector=None,
            profile=None,
            backend="embedded",
            embedding_provider="http",
            embedding_model="small",
        ),
        parameters=some_parameters(scale=1000, skipped_queries=3),
    )
    text = printed(report)

    assert (
        "daemon          old of unknown version, build unknown: it does not say" in text
    )
    assert "store           embedded\n" in text
    assert "; http small\n" in text
    assert "1,000 filler drawers, 3 queries skipped\n" in text


def test_the_path_of_the_report_is_never_folded() -> None:
    buffer = io.StringIO()
    path = Path("/tmp") / ("long-" * 40) / "report.json"
    print_report(
        a_report(), path, console=Console(file=buffer, width=80, force_terminal=False)
    )

    assert buffer.getvalue().endswith(f"report          {path}\n")


def test_the_images_of_a_run_are_named_with_their_digests() -> None:
    image = ImageFacts(name="postgres-18", digest=f"sha256:{'ab' * 32}")
    report = a_report(environment=an_environment(images=(image,)))

    assert "images          postgres-18 abababababab" in printed(report)


def test_a_percentile_of_too_few_samples_is_not_printed() -> None:
    def row(samples: int) -> list[str]:
        latency = a_latency(1.0, samples=samples)
        text = printed(a_report(a_configuration("lexical", latency=latency)))
        (line,) = (each for each in text.splitlines() if f"({samples})" in each)
        return line.split()[2:5]

    assert row(19) == ["1.00", "-", "-"]
    assert row(20)[1:] == ["2.00", "-"]
    assert row(100)[1:] == ["2.00", "3.00"]


if __name__ == "__main__":
    golden = printed(a_full_report()).splitlines()
    GOLDEN.write_text("".join(f"{line.rstrip()}\n" for line in golden))
