"""Documents and their fragments in Postgres: every statement about them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from palace.store.vectors import VectorTable


class DocumentRow(NamedTuple):
    """One row of the table `documents`, without its text."""

    seq: int
    id: UUID
    room: UUID
    name: str
    key: bytes
    """What it is recognised by when it is sent again; see `palace.documents.ingest`."""
    version: int
    fragments: int
    """How many fragments its text is cut into."""
    created_at: datetime
    updated_at: datetime


class FragmentRow(NamedTuple):
    """One row of the table `fragments`; offsets count code points of the document."""

    seq: int
    document: int
    """The document's number."""
    position: int
    start_at: int
    end_at: int
    content: str


class StoredFragment(NamedTuple):
    """A fragment, its id, and whether it has a vector."""

    row: FragmentRow
    id: UUID
    embedded: bool


class LoadedFragment(NamedTuple):
    """What memory keeps of a fragment, with the names of its place."""

    seq: int
    wing: str
    room: str
    content: str
    embedded: bool


class FoundFragment(NamedTuple):
    """What a hit shows of a fragment, with the names of its place and document."""

    seq: int
    id: UUID
    document: UUID
    name: str
    """The document's."""
    wing: str
    room: str
    position: int
    content: str


def fragment_id(document: UUID, version: int, position: int) -> UUID:
    """Return the id of a fragment, which follows from where it stands."""
    return uuid.uuid5(document, f"{version}/{position}")


_DOCUMENT = ", ".join(DocumentRow._fields)
_FRAGMENT = ", ".join(f"f.{column}" for column in FragmentRow._fields)
_LAST = """
select setval(numbers, nextval(numbers) + $2 - 1)
from (select pg_get_serial_sequence($1, 'seq')::regclass) sequence (numbers)
"""
_BY_KEY = f"""
select distinct on (key) {_DOCUMENT} from documents where key = any($1)
order by key, seq
"""
_REPLACE = """
update documents set content = $2, key = $3, fragments = $4, updated_at = $5,
    version = version + 1
where id = $1 returning version
"""
_PLACED = """
from fragments f
join documents d on d.seq = f.document
join rooms r on r.id = d.room
join wings w on w.id = r.wing
"""
_FOUND = f"""
select f.seq, d.id, d.version, d.name, w.name as wing, r.name as room, f.position,
    f.content
{_PLACED}
where f.seq = any($1)
"""


async def next_seqs(connection: asyncpg.Connection, table: str, count: int) -> range:
    """Draw *count* numbers of a table, 1 or more; a rollback leaves a gap.

    In one go, which only the palace's one writer may do.
    """
    last: int = await connection.fetchval(_LAST, table, count)
    return range(last - count + 1, last + 1)


async def insert(
    connection: asyncpg.Connection, documents: Iterable[tuple[DocumentRow, str]]
) -> None:
    """Write documents with their texts; their rooms exist."""
    await connection.copy_records_to_table(
        "documents",
        records=[(*row, content) for row, content in documents],
        columns=(*DocumentRow._fields, "content"),
    )


async def insert_fragments(
    connection: asyncpg.Connection, rows: Iterable[FragmentRow]
) -> None:
    """Write fragments; their documents exist."""
    await connection.copy_records_to_table(
        "fragments", records=rows, columns=FragmentRow._fields
    )


async def by_key(
    connection: asyncpg.Connection, keys: Sequence[bytes]
) -> dict[bytes, DocumentRow]:
    """Return the oldest document of each key that is there."""
    records = await connection.fetch(_BY_KEY, keys)
    return {row.key: row for row in (DocumentRow(*record) for record in records)}


async def taken(
    connection: asyncpg.Connection, ids: Mapping[bytes, UUID]
) -> set[bytes]:
    """Return the keys of those ids that some document has."""
    records = await connection.fetch(
        "select id from documents where id = any($1)", list(ids.values())
    )
    there = {record[0] for record in records}
    return {key for key, id_ in ids.items() if id_ in there} if there else set()


