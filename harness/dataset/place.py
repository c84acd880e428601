"""Say where in a data file something is, and refuse it there."""

import difflib
from collections.abc import Iterable
from typing import NamedTuple, Self

from harness.errors import DatasetError

_LONGEST = 60


class Place(NamedTuple):
    """A file and the way to a value in its JSON: member names and list indices."""

    file: str
    steps: tuple[str | int, ...] = ()

    def at(self, *steps: str | int) -> Self:
        """Return the place that *steps* lead to from here; indices start at 0."""
        return type(self)(self.file, self.steps + steps)

    @property
    def path(self) -> str:
        """The way as a person writes it, such as ``queries[3].relevant[0].doc``."""
        return "".join(map(_step, self.steps)).removeprefix(".")

    def refuse(self, what: str, remedy: str) -> DatasetError:
        """Return the error that says what is wrong here; the caller raises it."""
        where = f"{self.file}: {self.path}" if self.steps else self.file
        return DatasetError(what, where=where, remedy=remedy)


def _step(step: str | int) -> str:
    if isinstance(step, str) and step.isidentifier():
        return f".{step}"
    return f"[{step!r}]"


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
