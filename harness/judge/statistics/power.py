"""What so many queries can show, and how many it would take to show more.

Both are the normal approximation of a paired test: the mean of n differences varies by
their standard deviation over the square root of n. With few queries, or with a few
large differences among zeros, read them as orders of magnitude.
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

ALPHA = 0.05
POWER = 0.8

_NORMAL = NormalDist()


def detectable(
    differences: ArrayLike, *, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """Give the smallest true change that as many such queries would show.

    ``None`` for fewer than two differences, and where they do not vary: there is
    then no noise to see a change against.

    Args:
        differences: One a query; only their number and spread count, not their mean.
        alpha: Two-sided level of the test, between 0 and 1.
        power: Share of experiments in which a change of this size is shown.
    """
    spread = _spread(differences)
    if spread is None:
        return None
    size = len(np.asarray(differences))
    return _reach(alpha, power) * spread / math.sqrt(size)


def queries_needed(
    differences: ArrayLike,
    change: float,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
) -> int | None:
    """Give how many such queries would show a true change of *change*, if it is that.

    ``None`` where `detectable` is, and for a change of 0, which nothing can show.

    Args:
        differences: As in `detectable`.
        change: Mean difference to be told from 0; its sign does not matter.
        alpha: As in `detectable`.
        power: Likewise.
    """
    spread = _spread(differences)
    if spread is None or change == 0:
        return None
    return math.ceil((_reach(alpha, power) * spread / abs(change)) ** 2)


def _spread(differences: ArrayLike) -> float | None:
    values = np.asarray(differences, dtype=float)
    if len(values) < 2 or np.ptp(values) == 0:
        return None
    return float(values.std(ddof=1))


def _reach(alpha: float, power: float) -> float:
    return _NORMAL.inv_cdf(1 - alpha / 2) + _NORMAL.inv_cdf(power)
