"""A plain model of recall retrieval, for the daemon's figures to be held against.

It knows nothing of the daemon: rules and constants are written down once more, from
the description of the public bench, as slowly and plainly as they read there. What it
adds is what the public bench loses: words of other scripts, and whole scans.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.dataset.recall.model import RecallDocument, RecallQuery
from harness.dataset.vectors.trigrams import TrigramModel
from tests.golden.offline_terms import Stem, ascii_terms, search_terms

MODEL = TrigramModel()

Terms = Callable[[str], list[str]]
Ranker = Callable[[str], list[str]]


class Fragment(NamedTuple):
    """One stored piece of a document; its place in the list is its age."""

    document: str
    text: str


class Parameters(NamedTuple):
    """What the fusion and the pools are tuned by; these are the published values."""

    vector_pool: int = 20
    vector_threshold: float = 0.1
    hybrid_pool: int = 40
    hybrid_threshold: float = 0.05
    vector_weight: float = 0.6
    page: int = 20
    newest_first: bool = True


PUBLISHED = Parameters()


def bm25(
    query: Sequence[str],
    texts: Sequence[Sequence[str]],
    *,
    k1: float,
    b: float,
    single: bool = False,
) -> list[float]:
    """Score each of *texts*; with *single* the sum is kept in 32 bits.

    Statistics are those of *texts* alone; a repeated query term counts again.
    """
    counts = [Counter(terms) for terms in texts]
    average = sum(map(len, texts)) / len(texts) if texts else 0.0
    scores = [0.0] * len(texts)
    for term in query:
        holders = [at for at, count in enumerate(counts) if term in count]
        if not holders:
            continue
        idf = math.log(1 + (len(texts) - len(holders) + 0.5) / (len(holders) + 0.5))
        for at in holders:
            tf = counts[at][term]
            norm = k1 * (1 - b + b * len(texts[at]) / average)
            total = scores[at] + idf * tf * (k1 + 1) / (tf + norm)
            scores[at] = float(np.float32(total)) if single else total
    return scores


@dataclass
class Room:
    """Fragments in the order they were written, and the ways to search them."""

    fragments: Sequence[Fragment]
    terms: Terms = ascii_terms
    parameters: Parameters = PUBLISHED
    _vectors: NDArray[np.float64] = field(init=False)
    _terms: list[list[str]] = field(init=False)
    _searched: dict[Stem | None, list[list[str]]] = field(init=False)

    def __post_init__(self) -> None:
        """Embed and cut all fragments once."""
        texts = [fragment.text for fragment in self.fragments]
        self._vectors = MODEL.embed_all(texts).astype(np.float64)
        self._terms = [self.terms(text) for text in texts]
        self._searched = {}

    def hybrid(self, query: str) -> list[str]:
        """Rank by both: a pool by cosine, weighed with BM25 over that pool."""
        rules = self.parameters
        pool = self._pool(query, rules.hybrid_pool, rules.hybrid_threshold)
        if pool is None:
            return self.keyword(query)
        cosines = [cosine for _, cosine in pool]
        low, span = min(cosines, default=0), max(cosines, default=0)
        span -= low
        lexical = by_best(
            bm25(self.terms(query), [self._terms[at] for at, _ in pool], k1=1.5, b=0.75)
        )
        weight = rules.vector_weight
        scores = {
            at: weight * ((cosine - low) / span if span else 1.0)
            + (1 - weight) * lexical[place]
            for place, (at, cosine) in enumerate(pool)
        }
        # Equal ones stay in the order of the pool, the nearest first.
        best = sorted(scores, key=lambda at: -scores[at])
        return self._documents(best[: rules.page])

    def vector(self, query: str) -> list[str]:
        """Rank by cosine alone."""
        rules = self.parameters
        pool = self._pool(query, rules.vector_pool, rules.vector_threshold)
        if pool is None:
            return self.keyword(query)
        return self._documents([at for at, _ in pool])

    def raw_vector(self, query: str) -> list[str]:
        """Rank by cosine, without a threshold."""
        return self._documents([at for at, _ in self._pool(query, 20, -1.0) or ()])

    def keyword(self, query: str) -> list[str]:
        """Rank by document BM25; this is also what a daemon falls open to."""
        scores = by_best(bm25(self.terms(query), self._terms, k1=1.5, b=0.75))
        return self._documents(self._order(_positive(scores))[: self.parameters.page])

    def rank_document(self, query: str) -> list[str]:
        """Rank all by document BM25, uncut."""
        scores = bm25(self.terms(query), self._terms, k1=1.5, b=0.75)
        return self._documents(self._order(_positive(scores)))

    def rank_search(self, query: str, stem: Stem | None) -> list[str]:
        """Rank all by search BM25, uncut."""
        if stem not in self._searched:
            texts = [search_terms(fragment.text, stem) for fragment in self.fragments]
            self._searched[stem] = texts
        terms = search_terms(query, stem)
        scores = bm25(terms, self._searched[stem], k1=1.2, b=0.75, single=True)
        return self._documents(self._order(_positive(scores)))

    def _pool(
        self, query: str, size: int, threshold: float
    ) -> list[tuple[int, float]] | None:
        """Return the nearest fragments, or ``None`` for a query without a vector."""
        vector = MODEL.embed(query).astype(np.float64)
        if not vector.any():
            return None
        cosines = self._vectors @ vector
        order = self._order(dict(enumerate(cosines.tolist())))
        return [(at, cosines[at]) for at in order if cosines[at] >= threshold][:size]

    def _order(self, scores: Mapping[int, float]) -> list[int]:
        """Return places, best first, and of equal ones the newest (or oldest)."""
        sign = -1 if self.parameters.newest_first else 1
        return sorted(scores, key=lambda at: (-scores[at], sign * at))

    def _documents(self, hits: Iterable[int]) -> list[str]:
        """Name the documents of *hits*, each where it comes first."""
        return list(dict.fromkeys(self.fragments[at].document for at in hits))


def by_best(scores: Sequence[float]) -> list[float]:
    """Divide by the greatest score; all zeros stay as they are."""
    best = max(scores, default=0.0)
    return [score / best if best else 0.0 for score in scores]


def _positive(scores: Iterable[float]) -> dict[int, float]:
    return {at: score for at, score in enumerate(scores) if score > 0}


def porter2() -> Stem:
    """Return an English stemmer, or skip the test, loudly, where there is none."""
    reason = "the stemmed rows are NOT checked: no Porter2 here, install PyStemmer"
    snowball = pytest.importorskip("Stemmer", reason=reason)
    stem: Stem = snowball.Stemmer("english").stemWord
    return stem


class Row(NamedTuple):
    """The figures of one row: means over its queries."""

    recall: float
    ndcg: float
    mrr: float


def row(rankings: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Row:
    """Average recall@5, nDCG@5 and reciprocal rank over (ranking, relevant) pairs."""
    each = [_figures(ranking, relevant) for ranking, relevant in rankings]
    return Row(*(sum(column) / len(each) for column in zip(*each, strict=True)))


def asked(ranker: Ranker, queries: Iterable[RecallQuery]) -> Row:
    """Ask *queries* of one way to search, and average."""
    return row((ranker(query.text), query.relevant) for query in queries)


def a_room(
    documents: Iterable[RecallDocument], parameters: Parameters = PUBLISHED
) -> Room:
    """Store each document as one fragment."""
    fragments = [Fragment(document.id, document.text) for document in documents]
    return Room(fragments, parameters=parameters)


def to_six(*figures: float) -> object:
    """Return what equals *figures* to six decimals."""
    return pytest.approx(figures, abs=5e-7)


def _figures(ranking: Sequence[str], relevant: Sequence[str]) -> Row:
    ranks = [at for at, each in enumerate(ranking, start=1) if each in relevant]
    early = [rank for rank in ranks if rank <= 5]
    gained = sum(1 / math.log2(rank + 1) for rank in early)
    ideal = sum(1 / math.log2(at + 2) for at in range(min(len(relevant), 5)))
    first = 1 / ranks[0] if ranks else 0.0
    return Row(len(early) / len(relevant), gained / ideal, first)
