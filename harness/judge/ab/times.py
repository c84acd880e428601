"""Turn what both sides were measured at into the figures that are judged.

A query is its own yardstick: its median on the candidate over its median on the base.
Each daemon's slow queries then weigh no more than the others, and what they share, the
query, falls out.
"""

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from harness.errors import IncomparableError
from harness.judge.statistics.bootstrap import SEED
from harness.report.ab import QueryTimes, Tails, Times
from harness.report.model import ConfigurationResult, Ranking

ENOUGH_FOR_TAILS = 2_000
"""Samples a side below which a 95th percentile judges nothing."""
TAIL_RESAMPLES = 2_000
TAIL_PERCENT = 95

Floats = NDArray[np.float64]
Pair = tuple[ConfigurationResult, ConfigurationResult]


def times_of(pairs: Sequence[Pair], *, level: float) -> tuple[Times, ...]:
    """Give the times of each configuration that both sides were measured under.

    Args:
        pairs: Base and candidate, by configuration.
        level: Of the interval of a tail.

    Raises:
        IncomparableError: The two did not answer the same queries.
    """
    return tuple(_times(base, candidate, level) for base, candidate in pairs)


def _times(
    base: ConfigurationResult, candidate: ConfigurationResult, level: float
) -> Times:
    paired = list(_paired(base, candidate))
    timed = [pair for pair in paired if pair[0].service_ms and pair[1].service_ms]
    return Times(
        configuration=base.name,
        queries=tuple(
            QueryTimes(
                query=ours.query,
                base_ms=median(ours.service_ms),
                candidate_ms=median(theirs.service_ms),
            )
            for ours, theirs in timed
        ),
        tails=_tails(timed, level) if timed else None,
        rankings_moved=sum(
            [hit.document for hit in ours.hits] != [hit.document for hit in theirs.hits]
            for ours, theirs in paired
        ),
    )


def _paired(
    base: ConfigurationResult, candidate: ConfigurationResult
) -> Iterator[tuple[Ranking, Ranking]]:
    theirs = {ranking.query: ranking for ranking in candidate.rankings}
    ours = {ranking.query: ranking for ranking in base.rankings}
    if base.name != candidate.name or ours.keys() != theirs.keys():
        raise IncomparableError(
            f"{base.name!r} of the base and {candidate.name!r} of the candidate did "
            "not answer the same queries.",
            remedy="Measure both again, on one data set.",
        )
    yield from ((ours[query], theirs[query]) for query in sorted(ours))


def _tails(timed: Sequence[tuple[Ranking, Ranking]], level: float) -> Tails:
    base = np.array([ours.service_ms for ours, _ in timed], dtype=float)
    candidate = np.array([theirs.service_ms for _, theirs in timed], dtype=float)
    both = _p95(base), _p95(candidate)
    ratio = both[1] / both[0] if both[0] > 0 and both[1] > 0 else None
    low = high = None
    enough = base.size >= ENOUGH_FOR_TAILS and base.min() > 0
    if ratio is not None and candidate.min() > 0 and enough:
        low, high = _tail_interval(base, candidate, level)
    return Tails(
        samples=base.size,
        base_p95_ms=both[0],
        candidate_p95_ms=both[1],
        ratio=ratio,
        low=low,
        high=high,
    )


def _tail_interval(base: Floats, candidate: Floats, level: float) -> tuple[float, ...]:
    """Draw whole queries: the samples of one are no witnesses independent of another.

    Args:
        base: One row a query, one column a pass.
        candidate: Likewise.
        level: Of confidence.
    """
    random = np.random.Generator(np.random.PCG64(SEED))
    ratios = []
    for _ in range(TAIL_RESAMPLES):
        drawn = random.integers(0, len(base), len(base))
        ratios.append(_p95(candidate[drawn]) / _p95(base[drawn]))
    outside = (1 - level) / 2
    return tuple(float(end) for end in np.quantile(ratios, (outside, 1 - outside)))


def _p95(samples: Floats) -> float:
    """Take the nearest rank, a sample that happened, as reports do."""
    rank = -(-TAIL_PERCENT * samples.size // 100) - 1
    return float(np.partition(samples, rank, axis=None)[rank])
