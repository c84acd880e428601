"""Start the reference daemon with one planted fault, its files untouched.

Runs in the daemon's environment, as ``python -m plant`` in place of ``python -m
palace``; ``MUTANT`` names the fault. Each fault is one that a change to ranking could
bring in by mistake.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import asyncpg
from palace.__main__ import main
from palace.lexical import analysis
from palace.lexical.index import LexicalIndex
from palace.scope import DrawerTable, Filter, Mask, Now, Window
from palace.search import engine, expansion, fusion

Fault = Callable[[], None]

_mask = DrawerTable.mask
_fetch = engine._fetch
_lexical_search = LexicalIndex.search
_relatives = expansion.relatives


def _put(owner: object, name: str, fault: object) -> None:
    """Put something faulty in a sound thing's place."""
    setattr(owner, name, fault)


def _filter_by(change: Callable[[Filter], Filter]) -> None:
    """Have every search work with a changed filter."""

    def mask(table: DrawerTable, wanted: Filter) -> Mask:
        return _mask(table, change(wanted))

    _put(DrawerTable, "mask", mask)


def _is_instant(time: Now | Window) -> bool:
    return isinstance(time, Window) and time.end - time.start == 1


def supersession_ignored() -> None:
    """Old versions are still found as current."""
    _filter_by(
        lambda asked: (
            replace(asked, time=Now.ALL) if asked.time is Now.CURRENT else asked
        )
    )


def wing_filter_dropped() -> None:
    """A wing asked for does not restrict the search."""
    _filter_by(lambda asked: replace(asked, wing=None))


def room_filter_dropped() -> None:
    """A room asked for does not restrict the search."""
    _filter_by(lambda asked: replace(asked, room=None))


def as_of_one_epoch_late() -> None:
    """The state at an instant is the state after the next correction."""
    _filter_by(
        lambda asked: (
            replace(asked, time=Now.CURRENT) if _is_instant(asked.time) else asked
        )
    )


def as_of_one_epoch_early() -> None:
    """The state at an instant leaves out what was written last before it."""

    def early(asked: Filter) -> Filter:
        if not (_is_instant(asked.time) and isinstance(asked.time, Window)):
            return asked
        # Before the first epoch there is nothing, which is what "early" then means.
        return replace(asked, time=Window(0, 1))

    _filter_by(early)


def history_forgotten() -> None:
    """Every version is asked for, and only current ones come."""
    _filter_by(
        lambda asked: (
            replace(asked, time=Now.CURRENT) if asked.time is Now.ALL else asked
        )
    )


def fusion_without_lexical_leg() -> None:
    """Hybrid search fuses the vector leg with nothing."""
    fuse = fusion.fuse
    _put(fusion, "fuse", lambda *legs: fuse(legs[0]))


def fusion_without_semantic_leg() -> None:
    """Hybrid search fuses the lexical leg with nothing."""
    fuse = fusion.fuse
    _put(fusion, "fuse", lambda *legs: fuse(legs[1]))


def stemming_off() -> None:
    """Words match in the very form they were written in."""
    _put(analysis, "_stem", lambda word: word)


def pool_of_ten() -> None:
    """Each leg gives the fusion no more than the page."""
    _put(fusion, "pool_size", lambda limit: limit)


def expansion_before_direct_hits() -> None:
    """What expansion found comes first."""

    async def reordered(*arguments: object) -> list[engine.Hit]:
        hits = await _fetch(*arguments)  # type: ignore[arg-type] # passed on as it came
        return sorted(hits, key=lambda hit: not hit.via)

    _put(engine, "_fetch", reordered)


def expansion_finds_nothing() -> None:
    """Expansion is accepted and adds no drawer."""

    async def nothing(*_: object, **__: object) -> list[expansion.Relative]:
        return []

    _put(expansion, "relatives", nothing)


def expansion_leaves_the_scope() -> None:
    """Expansion appends drawers from anywhere, at any time."""

    async def anywhere(
        connection: asyncpg.Connection,
        drawers: DrawerTable,
        seeds: Sequence[int],
        scope: tuple[Mask, tuple[datetime, datetime]],
        *,
        limit: int,
    ) -> list[expansion.Relative]:
        everything = drawers.mask(Filter(time=Now.ALL))
        return await _relatives(
            connection, drawers, seeds, (everything, scope[1]), limit=limit
        )

    _put(expansion, "relatives", anywhere)


def any_word_fallback_missing() -> None:
    """A query some of whose words occur nowhere together finds nothing."""

    def all_only(index: LexicalIndex, *words: object, **how: object) -> object:
        if how["match"] == "all_then_any":
            how["match"] = "all"
        return _lexical_search(index, *words, **how)  # type: ignore[arg-type]

    _put(LexicalIndex, "search", all_only)


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        supersession_ignored,
        wing_filter_dropped,
        room_filter_dropped,
        as_of_one_epoch_late,
        as_of_one_epoch_early,
        history_forgotten,
        fusion_without_lexical_leg,
        fusion_without_semantic_leg,
        stemming_off,
        pool_of_ten,
        expansion_before_direct_hits,
        expansion_finds_nothing,
        expansion_leaves_the_scope,
        any_word_fallback_missing,
    )
}


if __name__ == "__main__":
    FAULTS[os.environ["MUTANT"]]()
    sys.exit(main([]))
