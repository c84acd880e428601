"""The daemon's one clock: wall time in microseconds that never repeats or goes back.

Validity windows are stamped by it alone, so two writes of one daemon can never
share an instant and a reader can place any moment between them. Postgres' own clock
is not used: it is another machine's, and it may be slewed between two writes.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,18}))?"
    r"(?:([Zz])|([+-])(\d\d):(\d\d))",
    re.ASCII,
)


class Clock:
    """A strictly increasing clock in microseconds since 1970, UTC.

    Args:
        source: Wall time in nanoseconds; replaced in tests.
    """

    def __init__(self, source: Callable[[], int] = time.time_ns) -> None:
        self._source = source
        self._last = 0

    def stamp(self) -> int:
        """Return an instant later than every instant returned or noted before."""
        self._last = max(self._source() // 1000, self._last + 1)
        return self._last

    def not_before(self, instant_us: int) -> None:
        """Make every later stamp come after *instant_us* (what the store holds)."""
        self._last = max(self._last, instant_us)


def to_datetime(instant_us: int) -> datetime:
    """Return microseconds since 1970 as an aware UTC datetime."""
    return _EPOCH + timedelta(microseconds=instant_us)


def to_microseconds(moment: datetime) -> int:
    """Return an aware datetime as microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


# A drawer's stamps mostly coincide, and a page of hits shows thirty of them.
@lru_cache(maxsize=4096)
def rfc3339(moment: datetime) -> str:
    """Return a UTC datetime as RFC 3339 with six digits and a `Z`."""
    return moment.isoformat(timespec="microseconds")[:-6] + "Z"


def parse_rfc3339_ns(text: str) -> int:
    """Read an RFC 3339 instant, or a date, as nanoseconds since 1970.

    A date is its first moment in UTC. Digits past the ninth are cut. A time needs its
    offset: without one it would be another instant on every machine.

    Raises:
        ValueError: Not RFC 3339, or no such date.
    """
    if _DATE.fullmatch(text):
        text += "T00:00:00Z"
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an RFC 3339 instant with an offset")
    *calendar, fraction, _, sign, hours, minutes = match.groups()
    moment = datetime(*(int(part) for part in calendar), tzinfo=UTC)  # type: ignore[misc, arg-type]  # six ints by the pattern
    if sign is not None:
        if int(hours) > 23 or int(minutes) > 59:
            raise ValueError(f"{text!r} has an impossible offset")
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        try:
            moment = moment - offset if sign == "+" else moment + offset
        except OverflowError:
            raise ValueError(f"{text!r} is outside the years 1 to 9999") from None
    nanoseconds = int((fraction or "")[:9].ljust(9, "0"))
    return to_microseconds(moment) * 1000 + nanoseconds
