"""A daemon that runs already: somebody else's to start and to stop."""

import time
from http import HTTPStatus
from types import TracebackType
from typing import Literal

from harness.errors import DaemonDiedError, DaemonNotReadyError
from harness.report.model import Phase
from harness.runtime.base import RunningDaemon, RunningEmbedder
from harness.runtime.probe import health, is_healthy, normal_url


class LiveRuntime:
    """Measure the daemon at a URL; nothing is started, stopped or removed.

    Args:
        url: Address of the daemon, ``http://HOST:PORT``; a path in front of its routes
            is kept.
        token: Bearer token, where it wants one.
        embedder: The embedder of this project that it embeds with, if it is one.

    Raises:
        UsageError: The URL cannot be used.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        embedder: RunningEmbedder | None = None,
    ) -> None:
        self._url = normal_url(url)
        self._token = token
        self.embedder = embedder

    @property
    def name(self) -> Literal["live"]:
        """Which runtime, as the report names it."""
        return "live"

    @property
    def reason(self) -> str:
        """Why this runtime; says nothing of the address, which may be private."""
        return "forced: a daemon's address was given"

    def __enter__(self) -> RunningDaemon:
        """Ask for its health once.

        Raises:
            DaemonNotReadyError: It does not answer.
        """
        began = time.monotonic()
        answer = health(self._url)
        if answer is None or answer.status != HTTPStatus.OK:
            found = (
                "got no answer over HTTP" if answer is None else f"got {answer.status}"
            )
            raise DaemonNotReadyError(
                f"GET /api/health got {found}, wanted 200.",
                where=self._url,
                remedy="Is it running, and is the address right?",
            )
        waited = Phase(name="daemon", seconds=time.monotonic() - began)
        return RunningDaemon(
            self._url,
            self._token,
            self._check,
            phases=(waited,),
            embedder=self.embedder,
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the daemon as it is."""

    def _check(self) -> None:
        if not is_healthy(self._url):
            raise DaemonDiedError(
                "the daemon no longer answers GET /api/health with 200.",
                where=self._url,
                remedy="Look at its own log; the harness did not start it.",
            )
