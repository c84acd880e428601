"""p-values against enumeration by hand, integer arithmetic, and SciPy."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from harness.judge.statistics.permutation import (
    MAX_EXACT,
    RESAMPLES,
    SignFlip,
    sign_flip,
)


def exactly(differences: list[int]) -> Fraction:
    """Count every sign pattern in whole numbers, by how often each sum occurs."""
    sums = Counter({0: 1})
    for value in differences:
        grown: Counter[int] = Counter()
        for total, count in sums.items():
            grown[total + value] += count
            grown[total - value] += count
        sums = grown
    far = abs(sum(differences))
    extreme = sum(count for total, count in sums.items() if abs(total) >= far)
    return Fraction(extreme, 2 ** len(differences))


# By hand: of the eight patterns, these have a sum as far from 0 as the measured one.
@pytest.mark.parametrize(
    ("differences", "extreme"),
    [
        ([1.0, 1.0, 1.0], 2),
        ([1.0, 2.0, 3.0], 2),
        ([3.0, -1.0, 1.0], 6),
        ([1.0, -2.0, 1.0], 8),
    ],
)
def test_three_differences_have_the_p_of_their_eight_patterns(
    differences: list[float], extreme: int
) -> None:
    assert sign_flip(differences) == SignFlip(extreme / 8, 8, exact=True)


def test_no_difference_shows_nothing() -> None:
    assert sign_flip([]).p == 1.0
    assert sign_flip([0.0, 0.0]).p == 1.0


def test_one_difference_shows_nothing_however_large() -> None:
    assert sign_flip([0.9]).p == 1.0


def test_queries_that_did_not_move_change_nothing() -> None:
    assert sign_flip([0.1, 0.0, 0.3, 0.0, 0.0]) == sign_flip([0.1, 0.3])


def test_the_sign_of_all_differences_does_not_matter() -> None:
    differences = np.array([0.1, -0.2, 0.35, 0.4, 0.02])
    assert sign_flip(differences) == sign_flip(-differences)


# Tenths are no doubles, so sums that are equal come out unequal in the last digits.
@given(st.lists(st.integers(-9, 9).filter(bool), max_size=14))
def test_sums_that_are_equal_but_for_rounding_count_as_equal(tenths: list[int]) -> None:
    assert sign_flip([each * 0.1 for each in tenths]).p == exactly(tenths)


@pytest.mark.parametrize("size", [6, 9, 12])
def test_p_is_scipys(size: int) -> None:
    differences = np.random.default_rng(size).normal(0.03, 0.1, size)
    wanted = permutation_test(
        (differences,),
        lambda values, axis: values.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )

    assert sign_flip(differences).p == pytest.approx(wanted.pvalue, abs=1e-12)


def test_sixteen_differences_have_the_p_of_all_their_patterns() -> None:
    differences = np.random.default_rng(3).normal(0.02, 0.1, 16)
    signs = np.array(list(product((-1, 1), repeat=16)))
    sums = np.abs(signs @ differences)
    wanted = np.count_nonzero(sums >= abs(differences.sum()) - 1e-12) / 2**16

    assert sign_flip(differences).p == wanted


def test_as_many_as_can_be_counted_have_an_exact_p() -> None:
    whole = [
        int(each) for each in np.random.default_rng(5).integers(-50, 60, 60) if each
    ]
    counted = whole[:MAX_EXACT]
    got = sign_flip([each / 64 for each in counted])

    assert got == SignFlip(float(exactly(counted)), 2**MAX_EXACT, exact=True)


def test_more_are_sampled_and_come_near_the_exact_p() -> None:
    whole = [
        int(each) for each in np.random.default_rng(7).integers(-50, 60, 70) if each
    ]
    wanted = float(exactly(whole))
    got = sign_flip([each / 64 for each in whole])

    assert (got.patterns, got.exact) == (RESAMPLES, False)
    four_errors = 4 * (wanted * (1 - wanted) / RESAMPLES) ** 0.5
    assert abs(got.p - wanted) < four_errors


def test_a_sampled_p_is_never_zero() -> None:
    assert sign_flip(np.ones(200)).p == 1 / (RESAMPLES + 1)


def test_a_sampled_p_is_the_same_to_the_bit_each_time() -> None:
    differences = np.random.default_rng(9).normal(0.01, 0.1, 100)
    assert sign_flip(differences) == sign_flip(differences.copy())
    assert sign_flip(differences, seed=1) != sign_flip(differences, seed=2)
