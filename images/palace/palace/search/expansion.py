"""Expansion: drawers that share entities with the direct hits, appended after them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import asyncpg

from palace.clock import to_datetime
from palace.scope import DrawerTable, Mask, Now, Window
from palace.search.order import by_score
from palace.store import entities

DIRECT_WEIGHT = 1.0
"""What an entity counts that a direct hit mentions too."""

NEAR_WEIGHT = 0.5
"""What an entity counts that is one `relates_to` edge from such a one."""

_EVER = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


class Relative(NamedTuple):
    """A drawer found through the graph, with the entities it was found by."""

    seq: int
    score: float
    via: list[str]


async def relatives(
    connection: asyncpg.Connection,
    drawers: DrawerTable,
    seeds: Sequence[int],
    scope: tuple[Mask, tuple[datetime, datetime]],
    *,
    limit: int,
) -> list[Relative]:
    """Return the best related drawers of the scope, seeds left out.

    Args:
        connection: Where to ask.
        drawers: Knows each drawer's row.
        seeds: The direct hits.
        scope: The rows of the scope, and the window in which an edge must be valid.
        limit: How many at most.
    """
    mask, window = scope
    found = {}
    for related in await entities.related(connection, seeds, window):
        if drawers.is_among(related.drawer, mask):
            found[related.drawer] = related
    ranked = by_score(
        (seq, DIRECT_WEIGHT * related.direct + NEAR_WEIGHT * related.near)
        for seq, related in found.items()
    )
    return [
        Relative(seq, score, sorted(set(found[seq].names)))
        for seq, score in ranked[:limit]
    ]


def edge_window(time: Now | Window, now_us: int) -> tuple[datetime, datetime]:
    """Return the window in which an edge must be valid at some moment."""
    match time:
        case Now.CURRENT:
            return to_datetime(now_us), to_datetime(now_us + 1)
        case Now.ALL:
            return _EVER
        case Window(start, end):
            return _moment(start), _moment(end)


def _moment(instant_us: int) -> datetime:
    """Return an instant as a datetime, the nearest there is for one out of range."""
    try:
        return to_datetime(instant_us)
    except OverflowError:
        return _EVER[0] if instant_us < 0 else _EVER[1]
