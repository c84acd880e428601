"""The vector leg over fragments: always exact, whatever the scope."""

from __future__ import annotations

import asyncpg
import numpy as np

from palace.documents.index import FragmentIndex, Seqs
from palace.documents.ranking import Scored
from palace.store.vectors import Vector, VectorTable

# A scope this small a share of all vectors is fetched row by row; beyond, reading the
# whole table in order costs less than looking its rows up. Measured with 20,000 vectors
# of 384 and of 768 dimensions, in scopes of neighbours and of rows at random.
_PICKED_SHARE = 0.2


async def nearest(
    connection: asyncpg.Connection,
    vectors: VectorTable,
    index: FragmentIndex,
    query: tuple[Vector, Seqs],
    limit: int,
) -> list[Scored]:
    """Return the fragments of a scope nearest to a vector, best first.

    Args:
        connection: Where to ask.
        vectors: The fragments' vectors; a fragment without one never appears.
        index: Knows which fragments have a vector.
        query: A unit vector, and the scope.
        limit: How many at most.

    Returns:
        Fragments with their cosines, in single precision; equal ones in the order that
        *vectors* has for ties.
    """
    vector, scope = query
    inside = index.embedded(scope)
    if not len(inside):
        return []
    total = index.n_embedded
    if len(inside) == total:
        found = await vectors.search_all(connection, vector, limit)
    elif len(inside) <= _PICKED_SHARE * total:
        found = await vectors.search_picked(connection, vector, limit, inside)
    else:
        found = await vectors.search_scanned(connection, vector, limit, inside)
    # What came since the scope was taken lies outside of it.
    return [Scored(*near) for near in found if _holds(inside, near.seq)]


def _holds(ascending: Seqs, seq: int) -> bool:
    place = int(np.searchsorted(ascending, seq))
    return place < len(ascending) and ascending[place] == seq
