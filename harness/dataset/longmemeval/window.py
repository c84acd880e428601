"""Read JSON values from a file of any size through a window that slides over it.

The standard decoder does the work; the window only sees to it that the value at hand
is whole in memory, and little beyond it.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from harness.dataset.jsonfile import JsonValue
from harness.dataset.place import Place, shown
from harness.errors import DatasetError

LARGEST_VALUE = 64 << 20
"""Characters one value may take: ten times the largest question of any release."""

_CHUNK = 1 << 20

# How near to the end of the window an error is reported when all that is wrong is that
# the value goes on behind it: the longest token that is no string, a pair of escapes.
_NEAR_END = 16

_SPACE = re.compile(r"[ \t\n\r]*")
_LIST_START = re.compile(r"\[[ \t\n\r]*")


class JsonWindow:
    """What is left of a JSON text, to be taken value by value.

    Args:
        file: Open at its start; UTF-8, a byte order mark is passed over.
        place: The file, for messages.
        at_most: Characters that one value may take.

    Every method raises `DatasetError`, with the byte it happened at, where the text is
    no JSON or cannot be read.
    """

    def __init__(
        self, file: BinaryIO, place: Place, *, at_most: int = LARGEST_VALUE
    ) -> None:
        self._file = file
        self._place = place
        self._at_most = at_most
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._scan = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._bytes_read = 0
        self._ended = False
        self._largest = 0

    def peek(self) -> str:
        """Return the next character that is no white space, or "" at the end."""
        while True:
            if space := _SPACE.match(self._text, self._at):
                self._at = space.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_more():
                return ""

    def is_list_of_objects(self) -> bool:
        """Tell whether the next value is a list that starts with an object."""
        if self.peek() != "[":
            return False
        while start := _LIST_START.match(self._text, self._at):
            if start.end() < len(self._text):
                return self._text[start.end()] == "{"
            if not self._read_more():
                break
        return False

    def value(self) -> JsonValue:
        """Take the next value, whole."""
        self.peek()
        # The values of a list are much alike. With as much at hand as the largest of
        # them took, the decoder hardly ever has to begin again.
        while len(self._text) - self._at < self._largest and self._read_more():
            pass
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._may_go_on(error) and self._read_more():
                    continue
                raise self._broken(error) from error
            except RecursionError as error:
                raise self._place.refuse(
                    "the JSON is nested too deeply to be a data set.",
                    "Compare the file with the format in docs/datasets.md.",
                ) from error
            except ValueError as error:
                raise self._place.refuse(
                    f"a number cannot be read: {error}.",
                    f"It stands in the value that starts at byte {self._offset():,}.",
                ) from error
            # A number that ends here may go on behind the window: 1, 12, 12., 12.5e-
            number = isinstance(value, int | float)
            if number and end >= len(self._text) - _NEAR_END and self._read_more():
                continue
            self._largest = max(self._largest, end - self._at)
            self._at = end
            whole: JsonValue = value
            return whole

    def items(self) -> Iterator[JsonValue]:
        """Take the next value, a list, item by item; none is read before its turn."""
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        while True:
            yield self.value()
            if self._take(",]") == "]":
                return

    def members(self) -> Iterator[str]:
        """Take the next value, an object, and yield its keys.

        After each key its value is next, and the caller has to take it.
        """
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        while True:
            if self.peek() != '"':
                raise self._unexpected("a key")
            key = str(self.value())
            self._take(":")
            yield key
            if self._take(",}") == "}":
                return

    def _take(self, wanted: str) -> str:
        found = self.peek()
        if not found or found not in wanted:
            raise self._unexpected(" or ".join(map(repr, wanted)))
        self._at += 1
        return found

    def _read_more(self) -> bool:
        """Let the window grow; false when there is nothing more to see."""
        if self._ended:
            return False
        waiting = len(self._text) - self._at
        if waiting > self._at_most:
            raise self._place.refuse(
                f"the value that starts at byte {self._offset():,} has more than "
                f"{self._at_most:,} characters.",
                "No question is that large: check that this is the right file, and "
                "that no quotation mark is missing there.",
            )
        # Twice as much each time, so that a large value is not begun again too often.
        data = self._read(max(_CHUNK, waiting))
        self._text = self._text[self._at :] + self._decode(data)
        self._at = 0
        self._ended = not data
        return True

    def _read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            reason = error.strerror or str(error)
            raise self._place.refuse(
                f"the file cannot be read: {reason}.", "Copy it to another disk."
            ) from error
        self._bytes_read += len(data)
        return data

    def _decode(self, data: bytes) -> str:
        try:
            return self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            at = self._bytes_read - len(error.object) + error.start
            byte = error.object[error.start]
            raise self._place.refuse(
                f"byte {at:,} (0x{byte:02X}) is not UTF-8: {error.reason}.",
                "Save the file as UTF-8, or download it again.",
            ) from error

    def _offset(self, at: int | None = None) -> int:
        """Count the bytes of the file before *at* in the window, or what is next."""
        behind = self._text[self._at if at is None else at :].encode()
        undecoded, _ = self._decoder.getstate()
        return self._bytes_read - len(undecoded) - len(behind)

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        unterminated = error.msg.startswith("Unterminated string")
        return unterminated or error.pos >= len(self._text) - _NEAR_END

    def _broken(self, error: json.JSONDecodeError) -> DatasetError:
        at = self._offset(error.pos)
        unterminated = error.msg.startswith("Unterminated string")
        if unterminated or error.pos >= len(self._text.rstrip()):
            return self._ends_too_early(f"{at:,}: {error.msg}")
        return self._place.refuse(
            f"the JSON is broken at byte {at:,}: {error.msg}.",
            "Mend it there, or download the file again.",
        )

    def _unexpected(self, wanted: str) -> DatasetError:
        at = f"{self._offset():,}"
        found = self.peek()
        if not found:
            return self._ends_too_early(f"{at}: wanted {wanted}")
        return self._place.refuse(
            f"the JSON is broken at byte {at}: found {shown(found)}, wanted {wanted}.",
            "Mend it there, or download the file again.",
        )

    def _ends_too_early(self, spot: str) -> DatasetError:
        return self._place.refuse(
            f"the JSON ends too early, at byte {spot}.",
            "The file looks cut off: download or write it again.",
        )
