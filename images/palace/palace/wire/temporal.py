"""The time filter of a search, from the wire to a window of microseconds."""

from __future__ import annotations

from palace.clock import parse_rfc3339_ns
from palace.errors import InvalidInput
from palace.scope import Now, Window
from palace.wire.requests import Temporal, TemporalAsOf, TemporalBetween


def read_temporal(temporal: Temporal) -> Now | Window:
    """Return what the filter lets through.

    Raises:
        InvalidInput: An instant cannot be read, or the window is empty.
    """
    match temporal:
        case TemporalAsOf():
            return instant(temporal.as_of)
        case TemporalBetween():
            return window(temporal.between.from_, temporal.between.until)
    return Now(temporal)


def instant(text: str) -> Window:
    """Return the window that holds one instant only."""
    # Stamps are whole microseconds: within one, the instant is the microsecond.
    moment = _nanoseconds(text) // 1000
    return Window(moment, moment + 1)


def window(begin: str, end: str) -> Window:
    """Return the window between two instants, its end excluded.

    Raises:
        InvalidInput: It begins at or after its end.
    """
    begin_ns, end_ns = _nanoseconds(begin), _nanoseconds(end)
    if begin_ns >= end_ns:
        raise InvalidInput("temporal", f"the window from {begin!r} to {end!r} is empty")
    # valid_to > begin and valid_from < end, in whole microseconds.
    return Window(begin_ns // 1000, -(-end_ns // 1000))


def _nanoseconds(text: str) -> int:
    try:
        return parse_rfc3339_ns(text)
    except ValueError as problem:
        raise InvalidInput("temporal", str(problem)) from problem
