"""Drawers in Postgres: how they are written, read and shown."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from palace.clock import rfc3339

Body = dict[str, Any]
"""A JSON object as it is sent; what it holds is described in `palace.wire`."""


class DrawerRow(NamedTuple):
    """One row of the table `drawers`, in the order of its columns."""

    seq: int
    id: UUID
    room: UUID
    name: str | None
    content: str
    content_hash: bytes
    normal_hash: int
    source_kind: str
    source_uri: str | None
    source_agent: str | None
    tags: Sequence[str]
    requested_by: str
    job_id: UUID | None
    valid_from: datetime
    valid_to: datetime | None
    lineage: int
    supersedes: UUID | None
    superseded_by: UUID | None
    created_at: datetime
    updated_at: datetime

    def reopened(self) -> DrawerRow:
        """Return the row as it was before it was closed, if it is.

        Closing is all that ever happens to a row, so nothing else needs undoing.
        """
        if self.valid_to is None:
            return self
        return self._replace(
            valid_to=None, superseded_by=None, updated_at=self.created_at
        )


COLUMNS = ", ".join(DrawerRow._fields)
_PLACES = ", ".join(f"${n}" for n in range(1, len(DrawerRow._fields) + 1))
_INSERT = f"insert into drawers ({COLUMNS}) values ({_PLACES})"
_BY_SEQ = f"select {COLUMNS} from drawers where seq = any($1)"
_BY_ID = f"select {COLUMNS} from drawers where id = $1"
_NEXT = (
    "select nextval(pg_get_serial_sequence('drawers', 'seq'))"
    " from generate_series(1, $1)"
)
_HISTORY = f"""
select {COLUMNS} from drawers where seq = $1
union all
select {COLUMNS} from drawers where lineage = $1 and lineage <> seq
order by seq
"""
# Of many drawers that say the same, the identical ones come first.
_ALIKE = f"""
select {", ".join(f"d.{name}" for name in DrawerRow._fields)}
from unnest($1::uuid[], $2::bigint[], $3::bytea[]) as wanted (room, hash, digest)
cross join lateral (
    select * from drawers d
    where d.room = wanted.room and d.normal_hash = wanted.hash and d.valid_to is null
    order by d.content_hash <> wanted.digest, d.seq
    limit $4
) d
order by d.seq
"""
_NAMED = f"""
select {COLUMNS} from drawers
where (room, name) in (select * from unnest($1::uuid[], $2::text[]))
    and valid_to is null
"""
_NOT_WORDS = re.compile(r"[\W_]+")
# COPY has a fixed cost of some statements' worth; past this many rows it is faster.
_COPY_FROM = 16


def content_hash(content: str) -> bytes:
    """Return the SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(content.encode()).digest()


def normalised(content: str) -> str:
    """Return the text with case, punctuation and runs of white space taken away."""
    folded = unicodedata.normalize("NFKC", content).casefold()
    return _NOT_WORDS.sub(" ", folded).strip()


def normal_hash(normal: str) -> int:
    """Return 64 bits of a hash of normalised text, signed as Postgres wants them."""
    digest = hashlib.blake2b(normal.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def drawer_body(row: DrawerRow) -> Body:
    """Return a drawer as callers see it; links only where they are set."""
    body: Body = {
        "id": str(row.id),
        "room": str(row.room),
        "name": row.name,
        "content": row.content,
        "content_hash": row.content_hash.hex(),
        "source": {
            "kind": row.source_kind,
            "uri": row.source_uri,
            "agent": row.source_agent,
        },
        "tags": list(row.tags),
        "embedding": None,
        "provenance": {
            "requested_by": row.requested_by,
            "job_id": None if row.job_id is None else str(row.job_id),
        },
        "valid_from": rfc3339(row.valid_from),
        "valid_to": None if row.valid_to is None else rfc3339(row.valid_to),
        "created_at": rfc3339(row.created_at),
        "updated_at": rfc3339(row.updated_at),
    }
    if row.supersedes is not None:
        body["supersedes"] = str(row.supersedes)
    if row.superseded_by is not None:
        body["superseded_by"] = str(row.superseded_by)
    return body


def _rows(records: Iterable[asyncpg.Record]) -> list[DrawerRow]:
    return [DrawerRow(*record) for record in records]


async def next_seqs(connection: asyncpg.Connection, count: int) -> list[int]:
    """Draw *count* ingestion numbers, ascending; a rollback leaves a gap."""
    return [record[0] for record in await connection.fetch(_NEXT, count)]


async def insert(connection: asyncpg.Connection, rows: Sequence[DrawerRow]) -> None:
    """Write drawers; their rooms exist."""
    if len(rows) >= _COPY_FROM:
        await connection.copy_records_to_table(
            "drawers", records=rows, columns=DrawerRow._fields
        )
    else:
        await connection.executemany(_INSERT, rows)


async def alike(
    connection: asyncpg.Connection,
    places: Sequence[tuple[UUID, int, bytes]],
    *,
    limit: int,
) -> list[DrawerRow]:
    """Return current drawers with the same normalised text, oldest first.

    Args:
        connection: Where to ask.
        places: Room, normal hash and content hash of each text.
        limit: How many at most for each text, identical ones before others.
    """
    columns = [list(column) for column in zip(*places, strict=True)]
    return _rows(await connection.fetch(_ALIKE, *columns, limit))


async def named(
    connection: asyncpg.Connection, names: Sequence[tuple[UUID, str]]
) -> list[DrawerRow]:
    """Return the current drawers with some (room, name)."""
    rooms, called = [name[0] for name in names], [name[1] for name in names]
    return _rows(await connection.fetch(_NAMED, rooms, called))


async def by_seq(
    connection: asyncpg.Connection, seqs: Sequence[int]
) -> dict[int, DrawerRow]:
    """Return drawers by ingestion number; those that are gone are left out."""
    if not seqs:
        return {}
    return {row.seq: row for row in _rows(await connection.fetch(_BY_SEQ, seqs))}


async def by_id(connection: asyncpg.Connection, drawer: UUID) -> DrawerRow | None:
    """Return one drawer, or None."""
    record = await connection.fetchrow(_BY_ID, drawer)
    return None if record is None else DrawerRow(*record)


async def history(connection: asyncpg.Connection, lineage: int) -> list[DrawerRow]:
    """Return every version of a drawer, oldest first."""
    return _rows(await connection.fetch(_HISTORY, lineage))


async def close(connection: asyncpg.Connection, seq: int, at: datetime) -> None:
    """End a drawer's validity at *at*."""
    await connection.execute(
        "update drawers set valid_to = $2, updated_at = $2 where seq = $1", seq, at
    )


async def link(connection: asyncpg.Connection, seq: int, replacement: UUID) -> None:
    """Note what replaced a closed drawer."""
    await connection.execute(
        "update drawers set superseded_by = $2 where seq = $1", seq, replacement
    )


async def delete(connection: asyncpg.Connection, drawer: UUID) -> int | None:
    """Delete a drawer and all that hangs on it; return its number, or None."""
    seq: int | None = await connection.fetchval(
        "delete from drawers where id = $1 returning seq", drawer
    )
    return seq