async def by_id(connection: asyncpg.Connection, document: UUID) -> DocumentRow | None:
    """Return one document, or None."""
    record = await connection.fetchrow(
        f"select {_DOCUMENT} from documents where id = $1", document
    )
    return None if record is None else DocumentRow(*record)


async def with_content(
    connection: asyncpg.Connection, document: UUID
) -> tuple[DocumentRow, str] | None:
    """Return one document and its text, or None."""
    record = await connection.fetchrow(
        f"select {_DOCUMENT}, content from documents where id = $1", document
    )
    return None if record is None else (DocumentRow(*record[:-1]), record[-1])


async def in_room(
    connection: asyncpg.Connection, room: UUID, *, after: int, limit: int
) -> list[DocumentRow]:
    """Return documents of a room in the order they were made, after a number."""
    records = await connection.fetch(
        f"select {_DOCUMENT} from documents where room = $1 and seq > $2"
        " order by seq limit $3",
        room,
        after,
        limit,
    )
    return [DocumentRow(*record) for record in records]


async def replace(
    connection: asyncpg.Connection,
    document: UUID,
    change: tuple[str, bytes, int, datetime],
) -> int:
    """Give a document that is there its new text and return its new version.

    Args:
        connection: Where to write.
        document: Its id.
        change: The text, its key, the number of its fragments, and the instant.
    """
    version: int = await connection.fetchval(_REPLACE, document, *change)
    return version


async def delete(connection: asyncpg.Connection, document: UUID) -> None:
    """Delete a document; its fragments go with it."""
    await connection.execute("delete from documents where id = $1", document)


async def clear(connection: asyncpg.Connection, document: DocumentRow) -> list[int]:
    """Delete a document's fragments with their vectors; return their numbers."""
    records = await connection.fetch(
        "delete from fragments where document = $1 returning seq", document.seq
    )
    return [record[0] for record in records]


async def fragments_of(
    connection: asyncpg.Connection, document: UUID, vectors: VectorTable | None
) -> list[StoredFragment]:
    """Return a document's fragments in the order of its text; none for no document."""
    records = await connection.fetch(
        f"select {_FRAGMENT}, d.version, {_embedded(vectors)} as embedded"
        " from fragments f join documents d on d.seq = f.document"
        " where d.id = $1 order by f.position",
        document,
    )
    fragments = []
    for *columns, version, embedded in records:
        row = FragmentRow(*columns)
        known_as = fragment_id(document, version, row.position)
        fragments.append(StoredFragment(row, known_as, embedded))
    return fragments


async def found(
    connection: asyncpg.Connection, seqs: Sequence[int]
) -> dict[int, FoundFragment]:
    """Return fragments by number; those that are gone are left out."""
    if not seqs:
        return {}
    fragments = {}
    for record in await connection.fetch(_FOUND, seqs):
        seq, document, version, name, wing, room, position, content = record
        known_as = fragment_id(document, version, position)
        fragments[seq] = FoundFragment(
            seq, known_as, document, name, wing, room, position, content
        )
    return fragments


async def every_fragment(
    connection: asyncpg.Connection, vectors: VectorTable | None
) -> AsyncIterator[LoadedFragment]:
    """Iterate all fragments in order of ingestion; a transaction must be open."""
    statement = (
        "select f.seq, w.name as wing, r.name as room, f.content,"
        f" {_embedded(vectors)} {_PLACED} order by f.seq"
    )
    async for record in connection.cursor(statement, prefetch=2000):
        yield LoadedFragment(*record)


async def count(connection: asyncpg.Connection) -> int:
    """Return how many documents there are."""
    documents: int = await connection.fetchval("select count(*) from documents")
    return documents


async def latest(connection: asyncpg.Connection) -> datetime | None:
    """Return the latest instant that a document was stamped with."""
    instant: datetime | None = await connection.fetchval(
        "select max(updated_at) from documents"
    )
    return instant


def _embedded(vectors: VectorTable | None) -> str:
    """Return the expression that tells whether a fragment `f` has a vector."""
    if vectors is None:
        return "false"
    return f"exists (select from {vectors.name} v where v.seq = f.seq)"
