"""A verdict as Markdown: the verdict first, what moved next, the rest folded."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from harness.errors import ExitCode
from harness.judge.comparable import Comparable
from harness.judge.compare import SAME, Change, Comparison
from harness.judge.faces.standing import (
    gate_standings,
    judgement_headline,
    judgement_standings,
    judgement_title,
)
from harness.judge.gate import GateVerdict
from harness.judge.statistics.policy import Judgement
from harness.judge.statistics.wording import of_interval, of_p
from harness.judge.wording import of_scope
from harness.report.faces.flavour import (
    LIMIT,
    Block,
    Markdown,
    code,
    document,
    folded,
    lines,
    prose,
    table,
)
from harness.report.faces.markdown import SIGNS, report_blocks, standing_items
from harness.report.layout import count, number
from harness.report.model import Report

MAX_LOSSES = 20
"""Losses shown unfolded; all of them are behind the fold below."""


def judgement_markdown(judgement: Judgement, *, limit: int = LIMIT) -> bytes:
    """Write a comparison with its verdicts."""
    comparison = judgement.comparison
    sign = SIGNS["good" if judgement.exit_code is ExitCode.PASSED else "bad"]
    blocks = [
        lines("title", f"### {sign} {prose(judgement_title(judgement))}"),
        lines("headline", prose(judgement_headline(judgement))),
        *_tested(judgement),
        standing_items(judgement_standings(judgement)),
        *_changes(comparison),
        folded("The two sides", _sides(comparison)),
    ]
    return document(blocks, limit=limit)


def gate_markdown(verdict: GateVerdict, report: Report, *, limit: int = LIMIT) -> bytes:
    """Write the gate's verdict, what moved, and the report it is about."""
    passed = verdict.passed
    failures = sum(finding.fails for finding in verdict.findings)
    sign = SIGNS["good" if passed else "bad"]
    end = "Gate passed" if passed else f"Gate failed: {count(failures, 'finding')}"
    blocks = [
        lines("title", f"### {sign} {prose(end)}"),
        standing_items(gate_standings(verdict)),
    ]
    if verdict.comparison is not None:
        blocks += _changes(verdict.comparison)
    return document([*blocks, *report_blocks(report)], limit=limit)


def _tested(judgement: Judgement) -> Iterator[Block]:
    rows: list[Sequence[str]] = []
    for each in judgement.verdicts:
        test = each.test
        if test is None:
            continue
        word = str(each.word)
        rows.append(
            [
                code(each.configuration),
                word if word == "same" else Markdown(f"**{word}**"),
                number(test.base),
                number(test.new),
                f"{test.change:+.3f}",
                of_interval(test).strip("[]") or "-",
                of_p(test.p).removeprefix("p "),
                f"{test.queries:,}",
            ]
        )
    if rows:
        figures = ["base", "new", "change", "95 % interval", "p", "queries"]
        metrics = {each.test.metric for each in judgement.verdicts if each.test}
        title = f"configuration, {' or '.join(sorted(metrics))}"
        yield table("verdicts", [title, "verdict"], figures, rows)


def _changes(comparison: Comparison) -> Iterator[Block]:
    # Negated, so that a change of NaN is shown.
    moved = [item for item in comparison.changes if not abs(item.change) <= SAME]
    losses = [item for item in moved if item.regression][:MAX_LOSSES]
    if losses:
        yield _change_table("worst losses", losses)
    if moved:
        title = f"{count(len(moved), 'metric')} moved, worst first"
        yield folded(title, _change_table("metrics that moved", moved))
    queries: dict[str, list[str]] = defaultdict(list)
    for item in comparison.rankings:
        queries[item.configuration].append(f"{item.query} from rank {item.rank}")
    if queries:
        rows = [
            [code(name), code(", ".join(each)), f"{len(each):,}"]
            for name, each in queries.items()
        ]
        total = count(len(comparison.rankings), "ranking")
        names = ["configuration", "queries"]
        yield folded(
            f"{total} differ", table("rankings that differ", names, ["rankings"], rows)
        )


def _change_table(title: str, changes: Sequence[Change]) -> Block:
    rows = [
        [
            code(item.configuration),
            code(of_scope(item.scope)),
            item.metric,
            number(item.base, 4),
            number(item.new, 4),
            Markdown(f"**{item.change:+.4f}**")
            if item.regression
            else f"{item.change:+.4f}",
        ]
        for item in changes
    ]
    names = ["configuration", "scope", "metric"]
    return table(title, names, ["base", "new", "change"], rows)


def _sides(comparison: Comparison) -> Block:
    rows = [
        [word, code(view.source or "-"), code(view.kind), code(view.data)]
        for word, view in _named(comparison)
    ]
    return table("the two sides", ["", "file", "kind", "data"], [], rows)


def _named(comparison: Comparison) -> tuple[tuple[str, Comparable], ...]:
    return ("base", comparison.base), ("new", comparison.new)
