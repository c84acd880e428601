"""Faults in what holds at the time that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np
from palace.scope import OPEN, DrawerTable, Filter, Mask, Now, Window

from faults.places import filter_by
from faults.putting import put

_mask = DrawerTable.mask
_close = DrawerTable.close


def _is_instant(time: Now | Window) -> bool:
    return isinstance(time, Window) and time.end - time.start == 1


def _windows_by(change: Callable[[Window], Window]) -> None:
    """Have every search between two instants look at another window."""

    def changed(asked: Filter) -> Filter:
        if isinstance(asked.time, Window) and not _is_instant(asked.time):
            return replace(asked, time=change(asked.time))
        return asked

    filter_by(changed)


def _instants_by(change: Callable[[Window], Now | Window]) -> None:
    """Have every search as of an instant look at another time."""

    def changed(asked: Filter) -> Filter:
        if isinstance(asked.time, Window) and _is_instant(asked.time):
            return replace(asked, time=change(asked.time))
        return asked

    filter_by(changed)


def supersession_ignored() -> None:
    """Old versions are still found as current."""
    filter_by(
        lambda asked: (
            replace(asked, time=Now.ALL) if asked.time is Now.CURRENT else asked
        )
    )


def one_correction_in_ten_not_noted() -> None:
    """Every tenth old version is still found as current."""
    numbers = count(1)

    def close(table: DrawerTable, seq: int, valid_to: int) -> None:
        if next(numbers) % 10 or len(table) < 20:
            _close(table, seq, valid_to)

    put(DrawerTable, "close", close)


def as_of_one_epoch_late() -> None:
    """The state at an instant is the state after the next correction."""
    _instants_by(lambda _: Now.CURRENT)


def as_of_one_epoch_early() -> None:
    """The state at an instant leaves out what was written last before it."""
    # Before the first epoch there is nothing, which is what "early" then means.
    _instants_by(lambda _: Window(0, 1))


def as_of_holds_at_its_end() -> None:
    """A version is valid still at the very instant at which it was replaced."""
    _instants_by(lambda moment: Window(moment.start - 1, moment.end))


def as_of_finds_all_versions_so_far() -> None:
    """At an instant, versions that were replaced before it are found too."""
    _instants_by(lambda moment: Window(0, moment.end))


def between_sees_only_its_start() -> None:
    """Of a window, only the first instant is looked at."""
    _windows_by(lambda window: Window(window.start, window.start + 1))


def between_sees_only_its_end() -> None:
    """Of a window, only the last instant is looked at."""
    _windows_by(lambda window: Window(window.end - 1, window.end))


def between_wants_the_whole_window() -> None:
    """Between two instants, only what was valid all the time is found."""

    def mask(table: DrawerTable, asked: Filter) -> Mask:
        if not isinstance(asked.time, Window) or _is_instant(asked.time):
            return _mask(table, asked)
        first = replace(asked, time=Window(asked.time.start, asked.time.start + 1))
        last = replace(asked, time=Window(asked.time.end - 1, asked.time.end))
        return _mask(table, first) & _mask(table, last)

    put(DrawerTable, "mask", mask)


def history_forgotten() -> None:
    """Every version is asked for, and only current ones come."""
    filter_by(
        lambda asked: (
            replace(asked, time=Now.CURRENT) if asked.time is Now.ALL else asked
        )
    )


def history_without_the_first_version() -> None:
    """Every version is asked for, and the first of a corrected drawer is missing."""

    def mask(table: DrawerTable, asked: Filter) -> Mask:
        found = _mask(table, asked)
        if asked.time is Now.ALL:
            begun, ended = (
                table._valid_from[: len(found)],
                table._valid_to[: len(found)],
            )
            found &= (ended == OPEN) | np.isin(begun, ended)
        return found

    put(DrawerTable, "mask", mask)
