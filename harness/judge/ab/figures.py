"""The figures that a verdict on speed rests on, each by itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from harness.judge.statistics.bootstrap import median_interval
from harness.judge.statistics.power import ALPHA
from harness.report.ab import Times


@dataclass(frozen=True, slots=True)
class Spread:
    """A ratio of candidate to base, and the interval it lies in."""

    ratio: float
    low: float | None
    """``None`` where there is no interval: too few queries or samples."""
    high: float | None

    @property
    def reach(self) -> float:
        """Give how far from 1 the interval goes, as a ratio of at least 1.

        A ratio and its inverse reach equally far.
        """
        ends = [end for end in (self.low, self.high, self.ratio) if end is not None]
        return max(max(end, 1 / end) for end in ends)


def ratios_of(times: Times) -> list[float]:
    """Give each query's ratio; none at all where a time is 0, so has no ratio."""
    timed = times.queries
    if any(each.base_ms <= 0 or each.candidate_ms <= 0 for each in timed):
        return []
    return [each.candidate_ms / each.base_ms for each in timed]


def median_ratio(times: Times) -> Spread | None:
    """Give the median ratio and its interval; ``None`` where a time is missing or 0."""
    ratios = ratios_of(times)
    if not ratios:
        return None
    interval = median_interval(ratios)
    return Spread(
        float(np.median(ratios)),
        interval.low if interval else None,
        interval.high if interval else None,
    )


def sign_test(ratios: Sequence[float], floor: float) -> float:
    """Test whether the median of *ratios* is within the floor, exactly, two-sided.

    If it were at the floor's edge, each ratio would lie beyond it as by the toss of a
    coin. Nothing is assumed of how far beyond.

    Args:
        ratios: One a query.
        floor: The edge, a ratio of at least 1; its inverse is the other edge.
    """
    above = sum(ratio > floor for ratio in ratios)
    below = sum(ratio < 1 / floor for ratio in ratios)
    size = len(ratios)
    patterns = range(max(above, below), size + 1)
    beyond = sum(math.comb(size, heads) for heads in patterns)
    return min(1.0, float(Fraction(2 * beyond, 2**size)))


def fewest(family: int) -> int:
    """Give how many queries a configuration needs for any test to show anything."""
    return math.ceil(math.log2(2 * family / ALPHA))


def share(ratio: float) -> str:
    """Write how far a ratio of at least 1 is from it: ``1.6 %``."""
    return f"{(ratio - 1) * 100:.1f} %"
