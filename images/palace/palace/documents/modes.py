"""Search over fragments by vector, by keywords or by both.

The modes `vector` and `hybrid` need the question's vector. When it cannot be had they
run the very path of `keyword`, with the same scope, and the answer says so: a caller
must never take one ranking for another.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from palace.core import Palace
from palace.documents.answer import (
    Answer,
    Mode,
    Place,
    Rank,
    Ranked,
    answered,
    reaching,
)
from palace.documents.nearest import nearest
from palace.documents.query_vector import Missing, QueryVector, embed_query
from palace.documents.ranking import Ranking
from palace.store.connect import PalaceConnection

_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """A search in one of the three modes."""

    text: str
    mode: Mode
    """Hybrid, vector or keyword."""
    place: Place
    limit: int | None = None
    """How many hits, 1 or more; None for as many as are configured."""
    threshold: float | None = None
    """The least cosine, None for the configured one; keywords have no cosine."""


async def search(palace: Palace, question: Question) -> Answer:
    """Answer a question in its mode, or by keywords when its vector cannot be had.

    Raises:
        StoreUnavailable: Postgres is away.
    """
    if not question.text.strip():
        return Answer(question.mode, question.mode, [], 0, False, 0.0)
    if question.mode is Mode.KEYWORD:
        return await answered(palace, Mode.KEYWORD, _by_keywords(palace, question))
    vector, embed_ms = await embed_query(palace, question.text)
    if isinstance(vector, Missing):
        return await _fallen_open(palace, question, vector, embed_ms)
    answer = await answered(palace, question.mode, _by_vector(palace, question, vector))
    return answer._replace(embed_ms=embed_ms)


async def _fallen_open(
    palace: Palace, question: Question, missing: Missing, embed_ms: float | None
) -> Answer:
    _LOG.warning(
        "document_search_degraded",
        mode=question.mode.value,
        code=missing.code,
        reason=missing.reason,
    )
    answer = await answered(palace, Mode.KEYWORD, _by_keywords(palace, question))
    return answer._replace(mode=question.mode, embed_ms=embed_ms, missing=missing)


def _by_keywords(palace: Palace, question: Question) -> Rank:
    constants = palace.settings.ranking
    limit = constants.keyword_output if question.limit is None else question.limit

    async def rank(_: PalaceConnection) -> Ranked:
        index = palace.memory.fragments
        ranking = Ranking(index, constants)
        scope = index.scope(*question.place)
        scanned = ranking.scanned(scope)
        hits = ranking.keyword(question.text, scanned, limit)
        return Ranked(hits, len(scanned), len(scanned) < len(scope))

    return rank


def _by_vector(palace: Palace, question: Question, vector: QueryVector) -> Rank:
    constants = palace.settings.ranking
    if question.mode is Mode.HYBRID:
        size, threshold = constants.hybrid_pool, constants.hybrid_threshold
        limit = constants.hybrid_output
    else:
        size, threshold = constants.vector_pool, constants.vector_threshold
        limit = size
    if question.limit is not None:
        limit = question.limit
    if question.threshold is not None:
        threshold = question.threshold

    async def rank(connection: PalaceConnection) -> Ranked:
        index = palace.memory.fragments
        near = (vector.unit, index.scope(*question.place))
        # One more than the pool holds tells whether the pool kept something out.
        found = await nearest(connection, vector.table, index, near, size + 1)
        found = reaching(found, threshold)
        pool, is_cut = found[:size], len(found) > size and limit > size
        if question.mode is not Mode.HYBRID:
            return Ranked(pool[:limit], 0, is_cut)
        hits = Ranking(index, constants).hybrid(question.text, pool, limit)
        return Ranked(hits, len(pool), is_cut)

    return rank
