"""When to ask a provider again, and when to stop waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

import httpx
import structlog
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    stop_after_delay,
    stop_any,
)
from tenacity.stop import stop_base

from palace.provider.failures import Transient

_LOG = structlog.get_logger(__name__)


class Patience(NamedTuple):
    """How long to go on with a provider that is busy, down or slow."""

    attempts: int = 3
    """Requests at most, the first one included."""
    first_wait_s: float = 0.25
    """Pause after the first failure; doubles with each further one."""
    longest_wait_s: float = 20.0
    """No pause is longer, whatever ``Retry-After`` asks for."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """How to wait; replaced in tests."""

    def retrying(self, timeout_s: float, deadline: Deadline) -> AsyncRetrying:
        """Return what repeats a request while that may help and there is time."""
        return AsyncRetrying(
            retry=retry_if_exception_type(Transient),
            stop=stop_any(
                stop_after_attempt(self.attempts),
                stop_after_delay(2 * timeout_s),
                _StopBefore(deadline),
            ),
            wait=self._pause_s,
            sleep=self.sleep,
            before_sleep=_log_retry,
            reraise=True,
        )

    def _pause_s(self, state: RetryCallState) -> float:
        problem = state.outcome.exception() if state.outcome else None
        wanted = problem.retry_after_s if isinstance(problem, Transient) else None
        if wanted is None:
            doublings: int = state.attempt_number - 1
            wanted = self.first_wait_s * 2**doublings
        return min(wanted, self.longest_wait_s)


FOR_LOADS: Final = Patience()
"""What a load can wait for: nobody does."""

FOR_QUERIES: Final = Patience(attempts=2, first_wait_s=0.05)
"""Enough for a connection that broke. Somebody waits for the answer, and a search by
keywords at once serves them better than one by vector later."""


class Deadline:
    """The moment by which all attempts and pauses of a call must be over.

    Args:
        budget_s: How long the call may take from now on; None for any time.
    """

    def __init__(self, budget_s: float | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._end = None if budget_s is None else self._loop.time() + budget_s

    @property
    def left_s(self) -> float:
        """How much time is left, in seconds; infinite without a budget."""
        return float("inf") if self._end is None else self._end - self._loop.time()


class _StopBefore(stop_base):
    """Stop when the next pause would not end before a deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def __call__(self, retry_state: RetryCallState) -> bool:
        return bool(retry_state.upcoming_sleep >= self._deadline.left_s)


def retry_after_s(headers: httpx.Headers) -> float | None:
    """Read ``Retry-After``, seconds or an HTTP date; None when absent or unreadable."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


def _log_retry(state: RetryCallState) -> None:
    problem = state.outcome.exception() if state.outcome else None
    _LOG.warning(
        "embeddings_retry",
        reason=str(problem),
        attempt=state.attempt_number,
        wait_s=state.upcoming_sleep,
    )
