"""Everything a comparison or a gate judged, one case each."""

from collections.abc import Iterator

from harness.judge.compare import Change, Comparison
from harness.judge.gate import GateVerdict
from harness.judge.statistics.policy import Judgement
from harness.judge.statistics.verdict import Verdict
from harness.judge.statistics.wording import of_verdict
from harness.judge.wording import of_change, of_difference, of_one_sided, of_scope
from harness.report.faces.cases import Case, Outcome, report_cases
from harness.report.model import Report


def judgement_cases(judgement: Judgement) -> tuple[Case, ...]:
    """List every metric of every configuration, and every verdict, under the policy.

    A case fails exactly where the policy fails on it, so the failures and the exit
    code agree.
    """
    comparison = judgement.comparison
    failing = {id(change) for change in judgement.regressions}
    return (
        *_preconditions(comparison),
        *_soundness(comparison),
        *(_of_verdict(each, judgement) for each in judgement.verdicts),
        *(
            _of_change(change, fails=id(change) in failing)
            for change in comparison.changes
        ),
    )


def gate_cases(verdict: GateVerdict, report: Report) -> tuple[Case, ...]:
    """List every metric, invariant and check the gate looked at, and its findings."""
    cases: list[Case] = []
    if verdict.comparison is not None:
        cases += [
            _of_change(change, fails=change.regression)
            for change in verdict.comparison.changes
        ]
    cases += [
        case
        for case in report_cases(report)
        # What fails stands in the findings, computed anew.
        if case.outcome != "failed"
    ]
    counted: dict[str, int] = {}
    for finding in verdict.findings:
        if finding.fails and finding.code != "regression":
            counted[finding.code] = counted.get(finding.code, 0) + 1
            name = f"{finding.code} {counted[finding.code]}"
            cases.append(
                Case(
                    "gate",
                    name,
                    finding.code,
                    "failed",
                    finding.text,
                    finding.remedy,
                )
            )
    return tuple(cases)


def _preconditions(comparison: Comparison) -> Iterator[Case]:
    for item in comparison.differences:
        text = of_difference(item)
        yield Case("comparable", item.field, "not-comparable", "failed", text)
    if not comparison.differences:
        yield Case("comparable", "the two sides", "not-comparable", "passed")
    if not comparison.changes:
        text = "the two sides share not one metric"
        yield Case("comparable", "metrics", "nothing-compared", "failed", text)
    for missing in comparison.missing:
        text = f"{of_one_sided(missing)} is missing in new"
        yield Case("comparable", of_one_sided(missing), "one-sided", "failed", text)


def _soundness(comparison: Comparison) -> Iterator[Case]:
    for number, text in enumerate(comparison.broken, start=1):
        yield Case("sound", f"new {number}", "broken", "failed", text)
    if not comparison.broken:
        yield Case("sound", "new", "broken", "passed")
    if comparison.base.broken:
        text = "\n".join(
            ("base is broken, which fails nothing here:", *comparison.base.broken)
        )
        yield Case("sound", "base", "broken", "skipped", text)


def _of_verdict(verdict: Verdict, judgement: Judgement) -> Case:
    name, text = "verdict", of_verdict(verdict, judgement.comparison.threshold)
    group = verdict.configuration
    if verdict.word is None:
        return Case(group, name, "shown-worse", "skipped", text)
    if verdict.word == "not comparable" and not judgement.comparison.differences:
        fails = judgement.policy != "floor"
        outcome: Outcome = "failed" if fails else "skipped"
        return Case(group, name, "not-comparable", outcome, text)
    rule = "not-shown" if verdict.word == "inconclusive" else "shown-worse"
    if any(each is verdict for each in judgement.failing):
        return Case(group, name, rule, "failed", text)
    return Case(group, name, rule, "passed")


def _of_change(change: Change, *, fails: bool) -> Case:
    group = f"{change.configuration}, {of_scope(change.scope)}"
    if fails:
        return Case(group, change.metric, "regression", "failed", of_change(change))
    return Case(group, change.metric, "regression", "passed")
