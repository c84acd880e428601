"""The published recall figures, from our corpora and a model that is no daemon.

What a daemon is held against must come from elsewhere. That the model is right is shown
by the figures of the public bench, all of which it gives, and also those that the bench
has for engines that are wrong in a known way.
"""

import pytest

from harness.dataset.recall.facts import recall_facts
from harness.dataset.recall.model import Tier
from harness.dataset.recall.morphology import morphology_slice
from harness.dataset.recall.tiers import recall_corpus, shuffled
from tests.golden.offline_facts import rank_facts
from tests.golden.offline_recall import (
    PUBLISHED,
    Room,
    a_room,
    asked,
    porter2,
    row,
    to_six,
)

Figures = tuple[float, float, float]
"""recall@5, nDCG@5 and reciprocal rank."""

# Rows of the public bench.

MODES = {
    "document-hybrid": Room.hybrid,
    "document-vector": Room.vector,
    "document-keyword": Room.keyword,
    "searchMemories-vector": Room.raw_vector,
}


@pytest.mark.parametrize(
    ("tier", "mode", "figures"),
    [
        ("1k", "document-hybrid", (0.95, 0.957264, 0.9875)),
        ("1k", "document-vector", (0.965, 0.973855, 1)),
        ("1k", "document-keyword", (0.37, 0.422454, 2 / 3)),
        ("1k", "searchMemories-vector", (0.965, 0.973855, 1)),
        ("smoke", "document-hybrid", (1, 0.936381, 8 / 9)),
        ("smoke", "document-vector", (1, 1, 1)),
        ("smoke", "document-keyword", (7 / 18, 0.463857, 41 / 48)),
        ("smoke", "searchMemories-vector", (1, 1, 1)),
        pytest.param(
            *("10k", "document-hybrid", (0.925, 0.942295, 1)), marks=pytest.mark.slow
        ),
        pytest.param(
            *("10k", "document-vector", (0.96, 0.971097, 1)), marks=pytest.mark.slow
        ),
        pytest.param(
            *("10k", "document-keyword", (0.425, 0.557862, 1)), marks=pytest.mark.slow
        ),
    ],
)
def test_a_mode_has_the_published_figures(
    tier: Tier, mode: str, figures: Figures
) -> None:
    corpus = recall_corpus(tier)
    room = a_room(corpus.documents)

    got = asked(lambda query: MODES[mode](room, query), corpus.queries)

    assert got == to_six(*figures)


@pytest.mark.parametrize(
    ("tier", "figures"),
    [("1k", (0.51, 0.547258, 0.7675)), ("smoke", (7 / 18, 0.395884, 167 / 252))],
)
def test_the_search_ranker_has_the_published_figures(
    tier: Tier, figures: Figures
) -> None:
    stem, corpus = porter2(), recall_corpus(tier)
    room = a_room(corpus.documents)

    got = asked(lambda query: room.rank_search(query, stem), corpus.queries)

    assert got == to_six(*figures)


@pytest.mark.parametrize("tier", ["smoke", "1k"])
def test_facts_are_all_found(tier: Tier) -> None:
    facts = recall_facts(tier)
    answers = {fact.answers: fact.id for fact in facts}

    got = row(
        (rank_facts(query.text, facts), (answers[query.id],))
        for query in recall_corpus(tier).queries
    )

    assert got == (1, 1, 1)


def test_stemming_finds_what_morphology_hides() -> None:
    stem, morphology = porter2(), morphology_slice()
    room = a_room(morphology.documents)

    got = asked(lambda query: room.rank_search(query, stem), morphology.queries)

    assert got == (1, 1, 1)


# The public bench ranks these in the order they are listed; where the newest of equal
# ones comes first, writing them in reverse order does the same.
@pytest.mark.parametrize(
    ("reverse", "figures"),
    [(True, (0.05, 0.036332, 0.091667)), (False, (0.05, 0.031915, 0.078333))],
)
def test_without_stemming_filler_alone_is_found(
    reverse: bool, figures: Figures
) -> None:
    morphology = morphology_slice()
    step = -1 if reverse else 1

    got = asked(a_room(morphology.documents[::step]).rank_document, morphology.queries)

    assert got == to_six(*figures)


@pytest.mark.parametrize(
    ("reverse", "figures"),
    [(True, (0.05, 0.041443, 0.075)), (False, (0.05, 0.039732, 0.07))],
)
def test_the_search_ranker_without_stemming_finds_no_more(
    reverse: bool, figures: Figures
) -> None:
    morphology = morphology_slice()
    room = a_room(morphology.documents[:: -1 if reverse else 1])

    got = asked(lambda query: room.rank_search(query, None), morphology.queries)

    assert got == to_six(*figures)


# Engines that are wrong in a known way, and what the public bench measures of them.


@pytest.mark.parametrize(
    ("weight", "recall"),
    [(0, 0.925), (0.3, 0.93), (0.5, 0.93), (0.7, 0.96), (1, 0.965)],
)
def test_another_weight_of_vectors_has_its_published_recall(
    weight: float, recall: float
) -> None:
    corpus = recall_corpus("1k")
    room = a_room(corpus.documents, PUBLISHED._replace(vector_weight=weight))

    assert asked(room.hybrid, corpus.queries).recall == pytest.approx(recall)


def test_a_pool_of_ten_costs_hybrid_a_tenth_and_vectors_nothing() -> None:
    corpus = recall_corpus("1k")
    rules = PUBLISHED._replace(hybrid_pool=10, vector_pool=10)
    room = a_room(corpus.documents, rules)

    hybrid = asked(room.hybrid, corpus.queries)

    assert hybrid[:2] == pytest.approx((0.845, 0.844), abs=5e-4)
    assert asked(room.vector, corpus.queries).recall == pytest.approx(0.965)


def test_oldest_first_hides_a_lost_vector_search() -> None:
    corpus = recall_corpus("1k")
    room = a_room(corpus.documents, PUBLISHED._replace(newest_first=False))

    assert asked(room.keyword, corpus.queries).recall == pytest.approx(0.92)


@pytest.mark.slow
def test_a_scan_of_the_newest_thousand_finds_nothing_of_10k() -> None:
    corpus = recall_corpus("10k")

    got = asked(a_room(corpus.documents[-1000:]).keyword, corpus.queries)

    assert got == (0, 0, 0)


# The variant that is ours.


@pytest.mark.parametrize(
    ("tier", "mode", "figures"),
    [
        ("smoke", "document-hybrid", (1, 0.936381, 8 / 9)),
        ("smoke", "document-keyword", (0.5, 0.538039, 31 / 36)),
        ("1k", "document-hybrid", (0.95, 0.957264, 0.9875)),
        ("1k", "document-vector", (0.965, 0.973855, 1)),
        ("1k", "document-keyword", (0.63, 0.644259, 0.7975)),
    ],
)
def test_a_shuffle_moves_the_keyword_row_alone(
    tier: Tier, mode: str, figures: Figures
) -> None:
    corpus = shuffled(recall_corpus(tier))
    room = a_room(corpus.documents)

    got = asked(lambda query: MODES[mode](room, query), corpus.queries)

    assert got == to_six(*figures)
