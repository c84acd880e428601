"""Postgres and the reference daemon as child processes of the harness.

Needs nothing but the two Python environments of the clone. Everything it writes is in
one temporary folder, and everything it starts ends with the harness.
"""

import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Literal

from harness.errors import PrerequisiteError
from harness.report.model import Caution, Phase
from harness.runtime.base import RunningDaemon
from harness.runtime.folders import run_folder
from harness.runtime.palace import Build, DaemonSetup, PalaceProcess, require
from harness.runtime.postgres import CLONE, PostgresServer


def palace_setup(build: Build, *, port: int = 0, clone: Path = CLONE) -> DaemonSetup:
    """Describe how to start the reference daemon of a clone.

    Args:
        build: ``debug`` or ``release``.
        port: Port on loopback, 0 for any free one.
        clone: The clone it lies in.
    """
    folder = clone / "images" / "palace"
    python = folder / ".venv" / "bin" / "python"
    return DaemonSetup(python=python, folder=folder, build=build, port=port)


class EmbeddedRuntime:
    """Run Postgres from a wheel and the reference daemon beside the harness.

    Args:
        build: Which build of the daemon; on an ordinary interpreter ``debug`` is its
            development and asyncio debug modes, and the running daemon says so.
        reason: Why this runtime was taken, for the report.
        setup: How to start the daemon; the clone's own by default. Its build wins
            over *build*.
        cautions: What the report must say about this choice of runtime.
    """

    def __init__(
        self,
        build: Build,
        *,
        reason: str = "forced by an option",
        setup: DaemonSetup | None = None,
        cautions: tuple[Caution, ...] = (),
    ) -> None:
        self._setup = palace_setup(build) if setup is None else setup
        self._reason = reason
        self._chosen = cautions
        self._stack = ExitStack()

    @property
    def name(self) -> Literal["embedded"]:
        """Which runtime, as the report names it."""
        return "embedded"

    @property
    def reason(self) -> str:
        """Why this runtime."""
        return self._reason

    def __enter__(self) -> RunningDaemon:
        """Start Postgres, then the daemon, and wait until it answers.

        Raises:
            PrerequisiteError: Something the machine lacks: an environment, a free
                port, room in the temporary folder.
            DaemonDiedError: The daemon ended before it answered.
            DaemonNotReadyError: The daemon did not answer within a minute.
        """
        with ExitStack() as starting:
            try:
                running = self._start(starting)
            except OSError as error:
                raise PrerequisiteError(
                    f"starting Postgres and the daemon failed: {error}.",
                    remedy="Is the temporary folder full? TMPDIR chooses another.",
                ) from error
            self._stack = starting.pop_all()
        return running

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the daemon, then Postgres, and remove the run's folder."""
        self._stack.close()

    def _start(self, stack: ExitStack) -> RunningDaemon:
        require(self._setup)
        began = time.monotonic()
        folder = stack.enter_context(run_folder())
        postgres = PostgresServer(folder)
        stack.callback(postgres.stop)
        stored = time.monotonic()
        daemon = PalaceProcess(self._setup, postgres.url, folder)
        stack.callback(daemon.stop)
        ready = time.monotonic()

        def check() -> None:
            postgres.check()
            daemon.check()

        return RunningDaemon(
            url=daemon.url,
            token=daemon.token,
            check=check,
            phases=(
                Phase(name="postgres", seconds=stored - began),
                Phase(name="daemon", seconds=ready - stored),
            ),
            cautions=self._chosen,
        )
