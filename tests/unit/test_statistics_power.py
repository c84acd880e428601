"""Smallest detectable changes and corrected p-values, worked out by hand."""

import pytest

from harness.judge.statistics.holm import holm
from harness.judge.statistics.power import detectable, queries_needed

# Mean 0, and a standard deviation of 0.1 with n - 1 below the root: 16 * 0.01 / 16.
SEVENTEEN = [0.1, -0.1] * 8 + [0.0]


def test_smallest_detectable_change_is_the_normal_approximations() -> None:
    # (1.959964 + 0.841621) * 0.1 / sqrt(17)
    assert detectable(SEVENTEEN) == pytest.approx(0.0679484, abs=1e-7)


def test_a_stricter_level_sees_less() -> None:
    # (2.497705 + 0.841621) * 0.1 / sqrt(17)
    assert detectable(SEVENTEEN, alpha=0.0125) == pytest.approx(0.0809906, abs=1e-7)


def test_queries_needed_is_rounded_up() -> None:
    # (2.801585 * 0.1 / 0.02) ** 2 = 196.2
    assert queries_needed(SEVENTEEN, 0.02) == 197
    assert queries_needed(SEVENTEEN, -0.02) == 197


def test_what_is_just_detectable_needs_the_queries_there_are() -> None:
    change = detectable(SEVENTEEN)
    assert change is not None
    assert queries_needed(SEVENTEEN, change * 1.0001) == 17


@pytest.mark.parametrize("differences", [[], [0.3], [0.0, 0.0], [-0.05] * 9])
def test_without_spread_nothing_can_be_said(differences: list[float]) -> None:
    assert detectable(differences) is None
    assert queries_needed(differences, 0.02) is None


def test_no_change_can_never_be_shown() -> None:
    assert queries_needed(SEVENTEEN, 0.0) is None


def test_holm_multiplies_by_how_many_are_left_and_never_falls() -> None:
    got = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    wanted = {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    assert got == pytest.approx(wanted, abs=1e-15)


def test_holm_stops_at_one() -> None:
    assert holm({"a": 0.6, "b": 0.9}) == {"a": 1.0, "b": 1.0}


def test_holm_leaves_a_family_of_one_alone() -> None:
    assert holm({"a": 0.04}) == {"a": 0.04}
    assert holm({}) == {}
