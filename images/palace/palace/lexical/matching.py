"""Finds and scores the documents that have all, or any, of a query's terms.

Scores come out to the bit the same on every path: each is the sum of its terms'
contributions, added up in the order of the query's terms, in double precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palace.lexical import bm25
from palace.lexical.postings import Postings
from palace.lexical.selection import entry_score, places_in

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.signedinteger[Any]]
Scores: TypeAlias = NDArray[np.float64]

# Sums of the same numbers in another order differ in the last digits only; a document
# is left out of the exact scoring when it misses the page by more than this share.
_ROUNDING: Final = 1e-9


class Scratch:
    """Memory that searches share, one place for each row, all zero between them."""

    def __init__(self) -> None:
        self.totals: Scores = np.zeros(0)
        self.places: NDArray[np.int32] = np.zeros(0, dtype=np.int32)

    def cover(self, n_rows: int) -> None:
        """Make room for *n_rows* rows and some growth."""
        if len(self.totals) < n_rows:
            room = int(n_rows * 1.5)
            self.totals = np.zeros(room)
            self.places = np.zeros(room, dtype=np.int32)

    @property
    def n_bytes(self) -> int:
        """Count the memory held."""
        return self.totals.nbytes + self.places.nbytes


class QueryTerm(NamedTuple):
    """One term of a query under the statistics of the moment.

    Attributes:
        postings: The term's documents, at least one.
        weight: Its inverse document frequency.
        average_length: Mean length of all documents.
    """

    postings: Postings
    weight: float
    average_length: float

    @property
    def bound(self) -> float:
        """Tell the most that this term can add to a document's score."""
        return bm25.bound(
            self.weight,
            self.postings.highest_count,
            self.postings.shortest_length,
            self.average_length,
        )

    def score(self, at: Mask | NDArray[np.integer] | slice) -> Scores:
        """Score the postings that *at* selects."""
        return bm25.contributions(
            self.weight,
            self.postings.counts[at],
            self.postings.lengths[at],
            self.average_length,
        )


def match_all(
    query: Sequence[QueryTerm], mask: Mask | None, scratch: Scratch
) -> tuple[Rows, Scores]:
    """Score every document in *mask* that has all terms of *query*, not empty."""
    by_rarity = sorted((term.postings for term in query), key=len)
    rows = by_rarity[0].rows
    if mask is not None:
        rows = rows[mask[rows]]
    for postings in by_rarity[1:]:
        if not len(rows):
            break
        rows = rows[places_in(postings.rows, rows, scratch.places) >= 0]
    return rows, _score(rows, query, scratch)


def match_any(
    query: Sequence[QueryTerm], mask: Mask | None, scratch: Scratch, *, limit: int
) -> tuple[Rows, Scores]:
    """Score documents in *mask* that have any term of *query*.

    All that belong to the first *limit* by score are there, ties included; of the
    others only some.
    """
    if len(query) == 1:
        return match_all(query, mask, scratch)
    rows = _contenders(query, mask, scratch.totals, limit)
    return rows, _score(rows, query, scratch)


def _score(rows: Rows, query: Sequence[QueryTerm], scratch: Scratch) -> Scores:
    """Score *rows* for all terms, whether they have them or not."""
    scores = np.zeros(len(rows))
    if not len(rows):
        return scores
    for term in query:
        places = places_in(term.postings.rows, rows, scratch.places)
        has_term = places >= 0
        if has_term.all():
            scores += term.score(places)
        else:
            scores[has_term] += term.score(places[has_term])
    return scores


def _contenders(
    query: Sequence[QueryTerm], mask: Mask | None, totals: Scores, limit: int
) -> NDArray[np.intp]:
    """Find the rows that may be among the best *limit*, in no order.

    Terms are added up heaviest first. Once *limit* documents have more than all the
    terms left could give together, a document with none but those terms is out, so
    their postings, the longest ones, need not be read. This is the idea of MaxScore
    (Turtle and Flood, "Query Evaluation: Strategies and Optimizations", 1995).
    """
    by_bound = sorted(query, key=lambda term: term.bound, reverse=True)
    left = sum(term.bound for term in by_bound)
    entry = 0.0
    touched: list[NDArray[np.intp]] = []
    try:
        for place, term in enumerate(by_bound, start=1):
            if left < entry:
                break
            stored, gains = _within(term, mask)
            rows = stored.astype(np.intp)  # once, as every use below would
            touched.append(rows)
            sums = totals[rows] + gains
            totals[rows] = sums
            left = sum(term.bound for term in by_bound[place:])
            if len(sums) >= limit:
                entry = max(entry, entry_score(sums, limit) * (1 - _ROUNDING))
        found = [np.empty(0, dtype=np.intp)]
        while touched:
            # Read once and cleared, so a row shows up under one of its terms only.
            rows = touched[-1]
            sums = totals[rows]
            found.append(rows[(sums > 0) & (sums + left >= entry)])
            totals[rows] = 0
            touched.pop()
        return np.concatenate(found)
    finally:
        for rows in touched:
            totals[rows] = 0


def _within(term: QueryTerm, mask: Mask | None) -> tuple[Rows, Scores]:
    rows = term.postings.rows
    if mask is None:
        return rows, term.score(slice(None))
    inside = mask[rows]
    return rows[inside], term.score(inside)
