"""Faults in what a wing and a room leave of the palace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from palace.core import Palace
from palace.scope import DrawerTable, Filter, Mask, Now
from palace.search import engine, semantic
from palace.search.engine import Ranking
from palace.search.semantic import Leg
from palace.store.connect import PalaceConnection
from palace.store.vectors import Vector, VectorTable

from faults.putting import put

How = tuple[Ranking, engine._Vector | None, int]

_mask = DrawerTable.mask
_nearest = semantic.nearest
_rank = engine._rank


def filter_by(change: Callable[[Filter], Filter]) -> None:
    """Have every search work with a changed filter."""

    def mask(table: DrawerTable, wanted: Filter) -> Mask:
        return _mask(table, change(wanted))

    put(DrawerTable, "mask", mask)


def wing_filter_dropped() -> None:
    """A wing asked for does not restrict the search."""
    filter_by(lambda asked: replace(asked, wing=None))


def room_filter_dropped() -> None:
    """A room asked for does not restrict the search."""
    filter_by(lambda asked: replace(asked, room=None))


def wing_or_room() -> None:
    """Of a wing and a room asked for together, one is enough."""

    def mask(table: DrawerTable, asked: Filter) -> Mask:
        in_wing = _mask(table, replace(asked, room=None))
        if asked.wing is None or asked.room is None:
            return _mask(table, asked)
        return in_wing | _mask(table, replace(asked, wing=None))

    put(DrawerTable, "mask", mask)


def vectors_leave_the_scope() -> None:
    """The vector leg searches everything valid now, whatever is asked for."""

    async def anywhere(
        connection: PalaceConnection,
        drawers: DrawerTable,
        vectors: VectorTable,
        query: tuple[Vector, Mask],
        *,
        limit: int,
        exact_limit: int,
    ) -> Leg:
        return await _nearest(
            connection,
            drawers,
            vectors,
            (query[0], drawers.mask(Filter())),
            limit=limit,
            exact_limit=exact_limit,
        )

    put(semantic, "nearest", anywhere)


def page_cut_before_the_filter() -> None:
    """The best of the whole palace are taken, and the filter is applied to those."""

    async def rank(
        palace: Palace, connection: PalaceConnection, text: str, mask: Mask, how: How
    ) -> engine._Ranked:
        table = palace.memory.table
        everything = table.mask(Filter(time=Now.ALL))
        ranked = await _rank(palace, connection, text, everything, how)
        inside = [hit for hit in ranked.hits if table.is_among(hit[0], mask)]
        return ranked._replace(hits=inside)

    put(engine, "_rank", rank)


def leak_at_rank_ten() -> None:
    """The tenth hit of a page that is full comes from outside of the scope."""

    async def rank(
        palace: Palace, connection: PalaceConnection, text: str, mask: Mask, how: How
    ) -> engine._Ranked:
        ranked = await _rank(palace, connection, text, mask, how)
        outside = palace.memory.table.mask(Filter()) & ~mask
        if len(ranked.hits) < how[2] or not outside.any():
            return ranked
        strays = await _rank(palace, connection, text, outside, how)
        if not strays.hits:
            return ranked
        stray, lowest = strays.hits[0][0], ranked.hits[-1][1]
        return ranked._replace(
            hits=[*ranked.hits[:-1], (stray, lowest)],
            signals=ranked.signals | {stray: strays.signals[stray]},
        )

    put(engine, "_rank", rank)
