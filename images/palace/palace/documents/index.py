"""All fragments in memory: which are in scope, and how well each matches a query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palace.documents.analysis import document_terms, search_terms, stems
from palace.documents.bm25 import Formula, Scores
from palace.documents.constants import RECALL, RankingConstants
from palace.documents.vocabulary import Rows, Vocabulary
from palace.lexical.postings import Column

Seqs = NDArray[np.int64]
"""Fragments by their numbers of ingestion."""


class FragmentFacts(NamedTuple):
    """What a ranking needs to know of a fragment."""

    content: str
    is_embedded: bool
    """Whether it has a vector of the provider's profile."""


class FragmentIndex:
    """Every fragment by number: where it is, and its words.

    A fragment's number is its place in the order of ingestion, which breaks ties.
    Postgres is the truth: this is filled from it and follows each commit. Every method
    runs to its end without waiting, so one event loop needs no lock.

    Args:
        constants: How the two rankers count and what they leave out.
    """

    def __init__(self, constants: RankingConstants = RECALL) -> None:
        self._constants = constants
        self._vocabulary = Vocabulary(constants)
        self._seqs: Column[np.int64] = Column(np.int64)
        self._wings: Column[np.int32] = Column(np.int32)
        self._rooms: Column[np.int32] = Column(np.int32)
        self._is_live: Column[np.bool_] = Column(np.bool_)
        self._is_embedded: Column[np.bool_] = Column(np.bool_)
        self._lengths: Column[np.int64] = Column(np.int64)
        self._searched_lengths: Column[np.int64] = Column(np.int64)
        self._codes: dict[str, int] = {}
        # What a removal must take out of the postings, for each number still there.
        self._words: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        """Return how many fragments there are."""
        return len(self._words)

    def __contains__(self, seq: object) -> bool:
        """Tell whether fragment *seq* is there."""
        return seq in self._words

    @property
    def n_embedded(self) -> int:
        """How many fragments have a vector."""
        return int(np.count_nonzero(self._is_embedded.values))

    def add(self, seq: int, wing: str, room: str, fragment: FragmentFacts) -> None:
        """Take a fragment in; the next search finds it.

        Raises:
            ValueError: Its number is not above that of every one added before.
        """
        self.extend([(seq, wing, room, fragment)])

    def extend(self, fragments: Iterable[tuple[int, str, str, FragmentFacts]]) -> None:
        """Take many fragments in: number, wing, room and the rest, as `add` does.

        Twice as fast as `add` for each when hundreds come at once.

        Raises:
            ValueError: A number is not above that of every one before it; those before
                it are in then.
        """
        last = int(self._seqs.values[-1]) if len(self._seqs) else None
        codes: dict[tuple[str, str], tuple[int, int]] = {}
        rows: list[tuple[int, ...]] = []
        try:
            for row, (seq, wing, room, fragment) in enumerate(
                fragments, start=len(self._seqs)
            ):
                if last is not None and seq <= last:
                    raise ValueError(f"fragment {seq} comes after {last}")
                last = seq
                place = codes.get((wing, room))
                if place is None:
                    place = self._code(f"wing {wing}"), self._code(f"room {room}")
                    codes[wing, room] = place
                terms = document_terms(fragment.content)
                self._words[seq], n_searched = self._vocabulary.post(row, terms)
                rows.append((seq, *place, fragment.is_embedded, len(terms), n_searched))
        finally:
            self._note(np.array(rows, np.int64).reshape(-1, 6).T)

    def remove(self, seq: int) -> None:
        """Take a fragment out of every scope and of all statistics.

        Raises:
            KeyError: It is not there.
        """
        words = self._words.pop(seq)
        row = int(np.searchsorted(self._seqs.values, seq))
        self._is_live.values[row] = False
        self._is_embedded.values[row] = False
        self._vocabulary.remove(words, self._is_live.values)

    def scope(self, wing: str | None = None, room: str | None = None) -> Seqs:
        """Return the fragments of a wing, of a room or of both, ascending.

        Args:
            wing: The wing's name; None for every wing. An unknown one has none.
            room: The room's name, in any wing unless *wing* is given.
        """
        mask = self._is_live.values
        if wing is not None:
            mask = mask & (self._wings.values == self._codes.get(f"wing {wing}", -1))
        if room is not None:
            mask = mask & (self._rooms.values == self._codes.get(f"room {room}", -1))
        return self._seqs.values[mask]

    def embedded(self, seqs: Seqs) -> Seqs:
        """Return those of *seqs*, all of them there, that have a vector."""
        return seqs[self._is_embedded.values[self._rows_of(seqs)]]

    def rank_document(
        self, query: str, seqs: Seqs, *, stemming: bool | None = None
    ) -> Scores:
        """Score fragments by the document ranker, among themselves only.

        Args:
            query: Words repeated in it count as often.
            seqs: Without repeats; one that was removed meanwhile scores 0.
            stemming: Whether words count by their stems; None for the constants' say.

        Returns:
            A raw score for each of *seqs*, 0 for no word in common.
        """
        constants = self._constants
        is_stemming = constants.document_stemming if stemming is None else stemming
        terms = document_terms(query)
        if is_stemming:
            terms = stems(terms, constants)
        groups = [
            self._vocabulary.numbers_of(term, stemming=is_stemming, searched_only=False)
            for term in terms
        ]
        formula = Formula(constants.document_k1, constants.document_b)
        return self._scores(groups, seqs, formula, self._lengths)

    def rank_search(
        self, query: str, seqs: Seqs, *, stemming: bool | None = None
    ) -> Scores:
        """Score fragments by the search ranker; see `rank_document`."""
        constants = self._constants
        is_stemming = constants.search_stemming if stemming is None else stemming
        groups = [
            self._vocabulary.numbers_of(term, stemming=is_stemming, searched_only=True)
            for term in search_terms(query, stemming=is_stemming, constants=constants)
        ]
        formula = Formula(constants.search_k1, constants.search_b)
        return self._scores(groups, seqs, formula, self._searched_lengths)

    def _scores(
        self,
        groups: list[tuple[int, ...]],
        seqs: Seqs,
        formula: Formula,
        lengths: Column[np.int64],
    ) -> Scores:
        """Add up the query's words in their order, the same for every fragment."""
        rows = self._rows_of(seqs)
        inside = np.zeros(len(self._seqs), np.bool_)
        inside[rows] = self._is_live.values[rows]
        n_fragments = int(np.count_nonzero(inside))
        totals = np.zeros(len(self._seqs))
        total_length = int(lengths.values[inside].sum())
        if total_length == 0:
            return totals[rows]
        shares = lengths.values / (total_length / n_fragments)
        for numbers in groups:
            if numbers:
                found, counts = self._vocabulary.occurrences(numbers, inside)
                totals[found] += formula.gains(counts, shares[found], n_fragments)
        return totals[rows]

    def _note(self, columns: NDArray[np.int64]) -> None:
        seqs, wings, rooms, embedded, lengths, searched = columns
        self._seqs.extend(seqs)
        self._wings.extend(wings.astype(np.int32))
        self._rooms.extend(rooms.astype(np.int32))
        self._is_live.extend(np.ones(len(seqs), np.bool_))
        self._is_embedded.extend(embedded.astype(np.bool_))
        self._lengths.extend(lengths)
        self._searched_lengths.extend(searched)

    def _rows_of(self, seqs: Seqs) -> Rows:
        return np.searchsorted(self._seqs.values, seqs)

    def _code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))
