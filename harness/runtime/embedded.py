"""Postgres, the reference daemon and its embedder as child processes of the harness.

Needs nothing but the two Python environments of the clone. Everything it writes is in
one temporary folder, and everything it starts ends with the harness.
"""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Literal

from harness.errors import PrerequisiteError
from harness.report.model import Caution, Phase
from harness.runtime.base import RunningDaemon
from harness.runtime.embedder import EmbedderProcess, EmbedderSetup, require_embedder
from harness.runtime.folders import run_folder
from harness.runtime.palace import Build, DaemonSetup, PalaceProcess, require
from harness.runtime.postgres import CLONE, PostgresServer


def palace_setup(
    build: Build,
    *,
    port: int = 0,
    settings: Mapping[str, str] | None = None,
    clone: Path = CLONE,
) -> DaemonSetup:
    """Describe how to start the reference daemon of a clone.

    Args:
        build: ``debug`` or ``release``.
        port: Port on loopback, 0 for any free one.
        settings: Variables for it beyond what the harness sets.
        clone: The clone it lies in.
    """
    folder = clone / "images" / "palace"
    python = folder / ".venv" / "bin" / "python"
    return DaemonSetup(
        python=python,
        folder=folder,
        build=build,
        port=port,
        settings=dict(settings or {}),
    )


class EmbeddedRuntime:
    """Run Postgres from a wheel and the reference daemon beside the harness.

    Args:
        build: Which build of the daemon; on an ordinary interpreter ``debug`` is its
            development and asyncio debug modes, and the running daemon says so.
        reason: Why this runtime was taken, for the report.
        setup: How to start the daemon; the clone's own by default. Its build wins
            over *build*.
        embedder: How to start the embedder that the daemon shall embed with; without
            one none is started, and the daemon is told of none.
        cautions: What the report must say about this choice of runtime.
    """

    def __init__(
        self,
        build: Build,
        *,
        reason: str = "forced by an option",
        setup: DaemonSetup | None = None,
        embedder: EmbedderSetup | None = None,
        cautions: tuple[Caution, ...] = (),
    ) -> None:
        self._setup = palace_setup(build) if setup is None else setup
        self._embedder = embedder
        self._reason = reason
        self._chosen = cautions
        self._stack = ExitStack()

    @property
    def setup(self) -> DaemonSetup:
        """How the daemon is started, but for what only a started embedder tells it."""
        return self._setup

    @property
    def embedder(self) -> EmbedderSetup | None:
        """How the embedder is started; ``None`` where there is none."""
        return self._embedder

    @property
    def name(self) -> Literal["embedded"]:
        """Which runtime, as the report names it."""
        return "embedded"

    @property
    def reason(self) -> str:
        """Why this runtime."""
        return self._reason

    def __enter__(self) -> RunningDaemon:
        """Start Postgres, the embedder, then the daemon, and wait until it answers.

        Raises:
            PrerequisiteError: Something the machine lacks: an environment, a free
                port, room in the temporary folder.
            DaemonDiedError: The daemon or the embedder ended before it answered.
            DaemonNotReadyError: One of them did not answer within a minute.
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
        """Stop the daemon, then what it leans on, and remove the run's folder."""
        self._stack.close()

    def _start(self, stack: ExitStack) -> RunningDaemon:
        setup = self._setup
        require(setup)
        if self._embedder is not None:
            require_embedder(self._embedder)
        began = time.monotonic()
        folder = stack.enter_context(run_folder())
        postgres = PostgresServer(folder)
        stack.callback(postgres.stop)
        phases = [Phase(name="postgres", seconds=time.monotonic() - began)]
        embedder = None
        if self._embedder is not None:
            began = time.monotonic()
            embedder = EmbedderProcess(self._embedder, folder)
            stack.callback(embedder.stop)
            setup = _embedding_with(embedder, self._embedder, setup)
            phases.append(Phase(name="embedder", seconds=time.monotonic() - began))
        began = time.monotonic()
        daemon = PalaceProcess(setup, postgres.url, folder)
        stack.callback(daemon.stop)
        phases.append(Phase(name="daemon", seconds=time.monotonic() - began))

        def check() -> None:
            postgres.check()
            if embedder is not None:
                embedder.check()
            daemon.check()

        return RunningDaemon(
            url=daemon.url,
            token=daemon.token,
            check=check,
            phases=tuple(phases),
            cautions=self._chosen,
            embedder=embedder.running if embedder is not None else None,
        )


def _embedding_with(
    embedder: EmbedderProcess, started: EmbedderSetup, daemon: DaemonSetup
) -> DaemonSetup:
    """Tell the daemon where its embedder is; what it is told beyond that wins."""
    told = started.wish.told_daemon(embedder.running.url)
    return replace(daemon, settings=told | dict(daemon.settings))
