"""Entities, what mentions them, and how they relate, in Postgres."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from palace.clock import rfc3339
from palace.convergence import Candidate

RELATES_TO = "relates_to"

_SELECT = """
select e.seq, e.id, e.kind, e.name, e.key, e.properties, e.created_at, e.updated_at,
    array(
        select a.alias from entity_aliases a where a.entity = e.seq order by a.alias
    ) as aliases
from entities e
"""
# A kind of `other` says that the observer did not know: it matches every kind.
_KIND = "($2 = 'other' or e.kind = $2)"

_EXPAND = """
with direct as (
    select distinct entity from mentions where drawer = any($1)
), neighbours as (
    select target as entity from relations join direct on source = entity
    where kind = $2 and valid_from < $4 and (valid_to is null or valid_to > $3)
    union
    select source from relations join direct on target = entity
    where kind = $2 and valid_from < $4 and (valid_to is null or valid_to > $3)
), shared as (
    select entity, true as is_direct from direct
    union all
    select entity, false from neighbours where entity not in (select * from direct)
)
select m.drawer,
    count(*) filter (where is_direct) as direct,
    count(*) filter (where not is_direct) as near,
    array_agg(distinct e.name) as names
from shared
join mentions m using (entity)
join entities e on e.seq = entity
where m.drawer <> all($1)
group by m.drawer
"""


class EntityRow(NamedTuple):
    """An entity as Postgres holds it, with its aliases in order of spelling."""

    seq: int
    id: UUID
    kind: str
    name: str
    key: str
    properties: str
    created_at: datetime
    updated_at: datetime
    aliases: Sequence[str]


class Related(NamedTuple):
    """A drawer that shares entities with the seeds of an expansion."""

    drawer: int
    direct: int
    near: int
    names: Sequence[str]


def entity_body(row: EntityRow) -> dict[str, Any]:
    """Return an entity as callers see it."""
    return {
        "id": str(row.id),
        "name": row.name,
        "kind": row.kind,
        "properties": json.loads(row.properties),
        "aliases": list(row.aliases),
        "created_at": rfc3339(row.created_at),
        "updated_at": rfc3339(row.updated_at),
    }


async def by_seq(connection: asyncpg.Connection, seq: int) -> EntityRow:
    """Return an entity that is known to be there."""
    (record,) = await connection.fetch(_SELECT + "where e.seq = $1", seq)
    return EntityRow(*record)


async def by_id(connection: asyncpg.Connection, entity: UUID) -> EntityRow | None:
    """Return an entity, or None."""
    record = await connection.fetchrow(_SELECT + "where e.id = $1", entity)
    return None if record is None else EntityRow(*record)


async def listed(
    connection: asyncpg.Connection,
    *,
    kind: str | None,
    name: str | None,
    limit: int,
) -> list[EntityRow]:
    """Return entities by name, narrowed by kind and by what the name contains."""
    records = await connection.fetch(
        _SELECT + "where ($1::text is null or e.kind = $1)"
        " and ($2::text is null or strpos(lower(e.name), lower($2)) > 0)"
        " order by lower(e.name), e.seq limit $3",
        kind,
        name,
        limit,
    )
    return [EntityRow(*record) for record in records]


async def named(connection: asyncpg.Connection, name: str, kind: str) -> int | None:
    """Return the oldest entity of exactly this name and kind, or None."""
    return await _first(connection, "e.name = $1", name, kind)


async def keyed(connection: asyncpg.Connection, key: str, kind: str) -> int | None:
    """Return the oldest entity whose name has this key, or None."""
    return await _first(connection, "e.key = $1", key, kind)


async def aliased(connection: asyncpg.Connection, key: str, kind: str) -> int | None:
    """Return the oldest entity with an alias that has this key, or None."""
    having = "e.seq in (select entity from entity_aliases a where a.key = $1)"
    return await _first(connection, having, key, kind)


async def _first(
    connection: asyncpg.Connection, having: str, value: str, kind: str
) -> int | None:
    seq: int | None = await connection.fetchval(
        f"select e.seq from entities e where {having} and {_KIND}"
        " order by e.seq limit 1",
        value,
        kind,
    )
    return seq


async def candidates(
    connection: asyncpg.Connection, length: int, kind: str, *, within: int
) -> list[Candidate]:
    """Return entities of the kind whose key is about *length* long, oldest first."""
    records = await connection.fetch(
        f"select e.seq, e.key from entities e where {_KIND}"
        " and length(e.key) between $1 and $3 order by e.seq",
        length - within,
        kind,
        length + within,
    )
    return [Candidate(*record) for record in records]


async def insert(
    connection: asyncpg.Connection,
    entity: UUID,
    *,
    kind: str,
    name: str,
    key: str,
    now: datetime,
) -> int:
    """Make an entity and return its number."""
    seq: int = await connection.fetchval(
        "insert into entities (id, kind, name, key, created_at, updated_at)"
        " values ($1, $2, $3, $4, $5, $5) returning seq",
        entity,
        kind,
        name,
        key,
        now,
    )
    return seq


async def add_alias(
    connection: asyncpg.Connection,
    entity: int,
    alias: tuple[str, str],
    confidence: float,
    now: datetime,
) -> None:
    """Note another spelling (and its key) of an entity, unless it is known."""
    added = await connection.fetchval(
        "insert into entity_aliases (entity, alias, key, confidence)"
        " values ($1, $2, $3, $4) on conflict do nothing returning entity",
        entity,
        *alias,
        confidence,
    )
    if added is not None:
        await connection.execute(
            "update entities set updated_at = $2 where seq = $1", entity, now
        )


async def link_possibly_same(
    connection: asyncpg.Connection, entity: int, others: Sequence[tuple[int, float]]
) -> None:
    """Note which entities a new one might be; nothing treats them as equal."""
    await connection.executemany(
        "insert into entity_possibly_same (entity, other, similarity)"
        " values ($1, $2, $3)",
        [(entity, *other) for other in others],
    )


async def mention(
    connection: asyncpg.Connection,
    drawer: int,
    entity: int,
    *,
    confidence: float,
    now: datetime,
) -> bool:
    """Link an entity to a drawer; tell whether the link is new."""
    added = await connection.fetchval(
        "insert into mentions (drawer, entity, confidence, created_at)"
        " values ($1, $2, $3, $4) on conflict do nothing returning drawer",
        drawer,
        entity,
        confidence,
        now,
    )
    return added is not None


async def mentioned(connection: asyncpg.Connection, drawer: int) -> list[EntityRow]:
    """Return the entities a drawer mentions, in the order they were linked."""
    records = await connection.fetch(
        _SELECT + "join mentions m on m.entity = e.seq where m.drawer = $1"
        " order by m.seq",
        drawer,
    )
    return [EntityRow(*record) for record in records]


async def relate(
    connection: asyncpg.Connection,
    source: int,
    target: int,
    *,
    kind: str,
    now: datetime,
) -> bool:
    """Draw an edge from one entity to another; tell whether it is new."""
    added = await connection.fetchval(
        "insert into relations (source, target, kind, valid_from)"
        " values ($1, $2, $3, $4) on conflict do nothing returning source",
        source,
        target,
        kind,
        now,
    )
    return added is not None


async def related(
    connection: asyncpg.Connection,
    seeds: Sequence[int],
    window: tuple[datetime, datetime],
) -> list[Related]:
    """Return the drawers, seeds apart, that share entities with the seeds.

    Args:
        connection: Where to ask.
        seeds: Ingestion numbers of the direct hits.
        window: Edges count that are valid at some moment of it, its end excluded.
    """
    records = await connection.fetch(_EXPAND, seeds, RELATES_TO, *window)
    return [Related(*record) for record in records]
