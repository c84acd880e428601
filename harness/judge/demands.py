"""What any run must fulfil by itself, with or without a baseline to hold it against."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from harness.errors import ExitCode
from harness.judge.discrimination import demanded, discriminate
from harness.report.model import Report
from harness.report.wording import of_violation

ALWAYS_CHECKED = ("known", "in_scope", "visible")
"""Invariants of every run; ``repeatable`` needs a timed pass."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the gate saw."""

    code: str
    """A stable word for machines, for example ``regression``."""
    text: str
    exit_code: ExitCode
    """How the gate must end because of it; ``PASSED`` for what is only worth saying."""
    remedy: str = ""

    @property
    def fails(self) -> bool:
        """Tell whether it keeps the gate from passing."""
        return self.exit_code is not ExitCode.PASSED


def broken_demands(report: Report) -> Iterator[Finding]:
    """List what the run fails by itself: queries, invariants, discrimination.

    Discrimination is computed from the numbers here, whatever the report says of
    itself. An invariant or a check that was not looked at counts as broken.
    """
    if not any(result.queries for result in report.configurations):
        yield Finding(
            "no-queries",
            "Not one query was asked.",
            ExitCode.NOTHING_MEASURED,
            "Look at the data set: which configurations do its queries name?",
        )
    yield from _invariants(report)
    yield from _discrimination(report)


def evidence(report: Report) -> Iterator[str]:
    """Say what the demands were held against, so that "passed" is more than a word."""
    checked = ", ".join(
        f"{invariant.name.replace('_', ' ')} {invariant.checked:,}"
        for invariant in report.invariants
        if invariant.checked
    )
    yield f"Hits held against the invariants: {checked or 'none'}."
    checks = discriminate(report)
    made = [check for check in checks if check.passed is not None]
    held = sum(check.passed is True for check in made)
    yield f"Configurations told apart: {held} of {len(made)} checks hold."
    for check in checks:
        if check.passed is None and not demanded(report, check):
            yield f"Not checked, for want of queries in the data set: {check.name}."


def _invariants(report: Report) -> Iterator[Finding]:
    checked: Counter[str] = Counter()
    for invariant in report.invariants:
        checked[invariant.name] += invariant.checked
    repeated = report.parameters.repetitions > 0
    for name in (*ALWAYS_CHECKED, *(["repeatable"] if repeated else [])):
        if checked[name] < 1:
            yield Finding(
                "invariant-unchecked",
                f"Not one hit was checked for the invariant {name}.",
                ExitCode.GATE_FAILED,
                "A search that finds nothing cannot show that it hides nothing.",
            )
    for invariant in report.invariants:
        for violation in invariant.violations:
            yield Finding(
                "invariant-violated",
                f"{invariant.name}: {of_violation(violation)}",
                ExitCode.GATE_FAILED,
                "No threshold covers this: such a hit must never be returned.",
            )


def _discrimination(report: Report) -> Iterator[Finding]:
    for check in discriminate(report):
        if check.passed is None and demanded(report, check):
            yield Finding(
                "discrimination-unchecked",
                f"Not checked, though the data set has queries for it: {check.name}.",
                ExitCode.GATE_FAILED,
                "Measure every configuration that the check compares.",
            )
        if check.passed is False:
            yield Finding(
                "discrimination-failed",
                f"Does not hold: {check.name}: {check.left:g} against {check.right:g}.",
                ExitCode.GATE_FAILED,
                "Scores mean nothing until the data set tells configurations apart.",
            )
