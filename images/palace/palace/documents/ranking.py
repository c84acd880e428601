"""From scores to rankings: what each mode makes of its candidates, without any I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palace.documents.bm25 import Scores, share_of_best
from palace.documents.constants import RankingConstants
from palace.documents.index import FragmentIndex, Seqs
from palace.lexical.selection import best


class Scored(NamedTuple):
    """A fragment by its number, and its score."""

    seq: int
    score: float


class Ranking:
    """The rankings of a palace's fragments under one set of constants.

    Each is in one total order: by falling score, and equal scores by ingestion, the
    newest first unless the constants say otherwise.

    Args:
        index: The fragments.
        constants: Their ranking.
    """

    def __init__(self, index: FragmentIndex, constants: RankingConstants) -> None:
        self._index = index
        self._constants = constants

    def scanned(self, scope: Seqs) -> Seqs:
        """Return the part of a scope that keyword ranking reads: its newest ones."""
        most = self._constants.keyword_scan
        return scope if most is None else scope[-most:]

    def keyword(self, query: str, scope: Seqs, limit: int) -> list[Scored]:
        """Rank fragments by the document ranker; those without a word are left out.

        Returns:
            At most *limit*; scores are divided by the best.
        """
        scores = share_of_best(self._index.rank_document(query, scope))
        return self._ordered(scope, scores, limit)

    def document(
        self, query: str, scope: Seqs, limit: int | None, *, stemming: bool | None
    ) -> list[Scored]:
        """Rank as `keyword` does, with stemming as told (None: as configured)."""
        scores = self._index.rank_document(query, scope, stemming=stemming)
        return self._ordered(scope, share_of_best(scores), limit)

    def search(
        self, query: str, scope: Seqs, limit: int | None, *, stemming: bool | None
    ) -> list[Scored]:
        """Rank fragments by the search ranker; those without a word are left out."""
        scores = self._index.rank_search(query, scope, stemming=stemming)
        return self._ordered(scope, share_of_best(scores), limit)

    def hybrid(self, query: str, pool: Sequence[Scored], limit: int) -> list[Scored]:
        """Rank a pool of near fragments by their nearness and their words.

        Both are relative to this very pool: the cosine stretched so that the farthest
        has 0 and the nearest 1, BM25 worked out over the pool alone and divided by its
        best. None is left out: a fragment stays for being near. Equal scores keep the
        order of the pool.

        Args:
            query: The question.
            pool: Fragments with their cosines, best first, without repeats.
            limit: How many at most.
        """
        if not pool:
            return []
        constants = self._constants
        seqs = np.array([near.seq for near in pool])
        cosines = np.array([near.score for near in pool])
        words = share_of_best(self._index.rank_document(query, seqs))
        scores = constants.hybrid_vector_weight * stretched(cosines)
        scores += constants.hybrid_keyword_weight * words
        return _scored(seqs, scores, best(scores, np.arange(len(seqs)), limit))

    def _ordered(self, seqs: Seqs, scores: Scores, limit: int | None) -> list[Scored]:
        """Return the fragments that score above 0 in the total order."""
        (kept,) = np.nonzero(scores > 0)
        if limit is None:
            limit = max(len(kept), 1)
        newest_first = self._constants.tie_order == "newest"
        ties = -seqs[kept] if newest_first else seqs[kept]
        return _scored(seqs, scores, kept[best(scores[kept], ties, limit)])


def _scored(seqs: Seqs, scores: Scores, order: NDArray[np.intp]) -> list[Scored]:
    pairs = zip(seqs[order].tolist(), scores[order].tolist(), strict=True)
    return [Scored(*pair) for pair in pairs]


def stretched(cosines: Scores) -> Scores:
    """Return cosines moved and scaled so that they reach from 0 to 1; all 1 if equal.

    >>> stretched(np.array([0.5, 0.25, 0.75])).tolist()
    [0.5, 0.0, 1.0]
    """
    lowest, highest = cosines.min(), cosines.max()
    if lowest == highest:
        return np.ones(len(cosines))
    stretch: Scores = (cosines - lowest) / (highest - lowest)
    return stretch
