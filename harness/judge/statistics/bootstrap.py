"""Bootstrap intervals: of the mean difference, and of the median of ratios.

Queries are drawn with replacement, as if the data set had been made of other queries of
the same kind. Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters
13 and 14.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
SEED = 27_182
LEVEL = 0.95

_AT_ONCE = 2_000_000
"""Values drawn before they are averaged: 16 MB, however many queries there are."""
_SAME = 1e-12
"""Means that differ by no more than this share of the largest value are equal."""

Method = Literal["BCa", "percentile"]
Floats = NDArray[np.float64]
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a statistic of such queries lies, at a level of confidence."""

    low: float
    high: float
    method: Method
    level: float = LEVEL

    def within(self, budget: float) -> bool:
        """Tell whether all of it is at most *budget* from 0."""
        return -budget <= self.low and self.high <= budget


def mean_interval(
    values: ArrayLike,
    *,
    method: Method = "BCa",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Give the interval of the mean of *values*; ``None`` for fewer than two.

    Two values give an interval from the one to the other, and equal values one of no
    width: that is all a sample like that can say. BCa corrects the percentiles for bias
    and skew; where it is not defined, as for equal values, the plain percentiles stand,
    and the interval says so.

    Args:
        values: One finite number a query, in an order that does not depend on luck.
        method: Which of the two is wanted.
        level: Share of samples whose interval would hold the true mean.
        resamples: Samples drawn.
        seed: Of these.
    """
    given = np.asarray(values, dtype=float)
    if len(given) < 2:
        return None
    if np.ptp(given) == 0:
        return Interval(float(given[0]), float(given[0]), "percentile", level)
    means = _resampled(given, lambda drawn: drawn.mean(axis=1), resamples, seed)
    tails = _tails(level)
    if method == "BCa":
        corrected = _corrected(given, means, tails)
        if corrected is not None:
            return _between(means, corrected, "BCa", level)
    return _between(means, tails, "percentile", level)


def median_interval(
    values: ArrayLike,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Give the percentile interval of the median; ``None`` for fewer than two values.

    BCa is not offered: its correction for skew leaves out one value at a time, and a
    median does not move smoothly with one value.

    Args:
        values: Ratios, or anything else, one a query; in a stable order.
        level: As in `mean_interval`.
        resamples: Likewise.
        seed: Likewise.
    """
    given = np.asarray(values, dtype=float)
    if len(given) < 2:
        return None
    medians = _resampled(given, lambda drawn: np.median(drawn, axis=1), resamples, seed)
    return _between(medians, _tails(level), "percentile", level)


def _resampled(
    values: Floats, statistic: Callable[[Floats], Floats], resamples: int, seed: int
) -> Floats:
    random = np.random.Generator(np.random.PCG64(seed))
    size = len(values)
    step = max(1, _AT_ONCE // size)
    parts = [
        statistic(values[random.integers(0, size, (min(step, resamples - at), size))])
        for at in range(0, resamples, step)
    ]
    return np.concatenate(parts)


def _tails(level: float) -> tuple[float, float]:
    outside = (1 - level) / 2
    return outside, 1 - outside


def _corrected(
    values: Floats, means: Floats, tails: tuple[float, float]
) -> tuple[float, float] | None:
    """Move the tails by bias and acceleration; ``None`` where these have no value."""
    mean = float(values.mean())
    same = _SAME * float(np.abs(values).max())
    below = int(np.count_nonzero(means < mean - same))
    above = int(np.count_nonzero(means > mean + same))
    # Equal means count half: discrete metrics have many.
    share = (below + (len(means) - below - above) / 2) / len(means)
    spread = float(((values - mean) ** 2).sum())
    if not 0 < share < 1 or spread == 0:
        return None
    bias = _NORMAL.inv_cdf(share)
    # The jackknife's values of a mean differ from it as the values do, scaled.
    acceleration = float(((values - mean) ** 3).sum()) / (6 * spread**1.5)

    def moved(tail: float) -> float | None:
        at = bias + _NORMAL.inv_cdf(tail)
        scale = 1 - acceleration * at
        return _NORMAL.cdf(bias + at / scale) if scale > 0 else None

    low, high = moved(tails[0]), moved(tails[1])
    return None if low is None or high is None else (low, high)


def _between(
    statistics: Floats, tails: tuple[float, float], method: Method, level: float
) -> Interval:
    low, high = (float(value) for value in np.quantile(statistics, tails))
    return Interval(low, high, method, level)
