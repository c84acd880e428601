"""Faults in expansion through the entity graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import numpy as np
from palace.core import Palace
from palace.routes import search as route
from palace.scope import DrawerTable, Filter, Mask, Now
from palace.search import engine, expansion
from palace.search.engine import Answer, Query
from palace.search.expansion import Relative
from palace.store import entities

from faults.putting import put

Scope = tuple[Mask, tuple[datetime, datetime]]

_search = engine.search
_fetch = engine._fetch
_relatives = expansion.relatives


@dataclass(frozen=True)
class _Asked:
    """What expansion is called with, so that a fault may change it."""

    drawers: DrawerTable
    seeds: Sequence[int]
    mask: Mask


class _Change:
    """What a fault changes; by itself nothing."""

    def mask(self, asked: _Asked) -> Mask:
        """Return the scope that expansion works in."""
        return asked.mask

    def seeds(self, asked: _Asked) -> Sequence[int]:
        """Return the hits that expansion starts from."""
        return asked.seeds

    def order(self, found: list[Relative]) -> list[Relative]:
        """Return what expansion found, as it is shown."""
        return found


def _changed_by(change: _Change) -> None:
    async def relatives(
        connection: asyncpg.Connection,
        drawers: DrawerTable,
        seeds: Sequence[int],
        scope: Scope,
        *,
        limit: int,
    ) -> list[Relative]:
        asked = _Asked(drawers, seeds, scope[0])
        found = await _relatives(
            connection,
            drawers,
            change.seeds(asked),
            (change.mask(asked), scope[1]),
            limit=limit,
        )
        # A direct hit is one whatever expansion started from.
        return change.order([each for each in found if each.seq not in seeds])

    put(expansion, "relatives", relatives)


def expansion_before_direct_hits() -> None:
    """What expansion found comes first."""

    async def reordered(*what: object) -> list[engine.Hit]:
        hits = await _fetch(*what)  # type: ignore[arg-type]  # passed on
        return sorted(hits, key=lambda hit: not hit.via)

    put(engine, "_fetch", reordered)


def expansion_finds_nothing() -> None:
    """Expansion is accepted and adds no drawer."""

    class Nothing(_Change):
        def order(self, found: list[Relative]) -> list[Relative]:
            return found[:0]

    _changed_by(Nothing())


def expansion_leaves_the_scope() -> None:
    """Expansion appends drawers from anywhere, at any time."""

    class Anywhere(_Change):
        def mask(self, asked: _Asked) -> Mask:
            return asked.drawers.mask(Filter(time=Now.ALL))

    _changed_by(Anywhere())


def expansion_leaves_the_time() -> None:
    """Expansion appends old versions of what is linked."""

    class AnyTime(_Change):
        def mask(self, asked: _Asked) -> Mask:
            rows = len(asked.mask)
            wings = asked.drawers._wing[:rows]
            # The wings of the scope, so that no filter but that of time is left.
            inside = np.isin(wings, wings[asked.mask])
            return inside & asked.drawers.mask(Filter(time=Now.ALL))[:rows]

    _changed_by(AnyTime())


def expansion_of_the_present_only() -> None:
    """Expansion of a search in the past appends only what is valid now."""

    class Present(_Change):
        def mask(self, asked: _Asked) -> Mask:
            return asked.mask & asked.drawers.mask(Filter())[: len(asked.mask)]

    _changed_by(Present())


def expansion_in_order_of_ingestion() -> None:
    """What shares more entities with the direct hits does not come first."""

    class Unordered(_Change):
        def order(self, found: list[Relative]) -> list[Relative]:
            return [each._replace(score=1.0) for each in sorted(found)]

    _changed_by(Unordered())


def expansion_of_the_first_hit_only() -> None:
    """Only the best direct hit is expanded."""

    class First(_Change):
        def seeds(self, asked: _Asked) -> Sequence[int]:
            return asked.seeds[:1]

    _changed_by(First())


def expansion_repeats_direct_hits() -> None:
    """Expansion appends drawers that are direct hits already."""
    sound = "where m.drawer <> all($1)"
    if sound not in entities._EXPAND:
        raise AttributeError(f"the statement of expansion has no {sound!r}")
    faulty = entities._EXPAND.replace(sound, "where $1::bigint[] is not null")
    put(entities, "_EXPAND", faulty)


def expansion_cut_to_the_page() -> None:
    """Direct hits and what expansion found share one page."""

    async def search(palace: Palace, query: Query) -> Answer:
        answer = await _search(palace, query)
        return answer._replace(hits=answer.hits[: query.limit])

    put(route, "search", search)


def neighbours_never_expanded() -> None:
    """Entities that are related, not shared, bring no drawer."""
    sound = "where kind = $2 and"
    if sound not in entities._EXPAND:
        raise AttributeError(f"the statement of expansion has no {sound!r}")
    faulty = entities._EXPAND.replace(sound, "where kind <> $2 and")
    put(entities, "_EXPAND", faulty)
