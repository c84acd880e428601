"""The instants of one request, taken at the wire rather than around the client.

An HTTP client costs as much as a small search, so a stopwatch around the call
measures both. httpcore tells of each step of a request through httpx's ``trace``
extension; the three events below are the last ones before and the first ones after
our own work.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from harness.errors import HarnessError

Clock = Callable[[], float]
"""Seconds on a clock that never goes back; only differences mean anything."""

SENT = "http11.send_request_headers.started"
FIRST_BYTE = "http11.receive_response_headers.complete"
DONE = "http11.receive_response_body.complete"
EVENTS = frozenset({SENT, FIRST_BYTE, DONE})


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Time:
    """Everything time is asked for, so that a test can give its own."""

    clock: Clock = time.perf_counter
    pause: Callable[[float], None] = time.sleep
    """Wait that many seconds."""
    utc: Callable[[], datetime] = _utc
    """The time of day, for stamps; never for durations."""


REAL_TIME = Time()


@dataclass(frozen=True, slots=True)
class Instants:
    """When each step of one request happened, in seconds of one monotonic clock."""

    intended: float
    """When the request should have left; sequentially, when the call began."""
    sent: float
    """Just before the first byte was handed to the socket."""
    first_byte: float
    """When the head of the answer had arrived."""
    done: float
    """When the last byte of the answer had arrived."""
    returned: float
    """When the caller had the decoded answer."""

    @property
    def service_s(self) -> float:
        """Seconds from sent to done: the daemon and the network, not our client."""
        return self.done - self.sent

    @property
    def first_byte_s(self) -> float:
        """Seconds from sent to the head of the answer."""
        return self.first_byte - self.sent

    @property
    def response_s(self) -> float:
        """Seconds from the intended start to done, so a late start is counted."""
        return self.done - self.intended

    @property
    def round_trip_s(self) -> float:
        """Seconds from the intended start to the decoded answer."""
        return self.returned - self.intended


class WireTrace:
    """Note the instants of one request as httpcore passes them.

    Give an instance to httpx as the ``trace`` extension of exactly one request. When
    httpcore has to open a second connection, the later instants stand.
    """

    __slots__ = ("_at", "_clock")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._at: dict[str, float] = {}

    def __call__(self, event: str, _detail: object) -> None:
        """Take one event of httpcore; its detail is not needed."""
        if event in EVENTS:
            self._at[event] = self._clock()

    def instants(self, *, intended: float, returned: float) -> Instants:
        """Put the noted instants between the caller's own two.

        Raises:
            HarnessError: The transport did not tell of every step, so there is no
                service time; inventing one from the round trip would hide that.
        """
        missing = sorted(EVENTS - self._at.keys())
        if missing:
            raise HarnessError(
                f"the HTTP library told nothing of {', '.join(missing)}.",
                remedy="Install the versions pinned in requirements.lock.",
            )
        return Instants(
            intended=intended,
            sent=self._at[SENT],
            first_byte=self._at[FIRST_BYTE],
            done=self._at[DONE],
            returned=returned,
        )
