"""Prints how fast the lexical index loads, grows and answers, in one seeded run.

    python -m benchmarks.lexical [documents]

Documents have 20 words each from a vocabulary of 60,000, drawn by a Zipf-like law. A
`mixed` query has a frequent, a middling and a rare word of one document, a `frequent`
one has three of the 60 most frequent words. The full scan scores every posting into a
fresh array of all documents and is what the ratios are against.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from palace.lexical import LexicalIndex, Match, terms

SEED = 20
VOCABULARY = 60_000
WORDS = 20
QUERIES = 300
ADDS = 2_000
SYLLABLES = ["ba", "de", "fi", "go", "lu", "ma", "ne", "pi", "ro", "su", "ta", "ve"]


def _spell(number: int) -> str:
    """Write a rank as a word; every rank has its own."""
    word = ""
    while True:
        number, digit = divmod(number, len(SYLLABLES))
        word += SYLLABLES[digit]
        if not number:
            return word + "k"


def _corpus(n_documents: int) -> tuple[list[str], NDArray[np.int64]]:
    rng = np.random.default_rng(SEED)
    weights = 1 / (np.arange(VOCABULARY) + 2.7)
    ranks = rng.choice(VOCABULARY, (n_documents, WORDS), p=weights / weights.sum())
    words = [_spell(rank) for rank in range(VOCABULARY)]
    return [" ".join(words[rank] for rank in row) for row in ranks.tolist()], ranks


def _mixed(ranks: NDArray[np.int64], rng: np.random.Generator) -> str:
    row = np.sort(ranks[rng.integers(len(ranks))])
    return " ".join(_spell(int(row[place])) for place in (0, WORDS // 2, -1))


def _frequent(rng: np.random.Generator) -> str:
    return " ".join(_spell(int(rank)) for rank in rng.choice(60, 3, replace=False))


def _timed(run: Callable[[str], object], queries: Sequence[str]) -> list[float]:
    for query in queries[:20]:
        run(query)
    spent = []
    for query in queries:
        start = perf_counter()
        run(query)
        spent.append((perf_counter() - start) * 1e3)
    return spent


def _search(index: LexicalIndex, match: Match) -> Callable[[str], object]:
    return lambda query: index.search(terms(query), limit=10, match=match)


def _row(name: str, spent: list[float], base: float | None = None) -> float:
    p50, p95 = np.percentile(spent, [50, 95], method="inverted_cdf")
    ratio = "" if base is None else f"  {p50 / base:6.2f} x full scan"
    print(f"{name:34} p50 {p50:7.3f} ms  p95 {p95:7.3f} ms{ratio}")
    return float(p50)


class _FullScan:
    """Plain BM25 in numpy over all documents, the thing the index must beat."""

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        found: dict[str, dict[int, int]] = {}
        for row, document in enumerate(corpus):
            for term in document:
                counts = found.setdefault(term, {})
                counts[row] = counts.get(row, 0) + 1
        self.lengths = np.array([len(document) for document in corpus], dtype=float)
        self.postings = {
            term: (np.array(list(counts)), np.array(list(counts.values())))
            for term, counts in found.items()
        }

    def search(self, query: Sequence[str]) -> NDArray[np.intp]:
        n = len(self.lengths)
        norm = 1.2 * (0.25 + 0.75 * self.lengths / self.lengths.mean())
        scores = np.zeros(n)
        for term in set(query) & self.postings.keys():
            rows, counts = self.postings[term]
            idf = np.log(1 + (n - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += idf * 2.2 * counts / (counts + norm[rows])
        return np.lexsort((np.arange(n), -scores))[:10]


def main() -> None:
    """Run everything and print the figures."""
    n_documents = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    texts, ranks = _corpus(n_documents)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    index = LexicalIndex()
    start = perf_counter()
    index.extend((seq, terms(text)) for seq, text in enumerate(texts))
    load_s = perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"documents {n_documents:,}, terms {index.n_terms:,}, seed {SEED}")
    print(
        f"load {load_s:.2f} s ({n_documents / load_s:,.0f} documents/s), "
        f"arrays {index.n_bytes / 2**20:.1f} MiB, "
        f"process +{(after - before) / 1024:.0f} MiB at its peak"
    )

    rng = np.random.default_rng(SEED + 1)
    mixed = [_mixed(ranks, rng) for _ in range(QUERIES)]
    frequent = [_frequent(rng) for _ in range(QUERIES)]
    wing = rng.random(n_documents) < 0.01
    scan = _FullScan([terms(text) for text in texts])
    for name, queries in (("mixed", mixed), ("frequent", frequent)):
        few = queries[:60]
        base = _row(f"{name}, full scan", _timed(lambda q: scan.search(terms(q)), few))
        for match in get_args(Match):
            _row(f"{name}, {match}", _timed(_search(index, match), queries), base)
        spent = _timed(
            lambda q: index.search(terms(q), limit=10, match="any", allowed=wing),
            queries,
        )
        _row(f"{name}, any, 1 % of the rows", spent, base)

    numbers = iter(range(n_documents, n_documents + ADDS + 20))
    _row(
        "add one document",
        _timed(lambda t: index.add(next(numbers), terms(t)), texts[:ADDS]),
    )
    doomed = iter(rng.permutation(n_documents)[: ADDS + 20].tolist())
    _row(
        "remove one document",
        _timed(lambda _: index.remove(next(doomed)), texts[:ADDS]),
    )
    _row(
        "mixed, any, after removals",
        _timed(lambda q: index.search(terms(q), limit=10, match="any"), mixed),
    )


if __name__ == "__main__":
    main()
