"""What is broken inside one file, and what stands behind its figures.

Equal figures say nothing where a hit broke an invariant or a check failed, nor where
nobody looked. A file is therefore held to what it says of itself, and to what the other
side looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.judge.recall.results import Results
from harness.report.check_lines import of_check
from harness.report.layout import count, listed
from harness.report.model import Report
from harness.report.wording import of_violation

FOLLOWS_THE_PASSES = "repeatable"
"""The invariant that only a run with timed passes can look at."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a file shows to have been looked at; ``None`` where its format cannot."""

    checks: int | None = None
    """How many checks were made, held or not."""
    invariants: frozenset[str] | None = None
    """The invariants that at least one hit was held against."""
    faults: frozenset[str] | None = None
    """The measured faults of the embedder, each with its mode."""


def broken_report(report: Report) -> Iterator[str]:
    """State in a line each what *report* says to be broken."""
    for invariant in report.invariants:
        for violation in invariant.violations:
            yield _line(f"invariant {invariant.name}: {of_violation(violation)}")
    for check in report.checks:
        if not check.passed:
            yield _line(f"check {of_check(check)}")
    for error in report.longmemeval.errors if report.longmemeval else ():
        where = f" ({error.configuration})" if error.configuration else ""
        yield _line(f"question {error.question}, {error.stage}{where}: {error.what}")


def broken_results(results: Results) -> Iterator[str]:
    """State in a line each which checks of *results* fail, or pass on nothing."""
    for check in results.checks:
        if check.value is None:
            word = "passes" if check.passed else "fails"
            yield _line(f"check {check.name}: not measured, and {word}")
        elif not check.passed:
            found = f"{check.value:.8g}, its budget is {check.budget:.8g}"
            yield _line(f"check {check.name}: {found} {check.unit}")


def evidence_of_report(report: Report) -> Evidence:
    """Tell what was looked at in the run that *report* is of."""
    recall = report.recall
    return Evidence(
        checks=len(report.checks),
        invariants=frozenset(each.name for each in report.invariants if each.checked),
        faults=frozenset(
            _fault(each.fault, each.mode)
            for each in (recall.faults if recall else ())
            if each.fault_recall is not None
        ),
    )


def evidence_of_results(results: Results) -> Evidence:
    """Tell what was looked at; a baseline has no checks, the public bench no faults."""
    ours = results.corpus.sha256 is not None
    return Evidence(
        checks=None if results.generated_at is None else len(results.checks),
        faults=frozenset(
            _fault(each.fault, each.mode)
            for each in results.faults
            if each.fault_recall_at_5 is not None
        )
        if ours
        else None,
    )


def lost(base: Evidence, new: Evidence) -> Iterator[str]:
    """State in a line each what *base* looked at and *new* did not.

    What a format cannot state is not lost. Fewer checks are not either, since each
    format and each set of budgets has its own; not one is.
    """
    if base.checks and new.checks == 0:
        yield f"checks: base has {count(base.checks, 'check')}, new has none"
    if base.invariants is not None and new.invariants is not None:
        gone = base.invariants - new.invariants
        # Without timed passes there is nothing to repeat, and that is no loss.
        if new.invariants:
            gone -= {FOLLOWS_THE_PASSES}
        if gone:
            names = listed(sorted(gone))
            yield f"invariants: base checked {names}, new not on a single hit"
    if base.faults is not None and new.faults is not None:
        for fault in sorted(base.faults - new.faults):
            yield f"fault {fault}: measured in base, and not in new"


def _fault(kind: str, mode: str) -> str:
    return f"{kind} in {mode} mode"


def _line(text: str) -> str:
    """Put on one line what a daemon may have written on several."""
    return " ".join(text.split())
