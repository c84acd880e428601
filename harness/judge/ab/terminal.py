"""A comparison side by side as a person reads it: relevance, speed, the verdict."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console

from harness.errors import ExitCode
from harness.judge.ab.figures import share
from harness.judge.ab.judgement import AbJudgement
from harness.judge.statistics import bootstrap
from harness.judge.statistics.terminal import print_judgement
from harness.judge.statistics.wording import of_p
from harness.judge.terminal import print_comparison
from harness.report.ab import AbResult, LatencyVerdict, Round, SideFacts, Times
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

STYLES = {"slower": "bold red", "faster": "green", "inconclusive": "yellow"}
"""By word; what is the same needs none."""
ENDS = {
    ExitCode.PASSED: ("No loss shown.", "bold green"),
    ExitCode.NOTHING_MEASURED: ("NOT COMPARABLE.", "bold red"),
}


def print_ab(
    result: AbResult, found: AbJudgement, *, console: Console | None = None
) -> None:
    """Print the sides, what each query got, how fast, and the verdict last.

    Without *console*, standard output gets it.
    """
    console = terminal() if console is None else console
    say(console, "base", _side(result.base))
    say(console, "candidate", _side(result.candidate))
    heading(console, "Relevance", "on the answers that were timed")
    print_comparison(found.relevance.comparison, console=console)
    print_judgement(found.relevance, console=console)
    _print_speed(result, console)
    _print_tails(result, console)
    for caution in result.warnings:
        say(console, "note", caution.text, caution.remedy, style="yellow")
    _print_end(found, console)


def _side(side: SideFacts) -> str:
    told = "".join(f", {name}={value}" for name, value in side.settings.items())
    build = side.daemon.build.name
    return (
        f"{side.asked}{told}: {side.daemon.name} {side.daemon.version or ''}, {build} "
        f"build, {side.runtime}"
    )


def _print_speed(result: AbResult, console: Console) -> None:
    medians = [each for each in result.latency if each.figure == "median"]
    if not any(each.rounds for each in medians):
        say(console, "speed", "Not measured: nothing was timed.")
        return
    passes = count(result.repetitions, "pass").replace("passs", "passes")
    note = f"service time, candidate to base, {passes} in turn"
    heading(console, "Speed", note)
    width = width_of(["configuration", *(each.configuration for each in medians)])
    figures = ("base ms", "ms", "ratio", "95% interval", "floor")
    sheet = table(console, ("configuration",), figures, "verdict", name_width=width)
    times = {each.configuration: each for each in result.rounds[0].measured}
    for verdict in medians:
        word = verdict.word or "not timed"
        sheet.add_row(
            shown(verdict.configuration, console),
            *_figures(verdict, times),
            shown(word, console, STYLES.get(word, "")),
        )
    console.print(sheet)
    console.print()
    for verdict in medians:
        if verdict.rounds and verdict.word != "same":
            style = STYLES.get(verdict.word or "", "")
            say(console, verdict.configuration, _in_words(verdict), style=style)
    if any(each.word == "inconclusive" for each in medians):
        say(console, "to settle it", "More --repetitions, or a quieter machine.")
    say(console, "method", *_method(result))


def _figures(verdict: LatencyVerdict, times: Mapping[str, Times]) -> Iterator[str]:
    if not verdict.rounds:
        yield from ("-",) * 5
        return
    first = verdict.rounds[0]
    queries = times[verdict.configuration].queries
    yield number(_median(each.base_ms for each in queries), 2)
    yield number(_median(each.candidate_ms for each in queries), 2)
    yield f"x{first.ratio:.3f}"
    bounded = first.low is not None and first.high is not None
    yield f"{first.low:.3f} {first.high:.3f}" if bounded else "-"
    yield share(first.floor)


def _in_words(verdict: LatencyVerdict) -> str:
    """Write what a median comes to, each round's ratio, and why it is open."""
    ratios = listed(f"x{each.ratio:.3f}" for each in verdict.rounds)
    p = verdict.rounds[0].p
    if verdict.reason:
        return f"{verdict.word}: {ratios}: {verdict.reason}"
    return f"{verdict.word}: {ratios}" + ("" if p is None else f", {of_p(p)}")


def _median(values: Iterator[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[~middle]) / 2


def _print_tails(result: AbResult, console: Console) -> None:
    lines = [
        f"{verdict.configuration}{_seen(verdict, result.rounds)}: "
        + (verdict.word or "")
        + (f"{': ' if verdict.word else ''}{verdict.reason}" if verdict.reason else "")
        for verdict in result.latency
        if verdict.figure == "p95" and _seen(verdict, result.rounds)
    ]
    say(console, "p95", *lines)


def _seen(verdict: LatencyVerdict, rounds: Sequence[Round]) -> str:
    for times in rounds[0].measured:
        if times.configuration == verdict.configuration and times.tails is not None:
            tails = times.tails
            ratio = "" if tails.ratio is None else f" (x{tails.ratio:.2f})"
            return f" {tails.base_p95_ms:.2f} -> {tails.candidate_p95_ms:.2f} ms{ratio}"
    return ""


def _method(result: AbResult) -> list[str]:
    twin = "a second instance of it"
    if any(each.twin == "connection" for each in result.rounds):
        twin = "itself over a second connection"
    budget = f"{result.latency_budget * 100:g} %"
    rounds = count(len(result.rounds), "round")
    drawn = f"{bootstrap.RESAMPLES:,} resamples, seed {bootstrap.SEED}"
    return [
        "Median over queries of the ratio of each query's own medians.",
        f"Percentile interval ({drawn}).",
        f"Floor: what the base differs by from {twin}, asked the same way, today.",
        "p: sign test against the floor, corrected by Holm over configurations.",
        f"Budget {budget}. {rounds}: what is slower or faster must recur in a second.",
    ]


def _print_end(found: AbJudgement, console: Console) -> None:
    text, style = ENDS.get(found.exit_code, ("", "bold red"))
    if not text:
        losses = [
            f"{each.configuration} {each.word}" for each in found.relevance.failing
        ]
        losses += [f"{each.configuration} slower" for each in found.slower]
        if found.bounds.inconclusive == "fail":
            losses += [
                f"{each.configuration} {each.figure} inconclusive"
                for each in found.open_latency
            ]
        if found.violations:
            losses.append(count(found.violations, "hit") + " broke an invariant")
        if found.relevance.comparison.missing:
            losses.append("something of the base is missing")
        text = f"FAILED: {listed(losses)}."
    console.print(shown(text, console, style))
