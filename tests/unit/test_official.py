"""The official metrics, by their worked values and by a second implementation."""

import math
import random
from collections.abc import Sequence

import pytest

from harness.errors import HarnessError
from harness.measure.metrics import mean_metrics
from harness.measure.official import (
    CUTOFFS,
    ndcg_official,
    recall_all,
    recall_any,
    score_question,
)

RANKING = [f"d{rank}" for rank in range(1, 11)]


def at_ranks(*ranks: int, missed: int = 0) -> frozenset[str]:
    """Return gold that `RANKING` has at *ranks*, and some that it does not have."""
    return frozenset([f"d{rank}" for rank in ranks] + [f"x{n}" for n in range(missed)])


@pytest.mark.parametrize(
    ("gold", "official", "textbook"),
    [
        (at_ranks(1), 1, 1),
        (at_ranks(2), 1, 0.6309),
        (at_ranks(3), 0.6309, 0.5),
        (at_ranks(5), 0.4307, 0.3869),
        (at_ranks(1, 3), 0.8155, 0.9197),
        (at_ranks(1, missed=2), 0.3801, 0.4693),
        (at_ranks(4, 6), 0.25, 0.2641),
    ],
)
def test_worked_values_of_ndcg_at_5(
    gold: frozenset[str], official: float, textbook: float
) -> None:
    scores = score_question(RANKING, gold)

    assert round(scores["ndcg_official@5"], 4) == official
    assert round(scores["ndcg@5"], 4) == textbook


def test_any_and_all_part_ways_where_gold_is_many() -> None:
    scores = score_question(RANKING, at_ranks(1, 7))

    assert (scores["hit@5"], scores["all@5"], scores["recall@5"]) == (1, 0, 0.5)
    assert (scores["hit@10"], scores["all@10"], scores["recall@10"]) == (1, 1, 1)


def test_without_gold_all_is_one_and_the_rest_is_zero() -> None:
    nothing: frozenset[str] = frozenset()

    assert recall_any(RANKING, nothing, 5) == 0.0
    assert recall_all(RANKING, nothing, 5) == 1.0
    assert ndcg_official(RANKING, nothing, 5) == 0.0


def test_a_question_without_gold_is_not_scored() -> None:
    with pytest.raises(HarnessError):
        score_question(RANKING, frozenset())


def test_no_hits_is_a_miss_and_no_error() -> None:
    assert set(score_question([], at_ranks(1)).values()) == {0.0}


def test_one_of_three_found_first_is_not_perfect() -> None:
    scores = score_question(RANKING, at_ranks(1, missed=2))

    assert scores["ndcg@10"] < 0.5
    assert scores["ndcg_official@10"] < 0.5


def test_a_session_returned_twice_takes_one_rank() -> None:
    twice = ["filler", "filler", "gold"]

    assert score_question(twice, {"gold"}) == score_question(twice[1:], {"gold"})


def test_every_figure_is_named_by_metric_and_cutoff() -> None:
    names = set(score_question(RANKING, at_ranks(1)))

    forms = ("hit", "all", "recall", "ndcg", "ndcg_official")
    assert names == {f"{form}@{k}" for form in forms for k in CUTOFFS} | {"mrr"}


def by_positions(order: Sequence[int], gains: Sequence[int], k: int) -> list[float]:
    """Score as the official evaluation does: positions of a corpus, gains of each."""

    def dcg(values: Sequence[int]) -> float:
        if not values:
            return 0.0
        rest = (value / math.log2(place) for place, value in enumerate(values[1:], 2))
        return values[0] + sum(rest)

    relevant = {place for place, gain in enumerate(gains) if gain}
    found = relevant.intersection(order[:k])
    ideal = dcg(sorted(gains, reverse=True)[:k])
    gained = dcg([gains[place] for place in order[:k]])
    return [
        float(bool(found)),
        float(found == relevant),
        gained / ideal if ideal else 0,
    ]


def test_two_hundred_random_rankings_agree_with_a_second_implementation() -> None:
    dice = random.Random(20230530)
    compared = 0
    for _ in range(200):
        size = dice.randint(1, 62)
        gains = [0] * size
        for place in dice.sample(range(size), dice.randint(0, min(6, size))):
            gains[place] = 1
        order = dice.sample(range(size), dice.randint(0, size))
        ranking = [f"s{place}" for place in order]
        gold = frozenset(f"s{place}" for place, gain in enumerate(gains) if gain)
        for k in CUTOFFS:
            got = [
                recall_any(ranking, gold, k),
                recall_all(ranking, gold, k),
                ndcg_official(ranking, gold, k),
            ]
            assert got == pytest.approx(by_positions(order, gains, k), abs=1e-12)
            compared += 1
            if gold:
                scores = score_question(ranking, gold)
                names = (f"hit@{k}", f"all@{k}", f"ndcg_official@{k}")
                assert got == [scores[name] for name in names]
    assert compared == 1200


def test_averages_take_one_row_a_question() -> None:
    rows = [score_question(RANKING, at_ranks(1)), score_question([], at_ranks(1))]

    assert mean_metrics(rows)["hit@5"] == 0.5
