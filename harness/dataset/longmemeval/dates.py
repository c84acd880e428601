"""Read the dates of LongMemEval files: ``2023/05/30 (Tue) 23:40`` and its relatives."""

import re
from datetime import UTC, datetime

_LAYOUT = re.compile(
    r"(?P<year>\d{4})[/-](?P<month>\d{1,2})[/-](?P<day>\d{1,2})"
    r"(?:\s*\((?P<weekday>[A-Za-z]+)\.?\))?"
    r"(?:\s+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?",
    re.ASCII,
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def parse_date(text: str) -> datetime | None:
    """Return the moment *text* names, or `None` where it names none.

    The weekday may be missing or wrong, the clock time missing, which means midnight.
    ISO 8601 is read too; a time with an offset is turned into UTC. No time zone is
    kept, since LongMemEval has none.

    >>> parse_date("2023/05/30 (Tue) 23:40")
    datetime.datetime(2023, 5, 30, 23, 40)
    """
    if found := _LAYOUT.fullmatch(text.strip()):
        return _moment(found)
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        return None


def has_wrong_weekday(text: str | None) -> bool:
    """Tell whether *text* is a date that names another weekday than it falls on.

    >>> has_wrong_weekday("2023/05/30 (Wed) 23:40")
    True
    """
    found = _LAYOUT.fullmatch(text.strip()) if text else None
    if found is None or found["weekday"] is None:
        return False
    moment = _moment(found)
    named = found["weekday"].lower()[:3]
    return moment is not None and named != _WEEKDAYS[moment.weekday()]


def _moment(found: re.Match[str]) -> datetime | None:
    year, month, day, _, hour, minute, second = found.groups()
    try:
        return datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
        )
    except ValueError:
        return None
