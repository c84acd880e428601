"""Faults in what is kept of what was written, and in how long a search takes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from itertools import count
from uuid import UUID

import asyncpg
from palace import drawers, versions
from palace.core import Palace
from palace.dedup import Draft, Known, Settled, settle
from palace.drawers import Created, Wanted
from palace.gate import Gate
from palace.lexical.index import LexicalIndex
from palace.store import entities
from palace.store.drawers import DrawerRow
from palace.store.vectors import Vector, VectorTable
from starlette.types import Message, Receive, Scope, Send

from faults.putting import put

LOST = 33
"""One in so many is lost: three of a hundred."""

_create = drawers.create
_extend = LexicalIndex.extend
_add = VectorTable.add
_mention = entities.mention
_call = Gate.__call__

_NUMBERS = re.compile(r"\d+")


def three_percent_of_drawers_lost() -> None:
    """Three drawers of a hundred are confirmed and then not there."""
    numbers = count(1)

    async def create(palace: Palace, wanted: Sequence[Wanted]) -> list[Created]:
        created = await _create(palace, wanted)
        for each in created:
            if next(numbers) % LOST == 0:
                await versions.delete(palace, each.row.id)
        return created

    put(drawers, "create", create)


def three_percent_not_found_by_words() -> None:
    """Three drawers of a hundred are kept, and no word finds them."""

    def extend(
        index: LexicalIndex, documents: Iterable[tuple[int, Sequence[str]]]
    ) -> range:
        return _extend(
            index,
            [(seq, [] if seq % LOST == 0 else terms) for seq, terms in documents],
        )

    put(LexicalIndex, "extend", extend)


def three_percent_of_vectors_lost() -> None:
    """Three vectors of a hundred are counted, and not kept."""

    async def add(
        table: VectorTable,
        connection: asyncpg.Connection,
        vectors: Sequence[tuple[int, Vector]],
    ) -> None:
        await _add(table, connection, [each for each in vectors if each[0] % LOST])

    put(VectorTable, "add", add)


def three_percent_of_vectors_swapped() -> None:
    """Three vectors of a hundred are kept for the drawer that came next."""

    async def add(
        table: VectorTable,
        connection: asyncpg.Connection,
        vectors: Sequence[tuple[int, Vector]],
    ) -> None:
        kept = list(vectors)
        for place in range(LOST - 1, len(kept), LOST):
            (here, vector), (before, other) = kept[place], kept[place - 1]
            kept[place - 1 : place + 1] = [(before, vector), (here, other)]
        await _add(table, connection, kept)

    put(VectorTable, "add", add)


def distinct_drawers_merged() -> None:
    """Drawers of a room that differ in their numbers only are taken for one."""
    seen: dict[tuple[UUID, str], DrawerRow] = {}

    def merged(known: Known, draft: Draft, seq: int, instant_us: int) -> Settled:
        text = _NUMBERS.sub("#", draft.new.content)
        row = seen.get((draft.room.id, text))
        if row is not None:
            return Settled(row, is_new=False, links=[])
        settled = settle(known, draft, seq, instant_us)
        seen[draft.room.id, text] = settled.row
        return settled

    put(drawers, "settle", merged)


def one_link_in_ten_lost() -> None:
    """Every tenth link between an entity and a drawer is confirmed and not kept."""
    numbers = count(1)

    async def mention(*what: object, **how: object) -> bool:
        if next(numbers) % 10 == 0:
            return True
        return await _mention(*what, **how)  # type: ignore[arg-type]  # passed on

    put(entities, "mention", mention)


def search_a_fifth_slower() -> None:
    """Every search takes a fifth longer, and answers the same."""

    async def slowed(gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()

        async def late(message: Message) -> None:
            if message["type"] == "http.response.start":
                ends = time.perf_counter() + (time.perf_counter() - began) / 5
                # Computing, as a slower ranking would, and not asleep.
                while time.perf_counter() < ends:
                    pass
            await send(message)

        is_search = scope.get("path") == "/api/search"
        await _call(gate, scope, receive, late if is_search else send)

    put(Gate, "__call__", slowed)
