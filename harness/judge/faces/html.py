"""A comparison as one self-contained page: the verdict, its intervals, every query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.judge.comparable import Comparable
from harness.judge.compare import OVERALL, SAME, Comparison, scopes
from harness.judge.faces.queries import (
    answers_of,
    comparison_queries,
    metric_of,
    pairs_of,
)
from harness.judge.faces.standing import (
    judgement_headline,
    judgement_standings,
    judgement_title,
)
from harness.judge.reproduction import circumstances
from harness.judge.statistics import bootstrap, permutation
from harness.judge.statistics.policy import Judgement
from harness.judge.statistics.power import POWER
from harness.judge.statistics.verdict import Test, Verdict
from harness.judge.statistics.wording import of_interval, of_p
from harness.judge.wording import of_scope
from harness.report.faces.markup import Content, Markup, joined, name, tag
from harness.report.faces.page import (
    code,
    colophon,
    contents,
    facts,
    folded,
    page,
    query_table,
    section,
    table,
)
from harness.report.faces.plots.changes import (
    Interval,
    Pair,
    dumbbells,
    forest,
    waterfall,
)
from harness.report.faces.plots.latency import Timed, ridges
from harness.report.faces.plots.marks import Series, legend, series_of
from harness.report.faces.sections.latency import MOST_RIDGES, timed_of
from harness.report.faces.sections.opening import opening, sub_of, what_holds
from harness.report.layout import number
from harness.report.model import Report

MAX_CHANGES = 400
"""Rows of the table of changes; the JSON form has them all."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The reports behind the two sides; ``None`` where a side is none."""

    base: Report | None
    new: Report | None


def comparison_page(judgement: Judgement, sides: Sides) -> bytes:
    """Draw a page about a comparison.

    Args:
        judgement: The comparison and what it has shown.
        sides: The same two as reports, for what a comparison does not look at:
            latency, which is shown and not judged, and the machines.
    """
    comparison = judgement.comparison
    series = series_of([each.name for each in comparison.base.configurations])
    parts: list[tuple[str, Markup | None]] = [
        ("Verdicts", _verdicts(judgement, series)),
        ("Queries that moved", _moves(judgement, series)),
        ("Categories", _categories(comparison, series)),
        ("Latency", _latency(sides)),
        ("Changes", _changes(comparison)),
    ]
    data = comparison_queries(judgement)
    if data is not None:
        note = "Greatest loss first. A query opens both of its rankings."
        parts.append(("Queries", section("Queries", query_table("queries"), note=note)))
    parts.append(("Circumstances", _circumstances(judgement, sides)))
    present = [(title, part) for title, part in parts if part is not None]
    return page(
        f"{judgement_title(judgement)}: {comparison.new.dataset_name}",
        opening(
            f"Comparison on {comparison.base.data}",
            judgement_title(judgement),
            _sides(comparison, sides),
            judgement_headline(judgement),
        ),
        what_holds(judgement_standings(judgement)),
        contents([title for title, _ in present]),
        [part for _, part in present],
        colophon("One file, no request: every figure here is in the two files."),
        data={} if data is None else {"queries": data},
    )


def _sides(comparison: Comparison, sides: Sides) -> Markup:
    lines: list[Markup] = []
    for word, view, report in (
        ("base", comparison.base, sides.base),
        ("new", comparison.new, sides.new),
    ):
        told = f"{view.kind} of {view.data}" if report is None else sub_of(report)
        source = joined(code(view.source), ": ") if view.source else None
        lines += [joined(tag("b", word), " ", source, told), tag("br")]
    return joined(lines[:-1])


def _verdicts(judgement: Judgement, series: Mapping[str, Series]) -> Markup | None:
    tested = [(each, each.test) for each in judgement.verdicts if each.test is not None]
    if not tested:
        return None
    rows = [
        Interval(
            series[verdict.configuration],
            test.change,
            None if test.interval is None else test.interval.low,
            None if test.interval is None else test.interval.high,
            str(verdict.word),
        )
        for verdict, test in tested
    ]
    budget = judgement.comparison.threshold
    metrics = " and ".join(sorted({test.metric for _, test in tested}))
    first = tested[0][1]
    drawn = "every sign pattern counted"
    if not first.flip.exact:
        drawn = f"{first.flip.patterns:,} sign patterns, seed {permutation.SEED}"
    return section(
        "Verdicts",
        forest(f"Change of {metrics} with its 95 % interval", rows, budget),
        _verdict_table(tested),
        tag(
            "p",
            f"Sign-flip test ({drawn}), p by Holm over the configurations; BCa "
            f"interval ({bootstrap.RESAMPLES:,} resamples, seed {bootstrap.SEED}); "
            f"smallest change seen at level {first.alpha:.2g}, power {POWER:g}.",
            class_="note",
        ),
        note=f"Paired by query id. The band is the budget of {budget:g}.",
    )


def _verdict_table(tested: Sequence[tuple[Verdict, Test]]) -> Markup:
    rows: list[list[Content]] = [
        [
            name(verdict.configuration),
            number(test.base),
            number(test.new),
            f"{test.change:+.3f}",
            of_interval(test).strip("[]") or "-",
            of_p(test.p).removeprefix("p "),
            f"{test.moved:,} of {test.queries:,}",
            number(test.detectable),
            "-" if test.needed is None else f"{test.needed:,}",
            tag("b", str(verdict.word)),
        ]
        for verdict, test in tested
    ]
    figures = ["base", "new", "change", "95 % interval", "p", "queries moved"]
    figures += ["smallest change seen", "queries to settle it"]
    return table(["configuration"], figures, rows, remarks=["verdict"])


