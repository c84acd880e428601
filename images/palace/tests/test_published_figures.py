"""The published figures of recall-bench, by these rankings in memory.

The corpus and its vectors are the harness's, which stands beside this project in the
repository; where it does not, there is nothing to compare with.
"""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from palace.documents.constants import RECALL, RankingConstants
from palace.documents.facts import best_of_kind
from palace.documents.facts_store import FactRow
from palace.documents.index import FragmentFacts, FragmentIndex, Seqs
from palace.documents.ranking import Ranking, Scored

_REPOSITORY = Path(__file__).parents[3]
_CUTOFF = 5
_NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


class Figures(NamedTuple):
    """Means over all queries, as published: two to four, six and four decimals."""

    recall: float
    ndcg: float
    mrr: float


class Bench:
    """A corpus in memory, in the order given, with its vectors."""

    def __init__(
        self, corpus: Any, constants: RankingConstants, *, with_vectors: bool = True
    ) -> None:
        self.constants = constants
        self.queries = corpus.queries
        self._ids = [document.id for document in corpus.documents]
        index = FragmentIndex(constants)
        for seq, document in enumerate(corpus.documents, start=1):
            index.add(seq, "w", "r", FragmentFacts(document.text, True))
        self.scope: Seqs = index.scope("w", "r")
        self.ranking = Ranking(index, constants)
        if with_vectors:
            module = importlib.import_module("harness.dataset.vectors.trigrams")
            self._model = module.TrigramModel()
            self._vectors = self._model.embed_all([d.text for d in corpus.documents])

    def near(self, text: str, pool: int, threshold: float) -> list[Scored]:
        """Rank by cosine in single precision, as the daemon's store does."""
        cosines = self._vectors @ self._model.embed(text)
        order = np.lexsort((-self.scope, -cosines))[:pool]
        return [
            Scored(int(self.scope[place]), float(cosines[place]))
            for place in order
            if cosines[place] >= threshold
        ]

    def figures(self, rank: Callable[[str], Sequence[Scored]]) -> Figures:
        """Ask every query and take the means."""
        rows = []
        for query in self.queries:
            ids = [self._ids[seq - 1] for seq, _ in rank(query.text)]
            gains = [1 / log2(rank + 2) for rank in range(_CUTOFF)]
            found = [each in query.relevant for each in ids[:_CUTOFF]]
            first = next((ids.index(i) + 1 for i in ids if i in query.relevant), None)
            ideal = sum(gains[: len(query.relevant)])
            gained = sum(
                gain for gain, is_hit in zip(gains, found, strict=False) if is_hit
            )
            rows.append(
                (
                    sum(found) / len(query.relevant),
                    gained / ideal,
                    1 / first if first else 0.0,
                )
            )
        recall, ndcg, mrr = np.mean(rows, axis=0).tolist()
        return Figures(round(recall, 6), round(ndcg, 6), round(mrr, 4))

    def hybrid(self, text: str) -> list[Scored]:
        constants = self.constants
        pool = self.near(text, constants.hybrid_pool, constants.hybrid_threshold)
        return self.ranking.hybrid(text, pool, constants.hybrid_output)

    def vector(self, text: str) -> list[Scored]:
        return self.near(
            text, self.constants.vector_pool, self.constants.vector_threshold
        )

    def keyword(self, text: str) -> list[Scored]:
        scanned = self.ranking.scanned(self.scope)
        return self.ranking.keyword(text, scanned, self.constants.keyword_output)

    def chat(self, text: str) -> list[Scored]:
        return self.ranking.search(text, self.scope, None, stemming=None)


@pytest.fixture
def recall(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """The harness's module of that name, in its package of recall corpora."""
    if not (_REPOSITORY / "harness" / "dataset" / "recall").is_dir():
        pytest.skip(f"no harness in {_REPOSITORY}: published figures are NOT compared")
    monkeypatch.syspath_prepend(str(_REPOSITORY))
    return lambda name: importlib.import_module(f"harness.dataset.recall.{name}")


@pytest.fixture
def thousand(recall: Callable[[str], Any]) -> Any:
    return recall("tiers").recall_corpus("1k")


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("hybrid", Figures(0.95, 0.957264, 0.9875)),
        ("vector", Figures(0.965, 0.973855, 1)),
        ("keyword", Figures(0.37, 0.422454, 0.6667)),
        ("chat", Figures(0.51, 0.547258, 0.7675)),
    ],
)
def test_the_published_table_is_reproduced(
    thousand: Any, mode: str, wanted: Figures
) -> None:
    bench = Bench(thousand, RECALL)

    assert bench.figures(getattr(bench, mode)) == wanted


