"""What was asked of an endpoint, counted for the report and for whoever waits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock


@dataclass(slots=True, kw_only=True)
class Counts:
    """What an embedder did so far. Times are seconds.

    Attributes:
        texts: Texts given to it, blank and repeated ones included.
        empty: Of those, the blank ones: never sent, without a vector.
        truncated: Of those, the ones of which only the beginning was embedded.
        chunked: Of those, the ones with a vector for each of several fragments.
        mended: Of those, the ones with half characters, sent as U+FFFD.
        fragments: Pieces sent or found in the cache, each counted once a call.
        cache_hits: Of those, the ones that the cache had.
        joined: Of those, the ones that another call had sent and not received yet.
        tokens: Estimated tokens sent, those of repeated attempts not included.
        tokens_billed: As the endpoint counted; None when it never said.
        requests: Requests sent, the probe and repeated ones included.
        retries: Requests sent again after a rate limit, a server error or silence.
        splits: Requests cut into smaller ones, as too large or for a vector that is
            not finite.
        waited_s: Spent waiting to be let in again; several waits may overlap.
        busy_s: Time with at least one request under way, the probe's left out.
        span_s: Time from the first request's start to the last one's end, likewise.
        flight_s: Sum of the durations of those requests.
    """

    texts: int = 0
    empty: int = 0
    truncated: int = 0
    chunked: int = 0
    mended: int = 0
    fragments: int = 0
    cache_hits: int = 0
    joined: int = 0
    tokens: int = 0
    tokens_billed: int | None = None
    requests: int = 0
    retries: int = 0
    splits: int = 0
    waited_s: float = 0.0
    busy_s: float = 0.0
    span_s: float = 0.0
    flight_s: float = 0.0

    @property
    def busy_share(self) -> float | None:
        """Share of the span with a request under way; None before the first one."""
        return self.busy_s / self.span_s if self.span_s else None

    @property
    def mean_in_flight(self) -> float | None:
        """Requests under way on average over the span; None before the first one."""
        return self.flight_s / self.span_s if self.span_s else None


class Tally:
    """Counts as they grow; one thread alone adds, any may look.

    Args:
        clock: Seconds from any fixed moment, never going back.

    Attributes:
        now: The counts, to be added to.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.now = Counts()
        self._clock = clock
        self._lock = Lock()
        self._began_s: float | None = None
        self._seen_s = 0.0
        self._in_flight = 0

    def snapshot(self) -> Counts:
        """Return what was counted until now; it will not grow."""
        with self._lock:
            if self._in_flight:
                self._look()
            return replace(self.now)

    def forget_times(self) -> None:
        """Count times from the next request on: what was until now was no work."""
        with self._lock:
            self._began_s = None
            self.now.busy_s = self.now.span_s = self.now.flight_s = 0.0

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request that is under way while the block runs."""
        with self._lock:
            self._look()
            self._in_flight += 1
        try:
            yield
        finally:
            with self._lock:
                self._look()
                self._in_flight -= 1
                self.now.requests += 1

    def _look(self) -> None:
        """Add what passed since the last look."""
        now_s = self._clock()
        if self._began_s is None:
            self._began_s = self._seen_s = now_s
        if self._in_flight:
            passed_s = now_s - self._seen_s
            self.now.busy_s += passed_s
            self.now.flight_s += passed_s * self._in_flight
            self.now.span_s = now_s - self._began_s
        self._seen_s = now_s
