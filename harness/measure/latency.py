"""Sums of latency samples. Percentiles are samples that happened, not in-betweens."""

import math
from collections.abc import Sequence

from harness.report.model import Distribution
from harness.units import MILLISECOND


def nearest_rank(ascending: Sequence[float], percent: int) -> float:
    """Return the smallest sample that *percent* % of all samples do not exceed.

    Args:
        ascending: Samples in ascending order, at least one.
        percent: From 0 to 100.

    >>> nearest_rank([1.0, 2.0, 3.0, 4.0, 5.0], 95)
    5.0
    """
    # Whole numbers: 0.07 * 100 is above 7 in floating point, and would be rank 8.
    rank = -(-percent * len(ascending) // 100)
    return ascending[max(rank, 1) - 1]


def distribution(samples_s: Sequence[float]) -> Distribution | None:
    """Sum up samples in seconds as milliseconds; ``None`` where there are none."""
    if not samples_s:
        return None
    ascending = sorted(sample / MILLISECOND for sample in samples_s)
    return Distribution(
        samples=len(ascending),
        mean_ms=math.fsum(ascending) / len(ascending),
        p50_ms=nearest_rank(ascending, 50),
        p95_ms=nearest_rank(ascending, 95),
        p99_ms=nearest_rank(ascending, 99),
        min_ms=ascending[0],
        max_ms=ascending[-1],
    )
