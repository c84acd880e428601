"""A JSON value that knows its place, and says what was wanted of it there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.dataset.jsonfile import JsonValue
from harness.dataset.place import Place, nearest, shown
from harness.errors import DatasetError

COMMENT = "_"
"""Keys that start with this are comments, at any level, and are ignored."""


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a parsed file."""

    value: JsonValue
    place: Place

    def object(self) -> dict[str, "Node"]:
        """Return the members of an object, comments left out."""
        if not isinstance(self.value, dict):
            raise self._unwanted("an object")
        return {
            key: Node(value, self.place.at(key))
            for key, value in self.value.items()
            if not key.startswith(COMMENT)
        }

    def members(
        self, *, required: tuple[str, ...], optional: tuple[str, ...] = ()
    ) -> Mapping[str, "Node"]:
        """Return the members of an object of known keys.

        An unknown key is an error: a misspelt one, left unread, would silently
        measure something else.
        """
        members = self.object()
        known = (*required, *optional)
        for key, member in members.items():
            if key not in known:
                raise member.place.refuse(
                    f"unknown key {shown(key)}.",
                    f"{nearest(key, known)}Known here: {', '.join(known)}. "
                    f"A key that starts with {COMMENT!r} is a comment.",
                )
        for key in required:
            if key not in members:
                raise self.place.refuse(
                    f"the key {key!r} is missing.",
                    f"Add it. Required here: {', '.join(required)}.",
                )
        return members

    def items(self) -> Iterator["Node"]:
        """Yield the items of a list."""
        if not isinstance(self.value, list):
            raise self._unwanted("a list")
        for index, value in enumerate(self.value):
            yield Node(value, self.place.at(index))

    def text(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            raise self._unwanted("a string")
        return self.value

    def whole_number(self, *, most: int) -> int:
        """Return a whole number from 0 to *most*; ``true`` and ``2.0`` are none."""
        number = self.value
        if isinstance(number, bool) or not isinstance(number, int):
            raise self._unwanted(f"a whole number from 0 to {most}")
        if not 0 <= number <= most:
            raise self._unwanted(f"a whole number from 0 to {most}")
        return number

    def _unwanted(self, wanted: str) -> DatasetError:
        return self.place.refuse(
            f"found {shown(self.value)}, wanted {wanted}.",
            "Compare it with the format in docs/datasets.md.",
        )
