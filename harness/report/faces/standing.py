"""What a reader must know first: what holds, what does not, and what to doubt."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.report.check_lines import of_check
from harness.report.layout import count, listed, number
from harness.report.model import ConfigurationResult, Report
from harness.report.recall import RecallFacts
from harness.report.wording import of_violation

MOST = 10
"""Lines of one kind; the report has them all."""

MAIN_ROW = "document-hybrid"
"""The row that stands for a recall tier."""

PRIMARY = ("ndcg@10", "ndcg@5")
"""Decides which configuration is said to rank best: the first that was measured."""


Kind = Literal["good", "bad", "warn"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One thing that holds or does not."""

    kind: Kind
    word: str
    text: str
    lines: tuple[str, ...] = ()
    """Each of what is wrong, in full."""


def standings(report: Report) -> list[Standing]:
    """List what holds and what does not, the failures first."""
    found = [
        *_unmeasured(report),
        *_errors(report),
        _invariants(report),
        *_discrimination(report),
        *_checks(report),
        *(
            Standing("warn", "Caution.", f"{each.text} {each.remedy}".strip())
            for each in report.warnings
        ),
    ]
    order = {"bad": 0, "good": 1, "warn": 2}
    return sorted(found, key=lambda each: order[each.kind])


def headline(report: Report) -> str:
    """Say in a sentence or two what came out; names in it are the data set's."""
    measured = [result for result in report.configurations if result.queries]
    if not measured:
        return "Nothing was measured."
    if report.recall is not None:
        return _tier_headline(report.recall, measured)
    most = max(result.queries for result in measured)
    peers = [result for result in measured if result.queries == most]
    metric = primary(peers[0])
    if metric is None:
        return "No metric was computed."
    asked = "1 query" if most == 1 else f"{most:,} queries"
    best = max(result.metrics.get(metric, 0.0) for result in peers)
    leaders = [each.name for each in peers if each.metrics.get(metric) == best]
    verb = "ranks" if len(leaders) == 1 else "rank"
    text = f"Over {asked}, {_and(leaders)} {verb} best: {metric} {best:.3f}."
    timed = [
        (result.latency.service.p50_ms, result.name)
        for result in peers
        if result.latency is not None
    ]
    if timed:
        p50_ms, name = min(timed)
        text += f" {name} answers fastest: {p50_ms:.2f} ms at the median."
    return text


def _tier_headline(facts: RecallFacts, measured: list[ConfigurationResult]) -> str:
    """Speak of the tier's main row alone: the others search other documents."""
    metric = f"recall@{facts.k}"
    main = next((each for each in measured if each.name == MAIN_ROW), measured[0])
    first = (
        f"Over {main.queries:,} queries of {main.corpus or 0:,} documents, {main.name} "
        f"has {metric} {number(main.metrics.get(metric))}"
    )
    if main.latency is not None:
        first += f" and takes {main.latency.service.p50_ms:.2f} ms at the median"
    parts = [f"{first}."]
    parts += [
        f"Without the embedder, {each.mode} falls to {each.degraded_recall:.3f}."
        for each in facts.fail_open
        if each.mode == "hybrid" and each.degraded_recall is not None
    ]
    return " ".join(parts)


def primary(result: ConfigurationResult) -> str | None:
    """Choose the metric that says how well a configuration ranks."""
    known = [metric for metric in PRIMARY if metric in result.metrics]
    return known[0] if known else next(iter(result.metrics), None)


def _unmeasured(report: Report) -> Iterator[Standing]:
    for result in report.configurations:
        if not result.queries:
            reason = result.skip_reason or "no query"
            yield Standing("bad", "Not measured.", f"{result.name}: {reason}.")


def _errors(report: Report) -> Iterator[Standing]:
    errors = report.longmemeval.errors if report.longmemeval else ()
    if errors:
        lines = tuple(f"{each.question}, {each.stage}: {each.what}" for each in errors)
        text = f"{count(len(errors), 'error')}: no headline, and no comparison."
        yield Standing("bad", "Questions failed.", text, lines[:MOST])


def _invariants(report: Report) -> Standing:
    checked = listed(
        f"{each.name.replace('_', ' ')} {each.checked:,}"
        for each in report.invariants
        if each.checked
    )
    broken = [
        f"{invariant.name.replace('_', ' ')}: {of_violation(violation)}"
        for invariant in report.invariants
        for violation in invariant.violations
    ]
    if not checked and not broken:
        return Standing("bad", "No invariant was checked.", "")
    if not broken:
        return Standing("good", "Invariants hold.", f"Hits checked: {checked}.")
    text = f"{count(len(broken), 'violation')}; hits checked: {checked}."
    return Standing("bad", "Invariants are broken.", text, tuple(broken[:MOST]))


def _discrimination(report: Report) -> Iterator[Standing]:
    made = [check for check in report.discrimination if check.passed is not None]
    if not made:
        return
    broken = tuple(check.name for check in made if not check.passed)
    if broken:
        text = f"{len(broken)} of {count(len(made), 'check')} do not hold."
        yield Standing("bad", "Configurations are not told apart.", text, broken)
    else:
        text = f"{len(made)} of {count(len(made), 'check')} hold."
        yield Standing("good", "The data set tells configurations apart.", text)


def _checks(report: Report) -> Iterator[Standing]:
    checks = report.checks
    broken = tuple(of_check(check) for check in checks if not check.passed)
    if broken:
        text = f"{len(broken):,} of {count(len(checks), 'check')}."
        yield Standing("bad", "Checks fail.", text, broken[:MOST])
    elif checks:
        yield Standing("good", "Checks hold.", f"All {count(len(checks), 'check')}.")
    elif report.recall is not None:
        yield Standing("bad", "No check was made.", "")


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
