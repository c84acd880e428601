"""Read a JSON file strictly: what two readers could take differently is refused."""

import json
import math
import stat
from collections import Counter
from pathlib import Path

from harness.dataset.place import Place, shown
from harness.errors import DatasetError

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_MIB = 1 << 20


class _Object(dict[str, JsonValue]):
    """A JSON object that remembers a key it was given twice."""

    repeated: str | None = None


def read_bytes(path: Path, *, at_most: int) -> bytes:
    """Return a file's bytes, looking at its size before its content.

    Args:
        path: A regular file; pipes and devices could keep a reader for ever.
        at_most: The largest size taken, in bytes.

    Raises:
        DatasetError: The file is missing, too large, empty or cannot be read.
    """
    place = Place(display(path))
    try:
        _check_kind_and_size(path, place, at_most)
        with path.open("rb") as file:
            # One byte more than allowed, should the file grow under our eyes.
            data = file.read(at_most + 1)
    except FileNotFoundError as error:
        raise place.refuse(
            "there is no such file.",
            "Check the path; it is taken from the folder the command runs in.",
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise place.refuse(
            f"the file cannot be read: {reason}.",
            "Check the path and who may read the file.",
        ) from error
    if len(data) > at_most:
        raise _too_large(place, len(data), at_most)
    if not data.strip():
        raise place.refuse(
            f"the file is empty ({len(data)} bytes, none of them JSON).",
            "Write or copy the data set again.",
        )
    return data


def display(path: Path) -> str:
    """Return *path* as messages show it, whatever bytes its name is made of."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def parse_json(data: bytes, file: str) -> JsonValue:
    """Return the one JSON value that *data* holds.

    Refused beside broken JSON: other encodings than UTF-8, a byte order mark, a key
    given twice in one object, NaN and infinities, and halves of surrogate pairs.

    Args:
        data: The whole content of a file.
        file: Its name, for messages.

    Raises:
        DatasetError: Naming the byte, the line and column, or the JSON path.
    """
    place = Place(file)
    text = _decode(data, place)
    try:
        value: JsonValue = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise _broken(error, text, place) from error
    except RecursionError as error:
        raise place.refuse(
            "the JSON is nested too deeply to be a data set.",
            "Compare the file with the format in docs/datasets.md.",
        ) from error
    except ValueError as error:
        # Python refuses to convert numbers of thousands of digits.
        raise place.refuse(
            f"a number cannot be read: {error}.",
            "Compare the file with the format in docs/datasets.md.",
        ) from error
    _refuse_ambiguities(value, place)
    return value


def _check_kind_and_size(path: Path, place: Place, at_most: int) -> None:
    facts = path.stat()
    if stat.S_ISDIR(facts.st_mode):
        raise place.refuse(
            "this is a folder, wanted a file.", "Name the data file in it."
        )
    if not stat.S_ISREG(facts.st_mode):
        raise place.refuse(
            "this is a pipe or a device, wanted a regular file.",
            "Save the data set as a file first.",
        )
    if facts.st_size > at_most:
        raise _too_large(place, facts.st_size, at_most)


def _too_large(place: Place, size: int, at_most: int) -> DatasetError:
    return place.refuse(
        f"the file has {size:,} bytes or more, wanted at most {at_most:,}.",
        f"A data set may take {at_most // _MIB} MiB: check that this is the right "
        "file, or split it into several data sets.",
    )


def _decode(data: bytes, place: Place) -> str:
    if data.startswith(_UTF8_BOM):
        raise place.refuse(
            "the file starts with a byte order mark (EF BB BF).",
            "Save it as UTF-8 without one: JSON allows none.",
        )
    if data.startswith(_UTF16_BOMS):
        raise place.refuse(
            f"the file is UTF-16 (it starts with {data[:2].hex(' ').upper()}), "
            "wanted UTF-8.",
            "Save it as UTF-8.",
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise place.refuse(
            f"byte {error.start} (0x{byte:02X}) is not UTF-8: {error.reason}.",
            "Save the file as UTF-8.",
        ) from error


def _object(pairs: list[tuple[str, JsonValue]]) -> _Object:
    value = _Object(pairs)
    if len(value) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        value.repeated = next(key for key, count in counts.items() if count > 1)
    return value


def _broken(error: json.JSONDecodeError, text: str, place: Place) -> DatasetError:
    spot = f"line {error.lineno}, column {error.colno}"
    unterminated = error.msg.startswith("Unterminated string")
    if unterminated or error.pos >= len(text.rstrip()):
        return place.refuse(
            f"the JSON ends too early, at {spot}: {error.msg}.",
            "The file looks cut off: copy or write it again.",
        )
    return place.refuse(
        f"the JSON is broken at {spot}: {error.msg}.",
        f"Mend it there; `python -m json.tool {place.file}` finds the same spot.",
    )


def _refuse_ambiguities(value: JsonValue, place: Place) -> None:
    # A stack of our own: what the parser could nest, this can walk.
    waiting: list[tuple[JsonValue, Place]] = [(value, place)]
    while waiting:
        value, place = waiting.pop()
        if isinstance(value, _Object) and value.repeated is not None:
            raise place.at(value.repeated).refuse(
                f"the key {shown(value.repeated)} is given twice in one object.",
                "Keep one of the two.",
            )
        if isinstance(value, float) and not math.isfinite(value):
            raise place.refuse(
                f"found {value!r}, which is no JSON number.", "Write a finite number."
            )
        if isinstance(value, str):
            _refuse_half_pairs(value, place)
        elif isinstance(value, list):
            inner = [(each, place.at(index)) for index, each in enumerate(value)]
            waiting.extend(reversed(inner))
        elif isinstance(value, dict):
            for key in value:
                _refuse_half_pairs(key, place.at(key))
            members = [(each, place.at(key)) for key, each in value.items()]
            waiting.extend(reversed(members))


def _refuse_half_pairs(text: str, place: Place) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise place.refuse(
            f"{shown(text)} holds half of a surrogate pair "
            f"(\\u{ord(text[error.start]):04x}), which is no character.",
            "Write the character itself, or both halves.",
        ) from error
