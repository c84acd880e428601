"""What the daemon keeps in memory, rebuilt from Postgres at every start.

The catalog of wings and rooms, the facts that scope a search, the lexical index, and
the fragments of documents.
A new `Memory` is filled beside the one in use and then takes its place, so a reader
never sees half of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import asyncpg

from palace import lexical
from palace.catalog import Catalog, Room, Wing
from palace.clock import to_microseconds
from palace.documents import facts_store
from palace.documents import store as documents
from palace.documents.constants import RECALL, RankingConstants
from palace.documents.index import FragmentFacts, FragmentIndex
from palace.lexical import LexicalIndex
from palace.scope import OPEN, DrawerTable, Facts
from palace.store.drawers import COLUMNS, DrawerRow, normalised
from palace.store.vectors import VectorTable

_EVERY_DRAWER = f"select {COLUMNS} from drawers order by seq"
_BATCH = 2000


class Memory:
    """Catalog, scope table and lexical index, in step row by row; and the fragments.

    Args:
        profiles: Names of the vector profiles whose coverage is tracked.
        ranking: How fragments are ranked.
    """

    def __init__(
        self, profiles: Sequence[str], ranking: RankingConstants = RECALL
    ) -> None:
        self.catalog = Catalog()
        self.table = DrawerTable(profiles)
        self.index = LexicalIndex()
        self.fragments = FragmentIndex(ranking)
        self.latest_us = 0

    def add(self, rows: Iterable[DrawerRow]) -> None:
        """Take in drawers in order of ingestion."""
        documents = []
        for row in rows:
            room = self.catalog.room_of(row.room)
            self.table.add(_facts(row, room))
            documents.append((row.seq, lexical.terms(row.content)))
        self.index.extend(documents)

    def remove(self, seq: int) -> None:
        """Forget a drawer."""
        self.table.remove(seq)
        self.index.remove(seq)


async def load(
    connection: asyncpg.Connection,
    vectors: Sequence[VectorTable],
    fragment_vectors: VectorTable | None,
    ranking: RankingConstants,
) -> Memory:
    """Read everything from Postgres into a new `Memory`.

    Args:
        connection: Where to read, all as of one moment.
        vectors: The drawers' vectors, by profile.
        fragment_vectors: The fragments' vectors, None without a provider's profile.
        ranking: How fragments are ranked.
    """
    memory = Memory([table.profile.name for table in vectors], ranking)
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        await _load_catalog(connection, memory.catalog)
        batch: list[DrawerRow] = []
        async for record in connection.cursor(_EVERY_DRAWER, prefetch=_BATCH):
            batch.append(DrawerRow(*record))
            if len(batch) == _BATCH:
                memory.add(batch)
                batch.clear()
        memory.add(batch)
        for table in vectors:
            for seq in await table.embedded(connection):
                memory.table.set_embedded(seq, table.profile.name)
        await _load_fragments(connection, fragment_vectors, memory.fragments)
        memory.latest_us = await _latest_us(connection)
    return memory


async def _load_fragments(
    connection: asyncpg.Connection, vectors: VectorTable | None, index: FragmentIndex
) -> None:
    batch = []
    async for each in documents.every_fragment(connection, vectors):
        facts = FragmentFacts(each.content, each.embedded)
        batch.append((each.seq, each.wing, each.room, facts))
        if len(batch) == _BATCH:
            index.extend(batch)
            batch.clear()
    index.extend(batch)


async def _load_catalog(connection: asyncpg.Connection, catalog: Catalog) -> None:
    for record in await connection.fetch(
        "select id, name, created_at from wings order by seq"
    ):
        catalog.add_wing(Wing(*record))
    for record in await connection.fetch(
        "select r.id, w.id as wing, r.name, r.created_at"
        " from rooms r join wings w on w.id = r.wing order by r.seq"
    ):
        wing = catalog.wing(str(record["wing"]))
        catalog.add_room(Room(record["id"], wing, record["name"], record["created_at"]))


async def _latest_us(connection: asyncpg.Connection) -> int:
    """Return the latest instant the palace was stamped with, 0 for an empty one."""
    drawers = await connection.fetchval(
        "select greatest(max(updated_at), max(valid_from), max(valid_to)) from drawers"
    )
    stamps = (
        drawers,
        await documents.latest(connection),
        await facts_store.latest(connection),
    )
    return max(
        (to_microseconds(each) for each in stamps if each is not None), default=0
    )


def _facts(row: DrawerRow, room: Room) -> Facts:
    return Facts(
        seq=row.seq,
        wing=room.wing.name,
        room=room.name,
        valid_from=to_microseconds(row.valid_from),
        valid_to=OPEN if row.valid_to is None else to_microseconds(row.valid_to),
        tags=tuple(row.tags),
        source_kind=row.source_kind,
        length=len(normalised(row.content)),
    )
