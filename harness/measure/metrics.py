"""Effectiveness of one ranking, and means over queries.

Ranks count from 1. ``recall``, ``precision`` and ``ndcg_linear`` agree with
trec_eval's ``recall``, ``P`` and ``ndcg_cut``. ``ndcg`` has the gain ``2^grade - 1``
(Burges et al., Learning to Rank using Gradient Descent, ICML 2005), which trec_eval
gives when the grades are rewritten so.

Sums are `math.fsum`: the exact sum, rounded once, so that neither the order of the
queries nor that of the ranks can move a digit. Naive summation, MemCastle's way,
differs from it by about 1e-15.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.errors import HarnessError

NDCG_GAIN = "2^grade - 1"
"""The gain behind ``ndcg@k``, as reports name it."""

Gain = Callable[[int], float]


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
    unique = list(dict.fromkeys(ranking))
    values = {"mrr": reciprocal_rank(unique, grades)}
    for cutoff in cutoffs:
        found = sum(document in grades for document in unique[:cutoff])
        values[f"recall@{cutoff}"] = found / len(grades)
        values[f"precision@{cutoff}"] = found / cutoff
        values[f"hit@{cutoff}"] = float(found > 0)
        values[f"all@{cutoff}"] = float(found == len(grades))
        values[f"ndcg@{cutoff}"] = ndcg(unique, grades, cutoff, exponential)
        values[f"ndcg_linear@{cutoff}"] = ndcg(unique, grades, cutoff, float)
    return dict(sorted(values.items()))


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return 1 / rank of the first judged document, anywhere in *ranking*; else 0."""
    for rank, document in enumerate(ranking, start=1):
        if document in grades:
            return 1 / rank
    return 0.0


def ndcg(
    ranking: Sequence[str], grades: Mapping[str, int], cutoff: int, gain: Gain
) -> float:
    """Score one ranking by how early its relevant documents come, between 0 and 1.

    The ideal is built from *grades*, never from what was returned, so a missed
    document lowers the value. It is 0 where no grade has a gain.

    Args:
        ranking: Document ids, best first, no repeats.
        grades: Grade of each judged document.
        cutoff: Last rank that counts, in the ranking and in the ideal.
        gain: What a document of a grade is worth at rank 1.

    >>> round(ndcg(["d3", "d1"], {"d1": 1, "d2": 1}, 10, exponential), 4)
    0.3869
    """
    ideal = _discounted(sorted(grades.values(), reverse=True)[:cutoff], gain)
    if ideal == 0:
        return 0.0
    found = [grades.get(document, 0) for document in ranking[:cutoff]]
    return _discounted(found, gain) / ideal


def exponential(grade: int) -> float:
    """Return the gain ``2^grade - 1``: an answer is worth three related documents."""
    return 2.0**grade - 1


def _discounted(grades: Sequence[int], gain: Gain) -> float:
    return math.fsum(
        gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1)
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
        name: math.fsum(values[name] for values in queries) / len(queries)
        for name in queries[0]
    }
