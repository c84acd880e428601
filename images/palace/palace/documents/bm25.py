"""The BM25 formula over a part of the fragments, with that part's own statistics.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009);
the one inside the logarithm keeps a word of every fragment from counting against it.
Number of fragments, frequency and mean length are those of the part that is searched:
what another wing holds must not move a score here.
"""

from __future__ import annotations

from math import log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Counts = NDArray[np.int64]


class Formula(NamedTuple):
    """The two numbers that tell one BM25 from another."""

    k1: float
    """How slowly a repeated word loses effect; 0 counts a word once."""
    b: float
    """How much the length counts, 0 to 1."""

    def gains(self, counts: Counts, shares: Scores, n_fragments: int) -> Scores:
        """Return what one word adds to the score of each fragment that has it.

        Every step is elementwise, so two fragments with the same count and length get
        the same bits wherever they stand, and tie exactly.

        Args:
            counts: How often each fragment with the word has it, 1 or more.
            shares: Their lengths divided by the mean length, parallel to *counts*.
            n_fragments: How many fragments are searched, with the word or without.
        """
        norms = counts + self.k1 * (1 - self.b + self.b * shares)
        return idf(n_fragments, len(counts)) * (counts * (self.k1 + 1) / norms)


def idf(n_fragments: int, n_with_word: int) -> float:
    """Weigh a word by its rarity: ln(1 + (N - n + 0.5) / (n + 0.5)), always above 0."""
    return log1p((n_fragments - n_with_word + 0.5) / (n_with_word + 0.5))


def share_of_best(scores: Scores) -> Scores:
    """Return scores divided by the highest; as they are where none is above 0.

    >>> share_of_best(np.array([1.0, 4.0, 0.0])).tolist()
    [0.25, 1.0, 0.0]
    """
    highest = scores.max(initial=0.0)
    return scores / highest if highest > 0 else scores
