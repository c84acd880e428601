"""What becomes of a text that is longer than the model reads.

Left alone, an endpoint refuses it or, worse, reads its beginning without a word. Here
it is cut by a stated rule and counted. ``chunk`` cuts it into fragments of at most the
limit, each sharing its first tenth with the end of the one before, so that a sentence
across a cut is whole in one of them. ``truncate`` keeps the first fragment.
"""

import numpy as np
from numpy.typing import NDArray

from harness.provider.batches import ASCII_PER_TOKEN, tokens
from harness.provider.options import Oversize

OVERLAP = 0.1
"""Share of the limit that two fragments have in common."""

NO_SHORTER = 32
"""Tokens below which a text is not cut further, whatever the endpoint says."""


def cut(text: str, limit: int, rule: Oversize) -> list[str]:
    """Cut *text* to pieces of at most *limit* estimated tokens.

    Args:
        text: Not blank.
        limit: Tokens, 1 or more.
        rule: Whether to keep all pieces or only the first.

    Returns:
        At least one piece, none blank; *text* itself where it is not over the limit.

    >>> cut("one two three", 2, "chunk")
    ['one two', 'three']
    """
    if tokens(text) <= limit:
        return [text]
    text = text.strip()
    pieces = _windows(text, limit)
    return pieces[:1] if rule == "truncate" else pieces


def cut_further(text: str, rule: Oversize) -> list[str]:
    """Cut a text that the endpoint found too long although the estimate did not.

    Returns:
        Pieces of about three fifths each, or nothing when it is too short to cut.
    """
    estimate = tokens(text)
    return [] if estimate < NO_SHORTER else cut(text, estimate * 3 // 5, rule)


def _windows(text: str, limit: int) -> list[str]:
    ends = _weights(text)
    budget = limit * ASCII_PER_TOKEN
    shared = int(budget * OVERLAP)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + budget, side="right"))
        stop = max(stop, start + 1)
        if stop < len(text):
            stop = _at_a_gap(text, start, stop)
        pieces.append(text[start:stop].strip())
        if stop >= len(text):
            break
        again = int(np.searchsorted(ends, int(ends[stop - 1]) - shared, side="right"))
        start = _after_a_gap(text, max(again, start + 1), stop)
    return [piece for piece in pieces if piece]


def _weights(text: str) -> NDArray[np.int64]:
    """Sum up the characters' shares of a token, in quarters, from the beginning."""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return np.cumsum(np.where(points < 128, 1, ASCII_PER_TOKEN))


def _at_a_gap(text: str, start: int, stop: int) -> int:
    """Move the end of a piece back to white space, if some is in its last quarter."""
    if text[stop].isspace():
        return stop
    for place in range(stop - 1, stop - (stop - start) // 4, -1):
        if text[place].isspace():
            return place
    return stop


def _after_a_gap(text: str, start: int, stop: int) -> int:
    """Move the beginning of a piece on to a word's, if one begins before *stop*."""
    for place in range(start, stop):
        if text[place - 1].isspace():
            return place
    return start
