"""The same shards on an existing Dask cluster, which somebody else keeps running.

Every shard is bound to one of the cluster's workers. The worker runs the process that
would be run here, with a daemon of its own, and its journal comes back in pieces while
it asks. So a shard whose worker is lost goes on elsewhere from what had come back.

Only ``harness longmemeval --scheduler`` needs this, and only it needs `distributed`.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import cast

from harness.errors import HarnessError, PrerequisiteError, UsageError
from harness.measure.longmemeval.cluster_client import Client, Future
from harness.measure.longmemeval.cluster_worker import ask_on_worker
from harness.measure.longmemeval.crew import CLEARING_UP_S, GOES_ON
from harness.measure.longmemeval.family import questions_in, shard_journal
from harness.measure.longmemeval.journal import Warn
from harness.measure.longmemeval.shards import Shard
from harness.measure.progress import Advance

CONNECT_S = 10.0
POLL_S = 0.2
LOSSES = 3
"""Workers that one shard may lose without a new question in between."""
WITHOUT_WORKERS_S = 60.0
"""How long a cluster may be without any worker: one that was killed is replaced."""

INSTALL = "Install the extra that has it: `pip install 'memory-harness[dask]'`."


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that was found, and how it is connected to."""

    address: str
    client: Client

    def workers_for(self, wanted: int | None) -> int:
        """Decide how many workers to use: those that there are, or as many as wanted.

        Raises:
            PrerequisiteError: There are fewer.
        """
        found = len(self.client.nthreads())
        if found < (wanted or 1):
            raise PrerequisiteError(
                f"the cluster has {found} workers, and {wanted or 1} are wanted.",
                where=self.address,
                remedy="Start more with `dask worker ADDRESS`, or use fewer.",
            )
        return wanted or found

    def ask(
        self, shards: Sequence[Shard], journal: Path, advance: Advance, warn: Warn
    ) -> None:
        """Have every shard asked by a worker of the cluster; see `shards.Ask`."""
        Asking(self, journal, advance, warn).ask(shards)


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Find a cluster, and leave it at the end of the block; it goes on without us.

    Raises:
        PrerequisiteError: Nobody answers there, or `distributed` is not installed.
        UsageError: It is no address of a scheduler.
    """
    try:
        # Half a second of imports that no other command needs.
        distributed = import_module("distributed")
    except ImportError as error:
        raise PrerequisiteError(
            "`distributed`, which talks to a Dask cluster, is not installed.",
            remedy=INSTALL,
        ) from error
    try:
        client = distributed.Client(
            address, timeout=CONNECT_S, set_as_default=False, name="memory-harness"
        )
    except OSError as error:  # a timeout is one too
        raise PrerequisiteError(
            f"no Dask scheduler answers within {CONNECT_S:.0f} s.",
            where=address,
            remedy="Start one with `dask scheduler`, or mend --scheduler.",
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{address!r} is no address of a scheduler: {error}.",
            remedy="It looks like tcp://host:8786.",
        ) from error
    with closing(client):
        yield Cluster(address, cast(Client, client))


@dataclass(slots=True)
class _Attempt:
    """One shard on one worker."""

    shard: Shard
    worker: str
    key: str
    future: Future
    size: int
    """Bytes of its journal that are here."""


@dataclass(slots=True)
class Asking:
    """All shards of a run on their way; used once."""

    cluster: Cluster
    journal: Path
    advance: Advance
    warn: Warn
    pause: Callable[[float], None] = time.sleep
    _active: dict[str, _Attempt] = field(default_factory=dict)
    _losses: Counter[int] = field(default_factory=Counter)
    _told: "SimpleQueue[object]" = field(default_factory=SimpleQueue)
    _ended: set[str] = field(default_factory=set)
    _number: int = 0

    @property
    def client(self) -> Client:
        """Who talks to the scheduler."""
        return self.cluster.client

    def ask(self, shards: Sequence[Shard]) -> None:
        """Bind each shard to a worker, and see them through.

        Raises:
            HarnessError: A shard failed, or lost too many workers; the others were
                told to stop.
        """
        topic = f"memory-harness-{time.time_ns():x}"
        self.client.subscribe_topic(topic, lambda event: self._told.put(event[1]))
        try:
            for shard in shards:
                self._submit(shard, topic)
            while self._active:
                self._hear()
                present = self.client.nthreads()
                for attempt in list(self._active.values()):
                    if attempt.future.status != "pending":
                        self._take(attempt, topic)
                    elif attempt.worker not in present:
                        self._lost(attempt, topic)
                if self._active:
                    self.pause(POLL_S)
        finally:
            self._stop()

    def _submit(self, shard: Shard, topic: str) -> None:
        self._number += 1
        path = shard_journal(self.journal, shard.number)
        state = path.read_bytes() if path.exists() else b""
        # Only whole lines; what a killed run tore off is asked again.
        state = state[: state.rfind(b"\n") + 1]
        path.write_bytes(state)
        worker = self._free_worker()
        key = f"{topic}-{shard.number}-{self._number}"
        self._active[key] = _Attempt(
            shard,
            worker,
            key,
            self.client.submit(
                ask_on_worker,
                shard,
                state,
                topic,
                key=key,
                workers=[worker],
                pure=False,
            ),
            len(state),
        )

    def _free_worker(self) -> str:
        """Choose who has the fewest shards, and wait for somebody where nobody is."""
        waited = 0.0
        while not (present := self.client.nthreads()):
            if waited >= WITHOUT_WORKERS_S:
                raise PrerequisiteError(
                    f"the cluster has had no worker for {waited:.0f} s.",
                    where=self.cluster.address,
                    remedy=f"Start some with `dask worker ADDRESS`. {GOES_ON}",
                )
            self.pause(POLL_S)
            waited += POLL_S
        load = Counter(attempt.worker for attempt in self._active.values())
        return min(present, key=lambda worker: (load[worker], worker))

    def _hear(self) -> None:
        """Write down what has come back since the last time."""
        with suppress(Empty):
            while True:
                told = cast(Mapping[str, object], self._told.get_nowait())
                key = str(told["key"])
                if told["ended"]:
                    self._ended.add(key)
                attempt = self._active.get(key)
                lines, start = told["lines"], told["start"]
                if attempt is None or start != attempt.size:
                    continue  # of an attempt that was given up, or after a gap
                self._append(attempt, cast(bytes, lines))

    def _append(self, attempt: _Attempt, lines: bytes) -> None:
        with shard_journal(self.journal, attempt.shard.number).open("ab") as file:
            file.write(lines)
        attempt.size += len(lines)
        questions = questions_in(lines)
        if questions:
            self._losses[attempt.shard.number] = 0
            self.advance(questions)

    def _take(self, attempt: _Attempt, topic: str) -> None:
        """Take what became of a task."""
        if attempt.future.status == "finished":
            whole = attempt.future.result(CONNECT_S)
            # What was told in pieces is the start of it.
            self._append(attempt, whole[attempt.size :])
            del self._active[attempt.key]
            return
        if attempt.future.status != "error":
            self._lost(attempt, topic)
            return
        error = attempt.future.exception(CONNECT_S)
        if type(error).__name__ == "KilledWorker":
            self._lost(attempt, topic)
            return
        del self._active[attempt.key]
        name = f"{attempt.shard.name}, on {attempt.worker}"
        if isinstance(error, HarnessError):
            self.warn(f"{name} failed. {GOES_ON}")
            raise error
        raise PrerequisiteError(
            f"{name} cannot do its part: {type(error).__name__}: {error}",
            where=self.cluster.address,
            remedy="Every worker of the cluster needs this version of the harness.",
        ) from error

    def _lost(self, attempt: _Attempt, topic: str) -> None:
        """Bind a shard whose worker is gone to another."""
        shard = attempt.shard
        self._hear()
        del self._active[attempt.key]
        with suppress(Exception):  # whatever it is, it is about a task nobody wants
            self.client.cancel([attempt.future], force=True)
        self._losses[shard.number] += 1
        if self._losses[shard.number] > LOSSES:
            raise PrerequisiteError(
                f"{shard.name} lost {LOSSES + 1} workers of the cluster without a "
                f"question in between, the last at {attempt.worker!r}.",
                where=self.cluster.address,
                remedy=f"Killed for want of memory? {GOES_ON}",
            )
        self.warn(f"{shard.name} lost {attempt.worker}; it goes on elsewhere.")
        self._submit(shard, topic)

    def _stop(self) -> None:
        """Tell all that still run to stop, and wait until they have cleared up."""
        if not self._active:
            return
        stopping = list(self._active.values())
        with suppress(Exception):  # a scheduler that is gone has no tasks either
            self.client.cancel([each.future for each in stopping], force=True)
        waited = 0.0
        while waited < CLEARING_UP_S:
            self._hear()
            with suppress(Exception):
                present = self.client.nthreads()
                stopping = [each for each in stopping if each.worker in present]
            if all(each.key in self._ended for each in stopping):
                return
            self.pause(POLL_S)
            waited += POLL_S