def _moves(judgement: Judgement, series: Mapping[str, Series]) -> Markup | None:
    moved: dict[str, list[tuple[str, float]]] = {}
    for before, after, metric in pairs_of(judgement):
        differences = [
            (query, new.metrics[metric] - old.metrics[metric])
            for query, old, new in answers_of(before, after)
            if metric in old.metrics and metric in new.metrics
        ]
        if any(value for _, value in differences):
            moved[f"{series[before.name].name}, {metric}"] = differences
    if not moved:
        return None
    reach = max(abs(value) for each in moved.values() for _, value in each)
    plots = [
        waterfall(title, each, reach=reach, note=_count(each))
        for title, each in moved.items()
    ]
    return section(
        "Queries that moved",
        tag("div", plots, class_="plots"),
        note="A bar is a query: down for a loss, up for a gain, worst first.",
    )


def _count(differences: Sequence[tuple[str, float]]) -> str:
    up = sum(value > 0 for _, value in differences)
    down = sum(value < 0 for _, value in differences)
    still = len(differences) - up - down
    return f"{down} lost, {up} gained, {still} did not move"


def _categories(comparison: Comparison, series: Mapping[str, Series]) -> Markup | None:
    theirs = {each.name: each for each in comparison.new.configurations}
    plots = []
    for before in comparison.base.configurations:
        if before.name not in theirs:
            continue
        after = scopes(theirs[before.name])
        metric = metric_of(before, theirs[before.name])
        if metric is None:
            continue
        pairs = [
            Pair(
                "all queries" if title == OVERALL else of_scope(title),
                series[before.name],
                scope.metrics[metric],
                after[title].metrics[metric],
            )
            for title, scope in scopes(before).items()
            if metric in scope.metrics
            and title in after
            and metric in after[title].metrics
        ]
        if any(abs(pair.new - pair.base) > SAME for pair in pairs):
            plots.append(dumbbells(f"{before.name}, {metric}", pairs))
    if not plots:
        return None
    note = (
        "Hollow is base, filled is new; configurations that did not move are left out."
    )
    return section("Categories", tag("div", plots, class_="plots"), note=note)


def _latency(sides: Sides) -> Markup | None:
    if sides.base is None or sides.new is None:
        return None
    base, new = timed_of(sides.base), timed_of(sides.new)
    if not base or not new or len(base) > MOST_RIDGES:
        return None
    theirs = {each.series.name: each for each in new}
    shades = {"base": Series("base", 6), "new": Series("new", 0)}
    timed: list[Timed] = []
    for each in base:
        other = theirs.get(each.series.name)
        if other is not None:
            title = each.series.name
            timed.append(replace(each, series=shades["base"], label=f"{title}, base"))
            timed.append(replace(other, series=shades["new"], label=f"{title}, new"))
    return section(
        "Latency",
        legend(list(shades.values())),
        ridges("Service time", timed, floor_ms=None, note="heights by square root"),
        note="Shown, not judged: two runs at two times differ in more than the engine. "
        "Builds are judged side by side, with their queries interleaved.",
    )


def _changes(comparison: Comparison) -> Markup:
    moved = [item for item in comparison.changes if not abs(item.change) <= SAME]
    rows: list[list[Content]] = [
        [
            name(item.configuration),
            name(of_scope(item.scope)),
            item.metric,
            number(item.base, 4),
            number(item.new, 4),
            tag("b", f"{item.change:+.4f}", class_="loss-text")
            if item.regression
            else f"{item.change:+.4f}",
        ]
        for item in moved[:MAX_CHANGES]
    ]
    still = len(comparison.changes) - len(moved)
    note = f"{len(moved):,} metrics moved, {still:,} did not."
    if len(moved) > MAX_CHANGES:
        note += f" The worst {MAX_CHANGES:,} are below."
    made = table(["configuration", "scope", "metric"], ["base", "new", "change"], rows)
    shown = folded("The metrics that moved, worst first", made) if rows else None
    return section("Changes", shown, note=note)


def _circumstances(judgement: Judgement, sides: Sides) -> Markup:
    comparison = judgement.comparison
    pairs: list[tuple[str, Content]] = [
        ("base", _data(comparison.base)),
        ("new", _data(comparison.new)),
    ]
    if sides.base is None or sides.new is None:
        note = "A side is no report, so what else differs is not known."
        return section("Circumstances", facts(pairs), note=note)
    rows: list[list[Content]] = [
        [item.field, code(str(item.base)), code(str(item.new))]
        for item in circumstances(sides.base, sides.new)
    ]
    found = table(["differs", "base", "new"], [], rows) if rows else None
    note = "What else differs between the two." if rows else "Nothing else differs."
    return section("Circumstances", facts(pairs), found, note=note)


def _data(view: Comparable) -> Markup:
    return joined(
        f"{view.kind} of {view.dataset_name} {view.dataset_version or ''}, sha256 ",
        code(view.dataset_sha256 or "not stated"),
    )
