"""Nearly the same text: how near two texts are, and which are worth comparing.

Comparing a new drawer with every other of its room would make each write slower than
the last. Only drawers of about the same length are considered, the best few of them by
the words they share, and nothing is compared that a cheap bound already rules out.
"""

from __future__ import annotations

from collections import Counter

from palace.edits import edits

THRESHOLD = 0.9
"""From this similarity on, two texts are near."""

EXACT, NORMALIZED, NEAR = "exact", "normalized", "near"
"""How two drawers are alike: byte for byte, once normalised, or nearly."""

# Shorter texts differ by a letter or two and mean something else.
_SHORTEST = 12
# Up to here similarity counts edits; for longer texts shared trigrams are enough.
_EDITS_UP_TO = 2000


def can_be_near(length: int) -> bool:
    """Tell whether a normalised text is long enough to be near to another."""
    return length >= _SHORTEST


def lengths_near(length: int) -> tuple[float, float]:
    """Return the shortest and longest text that can be near to one this long."""
    return length * THRESHOLD, length / THRESHOLD


def similarity(one: str, other: str) -> float:
    """Return how alike two normalised texts are, 0 to 1; below 0.9 it may be 0.

    Edits against the longer length up to 2,000 characters,
    the share of common trigrams beyond.
    """
    if one == other:
        return 1.0
    longest = max(len(one), len(other))
    if min(len(one), len(other)) < _SHORTEST:
        return 0.0
    if longest > _EDITS_UP_TO:
        return _shared_trigrams(one, other)
    # Each edit changes at most one letter on either side (an exchange none), so the
    # letters alone bound the edits from below, and most pairs need no more than this.
    ours, theirs = Counter(one), Counter(other)
    bound = max((ours - theirs).total(), (theirs - ours).total())
    if 1 - bound / longest < THRESHOLD:
        return 0.0
    return 1 - edits(one, other) / longest


def _shared_trigrams(one: str, other: str) -> float:
    ours = {one[place : place + 3] for place in range(len(one) - 2)}
    theirs = {other[place : place + 3] for place in range(len(other) - 2)}
    return len(ours & theirs) / len(ours | theirs)
