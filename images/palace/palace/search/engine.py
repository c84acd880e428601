"""One search from question to hits: resolve the vector, scope, rank, fuse, expand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple

import asyncpg
import numpy as np
import structlog

from palace import lexical
from palace.core import Palace
from palace.drawers import checked_embedding
from palace.errors import EmbeddingFailed, SemanticUnavailable
from palace.provider import ZERO_VECTOR, ProviderFailed
from palace.scope import DrawerTable, Filter, Mask
from palace.search import expansion, fusion, semantic
from palace.search.order import by_score
from palace.search.semantic import Plan
from palace.store import drawers as store
from palace.store.connect import PalaceConnection
from palace.store.drawers import DrawerRow
from palace.store.vectors import Vector, VectorTable, unit_vector

_LOG = structlog.get_logger(__name__)

DEFAULT_LIMIT = 10
MOST = 200
"""How many direct hits one search gives at most; a larger limit is cut to this."""

Matched = Literal["all", "any", "none"]


class Ranking(Enum):
    """The rankings a caller can ask for."""

    AUTO = "auto"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for; the vector is as the caller sent it, not yet checked."""

    text: str = ""
    ranking: Ranking = Ranking.AUTO
    limit: int = DEFAULT_LIMIT
    filter: Filter = field(default_factory=Filter)
    expand: bool = False
    vector: Sequence[float] | None = None
    profile: str | None = None


class Hit(NamedTuple):
    """A drawer and why it is here: its score, each leg's own score, the entities."""

    row: DrawerRow
    score: float
    signals: Mapping[str, float]
    via: Sequence[str] = ()


class Answer(NamedTuple):
    """The hits, and how they were found."""

    hits: list[Hit]
    ranking: Ranking
    degraded: str | None
    plan: Plan
    rows: int
    matched: Matched


class _Vector(NamedTuple):
    """The query's vector and the profile it is compared in."""

    vector: Vector
    table: VectorTable


class _Ranked(NamedTuple):
    """The direct hits by number, before their drawers are fetched."""

    hits: list[tuple[int, float]]
    signals: dict[int, dict[str, float]]
    plan: Plan = Plan.NONE
    rows: int = 0
    matched: Matched = "none"


async def search(palace: Palace, query: Query) -> Answer:
    """Answer one search.

    Raises:
        InvalidInput: The vector or its profile is unusable.
        SemanticUnavailable: A vector is needed and none can be had.
        EmbeddingFailed: The provider failed, and the ranking was asked for by name.
        StoreUnavailable: Postgres is away.
    """
    vector, degraded = await _resolve(palace, query)
    ranking = _effective(query.ranking, vector)
    async with palace.read() as connection:
        memory = palace.memory
        mask = memory.table.mask(query.filter)
        valid = memory.table.mask(Filter())
        limit = min(query.limit or DEFAULT_LIMIT, MOST)
        ranked = await _rank(
            palace, connection, query.text, mask, (ranking, vector, limit)
        )
        related: list[expansion.Relative] = []
        if query.expand and ranked.hits:
            window = expansion.edge_window(query.filter.time, palace.clock.stamp())
            related = await expansion.relatives(
                connection,
                memory.table,
                [seq for seq, _ in ranked.hits],
                (mask, window),
                limit=limit,
            )
        hits = await _fetch(connection, (memory.table, valid), ranked, related)
    return Answer(hits, ranking, degraded, ranked.plan, ranked.rows, ranked.matched)


def _effective(asked: Ranking, vector: _Vector | None) -> Ranking:
    if asked is not Ranking.AUTO:
        return asked
    return Ranking.LEXICAL if vector is None else Ranking.HYBRID


async def _resolve(palace: Palace, query: Query) -> tuple[_Vector | None, str | None]:
    """Return the query's vector, and the code of what kept `auto` from having one."""
    if query.ranking is Ranking.LEXICAL:
        return None, None
    if query.vector is not None:
        checked = checked_embedding(
            palace, "query_embedding", query.vector, query.profile
        )
        return _Vector(checked.vector, checked.table), None
    try:
        return await _ask_provider(palace, query), None
    except (SemanticUnavailable, EmbeddingFailed) as problem:
        if query.ranking is not Ranking.AUTO:
            raise
        if isinstance(problem, EmbeddingFailed):
            _LOG.warning("search_degraded", code=problem.code, reason=problem.message)
        return None, problem.code