@pytest.mark.parametrize(
    ("vector_weight", "wanted"),
    [(0.0, 0.925), (0.3, 0.93), (0.5, 0.93), (0.7, 0.96), (1.0, 0.965)],
)
def test_other_weights_give_what_they_are_known_to_give(
    thousand: Any, vector_weight: float, wanted: float
) -> None:
    constants = replace(
        RECALL,
        hybrid_vector_weight=vector_weight,
        hybrid_keyword_weight=1 - vector_weight,
    )
    bench = Bench(thousand, constants)

    assert bench.figures(bench.hybrid).recall == wanted


def test_a_pool_of_ten_gives_what_it_is_known_to_give(thousand: Any) -> None:
    bench = Bench(thousand, replace(RECALL, hybrid_pool=10))

    assert bench.figures(bench.hybrid)[:2] == (0.845, 0.844032)


def test_the_order_of_ties_decides_the_keyword_row(thousand: Any) -> None:
    bench = Bench(thousand, replace(RECALL, tie_order="oldest"), with_vectors=False)

    assert bench.figures(bench.keyword).recall == 0.92


def test_ten_thousand_documents_are_searched_whole_unless_a_scan_is_cut(
    recall: Callable[[str], Any],
) -> None:
    corpus = recall("tiers").recall_corpus("10k")
    whole = Bench(corpus, RECALL, with_vectors=False)
    cut = Bench(corpus, replace(RECALL, keyword_scan=1000), with_vectors=False)

    assert whole.figures(whole.keyword).recall == 0.425
    assert cut.figures(cut.keyword).recall == 0.0


def test_the_morphology_rows_are_reproduced(recall: Callable[[str], Any]) -> None:
    # The published ranker got these documents in their order and kept it for ties.
    oldest = replace(RECALL, tie_order="oldest")
    bench = Bench(recall("morphology").morphology_slice(), oldest, with_vectors=False)

    def unstemmed(text: str) -> list[Scored]:
        return bench.ranking.document(text, bench.scope, None, stemming=None)

    assert bench.figures(bench.chat) == Figures(1, 1, 1)
    assert bench.figures(unstemmed) == Figures(0.05, 0.036332, 0.0917)


def test_every_query_calls_up_its_fact(
    recall: Callable[[str], Any], thousand: Any
) -> None:
    given = recall("facts").recall_facts("1k")
    answers = {fact.answers: fact.id for fact in given if fact.answers}
    rows = _fact_rows(given)

    for query in thousand.queries:
        first, *_ = best_of_kind(query.text, rows, _NOW, RECALL)
        assert first.fact.text == _text_of(given, answers[query.id])


def test_the_fresher_or_surer_of_ageing_facts_leads(
    recall: Callable[[str], Any],
) -> None:
    decay = recall("facts").facts_decay_slice()
    rows = _fact_rows(decay.facts)
    now = datetime.fromisoformat(decay.now)

    for query in decay.queries:
        first, *_ = best_of_kind(query.text, rows, now, RECALL)
        assert first.fact.text == _text_of(decay.facts, query.relevant[0])


def _fact_rows(facts: Sequence[Any]) -> list[FactRow]:
    """Facts as they are stored, newest first."""
    rows = [
        FactRow(
            seq=seq,
            id=uuid.uuid4(),
            room=uuid.uuid4(),
            kind=fact.kind,
            text=fact.text,
            category=fact.category,
            confidence=fact.confidence,
            keywords=fact.keywords,
            fields={},
            valid_at=datetime.fromisoformat(fact.valid_at) if fact.valid_at else None,
            created_at=_NOW,
        )
        for seq, fact in enumerate(facts, start=1)
    ]
    return rows[::-1]


def _text_of(facts: Sequence[Any], identity: str) -> str:
    return str(next(fact.text for fact in facts if fact.id == identity))
