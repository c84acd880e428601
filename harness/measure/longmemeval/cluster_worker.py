"""What a worker of a Dask cluster does for a run: one shard, in a process of its own.

This is called by `distributed`, in a thread of a process that is not ours.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from harness.errors import HarnessError
from harness.measure.longmemeval.crew import Crew, as_plain
from harness.measure.longmemeval.family import Tail
from harness.measure.longmemeval.shards import Job, Shard
from harness.runtime.folders import run_folder

WANTED = {"executing", "long-running"}
"""States of a task that somebody still waits for."""


class Given(Protocol):
    """What of a worker of `distributed` is used."""

    def log_event(self, topic: str, msg: Mapping[str, object]) -> None:
        """Send something to whoever subscribed to the topic."""

    def get_current_task(self) -> str:
        """Return the key of the task that this thread runs."""


class UnwantedError(Exception):
    """Nobody waits for the shard any more: it was cancelled, or its client is gone."""


def ask_on_worker(shard: Shard, state: bytes, topic: str) -> bytes:
    """Ask a shard here, and send its journal back piece by piece.

    Args:
        shard: What to ask.
        state: Its journal so far.
        topic: Where the pieces are sent: ``key`` of the task, ``start`` in the journal
            in bytes, whole ``lines``, and whether the shard has ``ended``.

    Returns:
        The whole journal.

    Raises:
        HarnessError: Of the tree's own kinds, since it travels.
        UnwantedError: Nobody will miss it.
    """
    # It is there, or nobody could have called this.
    worker = import_module("distributed").get_worker()
    key = worker.get_current_task()

    def require_wanted() -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state not in WANTED:
            raise UnwantedError

    try:
        return _asked(shard, state, _Sender(worker, topic, key), require_wanted)
    except HarnessError as error:
        raise as_plain(error) from error


@dataclass(slots=True)
class _Sender:
    worker: Given
    topic: str
    key: str
    start: int = 0

    def send(self, lines: bytes, *, ended: bool = False) -> None:
        message = {
            "key": self.key,
            "start": self.start,
            "lines": lines,
            "ended": ended,
        }
        self.worker.log_event(self.topic, message)
        self.start += len(lines)

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Say that all is cleared up once the block has ended."""
        try:
            yield
        finally:
            self.send(b"", ended=True)


def _asked(
    shard: Shard, state: bytes, sender: _Sender, require_wanted: Callable[[], None]
) -> bytes:
    with sender.ending(), run_folder() as folder:
        journal = folder / "journal.jsonl"
        journal.write_bytes(state)
        sender.start = len(state)
        tail = Tail(journal)

        def look() -> None:
            require_wanted()
            lines = tail.lines()
            if lines:
                sender.send(lines)

        with Crew() as crew:
            crew.start(shard.name, Job(shard, journal))
            crew.attend(look)
        return journal.read_bytes()
