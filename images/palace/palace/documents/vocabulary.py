"""The words of all fragments, and for each the fragments that have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from palace.documents.analysis import is_searched, stems
from palace.documents.bm25 import Counts
from palace.documents.constants import RankingConstants
from palace.lexical.postings import Postings

Rows = NDArray[np.int64]

# Removed rows are swept out of a word's postings once they outnumber the live ones;
# below this many it is not worth the copy.
_PURGE_FROM: Final = 32


class Vocabulary:
    """Words by number, their postings, and which of them share a stem.

    Fragments are indexed once, by words as they stand: a stem's fragments are those of
    all its words, so one index serves rankers with and without stemming.
    """

    def __init__(self, constants: RankingConstants) -> None:
        self._constants = constants
        self._numbers: dict[str, int] = {}
        self._postings: list[Postings] = []
        self._is_searched: list[bool] = []
        self._by_stem: defaultdict[str, list[int]] = defaultdict(list)

    def post(self, row: int, terms: Sequence[str]) -> tuple[tuple[int, ...], int]:
        """Note the words of a new fragment.

        Args:
            row: Above every row posted before.
            terms: Its words, repeats kept.

        Returns:
            The distinct words by number, which `remove` takes; and how many words,
            repeats counted, the search ranker sees.
        """
        length = len(terms)
        counts: dict[int, int] = {}
        n_searched = 0
        for term in terms:
            number = self._numbers.get(term)
            if number is None:
                number = self._learn(term)
            counts[number] = counts.get(number, 0) + 1
            n_searched += self._is_searched[number]
        for number, count in counts.items():
            self._postings[number].append(row, count, length)
        return tuple(counts), n_searched

    def remove(self, numbers: Sequence[int], is_live: NDArray[np.bool_]) -> None:
        """Forget a fragment, whose row is not live any more, under all its words."""
        for number in numbers:
            postings = self._postings[number]
            postings.live -= 1
            if len(postings) > 2 * postings.live + _PURGE_FROM:
                postings.purge(is_live)

    def numbers_of(
        self, term: str, *, stemming: bool, searched_only: bool
    ) -> tuple[int, ...]:
        """Return the words that one term of a query stands for.

        Args:
            term: A word, or with *stemming* a stem.
            stemming: Whether it stands for every word with that stem.
            searched_only: Whether words that the search ranker leaves out do not count.
        """
        if not stemming:
            number = self._numbers.get(term)
            return () if number is None else (number,)
        return tuple(
            number
            for number in self._by_stem.get(term, ())
            if not searched_only or self._is_searched[number]
        )

    def occurrences(
        self, numbers: Sequence[int], inside: NDArray[np.bool_]
    ) -> tuple[Rows, Counts]:
        """Return the rows that have any of the words, and how often all together.

        Args:
            numbers: Words, not empty.
            inside: The rows that count, indexed by row.
        """
        found = [self._inside(number, inside) for number in numbers]
        if len(found) == 1:
            return found[0]
        rows, places = np.unique(
            np.concatenate([rows for rows, _ in found]), return_inverse=True
        )
        counts = np.zeros(len(rows), np.int64)
        np.add.at(counts, places, np.concatenate([counts for _, counts in found]))
        return rows, counts

    def _inside(self, number: int, inside: NDArray[np.bool_]) -> tuple[Rows, Counts]:
        postings = self._postings[number]
        chosen = inside[postings.rows]
        return (
            postings.rows[chosen].astype(np.int64),
            postings.counts[chosen].astype(np.int64),
        )

    def _learn(self, term: str) -> int:
        number = len(self._postings)
        self._numbers[term] = number
        self._postings.append(Postings())
        self._is_searched.append(is_searched(term, self._constants))
        (stem,) = stems((term,), self._constants)
        self._by_stem[stem].append(number)
        return number
