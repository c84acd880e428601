"""The reference daemon as a child process: started, awaited, watched, stopped."""

import json
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from harness.errors import DaemonDiedError, DaemonNotReadyError, PrerequisiteError
from harness.runtime.probe import is_healthy, request
from harness.runtime.process import ChildProcess, Program, clean_environment

Build = Literal["debug", "release"]

LOOPBACK = "127.0.0.1"
FLAGS: Mapping[Build, tuple[str, ...]] = {"debug": ("-X", "dev"), "release": ("-O",)}
BUILD_ENVIRONMENT: Mapping[Build, Mapping[str, str]] = {
    "debug": {"PYTHONASYNCIODEBUG": "1"},
    "release": {},
}

START_LIMIT_S = 60.0
POLL_S = 0.01
DRAIN_LIMIT_S = 10.0
TERMINATE_LIMIT_S = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DaemonSetup:
    """How to start a daemon.

    Attributes:
        python: Interpreter of the daemon's own environment.
        folder: Its project, from which its module is found.
        build: Which interpreter flags it gets.
        module: What ``python -m`` runs.
        port: Port on loopback, 0 for any free one.
        settings: Variables for it beyond what the harness sets, ``PALACE_...``: an
            embedding provider, for example. None of our own environment reaches it.
    """

    python: Path
    folder: Path
    build: Build
    module: str = "palace"
    port: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)


class PalaceProcess:
    """A running daemon; it has answered its health route once it exists.

    Args:
        setup: How to start it; `require` has passed it.
        database_url: The Postgres it stores into.
        folder: The run's folder; its log goes there.

    Raises:
        DaemonDiedError: It ended before it answered; its last lines are in the message.
        DaemonNotReadyError: It did not answer within a minute.
    """

    def __init__(self, setup: DaemonSetup, database_url: str, folder: Path) -> None:
        self.token = secrets.token_urlsafe(24)
        self._ready_file = folder / "ready.json"
        self._process = ChildProcess(
            Program(
                "the daemon",
                (str(setup.python), *FLAGS[setup.build], "-m", setup.module),
                folder=setup.folder,
                log=folder / "daemon.log",
                environment=self._environment(setup, database_url),
            )
        )
        try:
            self.url = self._await()
        except BaseException:
            self._process.kill()
            raise

    @property
    def pid(self) -> int:
        """Process id of the daemon."""
        return self._process.pid

    def check(self) -> None:
        """Raise `DaemonDiedError` with the last log lines if the daemon has ended."""
        ending = self._process.ending()
        if ending is not None:
            raise DaemonDiedError(
                f"the daemon ended while it was needed ({ending}). Its last lines:\n"
                f"{self._process.last_lines()}",
                remedy="The fault is the daemon's; look at its last lines.",
            )

    def stop(self) -> None:
        """Ask it to stop, then tell it, then kill it and say so in the log."""
        try:
            if self._process.ending() is None:
                self._stop_gently()
        finally:
            self._process.kill()

    def _stop_gently(self) -> None:
        address = f"{self.url}/api/shutdown"
        answer = request("POST", address, token=self.token, timeout_s=DRAIN_LIMIT_S)
        accepted = answer is not None and answer.status == 202
        if accepted and self._process.wait(DRAIN_LIMIT_S):
            return
        self._process.signal(signal.SIGTERM)
        if not self._process.wait(TERMINATE_LIMIT_S):
            log.warning(
                "the daemon did not end within %.0f s of SIGTERM and was killed",
                TERMINATE_LIMIT_S,
            )

    def _environment(self, setup: DaemonSetup, database_url: str) -> dict[str, str]:
        return clean_environment(
            **BUILD_ENVIRONMENT[setup.build],
            **{
                "PYTHONUNBUFFERED": "1",
                "PALACE_DATABASE_URL": database_url,
                "PALACE_BIND": f"{LOOPBACK}:{setup.port}",
                "PALACE_TOKEN": self.token,
                "PALACE_BUILD": setup.build,
                "PALACE_READY_FILE": str(self._ready_file),
                # Indexes are built when we ask, never in the middle of a measurement.
                "PALACE_AUTO_INDEX_AFTER_S": "0",
            }
            | dict(setup.settings),
        )

    def _await(self) -> str:
        give_up = time.monotonic() + START_LIMIT_S
        url = None
        while time.monotonic() < give_up:
            self._fail_if_ended()
            url = url or self._announced_url()
            if url is not None and is_healthy(url):
                return url
            time.sleep(POLL_S)
        raise DaemonNotReadyError(
            f"the daemon did not answer GET /api/health within {START_LIMIT_S:.0f} s."
            f" Its last lines:\n{self._process.last_lines()}",
            where=url or "",
            remedy="The fault is the daemon's; look at its last lines.",
        )

    def _fail_if_ended(self) -> None:
        ending = self._process.ending()
        if ending is not None:
            raise DaemonDiedError(
                f"the daemon ended before it was ready ({ending}). Its last lines:\n"
                f"{self._process.last_lines()}",
                remedy="The fault is the daemon's; look at its last lines.",
            )

    def _announced_url(self) -> str | None:
        try:
            announced = json.loads(self._ready_file.read_bytes())
            return f"http://{LOOPBACK}:{int(announced['port'])}"
        except (OSError, ValueError, KeyError, TypeError):
            return None  # not there, or not whole


def require(setup: DaemonSetup) -> None:
    """Check what can be checked before anything is started.

    Raises:
        PrerequisiteError: The daemon's interpreter is not there, or its port is taken.
    """
    if not os.access(setup.python, os.X_OK):
        raise PrerequisiteError(
            f"the daemon's environment has no interpreter {str(setup.python)!r}.",
            remedy="Run `python3 harness/bootstrap.py`.",
        )
    if setup.port == 0:
        return
    with socket.socket() as probe:
        # As the daemon will bind: a port in its closing wait is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, setup.port))
        except (OSError, OverflowError) as error:
            raise PrerequisiteError(
                f"the daemon cannot listen on port {setup.port} of {LOOPBACK}:"
                f" {getattr(error, 'strerror', None) or error}.",
                remedy="Choose another port, or leave the option out for a free one.",
            ) from error
