"""When to ask an endpoint again, and when to stop waiting for it."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    stop_any,
    stop_before_delay,
)

log = logging.getLogger(__name__)

LEAST_PAUSE_S = 0.25
"""No pause is shorter, whatever ``Retry-After`` says."""


class TransientError(Exception):
    """A failure that may be over soon.

    Args:
        what: What happened, for a message.
        retry_after_s: When the endpoint wants to be asked again, if it said so.
        for_all: Whether other requests had better wait as long: a rate limit.
    """

    def __init__(
        self, what: str, retry_after_s: float | None = None, *, for_all: bool = False
    ) -> None:
        super().__init__(what)
        self.retry_after_s = retry_after_s
        self.for_all = for_all


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to go on with an endpoint that is busy, down or slow.

    Attributes:
        attempts: Times that a request is sent at most, the first one included.
        total_s: No attempt begins later than this after the first one.
        first_pause_s: Pause after the first failure; doubles with each further one.
        longest_pause_s: Where it stops to double. ``Retry-After`` may ask for more.
        sleep: How to wait.
    """

    attempts: int = 12
    total_s: float = 900.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def retrying(
        self, hold: Callable[[float], None], sleep: Callable[[float], Awaitable[None]]
    ) -> AsyncRetrying:
        """Return what repeats a request while that may help and there is time.

        Args:
            hold: Told the seconds for which no request should be sent.
            sleep: Waits, and counts that.
        """

        def pause_s(state: RetryCallState) -> float:
            problem = state.outcome.exception() if state.outcome else None
            assert isinstance(problem, TransientError)
            wanted = problem.retry_after_s
            if wanted is None:
                # Spread, so that requests that failed together do not come together.
                wanted = self._backoff_s(state.attempt_number) * random.uniform(0.75, 1)
            # "At once" from a busy service would use up every attempt in a moment.
            wanted = max(wanted, LEAST_PAUSE_S)
            if problem.for_all:
                hold(wanted)
            return wanted

        return AsyncRetrying(
            retry=retry_if_exception_type(TransientError),
            stop=stop_any(
                stop_after_attempt(self.attempts), stop_before_delay(self.total_s)
            ),
            wait=pause_s,
            sleep=sleep,
            before_sleep=_log_retry,
            reraise=True,
        )

    def _backoff_s(self, attempt: int) -> float:
        doubled: float = self.first_pause_s * 2.0 ** (attempt - 1)
        return min(doubled, self.longest_pause_s)


def retry_after_s(value: str, now: datetime | None = None) -> float | None:
    """Read a ``Retry-After`` header, seconds or an HTTP date.

    Args:
        value: The header; empty where there was none.
        now: The present, for tests.

    Returns:
        Seconds from now, not negative; None when it cannot be read.

    >>> retry_after_s("2"), retry_after_s("soon")
    (2.0, None)
    """
    text = value.strip()
    try:
        if text and set(text) <= set("0123456789."):
            return float(text)
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, OverflowError):
        return None


def _log_retry(state: RetryCallState) -> None:
    problem = state.outcome.exception() if state.outcome else None
    log.warning(
        "%s; asked again in %.1f s (attempt %d failed)",
        problem,
        state.upcoming_sleep,
        state.attempt_number,
    )
