from __future__ import annotations

import pytest

from palace.search.fusion import fuse, pool_size
from palace.search.order import by_score, single


def test_first_in_both_legs_scores_two_sixty_firsts() -> None:
    # MemCastle's own figure for a drawer that leads both legs: 0.0328.
    ((seq, score),) = fuse([7], [7])

    assert seq == 7
    assert score == pytest.approx(2 / 61)


def test_drawers_of_one_leg_only_are_kept() -> None:
    got = fuse([1, 2], [3])

    assert [seq for seq, _ in got] == [1, 3, 2]


def test_mirrored_ranks_tie_and_fall_back_to_ingestion_order() -> None:
    got = fuse([9, 4], [4, 9])

    assert [seq for seq, _ in got] == [4, 9]
    assert got[0][1] == got[1][1]


@pytest.mark.parametrize(("limit", "wanted"), [(1, 20), (10, 20), (11, 22), (200, 400)])
def test_each_leg_gives_twenty_or_twice_the_limit(limit: int, wanted: int) -> None:
    assert pool_size(limit) == wanted


def test_scores_that_look_equal_are_equal() -> None:
    # They differ in double precision only, so the earlier drawer comes first.
    got = by_score([(2, 0.1 + 1e-12), (1, 0.1)])

    assert got == [(1, single(0.1)), (2, single(0.1))]
