"""Verdicts as a person reads them: the figures, what is open, and what it comes to."""

from collections import defaultdict
from collections.abc import Sequence

from rich.console import Console

from harness.errors import ExitCode
from harness.judge.statistics import bootstrap, permutation
from harness.judge.statistics.policy import Judgement
from harness.judge.statistics.power import ALPHA, POWER
from harness.judge.statistics.verdict import Test, Verdict, Word
from harness.judge.statistics.wording import of_interval, of_p, of_verdict
from harness.report.layout import (
    count,
    heading,
    listed,
    number,
    say,
    shown,
    table,
    terminal,
    width_of,
)

STYLES = {
    "better": "green",
    "worse": "bold red",
    "inconclusive": "yellow",
    "not comparable": "bold red",
}
"""By word; what is the same needs none."""

_BESIDE = 66
"""Columns that a row needs beside its name."""


def print_judgement(judgement: Judgement, *, console: Console | None = None) -> None:
    """Print the verdicts of all configurations, and the end under the policy last.

    Without *console*, standard output gets it.
    """
    console = terminal() if console is None else console
    tested = [each for each in judgement.verdicts if each.test is not None]
    moved = [each for each in tested if each.test and each.test.moved]
    still = [each.configuration for each in tested if each not in moved]
    if moved:
        _print_table(moved, console)
    if still:
        say(console, "same", f"{listed(still)}: no query moved")
    budget = judgement.comparison.threshold
    for verdict in tested:
        # What is the same stands in the table, and has nothing to add.
        if verdict.word != "same" or verdict.hangs_on_tie:
            style = STYLES.get(str(verdict.word), "yellow")
            say(console, "verdict", of_verdict(verdict, budget), style=style)
    _print_untested(judgement, console)
    if tested:
        say(
            console, "statistics", *_method([each.test for each in tested if each.test])
        )
    _print_end(judgement, console)


def _print_table(tested: Sequence[Verdict], console: Console) -> None:
    rows = [(each, each.test) for each in tested if each.test is not None]
    metrics = {test.metric for _, test in rows}
    heading(console, "Verdicts", f"{listed(sorted(metrics))}, paired by query id")
    labels = [
        each.configuration
        if len(metrics) == 1
        else f"{each.configuration} {test.metric}"
        for each, test in rows
    ]
    figures = ("base", "new", "change", "95% interval", "p", "asked")
    width = min(width_of(["configuration", *labels]), console.width - _BESIDE)
    sheet = table(console, ("configuration",), figures, "verdict", name_width=width)
    for label, (verdict, test) in zip(labels, rows, strict=True):
        word = str(verdict.word)
        sheet.add_row(
            shown(label, console),
            number(test.base),
            number(test.new),
            f"{test.change:+.3f}",
            of_interval(test).strip("[]").replace(",", "") or "-",
            of_p(test.p).removeprefix("p "),
            f"{test.queries:,}",
            shown(word, console, STYLES.get(word, "")),
        )
    console.print(sheet)
    console.print()


def _print_untested(judgement: Judgement, console: Console) -> None:
    # One reason often speaks for all the configurations of a file.
    groups: dict[tuple[Word | None, str], list[str]] = defaultdict(list)
    for each in judgement.verdicts:
        if each.test is None:
            groups[each.word, each.reason].append(each.configuration)
    for (word, reason), names in groups.items():
        if word is None:
            text = f"NOT AVAILABLE for {listed(names)}: {reason}."
            alone = "The floor rule alone judges there."
            say(console, "statistics", text, alone, style="bold yellow")
        else:
            text = f"{word} for {listed(names)}: {reason}"
            say(console, "verdict", text, style=STYLES[word])


def _method(tests: Sequence[Test]) -> list[str]:
    drawn = "every sign pattern counted"
    if not all(test.flip.exact for test in tests):
        drawn += f", {permutation.RESAMPLES:,} drawn where more than "
        drawn += f"{permutation.MAX_EXACT} queries moved, seed {permutation.SEED}"
    family = count(len(tests), "test")
    resampled = f"{bootstrap.RESAMPLES:,} resamples, seed {bootstrap.SEED}"
    level = f"{tests[0].alpha:.2g}, power {POWER:g}"
    return [
        f"Sign-flip test ({drawn}); p by Holm over {family}, shown at {ALPHA:g}.",
        f"BCa interval of the change ({resampled}).",
        f"Smallest change seen: normal approximation, level {level}.",
        "Other metrics and the categories are shown, not tested.",
    ]


def _print_end(judgement: Judgement, console: Console) -> None:
    policy = judgement.policy
    if judgement.unjudged and policy != "floor":
        text = (
            f"{count(len(judgement.unjudged), 'loss').replace('losss', 'losses')} of "
            f"other metrics or categories beyond {judgement.comparison.threshold:g} "
            "stand above and fail nothing under this policy."
        )
        say(console, "NOT JUDGED", text, style="bold yellow")
    word = judgement.word or "no statistics"
    passed = judgement.exit_code is ExitCode.PASSED
    end = {
        ExitCode.PASSED: "passed",
        ExitCode.NOTHING_MEASURED: "NOT COMPARABLE",
    }.get(judgement.exit_code, "FAILED")
    if end == "FAILED" and judgement.comparison.broken:
        end += ", new is broken"
    text = f"Verdict: {word}. Policy {policy}: {end}."
    console.print(shown(text, console, "bold green" if passed else "bold red"))
