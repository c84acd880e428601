"""The sign-flip test of a mean difference (Fisher's randomisation test for pairs).

If the change made no difference, each query's difference could as well have had the
other sign. The p-value is the share of all sign patterns whose mean is at least as far
from 0 as the one that was measured.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_EXACT = 40
"""Most differences other than 0 whose patterns are all counted: halves of 2^20 sums."""
RESAMPLES = 20_000
SEED = 62_831
SLACK = 1e-12
"""Sums that differ by no more than this share of the largest possible one are equal.

Forty doubles add up with an error of about 1e-14 of it, and differences that occur in
retrieval are further apart.
"""

_BITS = 8
"""Differences behind one table of partial sums: as many as a random byte has bits."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SignFlip:
    """What the test found."""

    p: float
    """Two-sided; above 0 and at most 1."""
    patterns: int
    """How many sign patterns the measured one was held against."""
    exact: bool
    """Whether these were all there are, and not a seeded sample."""


def sign_flip(
    differences: ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED
) -> SignFlip:
    """Test whether the mean of paired *differences* is 0, two-sided.

    With up to `MAX_EXACT` differences other than 0 every pattern is counted; those that
    are 0 change no sum. With more, p is (b + 1) / (m + 1) of m seeded patterns, of
    which b are as extreme (Phipson and Smyth, 2010): never 0.

    Args:
        differences: One finite number a query, in an order that does not depend on
            luck: the sample of patterns is drawn in that order.
        resamples: Patterns drawn where they are too many to count.
        seed: Of that sample.
    """
    values = np.asarray(differences, dtype=float)
    values = values[values != 0]
    largest = float(np.abs(values).sum())
    # A pattern as extreme as the measured one must count, whatever rounding did.
    far = abs(float(values.sum())) - SLACK * largest
    if len(values) <= MAX_EXACT:
        patterns = 2 ** len(values)
        return SignFlip(_as_extreme(values, far) / patterns, patterns, exact=True)
    sums = _sampled_sums(values, resamples, seed)
    extreme = int(np.count_nonzero(np.abs(sums) >= far))
    return SignFlip((extreme + 1) / (resamples + 1), resamples, exact=False)


def _as_extreme(values: Floats, far: float) -> int:
    """Count the patterns whose sum is at least *far* from 0.

    Every pattern is one of the first half joined to one of the second, so it takes two
    sorted lists instead of all patterns.
    """
    if far <= 0:
        return int(2 ** len(values))
    middle = len(values) // 2
    first, second = _sums(values[:middle]), np.sort(_sums(values[middle:]))
    # Sorted needles find their places several times faster than scattered ones.
    reached = np.searchsorted(second, np.sort(far - first), side="left")
    above = len(first) * len(second) - int(reached.sum())
    # Flipping every sign makes a pattern below of each one above.
    return 2 * above


def _sums(values: Floats) -> Floats:
    """Give the sum under every pattern; the bits of a place say which are positive."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums - value, sums + value))
    return sums


def _sampled_sums(values: Floats, resamples: int, seed: int) -> Floats:
    """Draw patterns byte by byte, and look eight differences' sum up at a time."""
    groups = -(-len(values) // _BITS)
    drawn = np.frombuffer(
        np.random.Generator(np.random.PCG64(seed)).bytes(groups * resamples), np.uint8
    ).reshape(groups, resamples)
    padded = np.zeros(groups * _BITS)
    padded[: len(values)] = values
    total = np.zeros(resamples)
    for group, places in zip(padded.reshape(groups, _BITS), drawn, strict=True):
        total += _sums(group)[places]
    return total
