"""Taking documents in: recognised, cut up, embedded, written in one transaction.

The provider is asked before the write begins, so that one request's fragments are
embedded while another's are written, and a provider that fails leaves no trace.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from palace.catalog import Catalog, Room
from palace.clock import to_datetime
from palace.core import Palace
from palace.documents import store
from palace.documents.chunking import Chunk, chunk
from palace.documents.embedding import embed
from palace.documents.index import FragmentFacts
from palace.documents.store import DocumentRow, FragmentRow
from palace.errors import InvalidInput, NotFound
from palace.memory import Memory
from palace.names import checked_name, checked_text
from palace.places import RoomMaker, check_place
from palace.store.vectors import Vector
from palace.store.writer import Transaction

# Any constant will do, as long as it stays the same.
_NAMESPACE: Final = UUID("5f0c6a0e-6d0c-5b0e-9a67-2f6f63756d74")


class NewDocument(NamedTuple):
    """A document as a caller sends it; wing and room by name or id."""

    wing: str
    room: str
    name: str
    content: str


class Stored(NamedTuple):
    """A document, its room, and whether it was made just now."""

    row: DocumentRow
    room: Room
    created: bool = False


class _Draft(NamedTuple):
    """A text cut up and embedded."""

    content: str
    chunks: list[Chunk]
    vectors: list[Vector | None]


def key_of(wing: str, room: str, name: str, content: str) -> bytes:
    """Return what a document is recognised by when it is sent again: 16 bytes.

    The same for the same names of wing and room, name and text, in any palace.
    """
    # By RFC 4122, section 4.3, a UUIDv5 but for the bits that say so. None of the four
    # has a NUL in it.
    said = "\0".join((wing, room, name, content)).encode()
    return hashlib.sha1(_NAMESPACE.bytes + said, usedforsecurity=False).digest()[:16]


async def ingest(palace: Palace, documents: Sequence[NewDocument]) -> list[Stored]:
    """Store documents in one transaction, all or none, in the order given.

    One that is there already, with the same place, name and text, is not made again,
    and the provider is not asked for it. A new one gets its key for an id, unless a
    document has that id which was updated since and says something else now.

    Raises:
        InvalidInput: A field is unusable; the message names it.
        NotFound: A wing or room is given by an id that does not exist.
        EmbeddingFailed: The provider failed; nothing is stored.
    """
    keys = _checked_keys(palace.memory.catalog, documents)
    contents = {key: new.content for key, new in zip(keys, documents, strict=True)}
    while True:
        async with palace.read() as connection:
            known = await store.by_key(connection, keys)
        fresh = {key: text for key, text in contents.items() if key not in known}
        drafts = await _drafted(palace, fresh)
        async with palace.write() as write:
            # Looked up again, for what came since.
            known = await store.by_key(write.connection, keys)
            if known.keys() | drafts.keys() == contents.keys():
                return await _make(
                    palace, write, zip(documents, keys, strict=True), (known, drafts)
                )
        # One was deleted between the two looks, and so has no draft: once more.


async def replace(palace: Palace, document: UUID, content: str) -> Stored:
    """Give a document a new text under the same id, and new fragments with it.

    They come last in the order of ingestion. What the document is recognised by when
    it is sent again is from now on the new text.

    Raises:
        InvalidInput: The text is unusable.
        NotFound: No such document.
        EmbeddingFailed: The provider failed; the old text stays.
    """
    async with palace.read() as connection:
        row = await _found(connection, document)
    room = palace.memory.catalog.room_of(row.room)
    _check_content(row.name, content)
    key = key_of(room.wing.name, room.name, row.name, content)
    draft = (await _drafted(palace, {key: content}))[key]
    async with palace.write() as write:
        row = await _found(write.connection, document)
        now = to_datetime(palace.clock.stamp())
        old = await store.clear(write.connection, row)
        change = (content, key, len(draft.chunks), now)
        version = await store.replace(write.connection, document, change)
        row = row._replace(
            key=key, version=version, fragments=len(draft.chunks), updated_at=now
        )
        write.after_commit(_forgetting(palace.memory, old))
        await _write_fragments(palace, write, [(Stored(row, room), draft)])
    return Stored(row, room)


async def delete(palace: Palace, document: UUID) -> None:
    """Remove a document for good, with its fragments and their vectors.

    Raises:
        NotFound: No such document.
    """
    async with palace.write() as write:
        row = await _found(write.connection, document)
        old = await store.clear(write.connection, row)
        await store.delete(write.connection, document)
        write.after_commit(_forgetting(palace.memory, old))


def _checked_keys(catalog: Catalog, documents: Sequence[NewDocument]) -> list[bytes]:
    """Return each document's key when nothing about any is wrong."""
    keys = []
    places: dict[tuple[str, str], tuple[str, str]] = {}
    for wing, room, name, content in documents:
        place = places.get((wing, room))
        if place is None:
            check_place(catalog, wing, room)
            place = places[wing, room] = _names(catalog, wing, room)
        checked_name("name", name)
        _check_content(name, content)
        keys.append(key_of(*place, name, content))
    return keys


