"""Read a text file line by line, each line with its number, in constant memory."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.dataset.jsonfile import JsonValue, display, parse_json
from harness.dataset.longmemeval.stream import open_data
from harness.dataset.place import Place, shown
from harness.errors import DatasetError

LARGEST_LINE = 16 << 20
"""Bytes of one line; a document may have one MiB, and JSON can write it six times
as long."""

_GZIP = b"\x1f\x8b"
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"

# The white space of C, which trec_eval parts columns by: not that of Unicode, since
# ids may hold any of it.
_SPACE = " \t\n\r\v\f"
_COLUMN = re.compile(f"[^{_SPACE}]+")


class Line(NamedTuple):
    """A line that is not blank."""

    place: Place
    """The file, with the line's number from 1 as people write it: ``run.txt:12``."""
    text: str
    """Without white space at the ends."""

    def columns(self) -> list[str]:
        """Return the columns, parted by blanks and tabs."""
        return _COLUMN.findall(self.text)


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a UTF-8 file that are not blank, in order.

    Lines end with a line feed alone, perhaps after a carriage return: other characters
    that end a line in Unicode may stand in a text.

    Raises:
        DatasetError: While iterating, where the file cannot be read or is no text.
    """
    name = display(path)
    number = 0
    with open_data(path) as file:
        while data := file.readline(LARGEST_LINE + 1):
            number += 1
            place = Place(f"{name}:{number}")
            if number == 1 and data.startswith(_GZIP):
                raise Place(name).refuse(
                    "the file is packed with gzip.", "Unpack it first: gunzip FILE."
                )
            text = _decoded(data, place)
            if number == 1:
                text = text.removeprefix(_BOM)
            if text := text.strip(_SPACE):
                yield Line(place, text)


def read_objects(path: Path) -> Iterator[tuple[Place, dict[str, JsonValue]]]:
    """Yield the JSON objects of a file that has one a line.

    Raises:
        DatasetError: While iterating, where a line is no JSON object.
    """
    for line in read_lines(path):
        value = parse_json(line.text.encode(), line.place.file)
        if not isinstance(value, dict):
            raise line.place.refuse(
                f"found {shown(value)}, wanted an object.",
                "Write one JSON object a line, such as "
                '{"_id": "d1", "title": "", "text": "..."}.',
            )
        yield line.place, value


def _decoded(data: bytes, place: Place) -> str:
    if len(data) > LARGEST_LINE:
        raise place.refuse(
            f"the line has more than {LARGEST_LINE:,} bytes.",
            "Check that this is the right file, and that its lines are ended.",
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _undecodable(error, place) from error


def _undecodable(error: UnicodeDecodeError, place: Place) -> DatasetError:
    byte = error.object[error.start]
    return place.refuse(
        f"byte {error.start} (0x{byte:02X}) is not UTF-8: {error.reason}.",
        "Save the file as UTF-8.",
    )
