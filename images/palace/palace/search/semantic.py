"""The vector leg: which of four plans finds the nearest drawers of a scope.

Exact unless that is too slow: an approximate index walks a graph of all vectors, and
under a narrow filter it meets few that pass. So the index serves only a scope that is
large and also most of the profile; everything else is compared one by one.
"""

from __future__ import annotations

from enum import Enum
from math import ceil
from typing import NamedTuple

import numpy as np

from palace.scope import DrawerTable, Mask
from palace.search.order import by_score
from palace.store.connect import PalaceConnection
from palace.store.vectors import Vector, VectorTable

# A scope this small a share of the profile is fetched row by row; beyond, reading the
# whole table in order costs less than looking its rows up.
_PICKED_SHARE = 0.5
# A scope below this share of the profile is never left to the index.
_INDEX_SHARE = 0.5
# Wider than MemCastle's max(64, 4 a hit): on 10,000 vectors without clusters that finds
# half of the true ten, this nine of ten, and it still costs less than an exact scan.
# pgvector takes 1,000 at most.
_EF_LEAST = 400
_EF_PER_HIT = 40
_EF_MOST = 1000


class Plan(Enum):
    """How the vector leg ran."""

    EXACT = "exact"
    INDEX = "index"
    NONE = "none"


class Leg(NamedTuple):
    """What the vector leg found: hits best first, its plan, and the rows in scope."""

    hits: list[tuple[int, float]]
    plan: Plan
    rows: int


async def nearest(
    connection: PalaceConnection,
    drawers: DrawerTable,
    vectors: VectorTable,
    query: tuple[Vector, Mask],
    *,
    limit: int,
    exact_limit: int,
) -> Leg:
    """Return the drawers of a scope nearest to a vector.

    Args:
        connection: Where to ask.
        drawers: Knows which drawers have a vector.
        vectors: The profile searched; drawers without a vector in it never appear.
        query: A unit vector, and the rows of the scope.
        limit: How many hits at most.
        exact_limit: Up to this many rows the search is exact whatever the index.
    """
    vector, mask = query
    inside = drawers.embedded(vectors.profile.name, mask)
    rows = int(np.count_nonzero(inside))
    if rows == 0:
        return Leg([], Plan.NONE, 0)
    total = drawers.n_embedded(vectors.profile.name)
    share = rows / total
    seqs = None if rows == total else drawers.seqs(inside)
    plan = Plan.EXACT
    if vectors.has_index and rows > exact_limit and share >= _INDEX_SHARE:
        plan = Plan.INDEX
        await connection.use_ef_search(breadth(limit, share))
        found = await vectors.search_indexed(connection, vector, limit, seqs)
    elif seqs is None:
        found = await vectors.search_all(connection, vector, limit)
    elif share <= _PICKED_SHARE:
        found = await vectors.search_picked(connection, vector, limit, seqs)
    else:
        found = await vectors.search_scanned(connection, vector, limit, seqs)
    # What came, or got its vector, since the scope was taken lies outside of it.
    kept = [(seq, score) for seq, score in found if drawers.is_among(seq, inside)]
    return Leg(by_score(kept), plan, rows)


def breadth(limit: int, share: float) -> int:
    """Return `ef_search`: wide enough that the filter leaves the usual number."""
    usual = max(_EF_LEAST, _EF_PER_HIT * limit)
    return min(_EF_MOST, ceil(usual / share))
