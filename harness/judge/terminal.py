"""A comparison and a verdict as a person reads them, worst first."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rich.console import Console

from harness.errors import ExitCode
from harness.judge.comparable import Comparable
from harness.judge.compare import SAME, Comparison, OneSided, RankingChange
from harness.judge.demands import Finding
from harness.judge.gate import GateVerdict
from harness.judge.wording import of_difference, of_one_sided, of_scope
from harness.report.layout import (
    count,
    heading,
    listed,
    number,
    say,
    shown,
    table,
    terminal,
)

MAX_CHANGES = 40
"""Changes shown of two sides that must not be compared: to see, not to judge."""

MAX_NAMED = 5
"""Examples named before "and n more"; the JSON form has them all."""


def print_comparison(comparison: Comparison, *, console: Console | None = None) -> None:
    """Print what keeps the two apart, what is broken or one-sided, and what moved.

    The last line counts what was compared. Without *console*, standard output gets it.
    """
    console = terminal() if console is None else console
    say(console, "base", _side(comparison.base))
    say(console, "new", _side(comparison.new))
    reasons = [of_difference(item) for item in comparison.differences]
    say(console, "NOT COMPARABLE", *reasons, style="bold red")
    say(console, "BROKEN", *_some(comparison.broken), style="bold red")
    if comparison.base.broken:
        text = "base is broken, which fails nothing here:"
        say(console, "note", text, *_some(comparison.base.broken))
    _print_one_sided(comparison.one_sided, console)
    _print_changes(comparison, console)
    _print_rankings(comparison.rankings, console)
    if comparison.missing:
        text = (
            f"{len(comparison.missing):,} of base's configurations, categories or "
            "metrics are missing in new."
        )
        console.print(shown(text, console, "bold red"))
    if comparison.broken:
        text = f"new is broken in {count(len(comparison.broken), 'way')}."
        console.print(shown(text, console, "bold red"))
    passed = comparison.exit_code is ExitCode.PASSED
    text = (
        f"{count(len(comparison.changes), 'metric')} compared, "
        f"{count(len(comparison.regressions), 'regression')} "
        f"beyond {comparison.threshold:g}."
    )
    if comparison.differences:
        text += " NOT COMPARABLE: these changes judge nothing."
    console.print(shown(text, console, "bold green" if passed else "bold red"))


def print_verdict(verdict: GateVerdict, *, console: Console | None = None) -> None:
    """Print the gate's comparison, every kind of finding, and the verdict last.

    Without *console*, standard output gets it.
    """
    console = terminal() if console is None else console
    if verdict.comparison is not None:
        print_comparison(verdict.comparison, console=console)
        console.print()
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in verdict.findings:
        groups[finding.code].append(finding)
    for code, findings in groups.items():
        first = findings[0]
        word, style = ("FAIL", "red") if first.fails else ("note", "")
        lines = [f"{code} ({len(findings):,})"]
        lines += _some(item.text for item in findings)
        lines += [first.remedy] if first.remedy else []
        say(console, word, *lines, style=style)
    say(console, "evidence", *verdict.evidence)
    failures = sum(finding.fails for finding in verdict.findings)
    if verdict.passed:
        console.print(shown("Gate passed.", console, "bold green"))
    else:
        text = f"Gate failed: {count(failures, 'finding')}."
        console.print(shown(text, console, "bold red"))


def _side(view: Comparable) -> str:
    source = f"{view.source}: " if view.source else ""
    return f"{source}{view.kind} of {view.data}"


def _print_one_sided(items: Sequence[OneSided], console: Console) -> None:
    unknowable: dict[str, set[str]] = defaultdict(set)
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in items:
        if item.unknowable:
            unknowable[item.side].add(item.metric or "categories")
        elif item.metric is None:
            style = "bold red" if item.fails else ""
            say(console, f"only in {item.side}", of_one_sided(item), style=style)
        else:
            place = f"{item.configuration} {of_scope(item.scope or '')}"
            places[item.side, item.metric].append(place)
    # Metrics that are missing in the same places go on one line.
    metrics: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (side, metric), where in places.items():
        metrics[side, tuple(where)].append(metric)
    for (side, together), names in metrics.items():
        style = "bold red" if side == "base" else ""
        text = f"{listed(names)} (in {listed(_some(together))})"
        say(console, f"only in {side}", text, style=style)
    for side, alone in unknowable.items():
        text = f"{listed(sorted(alone))} (unknown to the other format)"
        say(console, f"only in {side}", text)


def _print_changes(comparison: Comparison, console: Console) -> None:
    # Negated, so that a change of NaN is shown.
    moved = [item for item in comparison.changes if not abs(item.change) <= SAME]
    if not moved:
        console.print(shown("No metric changed.", console))
        return
    heading(console, "Changes", "worst first")
    names = ("configuration", "scope", "metric")
    sheet = table(console, names, ("base", "new", "change"))
    shown_rows = moved[:MAX_CHANGES] if comparison.differences else moved
    for item in shown_rows:
        style = "bold red" if item.regression else ""
        sheet.add_row(
            shown(item.configuration, console, style),
            shown(of_scope(item.scope), console),
            shown(item.metric, console),
            number(item.base, 4),
            number(item.new, 4),
            shown(f"{item.change:+.4f}", console, style),
            shown("REGRESSION" if item.regression else "", console, style),
        )
    console.print(sheet)
    if len(shown_rows) < len(moved):
        more = f"and {len(moved) - len(shown_rows):,} more; --json has them all"
        console.print(shown(more, console))
    console.print()


def _print_rankings(changes: Sequence[RankingChange], console: Console) -> None:
    queries: dict[str, list[str]] = defaultdict(list)
    for item in changes:
        queries[item.configuration].append(f"{item.query} from rank {item.rank}")
    for configuration, moved in queries.items():
        text = f"{count(len(moved), 'ranking')} differ: {listed(_some(moved))}"
        say(console, configuration, text)


def _some(texts: Iterable[str]) -> list[str]:
    every = list(texts)
    more = len(every) - MAX_NAMED
    return every if more <= 0 else [*every[:MAX_NAMED], f"and {more:,} more"]
