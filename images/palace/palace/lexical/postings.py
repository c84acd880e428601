"""Arrays that grow at their end, the storage under the lexical index."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

_SCALAR = TypeVar("_SCALAR", bound=np.generic)

# Half as much again keeps growing linear in time and slack under a third of the room.
_GROWTH: Final = 1.5

_NO_LENGTH: Final = int(np.iinfo(np.int32).max)
_NOTHING: Final = np.empty((3, 0), dtype=np.int32)


def _room(wanted: int, present: int) -> int:
    return max(wanted, int(present * _GROWTH)) if present else wanted


class Column(Generic[_SCALAR]):
    """One growing array: a value for each row, or a run of values."""

    __slots__ = ("_data", "_size")

    def __init__(self, dtype: DTypeLike) -> None:
        self._data: NDArray[_SCALAR] = np.empty(0, dtype=dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def values(self) -> NDArray[_SCALAR]:
        """View what is stored; good until the next ``extend``."""
        return self._data[: self._size]

    @property
    def n_bytes(self) -> int:
        """Count the memory held, slack included."""
        return self._data.nbytes

    def extend(self, values: NDArray[_SCALAR]) -> None:
        """Append *values* in their order."""
        size = self._size + len(values)
        if size > len(self._data):
            grown = np.empty(_room(size, len(self._data)), dtype=self._data.dtype)
            grown[: self._size] = self.values
            self._data = grown
        self._data[self._size : size] = values
        self._size = size


class Postings:
    """One term's documents: ascending rows, and what the formula needs of each.

    Attributes:
        live: Rows that are not removed; the document frequency of the formula. It may
            be below the number of stored rows, until ``purge``.
        highest_count: No stored count is above it.
        shortest_length: No stored length is below it.
    """

    __slots__ = ("_data", "_size", "_tail", "highest_count", "live", "shortest_length")

    def __init__(self) -> None:
        # All in one array, because most terms are rare and an array costs more than
        # what it holds. Lengths are repeated here for each term: reading them in a row
        # is several times faster than picking them from one array of all documents.
        self._data: NDArray[np.int32] = _NOTHING
        self._size = 0
        # What was appended and not yet read: row, count, length and so on. Writing
        # three numbers into an array takes ten times as long, and a load appends to
        # words that nobody asks for.
        self._tail: list[int] = []
        self.live = 0
        self.highest_count = 1
        self.shortest_length = _NO_LENGTH

    def __len__(self) -> int:
        return self._size + len(self._tail) // 3

    @property
    def rows(self) -> NDArray[np.int32]:
        """View the rows, ascending and without repeats, removed ones included."""
        return self._stored()[0, :]

    @property
    def counts(self) -> NDArray[np.int32]:
        """View the term frequencies, parallel to ``rows``."""
        return self._stored()[1, :]

    @property
    def lengths(self) -> NDArray[np.int32]:
        """View the lengths of the documents, parallel to ``rows``."""
        return self._stored()[2, :]

    @property
    def n_bytes(self) -> int:
        """Count the memory held, slack included."""
        return self._data.nbytes + len(self._tail) * np.intp(0).nbytes

    def append(self, row: int, count: int, length: int) -> None:
        """Append one live *row*, above all stored ones."""
        self._tail += (row, count, length)
        self.live += 1
        self.highest_count = max(self.highest_count, count)
        self.shortest_length = min(self.shortest_length, length)

    def extend(self, block: NDArray[np.int32]) -> None:
        """Append rows, counts and lengths: the three lines of *block*, not empty.

        The rows must be live, ascend and lie above all stored ones.
        """
        self._settle()
        self._put(block)
        self.live += block.shape[1]
        self.highest_count = max(self.highest_count, int(block[1].max()))
        self.shortest_length = min(self.shortest_length, int(block[2].min()))

    def purge(self, is_live: NDArray[np.bool_]) -> None:
        """Forget the rows for which *is_live*, indexed by row, is false."""
        stored = self._stored()
        self._data = stored[:, is_live[stored[0]]]
        self._size = self._data.shape[1]

    def _stored(self) -> NDArray[np.int32]:
        self._settle()
        return self._data[:, : self._size]

    def _settle(self) -> None:
        """Take in what was appended one by one."""
        if self._tail:
            self._put(np.array(self._tail, np.int32).reshape(-1, 3).T)
            self._tail.clear()

    def _put(self, block: NDArray[np.int32]) -> None:
        size = self._size + block.shape[1]
        if size > self._data.shape[1]:
            room = _room(size, self._data.shape[1])
            grown = np.empty((3, room), dtype=np.int32)
            grown[:, : self._size] = self._data[:, : self._size]
            self._data = grown
        self._data[:, self._size : size] = block
        self._size = size
