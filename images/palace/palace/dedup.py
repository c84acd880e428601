"""Deduplication on write: what is not stored again, and what is linked as alike.

Only current drawers of the same room count. The same bytes are not stored twice; the
same words, or nearly the same, are stored and linked, and no ranking is touched.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple
from uuid import UUID

import asyncpg

from palace import lexical, similarity
from palace.catalog import Room
from palace.clock import to_datetime
from palace.errors import DrawerNameTaken
from palace.memory import Memory
from palace.scope import Filter
from palace.store import drawers as store
from palace.store.drawers import DrawerRow
from palace.store.links import Link

# How many drawers a new one is compared with or linked to, so that a write costs the
# same however many there are.
_COMPARED = 8


class NewDrawer(NamedTuple):
    """A drawer to be made, as a caller asked for it."""

    wing: str
    room: str
    content: str
    name: str | None = None
    requested_by: str = "http"


class Draft(NamedTuple):
    """A drawer to be made, with what deduplication looks at."""

    new: NewDrawer
    room: Room
    digest: bytes
    normal: str
    normal_hash: int

    @classmethod
    def of(cls, new: NewDrawer, room: Room) -> Draft:
        """Work out the hashes of a drawer that goes into *room*."""
        normal = store.normalised(new.content)
        return cls(
            new=new,
            room=room,
            digest=store.content_hash(new.content),
            normal=normal,
            normal_hash=store.normal_hash(normal),
        )

    def row(self, seq: int, instant_us: int) -> DrawerRow:
        """Return the drawer as it is stored, valid from the instant on."""
        now = to_datetime(instant_us)
        return DrawerRow(
            seq=seq,
            id=uuid.uuid4(),
            room=self.room.id,
            name=self.new.name,
            content=self.new.content,
            content_hash=self.digest,
            normal_hash=self.normal_hash,
            source_kind="manual",
            source_uri=None,
            source_agent=None,
            tags=(),
            requested_by=self.new.requested_by,
            job_id=None,
            valid_from=now,
            valid_to=None,
            lineage=seq,
            supersedes=None,
            superseded_by=None,
            created_at=now,
            updated_at=now,
        )


class Settled(NamedTuple):
    """What becomes of a draft: a drawer, new or not, and what it is linked to."""

    row: DrawerRow
    is_new: bool
    links: list[Link]


class Known:
    """Current drawers with the text or name of a draft: stored, or made before it."""

    def __init__(self, rows: Iterable[DrawerRow]) -> None:
        self._alike: dict[tuple[UUID, int], dict[int, DrawerRow]] = {}
        self._named: dict[tuple[UUID, str], DrawerRow] = {}
        for row in rows:
            self.add(row)

    @classmethod
    async def of(cls, connection: asyncpg.Connection, drafts: Sequence[Draft]) -> Known:
        """Ask Postgres for the drawers that the drafts may repeat."""
        places = {(draft.room.id, draft.normal_hash, draft.digest) for draft in drafts}
        rows = await store.alike(connection, list(places), limit=_COMPARED)
        names = [
            (draft.room.id, draft.new.name)
            for draft in drafts
            if draft.new.name is not None
        ]
        if names:
            rows += await store.named(connection, names)
        return cls(rows)

    def add(self, row: DrawerRow) -> None:
        """Note a current drawer."""
        self._alike.setdefault((row.room, row.normal_hash), {})[row.seq] = row
        if row.name is not None:
            self._named[row.room, row.name] = row

    def alike(self, draft: Draft) -> Iterable[DrawerRow]:
        """Return drawers that say the same once normalised, at most a few."""
        rows = self._alike.get((draft.room.id, draft.normal_hash), {})
        return rows.values()

    def named(self, draft: Draft) -> DrawerRow | None:
        """Return the drawer that has the draft's name, if it has one."""
        if draft.new.name is None:
            return None
        return self._named.get((draft.room.id, draft.new.name))


def settle(known: Known, draft: Draft, seq: int, instant_us: int) -> Settled:
    """Decide whether a draft becomes a drawer, and what it is linked to.

    Raises:
        DrawerNameTaken: A drawer of the room has its name, and another text.
    """
    named = known.named(draft)
    if named is not None:
        if named.content != draft.new.content:
            raise DrawerNameTaken(named.name or "")
        return Settled(named, is_new=False, links=[])
    if draft.new.name is None:
        for row in known.alike(draft):
            if row.content == draft.new.content:
                return Settled(row, is_new=False, links=[])
    links = [
        Link(seq, row.seq, _kind(draft, row), 1.0)
        for row in islice(known.alike(draft), _COMPARED)
        # Of texts without a word nothing is left to compare but their bytes.
        if draft.normal or row.content_hash == draft.digest
    ]
    row = draft.row(seq, instant_us)
    known.add(row)
    return Settled(row, is_new=True, links=links)


def _kind(draft: Draft, row: DrawerRow) -> str:
    is_same = row.content_hash == draft.digest
    return similarity.EXACT if is_same else similarity.NORMALIZED


async def near(
    memory: Memory, connection: asyncpg.Connection, draft: Draft, row: DrawerRow
) -> list[Link]:
    """Return links to the drawers of the room that say nearly the same.

    A typo is found through the words it did not break: the lexical index proposes the
    few best of about the same length, and only those are compared.
    """
    length = len(draft.normal)
    if not similarity.can_be_near(length):
        return []
    room = Filter(wing=draft.room.wing.name, room=draft.room.name)
    mask = memory.table.of_length(
        memory.table.mask(room), *similarity.lengths_near(length)
    )
    if not mask.any():
        return []
    found = memory.index.search(
        lexical.terms(draft.new.content), limit=_COMPARED, allowed=mask, match="any"
    )
    others = await store.by_seq(connection, [seq for seq, _ in found.hits])
    links = []
    for other in others.values():
        if other.normal_hash == row.normal_hash:
            continue  # linked already, as saying the same
        alike = similarity.similarity(draft.normal, store.normalised(other.content))
        if alike >= similarity.THRESHOLD:
            links.append(Link(row.seq, other.seq, similarity.NEAR, alike))
    return links
