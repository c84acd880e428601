"""The facts of every drawer in memory, and the rows a filter leaves.

Every leg of a search is scoped by the same boolean mask, worked out here before
anything is ranked, so no leg can leak a drawer that another would hide. Rows are
dense and numbered in order of ingestion; the lexical index numbers its rows alike.
Postgres is the truth: this table is filled from it and follows each commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

OPEN = int(np.iinfo(np.int64).max)
"""`valid_to` of a drawer that is still valid."""

_T = TypeVar("_T", bound=np.generic)
Mask = NDArray[np.bool_]


class Now(Enum):
    """The two time filters that need no instant."""

    CURRENT = "current"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time, in microseconds, its end excluded.

    An instant t is the window from t to t + 1: stamps are whole microseconds.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Filter:
    """What a caller narrows a search by; None and () leave that field open."""

    wing: str | None = None
    room: str | None = None
    tags: tuple[str, ...] = ()
    source_kind: str | None = None
    time: Now | Window = Now.CURRENT


class Facts(NamedTuple):
    """What a filter can ask of one drawer; times in microseconds."""

    seq: int
    wing: str
    room: str
    valid_from: int
    valid_to: int
    tags: tuple[str, ...]
    source_kind: str
    length: int


class DrawerTable:
    """One row a drawer, in columns, grown by doubling; removed rows stay as holes.

    Args:
        profiles: Names of the vector profiles whose coverage is tracked.
    """

    def __init__(self, profiles: Sequence[str] = ()) -> None:
        self._rows = 0
        self._seq = np.zeros(1024, np.int64)
        self._valid_from = np.zeros(1024, np.int64)
        self._valid_to = np.zeros(1024, np.int64)
        self._wing = np.zeros(1024, np.int32)
        self._room = np.zeros(1024, np.int32)
        self._source_kind = np.zeros(1024, np.int32)
        self._length = np.zeros(1024, np.int32)
        self._alive = np.zeros(1024, np.bool_)
        self._current = np.zeros(1024, np.bool_)
        self._embedded = {name: np.zeros(1024, np.bool_) for name in profiles}
        self._row_of: dict[int, int] = {}
        self._codes: dict[str, int] = {}
        self._tagged: dict[str, set[int]] = {}

    def __len__(self) -> int:
        """Return how many drawers there are, superseded ones included."""
        return len(self._row_of)

    @property
    def rows(self) -> int:
        """How many rows there are, holes included: the length of every mask."""
        return self._rows

    @property
    def n_current(self) -> int:
        """How many drawers are valid now."""
        return int(np.count_nonzero(self._current[: self._rows]))

    def n_embedded(self, profile: str) -> int:
        """Return how many drawers have a vector in *profile*."""
        return int(np.count_nonzero(self._embedded[profile][: self._rows]))

    def add(self, facts: Facts) -> int:
        """Append one drawer and return its row.

        Raises:
            ValueError: Its sequence number is not above every one added before.
        """
        row = self._rows
        if row and facts.seq <= self._seq[row - 1]:
            raise ValueError(
                f"drawer {facts.seq} comes after {int(self._seq[row - 1])}"
            )
        if row == len(self._seq):
            self._grow()
        self._seq[row] = facts.seq
        self._valid_from[row] = facts.valid_from
        self._valid_to[row] = facts.valid_to
        self._wing[row] = self._code(f"wing {facts.wing}")
        self._room[row] = self._code(f"room {facts.room}")
        self._source_kind[row] = self._code(f"kind {facts.source_kind}")
        self._length[row] = facts.length
        self._alive[row] = True
        self._current[row] = facts.valid_to == OPEN
        self._row_of[facts.seq] = row
        for tag in facts.tags:
            self._tagged.setdefault(tag, set()).add(row)
        self._rows += 1
        return row

    def close(self, seq: int, valid_to: int) -> None:
        """Note that a drawer stopped being valid at *valid_to*."""
        row = self._row_of[seq]
        self._valid_to[row] = valid_to
        self._current[row] = False

    def remove(self, seq: int) -> None:
        """Leave a hole where a drawer was; its row is never used again."""
        row = self._row_of.pop(seq)
        self._alive[row] = False
        self._current[row] = False
        for column in self._embedded.values():
            column[row] = False
        for rows in self._tagged.values():
            rows.discard(row)

    def set_embedded(self, seq: int, profile: str) -> None:
        """Note that a drawer has a vector in *profile*."""
        self._embedded[profile][self._row_of[seq]] = True

    def row_of(self, seq: int) -> int | None:
        """Return the row of a drawer, or None when it was never here or is gone."""
        return self._row_of.get(seq)

    def seqs(self, mask: Mask) -> NDArray[np.int64]:
        """Return the sequence numbers of the rows of *mask*, ascending."""
        return self._seq[: len(mask)][mask]

    def mask(self, wanted: Filter) -> Mask:
        """Return which rows the filter leaves at this moment, whatever comes later."""
        rows = self._rows
        match wanted.time:
            case Now.CURRENT:
                # The clock is ahead of every stamp: valid now is the same as open.
                mask = self._current[:rows].copy()
            case Now.ALL:
                mask = self._alive[:rows].copy()
            case Window(start, end):
                mask = self._alive[:rows] & (self._valid_from[:rows] < end)
                mask &= self._valid_to[:rows] > start
        for column, kind, name in (
            (self._wing, "wing", wanted.wing),
            (self._room, "room", wanted.room),
            (self._source_kind, "kind", wanted.source_kind),
        ):
            if name is not None:
                code = self._codes.get(f"{kind} {name}", -1)
                mask = mask & (column[:rows] == code)
        for tag in wanted.tags:
            mask = mask & self._rows_tagged(tag)
        return mask

    def count(self, wanted: Filter) -> int:
        """Return how many drawers the filter leaves."""
        return int(np.count_nonzero(self.mask(wanted)))

    def is_among(self, seq: int, mask: Mask) -> bool:
        """Tell whether a drawer is here and its row is one of *mask*."""
        row = self._row_of.get(seq)
        # Rows past the mask's end came after it was taken.
        return row is not None and row < len(mask) and bool(mask[row])

    def embedded(self, profile: str, mask: Mask) -> Mask:
        """Return the rows of *mask* that have a vector in *profile*."""
        return mask & self._embedded[profile][: len(mask)]

    def of_length(self, mask: Mask, shortest: float, longest: float) -> Mask:
        """Return the rows of *mask* whose normalised text has such a length."""
        length = self._length[: len(mask)]
        return mask & (length >= shortest) & (length <= longest)

    def _rows_tagged(self, tag: str) -> Mask:
        tagged = np.zeros(self._rows, np.bool_)
        rows = self._tagged.get(tag)
        if rows:
            tagged[np.fromiter(rows, np.int64, len(rows))] = True
        return tagged

    def _code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))

    def _grow(self) -> None:
        for name in (
            "_seq", "_valid_from", "_valid_to", "_wing", "_room",
            "_source_kind", "_length", "_alive", "_current",
        ):  # fmt: skip
            setattr(self, name, _doubled(getattr(self, name)))
        self._embedded = {
            name: _doubled(column) for name, column in self._embedded.items()
        }


def _doubled(column: NDArray[_T]) -> NDArray[_T]:
    """Return the column with as many zeros behind it as it has rows."""
    return np.concatenate([column, np.zeros_like(column)])
