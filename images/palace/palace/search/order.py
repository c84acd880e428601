"""The one order of results: score as shown, best first, then order of ingestion."""

from __future__ import annotations

import struct
from collections.abc import Iterable

_SINGLE = struct.Struct("f")


def single(score: float) -> float:
    """Round a score to the single precision it is shown in."""
    value: float = _SINGLE.unpack(_SINGLE.pack(score))[0]
    return value


def by_score(scores: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return pairs of ingestion number and score in order, scores rounded first.

    What looks equal to a caller is equal here, so ties are the same in every run.
    """
    rounded = [(seq, single(score)) for seq, score in scores]
    rounded.sort(key=lambda pair: (-pair[1], pair[0]))
    return rounded