def _names(catalog: Catalog, wing: str, room: str) -> tuple[str, str]:
    """Return the names of a place that is named or given by ids."""
    there = catalog.find_wing(wing)
    if there is None:
        return wing, room
    inside = catalog.find_room(there, room)
    return there.name, room if inside is None else inside.name


def _check_content(name: str, content: str) -> None:
    if not content.strip():
        raise InvalidInput("content", f"document {name!r} is blank")
    checked_text("content", content)


async def _drafted(
    palace: Palace, contents: Mapping[bytes, str]
) -> dict[bytes, _Draft]:
    """Cut texts up and have all their fragments embedded in one go, by key."""
    constants = palace.settings.ranking
    cut = {key: chunk(content, constants) for key, content in contents.items()}
    texts = [each.text for chunks in cut.values() for each in chunks]
    vectors = iter(await embed(palace, texts))
    return {
        key: _Draft(contents[key], chunks, list(islice(vectors, len(chunks))))
        for key, chunks in cut.items()
    }


async def _make(
    palace: Palace,
    write: Transaction,
    documents: Iterable[tuple[NewDocument, bytes]],
    at_hand: tuple[dict[bytes, DocumentRow], Mapping[bytes, _Draft]],
) -> list[Stored]:
    """Write the documents that are not there; return them all as they were sent.

    Args:
        palace: Where they go.
        write: The open transaction.
        documents: What was sent, with keys.
        at_hand: The documents that are there, and the drafts of the others, by key.
    """
    known, drafts = at_hand
    maker = RoomMaker(palace.memory.catalog, palace.clock, write)
    ids = {key: UUID(bytes=key, version=5) for key in drafts if key not in known}
    seqs: Iterator[int] = iter(())
    if ids:
        seqs = iter(await store.next_seqs(write.connection, "documents", len(ids)))
        for key in await store.taken(write.connection, ids):
            # No stamp comes twice.
            ids[key] = uuid.uuid5(ids[key], str(palace.clock.stamp()))
    stored: list[Stored] = []
    made: list[tuple[Stored, _Draft]] = []
    for new, key in documents:
        room = await maker.room(new.wing, new.room)
        row = known.get(key)
        if row is not None:
            stored.append(Stored(row, room))
            continue
        now = to_datetime(palace.clock.stamp())
        draft = drafts[key]
        row = DocumentRow(
            seq=next(seqs),
            id=ids[key],
            room=room.id,
            name=new.name,
            key=key,
            version=1,
            fragments=len(draft.chunks),
            created_at=now,
            updated_at=now,
        )
        known[key] = row
        stored.append(Stored(row, room, created=True))
        made.append((stored[-1], draft))
    if made:
        await store.insert(
            write.connection, [(each.row, draft.content) for each, draft in made]
        )
        await _write_fragments(palace, write, made)
    return stored


async def _write_fragments(
    palace: Palace, write: Transaction, made: Sequence[tuple[Stored, _Draft]]
) -> None:
    """Write the fragments of documents, which have none, and their vectors."""
    count = sum(len(draft.chunks) for _, draft in made)
    seqs = iter(await store.next_seqs(write.connection, "fragments", count))
    rows: list[FragmentRow] = []
    vectors: list[tuple[int, Vector]] = []
    noted: list[tuple[int, str, str, FragmentFacts]] = []
    for (document, room, _), draft in made:
        for position, (each, vector) in enumerate(
            zip(draft.chunks, draft.vectors, strict=True)
        ):
            seq = next(seqs)
            rows.append(FragmentRow(seq, document.seq, position, *each))
            if vector is not None:
                vectors.append((seq, vector))
            facts = FragmentFacts(each.text, vector is not None)
            noted.append((seq, room.wing.name, room.name, facts))
    await store.insert_fragments(write.connection, rows)
    if vectors and palace.fragment_vectors is not None:
        await palace.fragment_vectors.add(write.connection, vectors)
    fragments = palace.memory.fragments
    write.after_commit(lambda: fragments.extend(noted))


def _forgetting(memory: Memory, seqs: Sequence[int]) -> Callable[[], None]:
    """Return what takes fragments out of memory, after the commit."""

    def forget() -> None:
        for seq in seqs:
            memory.fragments.remove(seq)

    return forget


async def _found(connection: asyncpg.Connection, document: UUID) -> DocumentRow:
    row = await store.by_id(connection, document)
    if row is None:
        raise NotFound("document", str(document))
    return row
