"""Everything that was judged, one case each, for faces that list cases.

JUnit and SARIF are written from these. A case that was not looked at is skipped, and
says why; whether that may pass is the judge's to say, who adds a failed case then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from harness.report.check_lines import of_check
from harness.report.checks import Check
from harness.report.model import Discrimination, Invariant, Report
from harness.report.wording import of_violation

Outcome = Literal["passed", "failed", "skipped"]

RULES: Mapping[str, str] = {
    "invariant-violated": "A hit was returned that must never be.",
    "invariant-unchecked": "An invariant was not checked on a single hit.",
    "discrimination-failed": "The data set no longer tells two configurations apart.",
    "discrimination-unchecked": "The data set was not seen to tell them apart.",
    "check-failed": "A figure is not what was committed, or beyond its limit.",
    "question-failed": "A question has no result, because something failed.",
    "regression": "A metric lost more than may pass.",
    "shown-worse": "A configuration is shown to be worse.",
    "not-shown": "A loss beyond what may pass is neither shown nor ruled out.",
    "one-sided": "Something was measured on one side only.",
    "broken": "The new side is broken by itself, or lost what showed that it is not.",
    "not-comparable": "The two sides differ in more than the engine.",
    "nothing-compared": "The two sides share not one metric.",
    "no-queries": "Not one query was asked.",
    "baseline-missing": "There is no baseline to hold the run against.",
}
"""What each rule says, by the stable word that machines know it by."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was judged."""

    group: str
    """What kind of thing: ``invariants``, or a configuration with its scope."""
    name: str
    """Unique within its group."""
    rule: str
    """One of `RULES`, or another word that does not change from run to run."""
    outcome: Outcome
    text: str = ""
    """What was found; for a skipped case, why it was not looked at."""
    remedy: str = ""


def report_cases(report: Report) -> tuple[Case, ...]:
    """List what a report by itself fulfils or breaks."""
    return (
        *map(of_invariant, report.invariants),
        *map(of_discrimination, report.discrimination),
        *map(of_check_made, report.checks),
        *_questions(report),
    )


def of_invariant(invariant: Invariant) -> Case:
    """Judge one invariant by its violations."""
    outcome: Outcome = "passed"
    text = ""
    if invariant.violations:
        outcome = "failed"
        text = "\n".join(map(of_violation, invariant.violations))
    elif not invariant.checked:
        outcome, text = "skipped", "not one hit was checked"
    return Case("invariants", invariant.name, "invariant-violated", outcome, text)


def of_discrimination(check: Discrimination) -> Case:
    """Judge one check that the data set tells configurations apart."""
    outcome: Outcome = "passed"
    text = ""
    if check.passed is None:
        outcome, text = "skipped", "the data set or the run lacks what it compares"
    elif not check.passed:
        outcome = "failed"
        text = " against ".join(map(_figure, (check.left, check.right)))
    return Case("told apart", check.name, "discrimination-failed", outcome, text)


def of_check_made(check: Check) -> Case:
    """Judge one figure by what was committed."""
    if check.passed:
        return Case("checks", check.name, "check-failed", "passed")
    return Case("checks", check.name, "check-failed", "failed", of_check(check))


def failed(cases: tuple[Case, ...]) -> list[Case]:
    """Give the cases that failed."""
    return [case for case in cases if case.outcome == "failed"]


def _questions(report: Report) -> Iterator[Case]:
    for error in report.longmemeval.errors if report.longmemeval else ():
        where = f" ({error.configuration})" if error.configuration else ""
        name = f"{error.question}, {error.stage}{where}"
        yield Case("questions", name, "question-failed", "failed", error.what)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
