"""Arrays that grow at their end, the storage under the lexical index."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

_SCALAR = TypeVar("_SCALAR", bound=np.generic)

# Half as much again keeps growing linear in time and slack under a third of the room.
_GROWTH: Final = 1.5

_NO_LENGTH: Final = int(np.iinfo(np.int32).max)


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

    __slots__ = ("_data", "_size", "highest_count", "live", "shortest_length")

    def __init__(self) -> None:
        # All in one array, because most terms are rare and an array costs more than
        # what it holds. Lengths are repeated here for each term: reading them in a row
        # is several times faster than picking them from one array of all documents.
        self._data: NDArray[np.int32] = np.empty((3, 0), dtype=np.int32)
        self._size = 0
        self.live = 0
        self.highest_count = 1
        self.shortest_length = _NO_LENGTH

    def __len__(self) -> int:
        return self._size

    @property
    def rows(self) -> NDArray[np.int32]:
        """View the rows, ascending and without repeats, removed ones included."""
        return self._data[0, : self._size]

    @property
    def counts(self) -> NDArray[np.int32]:
        """View the term frequencies, parallel to ``rows``."""
        return self._data[1, : self._size]

    @property
    def lengths(self) -> NDArray[np.int32]:
        """View the lengths of the documents, parallel to ``rows``."""
        return self._data[2, : self._size]

    @property
    def n_bytes(self) -> int:
        """Count the memory held, slack included."""
        return self._data.nbytes

    def append(self, row: int, count: int, length: int) -> None:
        """Append one live *row*, above all stored ones."""
        size = self._size
        if size == self._data.shape[1]:
            self._reserve(1)
        data = self._data
        data[0, size] = row
        data[1, size] = count
        data[2, size] = length
        self._size = size + 1
        self._note(1, count, length)

    def extend(self, block: NDArray[np.int32]) -> None:
        """Append rows, counts and lengths: the three lines of *block*, not empty.

        The rows must be live, ascend and lie above all stored ones.
        """
        n_new = block.shape[1]
        self._reserve(n_new)
        self._data[:, self._size : self._size + n_new] = block
        self._size += n_new
        self._note(n_new, int(block[1].max()), int(block[2].min()))

    def purge(self, is_live: NDArray[np.bool_]) -> None:
        """Forget the rows for which *is_live*, indexed by row, is false."""
        stored = self._data[:, : self._size]
        self._data = stored[:, is_live[stored[0]]]
        self._size = self._data.shape[1]

    def _reserve(self, n_new: int) -> None:
        size = self._size + n_new
        if size > self._data.shape[1]:
            room = _room(size, self._data.shape[1])
            grown = np.empty((3, room), dtype=np.int32)
            grown[:, : self._size] = self._data[:, : self._size]
            self._data = grown

    def _note(self, n_new: int, highest_count: int, shortest_length: int) -> None:
        self.live += n_new
        self.highest_count = max(self.highest_count, highest_count)
        self.shortest_length = min(self.shortest_length, shortest_length)
