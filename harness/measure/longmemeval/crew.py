"""The processes of a run's workers: started together, watched, and ended together.

A worker is a process because a daemon's life hangs on the main thread of whoever
started it. It writes its journal; how it ended, it leaves in a file.
"""

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from harness import errors
from harness.errors import HarnessError, PrerequisiteError
from harness.runtime.folders import run_folder
from harness.runtime.postgres import CLONE
from harness.runtime.process import ChildProcess, Program

ENTRY = "harness.cli.shard"
"""What ``python -m`` runs; it takes the paths of the job and of the ending."""

POLL_S = 0.1
CLEARING_UP_S = 30.0
"""How long a worker may take to end its daemon before it is killed."""

GOES_ON = "The same command goes on where it stopped."


@dataclass(frozen=True, slots=True)
class Ending:
    """What a worker leaves behind: how it ended, and what it warned of."""

    error: HarnessError | None = None
    warnings: tuple[str, ...] = ()

    def write(self, path: Path) -> None:
        """Put it on the disk in one step."""
        error = None
        if self.error is not None:
            plain = as_plain(self.error)
            error = {
                "type": type(plain).__name__,
                "what": plain.what,
                "where": plain.where,
                "remedy": plain.remedy,
            }
        unnamed = path.with_suffix(".new")
        unnamed.write_bytes(orjson.dumps({"error": error, "warnings": self.warnings}))
        unnamed.rename(path)

    @classmethod
    def read(cls, path: Path) -> "Ending | None":
        """Read what a worker left; none where it ended without a word."""
        try:
            found = orjson.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        told, error = found["error"], None
        if told is not None:
            kind: type[HarnessError] = getattr(errors, told["type"])
            error = kind(told["what"], where=told["where"], remedy=told["remedy"])
        return cls(error, tuple(found["warnings"]))


def as_plain(error: HarnessError) -> HarnessError:
    """Return an error as the nearest kind of the tree, which may travel anywhere.

    A room's own kinds are made of more than the three parts every error has.
    """
    kind = next(
        kind
        for kind in type(error).__mro__
        if issubclass(kind, HarnessError) and kind.__module__ == errors.__name__
    )
    return kind(error.what, where=error.where, remedy=error.remedy)


@dataclass(frozen=True, slots=True)
class _Worker:
    """One process and where it leaves its ending."""

    name: str
    process: ChildProcess
    ending: Path

    def fault(self) -> HarnessError | None:
        """Say why it ended; none where it ended well."""
        left = Ending.read(self.ending)
        if left is not None:
            return left.error
        return PrerequisiteError(
            f"{self.name} ended without a word ({self.process.ending()}). Its last "
            f"lines:\n{self.process.last_lines()}",
            remedy=f"Killed for want of memory? Then fewer --workers. {GOES_ON}",
        )


@dataclass(slots=True)
class Crew:
    """Worker processes that end when the block does, whatever ends it.

    Use it as a context manager. When this process is killed, the kernel asks the
    workers to end, and they clear up after themselves.
    """

    _workers: list[_Worker] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)
    _folder: Path = Path()

    def __enter__(self) -> Self:
        self._folder = self._stack.enter_context(run_folder())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._stack:
            self._stop()

    def start(self, name: str, job: object) -> None:
        """Start one worker.

        Args:
            name: How messages call it.
            job: What it is to do; it is pickled.
        """
        number = len(self._workers) + 1
        order = self._folder / f"worker-{number}.job"
        ending = self._folder / f"worker-{number}.ending"
        order.write_bytes(pickle.dumps(job))
        process = ChildProcess(
            Program(
                name,
                (sys.executable, "-m", ENTRY, str(order), str(ending)),
                # Where relative names in our variables are looked for.
                folder=Path.cwd(),
                log=self._folder / f"worker-{number}.log",
                environment=_environment(),
                # It clears up, as after Ctrl-C.
                death_signal=signal.SIGTERM,
            )
        )
        self._workers.append(_Worker(name, process, ending))

    def attend(
        self, look: Callable[[], None], pause: Callable[[float], None] = time.sleep
    ) -> tuple[str, ...]:
        """Wait until all have ended.

        Args:
            look: Called again and again meanwhile, and once after the last has ended;
                what it raises ends the crew.
            pause: Waits.

        Returns:
            What they warned of.

        Raises:
            HarnessError: One of them failed.
        """
        running = list(self._workers)
        while running:
            for worker in list(running):
                if worker.process.ending() is None:
                    continue
                running.remove(worker)
                fault = worker.fault()
                if fault is not None:
                    look()
                    raise fault
            look()
            if running:
                pause(POLL_S)
        endings = [Ending.read(worker.ending) for worker in self._workers]
        return tuple(text for each in endings if each for text in each.warnings)

    def _stop(self) -> None:
        """Ask all that still run to end, then see to it that they do."""
        try:
            for worker in self._workers:
                worker.process.signal(signal.SIGTERM)
            give_up = time.monotonic() + CLEARING_UP_S
            for worker in self._workers:
                worker.process.wait(max(give_up - time.monotonic(), 0.0))
        finally:
            for worker in self._workers:
                worker.process.kill()


def _environment() -> Mapping[str, str]:
    """Return our own variables: a worker is the harness itself, somewhere else."""
    path = os.pathsep.join(filter(None, (str(CLONE), os.environ.get("PYTHONPATH"))))
    return dict(os.environ) | {"PYTHONPATH": path}
