"""The gate: baseline, invariants and discrimination checks as one verdict.

It passes when every demand was looked at and holds. What was not looked at fails.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.errors import ExitCode
from harness.judge.baseline import Baseline
from harness.judge.comparable import from_baseline, from_report
from harness.judge.compare import DEFAULT_THRESHOLD, SLACK, Comparison, compare
from harness.judge.demands import Finding, broken_demands, evidence
from harness.judge.wording import of_change, of_difference, of_one_sided
from harness.report.model import Report

RENEW = "If it is meant, renew the baseline with `just baseline`."


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Whether the run may pass, and everything that was seen."""

    findings: tuple[Finding, ...]
    """What fails first, then what is only worth saying."""
    comparison: Comparison | None
    """``None`` where there is no baseline."""
    evidence: tuple[str, ...] = ()
    """What was looked at, and what the data set gave no occasion to look at."""

    @property
    def passed(self) -> bool:
        """Tell whether every demand was looked at and holds."""
        return self.exit_code is ExitCode.PASSED

    @property
    def exit_code(self) -> ExitCode:
        """Give the gravest of the findings: nothing to judge by, before a failure."""
        return max(
            (finding.exit_code for finding in self.findings), default=ExitCode.PASSED
        )


def gate(
    report: Report, baseline: Baseline | None, threshold: float = DEFAULT_THRESHOLD
) -> GateVerdict:
    """Judge *report* against the accepted *baseline*.

    Unlike a plain comparison, the gate also fails on what only the run has: until the
    baseline is renewed, nothing would notice its loss.

    Args:
        report: A whole run.
        baseline: ``None`` where there is none: the gate then cannot pass.
        threshold: The largest loss that passes, per metric.

    Raises:
        UsageError: *threshold* is not a finite number of at least 0.
    """
    findings: list[Finding] = []
    comparison = None
    if baseline is None:
        findings.append(
            Finding(
                "baseline-missing",
                "There is no baseline to hold this run against.",
                ExitCode.NOTHING_MEASURED,
                "Make one with `just baseline`, read it, and commit it.",
            )
        )
    else:
        comparison = compare(
            from_baseline(baseline, source="the baseline"),
            # What is broken by itself is found below, computed anew.
            replace(from_report(report, source="this run"), broken=()),
            threshold,
        )
        findings += _comparison(comparison)
        findings += _repeats(comparison)
    findings += broken_demands(report)
    findings.sort(key=lambda finding: not finding.fails)
    return GateVerdict(tuple(findings), comparison, tuple(evidence(report)))


def _comparison(comparison: Comparison) -> Iterator[Finding]:
    for difference in comparison.differences:
        yield Finding(
            "not-comparable",
            of_difference(difference),
            ExitCode.NOTHING_MEASURED,
            "Measure what the baseline measured, or renew it with `just baseline`.",
        )
    if not comparison.changes:
        yield Finding(
            "nothing-compared",
            "The run and the baseline share not one metric.",
            ExitCode.NOTHING_MEASURED,
            "Look at the report: was anything measured?",
        )
    for item in comparison.one_sided:
        yield Finding(
            "one-sided",
            f"{of_one_sided(item)} is only in the "
            f"{'baseline' if item.side == 'base' else 'run'}.",
            ExitCode.GATE_FAILED,
            RENEW,
        )
    for change in comparison.regressions:
        yield Finding("regression", of_change(change), ExitCode.GATE_FAILED, RENEW)
    better = [
        change
        for change in comparison.changes
        if change.change > comparison.threshold + SLACK
    ]
    if better:
        best = of_change(better[-1])
        yield Finding(
            "improved",
            f"{len(better)} metrics gained more than the threshold; most: {best}",
            ExitCode.PASSED,
            "Renew the baseline with `just baseline`, so that the gain is kept.",
        )


def _repeats(comparison: Comparison) -> Iterator[Finding]:
    """List answers that show a document twice where the accepted answer does not.

    No metric falls by it: a document counts once, at its first rank, and what comes
    behind it moves up. But the page has less on it.
    """
    accepted = {
        (configuration.name, query): _repeated(documents)
        for configuration in comparison.base.configurations
        for query, documents in (configuration.rankings or {}).items()
    }
    for configuration in comparison.new.configurations:
        for query, documents in (configuration.rankings or {}).items():
            repeated = _repeated(documents)
            if repeated is None or accepted.get((configuration.name, query)):
                continue
            yield Finding(
                "repeated-hit",
                f"{configuration.name}, query {query}: {repeated} comes back twice.",
                ExitCode.GATE_FAILED,
                "A document may be one hit of an answer, not two.",
            )


def _repeated(documents: Sequence[str]) -> str | None:
    """Return the first document that occurs a second time, if one does."""
    seen: set[str] = set()
    for document in documents:
        if document in seen:
            return document
        seen.add(document)
    return None
