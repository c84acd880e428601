"""The instants between epochs, which temporal queries are asked about.

A daemon stamps validity with its own clock. Where that clock can be read, an epoch
ends at an instant of it and nobody waits. Where it cannot, the harness takes its own
clock, assumes that both agree, and pauses around every epoch so that they may
disagree by a little.
"""

import re
from datetime import UTC, datetime

from harness.daemon.client import DaemonClient
from harness.daemon.faults import NOT_THE_CONTRACT, shortened
from harness.errors import DaemonProtocolError

TICK_S = 0.08
"""The pause on either side of an instant, as MemCastle's own evaluation has it."""

ATTEMPTS = 200
ATTEMPT_PAUSE_S = 0.001

_FRACTION = re.compile(r"\.(\d+)")


class EpochClock:
    """Name instants that part what was written before from what comes after.

    Args:
        client: The daemon whose clock it is.
        daemon_tells: Whether the daemon's status has its clock.
    """

    def __init__(self, client: DaemonClient, *, daemon_tells: bool) -> None:
        self._client = client
        self._daemon_tells = daemon_tells
        self._last_stamp = ""

    def note(self, stamp: str | None) -> None:
        """Remember the stamp of a write, where the daemon told it.

        Raises:
            DaemonProtocolError: It is no instant.
        """
        if stamp is not None:
            self._instant("valid_from", stamp)
            self._last_stamp = stamp

    def pause(self) -> None:
        """Keep two clocks apart that may disagree; one clock needs no pause."""
        if not self._daemon_tells:
            self._client.time.pause(TICK_S)

    def end_epoch(self) -> str:
        """Return an instant after every write so far and before every later one.

        Raises:
            DaemonProtocolError: The daemon's clock does not get past its own stamps.
        """
        if not self._daemon_tells:
            now = self._client.time.utc().astimezone(UTC).replace(tzinfo=None)
            return f"{now.isoformat(timespec='microseconds')}Z"
        # A window's end is exclusive: at the very stamp of the last write, that
        # write would not be inside.
        for _ in range(ATTEMPTS):
            now_told = self._told()
            if not self._last_stamp or order_of(now_told) > order_of(self._last_stamp):
                return now_told
            self._client.time.pause(ATTEMPT_PAUSE_S)
        raise DaemonProtocolError(
            f"the daemon's clock says {now_told!r} and does not get past the stamp "
            f"{self._last_stamp!r} of its last write.",
            where=self._client.url,
            remedy="Validity and `now` must come from one clock that never goes back.",
        )

    def _told(self) -> str:
        status = self._client.status()
        if status is None or status.now is None:
            raise DaemonProtocolError(
                "the daemon's status no longer tells its clock.",
                where=self._client.url,
            )
        self._instant("now", status.now)
        return status.now

    def _instant(self, field: str, told: str) -> None:
        """Refuse what cannot be ordered, as soon as it is told and by its field."""
        try:
            order_of(told)
        except ValueError as error:
            raise DaemonProtocolError(
                f"the daemon's {field!r} is {shortened(repr(told))}, which is no "
                "RFC 3339 time with an offset.",
                where=self._client.url,
                remedy=NOT_THE_CONTRACT,
            ) from error


def order_of(stamp: str) -> tuple[datetime, int]:
    """Return what orders RFC 3339 stamps, to the nanosecond.

    Raises:
        ValueError: It is no such stamp.
    """
    moment = datetime.fromisoformat(stamp)
    if moment.tzinfo is None:
        raise ValueError(f"{stamp!r} has no time zone")
    fraction = _FRACTION.search(stamp)
    digits = fraction.group(1) if fraction else ""
    return moment.replace(microsecond=0), int(digits[:9].ljust(9, "0"))