async def _ask_provider(palace: Palace, query: Query) -> _Vector:
    """Have the provider embed the query's text."""
    table = palace.provider_table
    if query.profile is not None:
        asked = palace.table_of(query.profile)
        if asked is not table:
            raise SemanticUnavailable(
                f"profile {query.profile!r} takes its vectors from the caller only"
            )
    if palace.provider is None or table is None:
        raise SemanticUnavailable
    if not query.text.strip():
        raise SemanticUnavailable("a blank text cannot be embedded")
    try:
        found = await palace.provider.embed_query(query.text)
        return _Vector(unit_vector(found, table.profile.dimension), table)
    except ProviderFailed as problem:
        raise EmbeddingFailed(problem.code, problem.message) from problem
    except ValueError as problem:
        # It has the right length and is finite, so it has no direction.
        raise EmbeddingFailed(ZERO_VECTOR, str(problem)) from problem


async def _rank(
    palace: Palace,
    connection: PalaceConnection,
    text: str,
    mask: Mask,
    how: tuple[Ranking, _Vector | None, int],
) -> _Ranked:
    """Run the legs that the ranking needs, each within the scope."""
    ranking, vector, limit = how
    memory = palace.memory
    if ranking is Ranking.LEXICAL or vector is None:
        hits, matched = _lexical(palace, text, mask, limit, match="all_then_any")
        return _Ranked(
            hits, {seq: {"lexical": score} for seq, score in hits}, matched=matched
        )
    pool = limit if ranking is Ranking.SEMANTIC else fusion.pool_size(limit)
    leg = await semantic.nearest(
        connection,
        memory.table,
        vector.table,
        (vector.vector, mask),
        limit=pool,
        exact_limit=palace.settings.exact_limit,
    )
    signals = {seq: {"semantic": score} for seq, score in leg.hits}
    if ranking is Ranking.SEMANTIC:
        return _Ranked(leg.hits, signals, leg.plan, leg.rows)
    words, matched = _lexical(palace, text, mask, pool, match="any")
    for seq, score in words:
        # The lexical signal comes first, as MemCastle shows them.
        signals[seq] = {"lexical": score, **signals.get(seq, {})}
    fused = fusion.fuse([seq for seq, _ in leg.hits], [seq for seq, _ in words])
    return _Ranked(fused[:limit], signals, leg.plan, leg.rows, matched)


def _lexical(
    palace: Palace,
    text: str,
    mask: Mask,
    limit: int,
    *,
    match: Literal["any", "all_then_any"],
) -> tuple[list[tuple[int, float]], Matched]:
    """Rank the scope by words; the whole palace is searched without a mask."""
    memory = palace.memory
    rows = int(np.count_nonzero(mask))
    if rows == 0:
        return [], "none"
    found = memory.index.search(
        lexical.terms(text),
        limit=limit,
        # Everything, if no drawer came since the mask was taken.
        allowed=None if rows == len(mask) == memory.table.rows else mask,
        match=match,
        scoped=palace.settings.lexical_statistics == "scope",
    )
    return by_score(found.hits), found.matched


async def _fetch(
    connection: asyncpg.Connection,
    moment: tuple[DrawerTable, Mask],
    ranked: _Ranked,
    related: Sequence[expansion.Relative],
) -> list[Hit]:
    """Fetch the drawers of all hits; one deleted in the meantime is left out.

    The scope was taken from memory, and rows are read later: a correction may have
    been committed in between. Its old version is still the right answer, since the new
    one is not among the hits, and leaving it out would show neither. So every row is
    shown as it was when the scope was taken.

    Args:
        connection: Where to ask.
        moment: The table, and the rows that were valid when the scope was taken.
        ranked: The direct hits.
        related: The hits of expansion.
    """
    table, valid = moment
    wanted = [seq for seq, _ in ranked.hits] + [relative.seq for relative in related]
    rows = {
        seq: row.reopened() if table.is_among(seq, valid) else row
        for seq, row in (await store.by_seq(connection, wanted)).items()
        if table.row_of(seq) is not None
    }
    hits = [
        Hit(rows[seq], score, ranked.signals[seq])
        for seq, score in ranked.hits
        if seq in rows
    ]
    hits += [
        Hit(rows[seq], score, {"graph": score}, via)
        for seq, score, via in related
        if seq in rows
    ]
    return hits
