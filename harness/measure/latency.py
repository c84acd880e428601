"""Sums of latency samples. Percentiles are samples that happened, not in-betweens."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.daemon.timing import Instants
from harness.report.model import Distribution, Latency, Ranking
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


@dataclass(slots=True)
class Timed:
    """What the timed passes of one configuration took."""

    instants: list[Instants] = field(default_factory=list)
    wall_s: float = 0.0
    """Seconds of all the passes, from the first request to the last answer."""

    def latency(self) -> Latency | None:
        """Sum the passes up; ``None`` where there were none."""
        service = self._summed(lambda each: each.service_s)
        first_byte = self._summed(lambda each: each.first_byte_s)
        round_trip = self._summed(lambda each: each.round_trip_s)
        if service is None or first_byte is None or round_trip is None:
            return None
        return Latency(
            service=service,
            first_byte=first_byte,
            round_trip=round_trip,
            queries_per_second=len(self.instants) / self.wall_s if self.wall_s else 0.0,
        )

    def attached(self, rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
        """Give each ranking its own service times, one a pass.

        Args:
            rankings: In the order in which every pass asked.
        """
        return tuple(
            ranking.model_copy(
                update={
                    "service_ms": tuple(
                        each.service_s / MILLISECOND
                        for each in self.instants[place :: len(rankings)]
                    )
                }
            )
            for place, ranking in enumerate(rankings)
        )

    def _summed(self, taken: Callable[[Instants], float]) -> Distribution | None:
        return distribution([taken(each) for each in self.instants])
