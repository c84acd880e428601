"""What every search over fragments gives back, and the way from ranking to answer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from typing import NamedTuple

from palace.core import Palace
from palace.documents import store
from palace.documents.query_vector import Missing
from palace.documents.ranking import Scored
from palace.documents.store import FoundFragment
from palace.store.connect import PalaceConnection

# How often a ranking is made anew because a fragment of it was replaced meanwhile. Who
# is overtaken by writes more often than this gets a hit less.
_TRIES = 3


class Mode(Enum):
    """The modes a search can be asked for, and the two plain rankings."""

    HYBRID = "hybrid"
    VECTOR = "vector"
    KEYWORD = "keyword"
    RAW_VECTOR = "raw-vector"
    RANK = "rank"


class Place(NamedTuple):
    """What a search is narrowed by: names, None for any."""

    wing: str | None = None
    room: str | None = None


class Hit(NamedTuple):
    """A fragment and its score."""

    fragment: FoundFragment
    score: float


class Ranked(NamedTuple):
    """A ranking before its fragments are fetched."""

    hits: Sequence[Scored]
    scanned: int
    """How many fragments were ranked by their words."""
    is_cut: bool = False
    """Whether a configured limit kept fragments from being ranked or shown."""


class Answer(NamedTuple):
    """The hits, and how they came about."""

    mode: Mode
    """What was asked for."""
    effective: Mode
    """What ran."""
    hits: Sequence[Hit]
    scanned: int
    is_cut: bool
    search_ms: float
    """Ranking and fetching, without the time for the query's vector."""
    embed_ms: float | None = None
    """The time for the query's vector; None where no provider was asked."""
    missing: Missing | None = None
    """Why another mode ran; None when the asked one did."""


Rank = Callable[[PalaceConnection], Awaitable[Ranked]]
"""Makes a ranking of what is in memory and in Postgres when it is called."""


async def answered(palace: Palace, mode: Mode, rank: Rank) -> Answer:
    """Rank, and fetch what was ranked.

    A document may be replaced in between. Its old fragments are gone then and its new
    ones are not among the hits, so the ranking is made anew.

    Raises:
        StoreUnavailable: Postgres is away.
    """
    start = time.perf_counter()
    async with palace.read() as connection:
        for _ in range(_TRIES):
            ranked = await rank(connection)
            found = await store.found(connection, [hit.seq for hit in ranked.hits])
            if len(found) == len(ranked.hits):
                break
    hits = [Hit(found[seq], score) for seq, score in ranked.hits if seq in found]
    search_ms = (time.perf_counter() - start) * 1000
    return Answer(mode, mode, hits, ranked.scanned, ranked.is_cut, search_ms)


def reaching(found: Sequence[Scored], threshold: float | None) -> list[Scored]:
    """Return those whose score is at least *threshold*; all of them for None."""
    if threshold is None:
        return list(found)
    return [near for near in found if near.score >= threshold]
