"""The embedder as a child process: started, awaited, watched, stopped.

It runs on the daemon's Python environment, which has all that it needs, and finds the
models it serves in the clone itself.
"""

import json
import logging
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness.errors import DaemonDiedError, DaemonNotReadyError, PrerequisiteError
from harness.runtime.base import RunningEmbedder
from harness.runtime.palace import LOOPBACK
from harness.runtime.postgres import CLONE
from harness.runtime.probe import request
from harness.runtime.process import ChildProcess, Program, clean_environment

HEALTH = "/control/health"
LAST_LINES_SAY = "The fault is the embedder's; look at its last lines."

START_LIMIT_S = 60.0
POLL_S = 0.01
PROBE_LIMIT_S = 0.5
TERMINATE_LIMIT_S = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderWish:
    """Which embedder a daemon shall have beside it.

    Attributes:
        model: What the daemon asks it for.
        dimension: Length of that model's vectors.
        settings: Variables for the embedder beyond what the harness sets,
            ``EMBEDDER_...``. In containers everybody who may use the engine can read
            them: no secrets.
        files: Variables that name a file it reads, and the files here.
    """

    model: str
    dimension: int
    settings: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)

    def told_daemon(self, url: str) -> dict[str, str]:
        """Say what a daemon must know to embed there: variables of its own.

        Args:
            url: Where the daemon reaches the embedder, as `RunningEmbedder.url`.
        """
        return {
            "PALACE_EMBEDDINGS_URL": url,
            "PALACE_EMBEDDINGS_MODEL": self.model,
            "PALACE_EMBEDDINGS_DIMENSION": str(self.dimension),
        }


@dataclass(frozen=True)
class EmbedderSetup:
    """How to start an embedder.

    Attributes:
        wish: Which one.
        python: Interpreter of the daemon's environment.
        folder: Its project, from which its module is found.
        clone: Where the models are found that it serves.
        module: What ``python -m`` runs.
    """

    wish: EmbedderWish
    python: Path
    folder: Path
    clone: Path = CLONE
    module: str = "embedder"


def embedder_setup(wish: EmbedderWish, *, clone: Path = CLONE) -> EmbedderSetup:
    """Describe how to start the embedder of a clone."""
    images = clone / "images"
    python = images / "palace" / ".venv" / "bin" / "python"
    return EmbedderSetup(wish, python, images / "embedder", clone)


class EmbedderProcess:
    """A running embedder; it has answered its health route once it exists.

    Args:
        setup: How to start it; `require_embedder` has passed it.
        folder: The run's folder; its log goes there.

    Raises:
        DaemonDiedError: It ended before it answered; its last lines are in the message.
        DaemonNotReadyError: It did not answer within a minute.
    """

    def __init__(self, setup: EmbedderSetup, folder: Path) -> None:
        self._ready_file = folder / "embedder.json"
        self._process = ChildProcess(
            Program(
                "the embedder",
                (str(setup.python), "-m", setup.module),
                folder=setup.folder,
                log=folder / "embedder.log",
                environment=self._environment(setup),
            )
        )
        try:
            ports = self._await()
        except BaseException:
            self._process.kill()
            raise
        self.running = RunningEmbedder(
            url=f"http://{LOOPBACK}:{ports.data}/v1",
            control_url=f"http://{LOOPBACK}:{ports.control}",
            model=setup.wish.model,
            dimension=setup.wish.dimension,
        )

    @property
    def pid(self) -> int:
        """Process id of the embedder."""
        return self._process.pid

    def check(self) -> None:
        """Raise `DaemonDiedError` with the last log lines if it has ended."""
        ending = self._process.ending()
        if ending is not None:
            raise DaemonDiedError(
                f"the embedder ended while it was needed ({ending}). Its last lines:\n"
                f"{self._process.last_lines()}",
                remedy=LAST_LINES_SAY,
            )

    def stop(self) -> None:
        """Tell it to end, then kill it and say so in the log."""
        try:
            self._process.signal(signal.SIGTERM)
            if not self._process.wait(TERMINATE_LIMIT_S):
                log.warning(
                    "the embedder did not end within %.0f s of SIGTERM and was killed",
                    TERMINATE_LIMIT_S,
                )
        finally:
            self._process.kill()

    def _environment(self, setup: EmbedderSetup) -> dict[str, str]:
        files = {name: str(path.absolute()) for name, path in setup.wish.files.items()}
        return clean_environment(
            **{
                "PYTHONUNBUFFERED": "1",
                "PYTHONPATH": str(setup.clone),
                "EMBEDDER_BIND": f"{LOOPBACK}:0",
                "EMBEDDER_CONTROL_BIND": f"{LOOPBACK}:0",
                "EMBEDDER_READY_FILE": str(self._ready_file),
            }
            | dict(setup.wish.settings)
            | files
        )

    def _await(self) -> "_Ports":
        give_up = time.monotonic() + START_LIMIT_S
        ports = None
        while time.monotonic() < give_up:
            ending = self._process.ending()
            if ending is not None:
                raise DaemonDiedError(
                    f"the embedder ended before it was ready ({ending})."
                    f" Its last lines:\n{self._process.last_lines()}",
                    remedy=LAST_LINES_SAY,
                )
            ports = ports or self._announced()
            if ports is not None and serves(f"http://{LOOPBACK}:{ports.control}"):
                return ports
            time.sleep(POLL_S)
        raise DaemonNotReadyError(
            f"the embedder did not answer GET {HEALTH} within {START_LIMIT_S:.0f} s."
            f" Its last lines:\n{self._process.last_lines()}",
            remedy=LAST_LINES_SAY,
        )

    def _announced(self) -> "_Ports | None":
        try:
            told = json.loads(self._ready_file.read_bytes())
            return _Ports(int(told["port"]), int(told["control_port"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # not there, or not whole


class _Ports(NamedTuple):
    data: int
    control: int


def serves(control_url: str) -> bool:
    """Tell whether the embedder with that control address answers its health route."""
    answer = request("GET", f"{control_url}{HEALTH}", timeout_s=PROBE_LIMIT_S)
    return answer is not None and answer.status == 200


def require_embedder(setup: EmbedderSetup) -> None:
    """Check what can be checked before anything is started.

    Raises:
        PrerequisiteError: Its interpreter or its program is not there.
    """
    if not os.access(setup.python, os.X_OK):
        raise PrerequisiteError(
            f"the daemon's environment has no interpreter {str(setup.python)!r}.",
            remedy="Run `python3 harness/bootstrap.py`.",
        )
    require_files(setup.wish)
    if not setup.folder.is_dir():
        raise PrerequisiteError(
            f"the embedder's folder {str(setup.folder)!r} is not there.",
            remedy="Is the clone whole? `git status` lists what is missing.",
        )


def require_files(wish: EmbedderWish) -> None:
    """Refuse files that the embedder could not read.

    Raises:
        PrerequisiteError: One is not there, or closed to us.
    """
    for name, path in wish.files.items():
        if not (path.is_file() and os.access(path, os.R_OK)):
            raise PrerequisiteError(
                f"{str(path)!r} is no file that can be read.",
                where=name,
                remedy="Give the embedder another file, or none.",
            )
