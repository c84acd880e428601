"""Reciprocal-rank fusion of two rankings (Cormack, Clarke and Büttcher 2009)."""

from __future__ import annotations

from collections.abc import Sequence

from palace.search.order import by_score

K = 60
"""How slowly a rank loses weight; the paper's constant, and MemCastle's."""

_POOL_LEAST = 20


def pool_size(limit: int) -> int:
    """Return how many hits each leg gives to the fusion for *limit* results."""
    return max(_POOL_LEAST, 2 * limit)


def fuse(*legs: Sequence[int]) -> list[tuple[int, float]]:
    """Return every drawer of the legs with its fused score, best first.

    Args:
        legs: Ingestion numbers, best first, without repeats.

    Returns:
        Pairs of number and sum of 1 / (60 + rank), ranks from 1, in single precision;
        equal scores by number.

    >>> [(seq, round(score, 4)) for seq, score in fuse([7, 5], [7, 9])]
    [(7, 0.0328), (5, 0.0161), (9, 0.0161)]
    """
    scores: dict[int, float] = {}
    for leg in legs:
        for rank, seq in enumerate(leg, start=1):
            scores[seq] = scores.get(seq, 0.0) + 1 / (K + rank)
    return by_score((seq, score) for seq, score in scores.items())
