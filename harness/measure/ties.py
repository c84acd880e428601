"""Put documents with the same score into an order that does not depend on luck.

A daemon may break ties by a random id. Within each stretch of adjacent, equal scores
the data set's own ids decide instead. Everything else stays where the daemon put it.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a ranking, under its data-set id."""

    document: str
    score: float | None
    """As narrowed by `narrowed`; ``None`` where the daemon gave none."""
    is_expanded: bool = False
    """Whether the entity graph brought it: such entries follow the direct ones."""


def narrowed(score: float) -> float:
    """Round to float32, the precision scores travel in.

    Raises:
        OverflowError: The number is beyond the range of float32.
    """
    value: float = struct.unpack("<f", struct.pack("<f", score))[0]
    return value


def settled(entries: Iterable[Entry]) -> list[Entry]:
    """Sort each stretch of adjacent equals by document id, in byte order.

    Scores are equal when their float32 bits are; a missing score counts as 0. A
    stretch ends where direct hits end, however equal the scores: expansion must not
    move a direct hit.
    """
    ranking: list[Entry] = []
    for _, stretch in groupby(entries, key=_rank_key):
        ranking += sorted(stretch, key=lambda entry: entry.document.encode())
    return ranking


def _rank_key(entry: Entry) -> tuple[bytes, bool]:
    bits = struct.pack("<f", 0.0 if entry.score is None else entry.score)
    return bits, entry.is_expanded
