"""The exact values of a tier, as a person last accepted them.

A baseline is a results file in the public shape without anything of one run: no time,
no latency, no check. It changes only when retrieval or the data does.
"""

from collections.abc import Iterator
from pathlib import Path

from harness.errors import (
    ExitCode,
    GateFailedError,
    IncomparableError,
    NothingMeasuredError,
    ReportFormatError,
    UsageError,
)
from harness.judge.recall.budgets import Budgets
from harness.judge.recall.checks import exit_code
from harness.judge.recall.publish import facts_of, results
from harness.judge.recall.results import Results, Row, load_results
from harness.report.checks import Check
from harness.report.model import Report


def baseline_name(tier: str, variant: str) -> str:
    """Name the file of a tier's baseline."""
    suffix = "" if variant == "published" else f"-{variant}"
    return f"recall-{tier}{suffix}.json"


def committed_baselines(folder: Path) -> list[Path]:
    """List the baselines of recall tiers that *folder* holds, by name."""
    return sorted(folder.glob("recall-*.json"))


def load_baseline(path: Path, budgets: Budgets) -> Results:
    """Read the baseline that *path* holds, and see that it says everything.

    Raises:
        UsageError: There is none: nothing can pass without it.
        ReportFormatError: It cannot be read, or lacks a value that is needed.
    """
    if not path.exists():
        raise UsageError(
            f"there is no baseline {path.name!r} to hold this tier against.",
            where=str(path.parent),
            remedy="Run it with --accept, read the new file, and commit it.",
        )
    baseline = load_results(path)
    lacking = list(_lacking(baseline, budgets))
    if lacking:
        more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        raise ReportFormatError(
            f"the baseline has no {lacking[0]}{more}.",
            where=str(path),
            remedy="Run the tier with --accept, read the difference, and commit it.",
        )
    return baseline


def require_same_data(baseline: Results, report: Report) -> None:
    """Refuse to hold *report* against exact values of other data.

    Raises:
        IncomparableError: Tier, variant, data or vectors differ.
        UsageError: The report is of another suite.
    """
    facts, corpus = facts_of(report), baseline.corpus
    pairs = (
        ("tier", corpus.tier, facts.tier),
        ("variant", corpus.variant, facts.variant),
        ("data", corpus.sha256, report.dataset.sha256),
        ("vectors", corpus.vectors, report.environment.vectors),
    )
    for what, accepted, found in pairs:
        if accepted != found:
            raise IncomparableError(
                f"the baseline's {what}: {accepted!r}; the run's: {found!r}.",
                remedy="If the data was changed on purpose, run with --accept and"
                " commit the new baseline with its reason.",
            )


def candidate(report: Report, budgets: Budgets) -> Results:
    """Take the exact values out of *report*, whatever they are.

    Raises:
        UsageError: The report is of another suite.
    """
    found = results(report, budgets)
    headline = found.metrics.model_copy(update={"overall_p95_latency_ms": None})
    return found.model_copy(
        update={
            "generated_at": None,
            "modes": tuple(map(_without_times, found.modes)),
            "metrics": headline,
            "checks": (),
        }
    )


def require_fit(report: Report) -> None:
    """Refuse a run whose exact values must not be accepted.

    Args:
        report: Checked against its own `candidate`, so that what is left to fail are
            floors, relations, faults, invariants and the set of rows.

    Raises:
        GateFailedError: Something failed that no baseline can change.
        NothingMeasuredError: There is no value to accept.
    """
    if exit_code(report) is ExitCode.NOTHING_MEASURED:
        raise NothingMeasuredError("this run is no baseline: nothing was measured.")
    failed = [check for check in report.checks if not check.passed]
    if failed:
        raise GateFailedError(
            f"this run is no baseline: {len(failed)} of {len(report.checks)} checks"
            f" fail that no baseline can change: {_named(failed)}.",
            remedy="Mend the daemon. A limit in budgets.toml is changed by hand, and"
            " with a reason.",
        )
    if exit_code(report) is not ExitCode.PASSED:
        raise GateFailedError("this run is no baseline: a hit broke an invariant.")


def _without_times(row: Row) -> Row:
    return row.model_copy(update={"p50_latency_ms": None, "p95_latency_ms": None})


def _named(failed: list[Check]) -> str:
    names = ", ".join(check.name for check in failed[:3])
    return names if len(failed) <= 3 else f"{names}, ..."


def _lacking(baseline: Results, budgets: Budgets) -> Iterator[str]:
    if baseline.k != budgets.k:
        yield f"value at the cut-off {budgets.k}; its own is {baseline.k}"
    for name in ("sha256", "vectors"):
        if getattr(baseline.corpus, name) is None:
            yield f"corpus.{name}"
    for name in budgets.rows:
        row = baseline.row(name)
        if row is None or not row.measured:
            yield f"measured row {name!r}"
    for kind, mode in budgets.faults.every:
        fault = baseline.fault(kind, mode)
        if fault is None or fault.fault_recall_at_5 is None:
            yield f"measured fault {kind!r} in {mode} mode"
