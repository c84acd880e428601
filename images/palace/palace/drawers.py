"""Making drawers: checked, deduplicated, written in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple
from uuid import UUID

from palace.clock import to_datetime
from palace.core import Palace
from palace.dedup import Draft, Known, NewDrawer, near, settle
from palace.errors import InvalidInput, NotFound
from palace.memory import Memory
from palace.names import checked_content, checked_name, checked_text
from palace.places import RoomMaker, check_place
from palace.store import drawers as store
from palace.store import links
from palace.store.drawers import DrawerRow
from palace.store.vectors import Vector, VectorTable, unit_vector
from palace.store.writer import Transaction


class Embedding(NamedTuple):
    """A checked vector and the table it belongs in."""

    vector: Vector
    table: VectorTable


class Wanted(NamedTuple):
    """A drawer to be made, and the vector that comes with it, if one does."""

    drawer: NewDrawer
    embedding: Embedding | None = None


class Created(NamedTuple):
    """A drawer, and whether it was made just now or was there already."""

    row: DrawerRow
    created: bool


def checked_drawer(palace: Palace, drawer: NewDrawer) -> NewDrawer:
    """Return *drawer* when nothing about it is wrong.

    Raises:
        InvalidInput: A field is unusable; the message names it.
        NotFound: The wing or the room is given by an id that does not exist.
    """
    check_place(palace.memory.catalog, drawer.wing, drawer.room)
    checked_content(drawer.content)
    if drawer.name is not None:
        checked_name("name", drawer.name)
    checked_text("requested_by", drawer.requested_by)
    return drawer


def checked_embedding(
    palace: Palace, field: str, values: Sequence[float], profile: str | None
) -> Embedding:
    """Return a caller's vector as its profile stores it.

    Raises:
        InvalidInput: Unknown profile, wrong length, not finite, or all zero.
    """
    table = palace.table_of(profile)
    try:
        vector = unit_vector(values, table.profile.dimension)
    except ValueError as problem:
        raise InvalidInput(field, str(problem)) from problem
    return Embedding(vector, table)


async def create(palace: Palace, wanted: Sequence[Wanted]) -> list[Created]:
    """Make drawers in one transaction, all or none, in the order given.

    An unnamed drawer whose text a current drawer of its room has already, byte for
    byte, is not made: the one that is there stands in its place, and gets the vector.
    So it is with a named one, when the drawer of that name has that text.

    Raises:
        DrawerNameTaken: A drawer of the room has the name, and another text.
    """
    async with palace.write() as write:
        drafts = await _draft(palace, write, [each.drawer for each in wanted])
        known = await Known.of(write.connection, drafts)
        seqs = await store.next_seqs(write.connection, len(drafts))
        settled = [
            settle(known, draft, seq, palace.clock.stamp())
            for draft, seq in zip(drafts, seqs, strict=True)
        ]
        created = [Created(each.row, each.is_new) for each in settled]
        made = [each.row for each in settled if each.is_new]
        alike = [link for each in settled for link in each.links]
        if len(drafts) == 1 and made:
            # Only for a drawer that comes alone: a batch is a load, and fast.
            alike += await near(palace.memory, write.connection, drafts[0], made[0])
        await store.insert(write.connection, made)
        if alike:
            now = to_datetime(palace.clock.stamp())
            await links.add(write.connection, alike, now)
        memory = palace.memory
        write.after_commit(lambda: memory.add(made))
        await _embed(memory, write, wanted, created)
    return created


async def attach(palace: Palace, drawer: UUID, embedding: Embedding) -> None:
    """Give a drawer its vector in one profile, in place of the one it had.

    Raises:
        NotFound: No such drawer.
    """
    async with palace.write() as write:
        seq = await embedding.table.put_by_id(
            write.connection, drawer, embedding.vector
        )
        if seq is None:
            raise NotFound("drawer", str(drawer))
        write.after_commit(_noting(palace.memory, embedding.table, [seq]))


async def _draft(
    palace: Palace, write: Transaction, drawers: Sequence[NewDrawer]
) -> list[Draft]:
    """Find or make the rooms, and work out what deduplication looks at."""
    maker = RoomMaker(palace.memory.catalog, palace.clock, write)
    return [Draft.of(new, await maker.room(new.wing, new.room)) for new in drawers]


async def _embed(
    memory: Memory,
    write: Transaction,
    wanted: Sequence[Wanted],
    created: Sequence[Created],
) -> None:
    """Write the vectors that came with the drawers, profile by profile."""
    new: dict[VectorTable, dict[int, Vector]] = {}
    old: dict[VectorTable, dict[int, Vector]] = {}
    for (_, embedding), (row, is_new) in zip(wanted, created, strict=True):
        if embedding is not None:
            vectors = (new if is_new else old).setdefault(embedding.table, {})
            vectors[row.seq] = embedding.vector
    for table, vectors in new.items():
        await table.add(write.connection, list(vectors.items()))
        write.after_commit(_noting(memory, table, list(vectors)))
    for table, vectors in old.items():
        await table.put(write.connection, list(vectors.items()))
        write.after_commit(_noting(memory, table, list(vectors)))


def _noting(
    memory: Memory, table: VectorTable, seqs: Sequence[int]
) -> Callable[[], None]:
    """Return what notes, after the commit, that drawers have a vector."""

    def note() -> None:
        for seq in seqs:
            memory.table.set_embedded(seq, table.profile.name)

    return note
