"""Intervals against SciPy's, and what small samples can say."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import bootstrap

from harness.judge.statistics.bootstrap import (
    Interval,
    Method,
    mean_interval,
    median_interval,
)

SAMPLES = {
    "normal": np.random.default_rng(1).normal(0.02, 0.1, 39),
    "skewed": np.random.default_rng(2).exponential(0.05, 30) - 0.02,
    "mostly zero": np.array([0.0] * 30 + [-0.37, -0.5, 0.13, -0.63, -0.25]),
}
SAMPLING = 0.08
"""Ends of two bootstraps of this size differ by a few hundredths of the width."""


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("method", ["BCa", "percentile"])
def test_interval_of_the_mean_is_scipys(name: str, method: Method) -> None:
    values = SAMPLES[name]
    wanted = bootstrap(
        (values,), np.mean, method=method, n_resamples=40_000, rng=3
    ).confidence_interval
    got = mean_interval(values, method=method)

    assert got is not None
    assert got.method == method
    near = SAMPLING * (wanted.high - wanted.low)
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), abs=near)


def test_bca_leans_towards_the_long_tail() -> None:
    values = SAMPLES["skewed"]
    corrected, plain = mean_interval(values), mean_interval(values, method="percentile")

    assert corrected is not None
    assert plain is not None
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_interval_of_the_median_is_scipys() -> None:
    values = np.random.default_rng(4).lognormal(0.0, 0.2, 101)
    wanted = bootstrap(
        (values,), np.median, method="percentile", n_resamples=10_000, rng=3
    ).confidence_interval
    got = median_interval(values)

    assert got is not None
    near = SAMPLING * (wanted.high - wanted.low)
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), abs=near)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_values_have_no_interval(values: Sequence[float]) -> None:
    assert mean_interval(values) is None
    assert median_interval(values) is None


@pytest.mark.parametrize("value", [0.0, -0.05])
def test_equal_values_have_an_interval_of_no_width(value: float) -> None:
    assert mean_interval([value] * 7) == Interval(value, value, "percentile")


def test_two_values_are_the_ends_of_their_interval() -> None:
    got = mean_interval([0.1, 0.3])
    assert got is not None
    assert (got.low, got.high) == pytest.approx((0.1, 0.3), abs=1e-15)


def test_an_interval_is_the_same_to_the_bit_each_time() -> None:
    values = SAMPLES["normal"]
    assert mean_interval(values) == mean_interval(values.copy())
    assert mean_interval(values, seed=1) != mean_interval(values, seed=2)


def test_a_wider_level_has_a_wider_interval() -> None:
    narrow = mean_interval(SAMPLES["normal"], level=0.8)
    wide = mean_interval(SAMPLES["normal"], level=0.99)

    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_within_a_budget_means_both_ends() -> None:
    interval = Interval(-0.01, 0.02, "BCa")
    assert interval.within(0.02)
    assert not interval.within(0.015)
