"""Metrics of a ranking of which only the grades are known, in their order.

The definitions are those that the report's numbers were computed by; the judge needs
them to say what another order of the same documents would have given.
"""

import math
from collections.abc import Callable, Mapping, Sequence

UNJUDGED = -1
"""Stands for the grade of a document without one: below every grade."""

Value = Callable[[Sequence[int]], float]
"""Turn the grades of a whole ranking, best first, into a metric's value."""


def valued(metric: str, judged: Sequence[int]) -> Value | None:
    """Return what computes *metric* of a query, given its grades, highest first."""
    family, _, at = metric.partition("@")
    if family == "mrr" and not at:
        return _reciprocal_rank
    if not (at.isascii() and at.isdigit() and int(at) > 0):
        return None
    cutoff = int(at)
    of_found = _COUNTED.get(family)
    if of_found is not None:
        return lambda ranked: of_found(_found(ranked, cutoff), len(judged), cutoff)
    weighing = _GAINED.get(family)
    if weighing is None:
        return None
    gain, discount = weighing
    ideal = _weighed(judged[:cutoff], gain, discount)
    return lambda ranked: (
        _weighed(ranked[:cutoff], gain, discount) / ideal if ideal else 0.0
    )


def _reciprocal_rank(ranked: Sequence[int]) -> float:
    ranks = (rank for rank, grade in enumerate(ranked, start=1) if grade != UNJUDGED)
    first = next(ranks, None)
    return 0.0 if first is None else 1 / first


def _found(ranked: Sequence[int], cutoff: int) -> int:
    return sum(grade != UNJUDGED for grade in ranked[:cutoff])


def _weighed(
    ranked: Sequence[int],
    gain: Callable[[int], float],
    discount: Callable[[int], float],
) -> float:
    return math.fsum(
        gain(grade) / discount(rank)
        for rank, grade in enumerate(ranked, start=1)
        if grade > 0
    )


def _official(rank: int) -> float:
    return max(1.0, math.log2(rank))


def _log(rank: int) -> float:
    return math.log2(rank + 1)


_COUNTED: Mapping[str, Callable[[int, int, int], float]] = {
    "recall": lambda found, judged, _: found / judged,
    "precision": lambda found, _, cutoff: found / cutoff,
    "hit": lambda found, *_: float(found > 0),
    "all": lambda found, judged, _: float(found == judged),
}
"""From the judged documents found, those there are, and the cut-off."""

_GAINED: Mapping[str, tuple[Callable[[int], float], Callable[[int], float]]] = {
    "ndcg": (lambda grade: 2.0**grade - 1, _log),
    "ndcg_linear": (float, _log),
    "ndcg_official": (float, _official),
}
"""Gain by grade and discount by rank."""
