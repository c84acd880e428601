"""Picks rows out of arrays: the best few, and where some stand among others."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Places: TypeAlias = NDArray[np.signedinteger[Any]]

# Searching a sorted list costs about log2(length) steps a row, marking costs one step a
# posting; from this ratio of lengths on, the search is the cheaper of the two.
_SEARCH_RATIO: Final = 16

# Large enough to shrink the work, small enough that the best ten of some thousand
# scores mostly fall into ten groups.
_GROUP: Final = 64


def best(
    scores: NDArray[np.float64], seqs: NDArray[np.int64], limit: int
) -> NDArray[np.intp]:
    """Find the first *limit* places by falling score, then by rising number.

    Args:
        scores: In any order, none of them NaN.
        seqs: Parallel to *scores*, no repeats.
        limit: 1 or more; all places are ordered when there are fewer.
    """
    if len(scores) <= limit:
        return np.lexsort((seqs, -scores))
    last = entry_score(scores, limit)
    above = np.flatnonzero(scores > last)
    if len(above) >= limit:
        last = np.partition(scores[above], -limit)[-limit]
        above = np.flatnonzero(scores > last)
    # Short documents tie by the thousand; only the earliest of them can stay.
    tied = np.flatnonzero(scores == last)
    free = limit - len(above)
    if len(tied) > free:
        tied = tied[np.argpartition(seqs[tied], free - 1)[:free]]
    keep = np.concatenate((above, tied))
    return keep[np.lexsort((seqs[keep], -scores[keep]))]


def entry_score(scores: NDArray[np.float64], limit: int) -> float:
    """Find a score that at least *limit* of *scores* reach: the last of them, or less.

    For many scores this takes the best of each of many groups and ranks only those. The
    full partition is far slower, most of all on the few distinct values of ties.

    Args:
        scores: At least *limit* of them.
        limit: 1 or more.
    """
    n_groups = len(scores) // _GROUP
    if n_groups >= 2 * limit:
        grouped = scores[: n_groups * _GROUP].reshape(_GROUP, n_groups)
        scores = grouped.max(axis=0)
    return float(np.partition(scores, -limit)[-limit])


def places_in(
    stored: NDArray[np.int32], rows: _Places, scratch: NDArray[np.int32]
) -> _Places:
    """Find where each of *rows* stands in *stored*; below 0 where it does not.

    Args:
        stored: Ascending, no repeats, not empty.
        rows: In any order.
        scratch: All zero, before and after; longer than any row number is high.
    """
    if len(rows) * _SEARCH_RATIO < len(stored):
        found = np.searchsorted(stored, rows)
        found[found == len(stored)] = 0
        found[stored[found] != rows] = -1
        return found
    try:
        scratch[stored] = np.arange(1, len(stored) + 1, dtype=np.int32)
        return scratch[rows] - np.int32(1)
    finally:
        scratch[stored] = 0
