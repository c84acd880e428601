"""Right values are worked out by hand, or stated in MemCastle's description."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.measure.metrics import mean_metrics, score_ranking

DOCUMENTS = [f"d{number}" for number in range(12)]
RANKINGS = st.lists(st.sampled_from(DOCUMENTS), max_size=20)
GRADES = st.dictionaries(
    st.sampled_from(DOCUMENTS), st.integers(1, 3), min_size=1, max_size=8
)


def test_worked_example() -> None:
    got = score_ranking(["x", "a", "y", "b"], {"a": 2, "b": 1, "c": 2}, (1, 3, 5, 10))
    wanted = {
        "recall@3": 1 / 3,
        "recall@5": 2 / 3,
        "precision@3": 1 / 3,
        "precision@5": 0.4,
        "precision@10": 0.2,
        "hit@1": 0.0,
        "hit@3": 1.0,
        "all@10": 0.0,
        "mrr": 0.5,
    }
    assert {name: got[name] for name in wanted} == wanted
    assert got["ndcg@3"] == pytest.approx(0.350985, abs=5e-7)
    assert got["ndcg@5"] == pytest.approx(0.430847, abs=5e-7)


def test_related_before_answer_scores_below_one() -> None:
    grades = {"related": 1, "answer": 2}
    got = score_ranking(["related", "answer"], grades, [3])
    ideal = 3 + 1 / math.log2(3)
    assert got["ndcg@3"] == pytest.approx((1 + 3 / math.log2(3)) / ideal, abs=1e-15)
    assert got["ndcg@3"] == pytest.approx(0.797, abs=5e-4)


def test_exponential_gain_parts_grades_more_than_linear_gain() -> None:
    grades = {"related": 1, "answer": 2}
    got = score_ranking(["related", "answer"], grades, [3])
    ideal = 2 + 1 / math.log2(3)
    wanted = (1 + 2 / math.log2(3)) / ideal
    assert got["ndcg_linear@3"] == pytest.approx(wanted, abs=1e-15)
    assert got["ndcg@3"] < got["ndcg_linear@3"]


def test_only_document_at_rank_three_is_worth_half() -> None:
    got = score_ranking(["x", "y", "a"], {"a": 1}, [10])
    assert (got["ndcg@10"], got["ndcg_linear@10"]) == (0.5, 0.5)


def test_repeated_document_counts_once_and_at_its_first_rank() -> None:
    once = score_ranking(["a", "b"], {"a": 2, "b": 1}, [3])
    assert score_ranking(["a", "a", "b"], {"a": 2, "b": 1}, [3]) == once


def test_precision_divides_by_the_cutoff_even_when_fewer_came_back() -> None:
    assert score_ranking(["a"], {"a": 1}, [10])["precision@10"] == 0.1


def test_query_without_hits_scores_zero_everywhere() -> None:
    assert set(score_ranking([], {"a": 1}, (1, 10)).values()) == {0.0}


def test_mrr_looks_beyond_every_cutoff() -> None:
    ranking = [f"x{number}" for number in range(14)] + ["a"]
    got = score_ranking(ranking, {"a": 1}, [10])
    assert (got["mrr"], got["recall@10"]) == (1 / 15, 0.0)


def test_hit_needs_one_document_and_all_needs_every_one() -> None:
    got = score_ranking(["a", "x", "b"], {"a": 1, "b": 1}, (1, 3))
    assert (got["hit@1"], got["all@1"], got["all@3"]) == (1.0, 0.0, 1.0)


def test_query_without_judgments_is_refused() -> None:
    with pytest.raises(HarnessError, match="without judged documents"):
        score_ranking(["a"], {}, [1])


def test_mean_weighs_every_query_alike() -> None:
    assert mean_metrics([{"mrr": 1.0}, {"mrr": 0.0}, {"mrr": 0.5}]) == {"mrr": 0.5}


def test_mean_over_no_queries_has_no_metrics() -> None:
    assert mean_metrics([]) == {}


def test_mean_does_not_depend_on_the_order_of_the_queries() -> None:
    values = [0.1, 0.7, 1 / 3, 1e-9, 0.2] * 7
    forwards = mean_metrics([{"mrr": value} for value in values])
    assert mean_metrics([{"mrr": value} for value in reversed(values)]) == forwards


@given(RANKINGS, GRADES)
def test_every_metric_lies_between_zero_and_one(
    ranking: list[str], grades: dict[str, int]
) -> None:
    for value in score_ranking(ranking, grades, (1, 3, 5, 10)).values():
        assert 0 <= value <= 1


@given(GRADES)
def test_ideal_ranking_scores_one(grades: dict[str, int]) -> None:
    best = sorted(grades, key=lambda document: -grades[document])
    got = score_ranking(best, grades, (1, 10))
    assert (got["ndcg@1"], got["ndcg@10"], got["ndcg_linear@10"]) == (1.0, 1.0, 1.0)


@given(st.permutations(DOCUMENTS), GRADES, st.data())
def test_moving_a_better_document_up_never_lowers_ndcg(
    ranking: list[str], grades: dict[str, int], data: st.DataObject
) -> None:
    low = data.draw(st.integers(1, len(ranking) - 1))
    high = data.draw(st.integers(0, low - 1))
    if grades.get(ranking[low], 0) < grades.get(ranking[high], 0):
        low_document, high_document = ranking[high], ranking[low]
    else:
        low_document, high_document = ranking[low], ranking[high]
    worse, better = list(ranking), list(ranking)
    worse[high], worse[low] = high_document, low_document
    better[high], better[low] = low_document, high_document
    before = score_ranking(worse, grades, (3, 10))
    after = score_ranking(better, grades, (3, 10))
    assert after["ndcg@10"] >= before["ndcg@10"] - 1e-12
    assert after["ndcg@3"] >= before["ndcg@3"] - 1e-12
