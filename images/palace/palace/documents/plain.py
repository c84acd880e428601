"""The two rankings by themselves: nearness to a given vector, and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from palace.core import Palace
from palace.documents.answer import Answer, Mode, Place, Ranked, answered, reaching
from palace.documents.nearest import nearest
from palace.documents.ranking import Ranking
from palace.errors import InvalidInput, SemanticUnavailable
from palace.store.connect import PalaceConnection
from palace.store.vectors import unit_vector


async def search_by_vector(
    palace: Palace,
    embedding: Sequence[float],
    place: Place,
    *,
    limit: int | None,
    threshold: float | None,
) -> Answer:
    """Return the fragments nearest to a caller's vector, by nothing but their cosine.

    Args:
        palace: Where to search.
        embedding: Any length but 0, as many numbers as the provider's vectors have.
        place: The scope.
        limit: How many hits, 1 or more; None for as many as are configured.
        threshold: The least cosine; None for any.

    Raises:
        InvalidInput: The vector cannot be compared with those of the fragments.
        SemanticUnavailable: No fragment can have a vector, as there is no provider.
        StoreUnavailable: Postgres is away.
    """
    table = palace.fragment_vectors
    if table is None:
        raise SemanticUnavailable
    try:
        unit = unit_vector(embedding, table.profile.dimension)
    except ValueError as problem:
        raise InvalidInput("embedding", str(problem)) from problem
    most = palace.settings.ranking.raw_output if limit is None else limit

    async def rank(connection: PalaceConnection) -> Ranked:
        index = palace.memory.fragments
        near = (unit, index.scope(*place))
        found = await nearest(connection, table, index, near, most)
        return Ranked(reaching(found, threshold), 0)

    return await answered(palace, Mode.RAW_VECTOR, rank)


class Ranker(NamedTuple):
    """One of the two rankers, and how it takes words."""

    name: Literal["search", "document"] = "search"
    stemming: bool | None = None
    """Whether words count by their stems; None for the ranker's own way."""


async def rank_words(
    palace: Palace, text: str, place: Place, ranker: Ranker, limit: int | None
) -> Answer:
    """Return every fragment of a place that shares a word with a text, best first.

    The whole place is read, whatever `keyword_scan` says.

    Args:
        palace: Where to search.
        text: What to look for; a blank one finds nothing.
        place: The scope.
        ranker: What ranks.
        limit: How many hits, 1 or more; None for all.

    Raises:
        StoreUnavailable: Postgres is away.
    """

    async def rank(_: PalaceConnection) -> Ranked:
        index = palace.memory.fragments
        ranking = Ranking(index, palace.settings.ranking)
        scope = index.scope(*place)
        by_words = ranking.search if ranker.name == "search" else ranking.document
        hits = by_words(text, scope, limit, stemming=ranker.stemming)
        return Ranked(hits, len(scope))

    return await answered(palace, Mode.RANK, rank)
