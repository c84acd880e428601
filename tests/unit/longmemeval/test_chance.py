"""Chance is exact: published figures, and every ranking of a small haystack."""

from itertools import permutations

import pytest

from harness.dataset.longmemeval.chance import chance_level
from harness.errors import HarnessError

# Answerable questions of a release by their number of gold sessions.
GOLD_MIX = {1: 187, 2: 228, 3: 30, 4: 16, 5: 6, 6: 3}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("hit@5", 0.178), ("all@5", 0.046), ("hit@10", 0.333), ("all@10", 0.103)],
)
def test_chance_of_the_real_mix_in_48_sessions(name: str, wanted: float) -> None:
    levels = {gold: chance_level(48, gold, (5, 10)) for gold in GOLD_MIX}
    mean = sum(levels[gold][name] * count for gold, count in GOLD_MIX.items()) / 470

    assert round(mean, 3) == wanted


@pytest.mark.parametrize("gold", [1, 2, 3])
def test_chance_is_the_mean_over_all_rankings(gold: int) -> None:
    relevant = set(range(gold))
    rankings = list(permutations(range(6)))
    for cutoff in (1, 2, 4, 6):
        found = [len(relevant & set(ranking[:cutoff])) for ranking in rankings]
        count = len(rankings)
        wanted = {
            f"hit@{cutoff}": sum(each > 0 for each in found) / count,
            f"all@{cutoff}": sum(each == gold for each in found) / count,
            f"recall@{cutoff}": sum(found) / gold / count,
        }
        assert chance_level(6, gold, [cutoff]) == pytest.approx(wanted)


def test_a_cutoff_past_the_haystack_finds_everything() -> None:
    assert chance_level(3, 2, [50]) == {"all@50": 1.0, "hit@50": 1.0, "recall@50": 1.0}


def test_more_gold_than_the_cutoff_can_never_all_be_found() -> None:
    assert chance_level(48, 6, [5])["all@5"] == 0.0


def test_evidence_alone_is_found_whatever_the_order() -> None:
    assert chance_level(2, 2, [1])["hit@1"] == 1.0


@pytest.mark.parametrize("gold", [0, 4, -1])
def test_chance_without_a_meaning_is_refused(gold: int) -> None:
    with pytest.raises(HarnessError):
        chance_level(3, gold, [1])
