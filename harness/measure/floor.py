"""What the client itself costs: the same client against the cheapest route."""

from dataclasses import dataclass, field

from harness.daemon.client import DaemonClient
from harness.daemon.timing import Instants
from harness.measure.latency import distribution
from harness.report.model import ClientFloor, Distribution

REQUESTS = 100
"""Requests before the passes, and as many after them."""


@dataclass(slots=True)
class Floor:
    """The floor, taken on both sides of the passes, so that a drift is seen."""

    client: DaemonClient
    before: list[Instants] = field(default_factory=list)
    after: list[Instants] = field(default_factory=list)

    def take_before(self) -> None:
        """Call the cheapest route before the passes; the first call warms it up."""
        self.client.health()
        self.before = self._sample()

    def take_after(self) -> None:
        """Call it again after the passes."""
        self.after = self._sample()

    def facts(self) -> ClientFloor | None:
        """Return the floor over both sides; ``None`` where none was taken."""
        both = self.before + self.after
        service = distribution([each.service_s for each in both])
        round_trip = distribution([each.round_trip_s for each in both])
        if service is None or round_trip is None:
            return None
        return ClientFloor(service=service, round_trip=round_trip)

    @property
    def service_before(self) -> Distribution | None:
        """Service times before the passes."""
        return distribution([each.service_s for each in self.before])

    @property
    def service_after(self) -> Distribution | None:
        """Service times after the passes."""
        return distribution([each.service_s for each in self.after])

    def _sample(self) -> list[Instants]:
        return [self.client.health() for _ in range(REQUESTS)]
