"""Bands against brute force: every order of every stretch, scored as a run is."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.judge.ties import (
    Answered,
    Band,
    bands,
    first_expanded,
    stretches,
    tie_bands,
)
from harness.measure.metrics import score_ranking
from harness.measure.official import score_question
from harness.report.model import Ranking, ScoredHit
from tests.pairs import an_answer

CUTOFFS = (1, 3, 5, 10)
DOCUMENTS = [f"d{number}" for number in range(9)]

Stretches = Sequence[Sequence[str]]


def orders(cut: Stretches) -> Iterator[list[str]]:
    """Give every ranking that orders of equal scores can make."""
    for chosen in product(*(permutations(stretch) for stretch in cut)):
        yield list(chain.from_iterable(chosen))


def by_brute_force(cut: Stretches, grades: Mapping[str, int]) -> dict[str, Band]:
    values = [score_ranking(order, grades, CUTOFFS) for order in orders(cut)]
    return {
        metric: Band(
            min(each[metric] for each in values), max(each[metric] for each in values)
        )
        for metric in values[0]
    }


@st.composite
def tied(draw: st.DrawFn) -> tuple[list[tuple[str, float]], list[list[str]]]:
    """Draw a ranking of up to nine, in stretches of up to four equal scores."""
    documents = draw(st.permutations(DOCUMENTS))
    hits: list[tuple[str, float]] = []
    cut: list[list[str]] = []
    for size in draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)):
        stretch = documents[len(hits) : len(hits) + size]
        hits += [(document, 1.0 / (len(cut) + 1)) for document in stretch]
        cut += [list(stretch)] if stretch else []
    return hits, cut


GRADES = st.dictionaries(
    st.sampled_from([*DOCUMENTS, "x1", "x2"]), st.integers(1, 3), min_size=1, max_size=7
)


@settings(max_examples=60)
@given(tied(), GRADES)
def test_band_of_every_metric_is_what_brute_force_finds(
    ranked: tuple[list[tuple[str, float]], list[list[str]]], grades: dict[str, int]
) -> None:
    hits, cut = ranked
    got = bands(an_answer(hits, grades, cutoffs=CUTOFFS), first_expanded=None)

    wanted = by_brute_force(cut, grades)
    assert got is not None
    assert got.keys() == wanted.keys()
    for metric, band in wanted.items():
        close = pytest.approx((band.low, band.high), abs=1e-12)
        assert (got[metric].low, got[metric].high) == close, metric


def test_longmemevals_own_ndcg_has_its_band() -> None:
    hits = [("a", 0.5), ("b", 0.5), ("c", 0.5), ("gold", 0.5)]
    documents = [document for document, _ in hits]
    ranking = Ranking(
        query="q1",
        category="lexical",
        metrics=score_question(documents, {"gold"}, (1, 3, 5)),
        hits=tuple(ScoredHit(document=name, score=score) for name, score in hits),
        grades={"gold": 1},
    )
    got = bands(ranking, first_expanded=None)

    assert got is not None
    # Rank 4 is worth 1 / log2(4) there; ranks 1 and 2 are worth 1.
    assert got["ndcg_official@5"] == Band(0.5, 1.0)
    assert got["ndcg_official@3"] == Band(0.0, 1.0)


def test_without_ties_a_band_has_no_width() -> None:
    answer = an_answer([("a", 0.9), ("b", 0.8)], {"b": 2})
    got = bands(answer, first_expanded=None)
    assert got is not None
    assert all(band.low == band.high for band in got.values())


def test_scores_are_equal_when_their_float32_bits_are() -> None:
    hits = [
        ScoredHit(document="a", score=0.1),
        ScoredHit(document="b", score=0.1 + 1e-10),
        ScoredHit(document="c", score=0.1 - 1e-7),
        ScoredHit(document="d", score=None),
        ScoredHit(document="e", score=0.0),
    ]
    assert stretches(hits, None) == [("a", "b"), ("c",), ("d", "e")]


def test_a_document_that_came_back_twice_counts_where_it_came_first() -> None:
    hits = [
        ScoredHit(document=name, score=score)
        for name, score in [("a", 1.0), ("b", 0.5), ("a", 0.5), ("c", 0.5)]
    ]
    assert stretches(hits, None) == [("a",), ("b", "c")]


def test_expanded_hits_are_a_stretch_of_their_own() -> None:
    hits = [
        ScoredHit(document=name, score=score)
        for name, score in [("a", 2.0), ("b", 0.5), ("c", 1.0), ("d", 1.0)]
    ]
    assert first_expanded(hits, 10) == 2
    assert stretches(hits, 2) == [("a",), ("b",), ("c", "d")]


def test_what_is_beyond_the_limit_was_appended_even_with_an_equal_score() -> None:
    hits = [ScoredHit(document=name, score=1.0) for name in "abcd"]
    assert first_expanded(hits, 2) == 2
    assert stretches(hits, 2) == [("a", "b"), ("c", "d")]
    assert first_expanded(hits, None) is None


def test_a_ranking_without_judgments_has_no_band() -> None:
    answer = an_answer([("a", 1.0)], {"a": 1}).model_copy(update={"grades": None})
    assert bands(answer, first_expanded=None) is None
    side = Answered({"q1": answer}, expand=False, limit=10)
    assert tie_bands(side, side) is None


def test_a_metric_that_is_computed_otherwise_has_no_band() -> None:
    answer = an_answer([("a", 1.0)], {"a": 1})
    other = answer.model_copy(
        update={"metrics": {"mrr": 1.0, "recall@5": 0.7, "bpref": 0.4, "odd@x": 1.0}}
    )
    assert bands(other, first_expanded=None) == {"mrr": Band(1.0, 1.0)}


def a_side(*answers: Ranking) -> Answered:
    return Answered({each.query: each for each in answers}, expand=False, limit=10)


def test_change_spans_every_order_of_either_side() -> None:
    base = an_answer([("a", 1.0), ("b", 1.0)], {"b": 1})
    new = an_answer([("b", 1.0), ("a", 0.5)], {"b": 1})
    got = tie_bands(a_side(base), a_side(new))

    assert got is not None
    assert got["mrr"].base == Band(0.5, 1.0)
    assert got["mrr"].new == Band(1.0, 1.0)
    assert got["mrr"].change == Band(0.0, 0.5)
    assert got["mrr"].queries == 1


def test_the_same_ties_on_both_sides_change_nothing() -> None:
    answer = an_answer([("a", 1.0), ("b", 1.0)], {"b": 1})
    got = tie_bands(a_side(answer), a_side(answer))

    assert got is not None
    assert got["mrr"].base == Band(0.5, 1.0)
    assert got["mrr"].change == Band(0.0, 0.0)


def test_bands_of_a_mean_are_means_of_bands() -> None:
    first = an_answer([("a", 1.0), ("b", 1.0)], {"b": 1}, query="q1")
    second = an_answer([("b", 1.0)], {"b": 1}, query="q2")
    got = tie_bands(a_side(first, second), a_side(first, second))

    assert got is not None
    assert got["mrr"].base == Band(0.75, 1.0)
