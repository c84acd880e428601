"""A judgement of two sides as the file that is kept of it."""

from harness.judge.ab.judgement import AbJudgement
from harness.judge.statistics.verdict import Verdict
from harness.judge.statistics.wording import of_verdict
from harness.report.ab import AbResult, RelevanceVerdict, SideFacts
from harness.report.model import Report


def as_result(
    found: AbJudgement, report: Report, base: SideFacts, candidate: SideFacts
) -> AbResult:
    """Put everything that was found into one document.

    Args:
        found: The judgement.
        report: The base's report of the first round, for what both sides share.
        base: The base, and where its reports are.
        candidate: Likewise.
    """
    budget = found.bounds.threshold
    failing = {each.configuration for each in found.relevance.failing}
    return AbResult(
        created_at=report.created_at,
        exit_code=int(found.exit_code),
        base=base,
        candidate=candidate,
        dataset=report.dataset,
        host=report.environment.host,
        repetitions=report.parameters.repetitions,
        latency_budget=found.bounds.latency_budget,
        threshold=budget,
        inconclusive=found.bounds.inconclusive,
        rounds=found.rounds,
        relevance=tuple(
            _relevance(each, budget, fails=each.configuration in failing)
            for each in found.relevance.verdicts
        ),
        latency=found.latency,
        warnings=found.warnings,
    )


def _relevance(verdict: Verdict, budget: float, *, fails: bool) -> RelevanceVerdict:
    test = verdict.test
    interval = test.interval if test else None
    return RelevanceVerdict(
        configuration=verdict.configuration,
        word=verdict.word,
        text=of_verdict(verdict, budget),
        fails=fails,
        metric=test.metric if test else None,
        base=test.base if test else None,
        candidate=test.new if test else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        p=test.p if test else None,
    )
