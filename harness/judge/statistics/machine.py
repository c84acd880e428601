"""A judgement as JSON, for machines: the comparison, and what it has shown."""

from harness.judge.machine import Json, as_bytes, comparison_fields
from harness.judge.statistics import bootstrap, permutation
from harness.judge.statistics.bootstrap import Interval
from harness.judge.statistics.policy import Judgement
from harness.judge.statistics.power import ALPHA, POWER
from harness.judge.statistics.verdict import Test, Verdict
from harness.judge.statistics.wording import of_verdict
from harness.judge.ties import Band, TieBand


def judgement_json(judgement: Judgement) -> bytes:
    """Describe the comparison, the policy, and every verdict with its figures.

    The exit code is that of the policy.
    """
    fields = comparison_fields(judgement.comparison)
    fields["exit_code"] = int(judgement.exit_code)
    fields["policy"] = judgement.policy
    fields["inconclusive"] = judgement.inconclusive
    fields["verdict"] = judgement.word
    fields["statistics"] = statistics_fields(judgement)
    return as_bytes(fields)


def statistics_fields(judgement: Judgement) -> dict[str, Json]:
    """Give the method and every verdict, for a document to hold."""
    budget = judgement.comparison.threshold
    failing = {each.configuration for each in judgement.failing}
    return {
        "method": {
            "test": "sign-flip of the mean difference, two-sided",
            "resamples": permutation.RESAMPLES,
            "seed": permutation.SEED,
            "exact_up_to": permutation.MAX_EXACT,
            "correction": "Holm over the configurations",
            "family": sum(each.test is not None for each in judgement.verdicts),
            "alpha": ALPHA,
            "power": POWER,
            "interval_level": bootstrap.LEVEL,
            "interval_resamples": bootstrap.RESAMPLES,
            "interval_seed": bootstrap.SEED,
        },
        "budget": budget,
        "losses_not_judged": len(judgement.unjudged),
        "verdicts": [
            _verdict(each, budget, fails=each.configuration in failing)
            for each in judgement.verdicts
        ],
    }


def _verdict(verdict: Verdict, budget: float, *, fails: bool) -> dict[str, Json]:
    return {
        "configuration": verdict.configuration,
        "verdict": verdict.word,
        "fails": fails,
        "text": of_verdict(verdict, budget),
        "reason": verdict.reason or None,
        "over_budget": verdict.over_budget,
        "hangs_on_tie": verdict.hangs_on_tie,
        "test": None if verdict.test is None else _test(verdict.test),
        "ties": None
        if verdict.ties is None
        else {metric: _tie_band(band) for metric, band in verdict.ties.items()},
    }


def _test(test: Test) -> dict[str, Json]:
    return {
        "metric": test.metric,
        "queries": test.queries,
        "queries_moved": test.moved,
        "base": test.base,
        "new": test.new,
        "change": test.change,
        "interval": None if test.interval is None else _interval(test.interval),
        "p": test.flip.p,
        "p_corrected": test.p,
        "patterns": test.flip.patterns,
        "exact": test.flip.exact,
        "alpha": test.alpha,
        "smallest_detectable_change": test.detectable,
        "queries_needed": test.needed,
    }


def _interval(interval: Interval) -> dict[str, Json]:
    return {"low": interval.low, "high": interval.high, "method": interval.method}


def _tie_band(band: TieBand) -> dict[str, Json]:
    return {
        "base": _band(band.base),
        "new": _band(band.new),
        "change": _band(band.change),
        "queries": band.queries,
    }


def _band(band: Band) -> list[Json]:
    return [band.low, band.high]
