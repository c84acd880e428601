"""Say where in a data file something is, and refuse it there."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from harness.errors import DatasetError

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A file and a path in its JSON, such as ``queries[3].relevant[0].doc``."""

    file: str
    path: str = ""

    def key(self, name: str) -> Self:
        """Return the place of the member *name* of the object here."""
        if not name.isidentifier():
            return type(self)(self.file, f"{self.path}[{name!r}]")
        dot = "." if self.path else ""
        return type(self)(self.file, f"{self.path}{dot}{name}")

    def item(self, index: int) -> Self:
        """Return the place of the list item here with *index*, counted from 0."""
        return type(self)(self.file, f"{self.path}[{index}]")

    def refuse(self, what: str, remedy: str) -> DatasetError:
        """Return the error that says what is wrong here; the caller raises it."""
        where = f"{self.file}: {self.path}" if self.path else self.file
        return DatasetError(what, where=where, remedy=remedy)


def shown(value: object) -> str:
    """Return *value* as a message shows it: by repr, and cut where it is long.

    What JSON writes otherwise than Python is shown as JSON writes it; lists and
    objects are only named.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "an object"
        case str() if len(value) > _LONGEST:
            return f"{value[:_LONGEST]!r}..."
        case _:
            text = repr(value)
            return text if len(text) <= 2 * _LONGEST else f"{text[:_LONGEST]}..."


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``Did you mean 'x'? `` where a known name is near, else nothing."""
    matches = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {matches[0]!r}? " if matches else ""
