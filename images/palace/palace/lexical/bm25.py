"""The BM25 formula: what one term adds to a document's score.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with the inverse document frequency that Lucene made common: one is added inside the
logarithm, so that a word in more than half of all documents still counts a little
instead of nothing.
"""

from __future__ import annotations

from math import log1p
from typing import Final

import numpy as np
from numpy.typing import NDArray

K1: Final = 1.2
B: Final = 0.75


def idf(n_documents: int, n_with_term: int) -> float:
    """Weigh a term by its rarity: ln(1 + (N - n + 0.5) / (n + 0.5)), always above 0."""
    return log1p((n_documents - n_with_term + 0.5) / (n_with_term + 0.5))


def contributions(
    weight: float,
    counts: NDArray[np.int32],
    lengths: NDArray[np.int32],
    average_length: float,
) -> NDArray[np.float64]:
    """Score one term in each of some documents.

    Every operation is elementwise, so two documents with the same count and length get
    the same bits wherever they stand in the arrays.

    Args:
        weight: The term's ``idf``.
        counts: How often each document has the term, 1 or more.
        lengths: How many terms each document has, repeats counted; parallel to
            *counts*.
        average_length: Mean length over all documents, above 0.
    """
    norms = np.multiply(lengths, K1 * B / average_length, dtype=np.float64)
    norms += K1 * (1 - B)
    norms += counts
    scores = np.multiply(counts, weight * (K1 + 1), dtype=np.float64)
    scores /= norms
    return scores


def bound(
    weight: float, highest_count: int, shortest_length: int, average_length: float
) -> float:
    """Limit from above what ``contributions`` gives for any of a term's documents."""
    norm = K1 * (1 - B + B * shortest_length / average_length)
    return weight * (K1 + 1) * highest_count / (highest_count + norm)
