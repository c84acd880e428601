"""What happens to a drawer after it was made: replaced, closed, deleted, read back."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from palace.clock import to_datetime
from palace.core import Palace
from palace.errors import DrawerSuperseded, NotFound
from palace.names import checked_content, checked_text
from palace.scope import Filter, Now
from palace.store import drawers as store
from palace.store import links
from palace.store.drawers import DrawerRow
from palace.store.links import FoundLink


class Superseded(NamedTuple):
    """A closed drawer and what replaced it, if anything did."""

    superseded: DrawerRow
    replacement: DrawerRow | None


async def find(palace: Palace, drawer: UUID) -> DrawerRow:
    """Return a drawer of any time.

    Raises:
        NotFound: There is none with this id.
    """
    async with palace.read() as connection:
        row = await store.by_id(connection, drawer)
    if row is None:
        raise NotFound("drawer", str(drawer))
    return row


async def history(palace: Palace, drawer: UUID) -> list[DrawerRow]:
    """Return every version of a drawer, whichever of them is named, oldest first."""
    row = await find(palace, drawer)
    async with palace.read() as connection:
        return await store.history(connection, row.lineage)


async def duplicates(palace: Palace, drawer: UUID) -> list[FoundLink]:
    """Return the drawers that say the same or nearly the same, most alike first.

    Raises:
        NotFound: No such drawer.
    """
    row = await find(palace, drawer)
    async with palace.read() as connection:
        return await links.of_drawer(connection, row.seq)


async def in_room(
    palace: Palace,
    place: tuple[str, str],
    *,
    after: UUID | None,
    limit: int,
    include_historical: bool,
) -> list[DrawerRow]:
    """Return drawers of a room in order of ingestion, after a given one if any.

    Raises:
        NotFound: No such wing, room or drawer.
    """
    begin = 0 if after is None else (await find(palace, after)).seq
    async with palace.read() as connection:
        catalog, table = palace.memory.catalog, palace.memory.table
        room = catalog.room(catalog.wing(place[0]), place[1])
        scope = Filter(
            wing=room.wing.name,
            room=room.name,
            time=Now.ALL if include_historical else Now.CURRENT,
        )
        seqs = table.seqs(table.mask(scope))
        page = seqs[seqs > begin][:limit].tolist()
        rows = await store.by_seq(connection, page)
    return [rows[seq] for seq in page if seq in rows]


async def supersede(
    palace: Palace,
    drawer: UUID,
    *,
    content: str | None,
    tags: Sequence[str] | None,
    requested_by: str,
) -> Superseded:
    """End a drawer's validity and, given a text, begin that of its replacement.

    Both happen at one instant in one transaction: no reader ever finds both versions,
    or neither. The replacement stays in the room and keeps name, agent and, unless
    others are given, tags; it has no vector. Tags alone change nothing.

    Raises:
        InvalidInput: The text is blank.
        NotFound: No such drawer.
        DrawerSuperseded: It is closed already.
    """
    if content is not None:
        checked_content(content)
    checked_text("requested_by", requested_by)
    for tag in tags or ():
        checked_text("tags", tag)
    async with palace.write() as write:
        old = await store.by_id(write.connection, drawer)
        if old is None:
            raise NotFound("drawer", str(drawer))
        if old.valid_to is not None:
            raise DrawerSuperseded(str(drawer))
        instant_us = palace.clock.stamp()
        now = to_datetime(instant_us)
        new = None
        if content is not None:
            seq = (await store.next_seqs(write.connection, 1))[0]
            new = old._replace(
                seq=seq,
                id=uuid.uuid4(),
                content=content,
                content_hash=store.content_hash(content),
                normal_hash=store.normal_hash(store.normalised(content)),
                tags=old.tags if tags is None else tags,
                requested_by=requested_by,
                job_id=None,
                valid_from=now,
                supersedes=old.id,
                created_at=now,
                updated_at=now,
            )
            # Closed before the replacement comes, whose name it would else dispute.
            await store.close(write.connection, old.seq, now)
            await store.insert(write.connection, [new])
            await store.link(write.connection, old.seq, new.id)
        else:
            await store.close(write.connection, old.seq, now)
        memory = palace.memory
        write.after_commit(lambda: memory.table.close(old.seq, instant_us))
        if new is not None:
            write.after_commit(lambda: memory.add([new]))
    closed = old._replace(
        valid_to=now, updated_at=now, superseded_by=None if new is None else new.id
    )
    return Superseded(closed, new)


async def delete(palace: Palace, drawer: UUID) -> None:
    """Remove one version of a drawer for good, with its vectors and mentions.

    Raises:
        NotFound: No such drawer.
    """
    async with palace.write() as write:
        seq = await store.delete(write.connection, drawer)
        if seq is None:
            raise NotFound("drawer", str(drawer))
        memory = palace.memory
        write.after_commit(lambda: memory.remove(seq))
