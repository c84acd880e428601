"""What the statistics and the metrics claim, simulated; and what they cost."""

import random
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytrec_eval
from numpy.typing import NDArray
from scipy.stats import kstest, permutation_test

from benchmarks.bench import Row, alternate
from harness.judge.statistics.permutation import sign_flip
from harness.judge.statistics.power import ALPHA, POWER, detectable
from harness.measure.metrics import score_ranking

SEED = 16_180
ROUNDS = 7

Floats = NDArray[np.float64]


def null_exact() -> Row:
    """Test 4,000 comparisons of 20 queries in which nothing changed, exactly."""
    return _uniform("exact", queries=20, comparisons=4000)


def null_sampled() -> Row:
    """The same with 100 queries, whose patterns are sampled."""
    return _uniform("20,000 sampled patterns", queries=100, comparisons=2000)


def power() -> Row:
    """Plant the smallest detectable change, and count how often it is shown."""
    generator = np.random.default_rng(SEED)
    comparisons, queries = 1000, 39
    # Of a spread of 0.1, which is what single queries of the bundled data move by.
    change = detectable(_standardised(queries, 0.1))
    assert change is not None
    shown = sum(
        sign_flip(generator.normal(-change, 0.1, queries)).p <= ALPHA
        for _ in range(comparisons)
    )
    rate = shown / comparisons
    return Row(
        f"a change of {change:.4f}, planted {comparisons:,} times in {queries} queries",
        f"shown in {rate:.1%}",
        f"the {POWER:.0%} that power.py says",
        rate / POWER,
        "0.95 to 1.05",
        0.95 <= rate / POWER <= 1.05,
    )


def resampling() -> Row:
    """Flip the signs of 500 differences 10,000 times, beside SciPy doing the same."""
    differences = np.random.default_rng(SEED).normal(0.005, 0.1, 500)

    def theirs() -> object:
        return permutation_test(
            (differences,),
            lambda values, axis: values.mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=10_000,
            rng=1,
        )

    return _cost(
        "sign-flip test, 10,000 resamples of 500 queries",
        partial(sign_flip, differences, resamples=10_000),
        theirs,
        "SciPy",
    )


def scoring() -> Row:
    """Score 10,000 rankings of 100 by every metric that pytrec_eval has, and by ours.

    Ours computes two more at each cut-off, ``all`` and the other gain of nDCG, for
    which trec_eval would have to run again.
    """
    generator = random.Random(SEED)
    pool = [f"document-{number:04}" for number in range(2000)]
    cases = {}
    for number in range(10_000):
        ranking = generator.sample(pool, 100)
        judged = generator.sample(ranking, 5) + generator.sample(pool, 7)
        grades = {document: generator.randint(1, 3) for document in judged}
        cases[f"q{number}"] = (ranking, grades)
    cutoffs = (1, 3, 5, 10)
    at = ",".join(map(str, cutoffs))
    names = ("recall", "P", "success", "ndcg_cut")
    evaluator = pytrec_eval.RelevanceEvaluator(
        {query: grades for query, (_, grades) in cases.items()},
        {f"{name}.{at}" for name in names} | {"recip_rank"},
    )
    run = {
        query: {document: -float(rank) for rank, document in enumerate(ranking)}
        for query, (ranking, _) in cases.items()
    }

    def ours() -> object:
        return [
            score_ranking(ranking, grades, cutoffs)
            for ranking, grades in cases.values()
        ]

    return _cost(
        "scoring 10,000 queries of 100 results, 25 metrics against 17 of them",
        ours,
        partial(evaluator.evaluate, run),
        "pytrec_eval",
    )


def _uniform(how: str, *, queries: int, comparisons: int) -> Row:
    generator = np.random.default_rng(SEED)
    found = [sign_flip(generator.normal(0, 0.1, queries)).p for _ in range(comparisons)]
    statistic = float(kstest(found, "uniform").statistic)
    # The distance that 5 % of truly uniform samples of this size exceed.
    critical = 1.358 / comparisons**0.5
    below = sum(p <= ALPHA for p in found) / comparisons
    return Row(
        f"p-values of {comparisons:,} comparisons in which nothing changed, {how}",
        f"Kolmogorov-Smirnov distance from uniform {statistic:.4f} ({below:.1%} at most"
        f" {ALPHA:g})",
        f"the critical {critical:.4f}",
        statistic / critical,
        "at most 1",
        statistic <= critical,
    )


def _standardised(size: int, spread: float) -> Floats:
    values = np.linspace(-1, 1, size)
    return values * (spread / float(values.std(ddof=1)))


def _cost(
    name: str, ours: Callable[[], object], theirs: Callable[[], object], rival: str
) -> Row:
    mine, others = alternate(ROUNDS, _timed(ours), _timed(theirs))
    # The best of each: whatever else ran on the machine only ever adds.
    ratio = min(mine) / min(others)
    return Row(
        name,
        f"best of {ROUNDS} {min(mine) * 1e3:.1f} ms",
        f"{rival} {min(others) * 1e3:.1f} ms",
        ratio,
        "at most 1",
        ratio <= 1,
    )


def _timed(call: Callable[[], object]) -> Callable[[], float]:
    def seconds() -> float:
        began = time.perf_counter()
        call()
        return time.perf_counter() - began

    return seconds
