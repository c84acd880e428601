"""Reading documents back: one, its fragments, those of a room."""

from __future__ import annotations

from uuid import UUID

from palace.core import Palace
from palace.documents import store
from palace.documents.ingest import Stored
from palace.documents.store import StoredFragment
from palace.errors import NotFound


async def find(palace: Palace, document: UUID) -> tuple[Stored, str]:
    """Return a document and its text.

    Raises:
        NotFound: There is none with this id.
    """
    async with palace.read() as connection:
        found = await store.with_content(connection, document)
    if found is None:
        raise NotFound("document", str(document))
    row, content = found
    return Stored(row, palace.memory.catalog.room_of(row.room)), content


async def fragments(palace: Palace, document: UUID) -> list[StoredFragment]:
    """Return what a document is cut into, in the order of its text.

    Raises:
        NotFound: No such document.
    """
    async with palace.read() as connection:
        found = await store.fragments_of(connection, document, palace.fragment_vectors)
    # A document is never blank, so it has a fragment.
    if not found:
        raise NotFound("document", str(document))
    return found


async def in_room(
    palace: Palace, place: tuple[str, str], *, after: UUID | None, limit: int
) -> list[Stored]:
    """Return documents of a room in the order they were made, after a given one if any.

    Raises:
        NotFound: No such wing, room or document.
    """
    begin = 0
    async with palace.read() as connection:
        if after is not None:
            last = await store.by_id(connection, after)
            if last is None:
                raise NotFound("document", str(after))
            begin = last.seq
        catalog = palace.memory.catalog
        room = catalog.room(catalog.wing(place[0]), place[1])
        rows = await store.in_room(connection, room.id, after=begin, limit=limit)
    return [Stored(row, room) for row in rows]
