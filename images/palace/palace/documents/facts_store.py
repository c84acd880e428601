"""Facts in Postgres: short statements about somebody, lasting or of the day."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

import asyncpg

Kind = Literal["durable", "current"]


class FactRow(NamedTuple):
    """One row of the table `facts`."""

    seq: int
    """Its order of ingestion."""
    id: UUID
    room: UUID
    kind: Kind
    """`durable` facts last, `current` ones lose weight with age."""
    text: str
    category: str
    confidence: float | None
    """As the caller gave it, 0 to 1, or None."""
    keywords: Sequence[str]
    fields: dict[str, Any]
    """Whatever else the caller said, a JSON object."""
    valid_at: datetime | None
    """When it became true; None: when it was stored."""
    created_at: datetime


_COLUMNS = ", ".join(FactRow._fields)
_FIELDS = FactRow._fields.index("fields")
# Newest first. A limit of null is none.
_IN_ROOM = f"""
select {_COLUMNS} from facts where room = $1 and kind = $2 order by seq desc limit $3
"""


async def insert(connection: asyncpg.Connection, rows: Sequence[FactRow]) -> None:
    """Write facts; their rooms exist."""
    await connection.copy_records_to_table(
        "facts",
        # Not by orjson, which has no whole numbers over 64 bits.
        records=[row._replace(fields=json.dumps(row.fields)) for row in rows],  # type: ignore[arg-type]  # the driver takes JSON as text
        columns=FactRow._fields,
    )


async def delete(connection: asyncpg.Connection, fact: UUID) -> bool:
    """Delete a fact; tell whether there was one."""
    deleted = await connection.fetchval(
        "delete from facts where id = $1 returning true", fact
    )
    return bool(deleted)


async def in_room(
    connection: asyncpg.Connection, room: UUID, kind: Kind, limit: int | None
) -> list[FactRow]:
    """Return the facts of one kind in a room, newest first, at most *limit*."""
    return [
        _row(record) for record in await connection.fetch(_IN_ROOM, room, kind, limit)
    ]


async def count(connection: asyncpg.Connection) -> int:
    """Return how many facts there are."""
    facts: int = await connection.fetchval("select count(*) from facts")
    return facts


async def latest(connection: asyncpg.Connection) -> datetime | None:
    """Return the latest instant that a fact was stamped with."""
    instant: datetime | None = await connection.fetchval(
        "select max(created_at) from facts"
    )
    return instant


def _row(record: asyncpg.Record) -> FactRow:
    row = FactRow(*record)
    return row._replace(fields=json.loads(record[_FIELDS]))
