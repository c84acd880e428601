"""Effectiveness of one ranking, and means over queries.

Ranks count from 1. ``recall``, ``precision`` and ``ndcg_linear`` agree with
trec_eval's ``recall``, ``P`` and ``ndcg_cut``. ``ndcg`` has the gain ``2^grade - 1``
(Burges et al., Learning to Rank using Gradient Descent, ICML 2005), which trec_eval
gives when the grades are rewritten so.

Sums are `math.fsum`: the exact sum, rounded once, so that neither the order of the
queries nor that of the ranks can move a digit. Naive summation, MemCastle's way,
differs from it by about 1e-15.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import fsum, log2

from harness.errors import HarnessError

NDCG_GAIN = "2^grade - 1"
"""The gain behind ``ndcg@k``, as reports name it."""

FAMILIES = ("recall", "precision", "hit", "all", "ndcg", "ndcg_linear")
"""Metrics that every cut-off has, in the order they are computed in."""


def score_ranking(
    ranking: Sequence[str], grades: Mapping[str, int], cutoffs: Iterable[int]
) -> dict[str, float]:
    """Score one ranking at every cut-off; the names come back sorted.

    Args:
        ranking: Document ids, best first. A repeated id counts where it came first.
            It may be shorter than a cut-off, or empty: what is missing is a miss.
        grades: Grade, 1 or more, of each judged document; an absent id counts as 0.
        cutoffs: Last ranks that count, each 1 or more.

    Raises:
        HarnessError: Nothing is judged, so no metric is defined.

    >>> score_ranking(["x", "a"], {"a": 2, "b": 1}, [1, 3])["recall@3"]
    0.5
    """
    if not grades:
        raise HarnessError("a query without judged documents was to be scored.")
    # Most of a ranking is not judged, and no metric looks at what is not.
    found = [
        (rank, grades[document])
        for rank, document in enumerate(dict.fromkeys(ranking), start=1)
        if document in grades
    ]
    ranks = [rank for rank, _ in found]
    gains = [exponential(grade) / log2(rank + 1) for rank, grade in found]
    linear = [grade / log2(rank + 1) for rank, grade in found]
    best = tuple(sorted(grades.values(), reverse=True))
    values = [1 / ranks[0] if ranks else 0.0]
    at = tuple(cutoffs)
    for cutoff in at:
        within = bisect_right(ranks, cutoff)
        ideal, ideal_linear = _ideal(best[:cutoff])
        values += (
            within / len(best),
            within / cutoff,
            float(within > 0),
            float(within == len(best)),
            fsum(gains[:within]) / ideal if ideal else 0.0,
            fsum(linear[:within]) / ideal_linear if ideal_linear else 0.0,
        )
    return {name: values[place] for name, place in _places(at)}


def exponential(grade: int) -> float:
    """Return the gain ``2^grade - 1``: an answer is worth three related documents."""
    return 2.0**grade - 1


@lru_cache
def _places(cutoffs: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
    """Name the values of `score_ranking` by their place, sorted by name."""
    names = ["mrr"]
    for cutoff in cutoffs:
        names += (f"{family}@{cutoff}" for family in FAMILIES)
    return tuple(sorted((name, place) for place, name in enumerate(names)))


@lru_cache(maxsize=4096)
def _ideal(grades: tuple[int, ...]) -> tuple[float, float]:
    """Sum what the best order earns, by both gains; the same grades come again.

    The ideal is built from the judgments, never from what was returned, so a missed
    document lowers the value.
    """
    ranked = list(enumerate(grades, start=1))
    return (
        fsum(exponential(grade) / log2(rank + 1) for rank, grade in ranked),
        fsum(grade / log2(rank + 1) for rank, grade in ranked),
    )


def mean_metrics(queries: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average every metric over queries of equal weight; no queries give no metrics.

    Args:
        queries: The metrics of each query, all with the same names. A query without
            an answer has its zeros here, so that returning nothing gains nothing.
    """
    if not queries:
        return {}
    return {
        name: fsum(values[name] for values in queries) / len(queries)
        for name in queries[0]
    }
