"""Spread a run over several daemons: questions are independent of each other.

A shard is what one worker asks: every n-th question of the file. Each worker is a
process of its own with a daemon and a journal of its own, here or on another machine.
The report is made of all journals, by question, and is the one of a single worker.
"""

import hashlib
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.dataset.longmemeval.stream import open_data
from harness.errors import PrerequisiteError
from harness.measure.longmemeval import isolation
from harness.measure.longmemeval.assemble import report_from_journals
from harness.measure.longmemeval.crew import Crew
from harness.measure.longmemeval.endpoint import added_up, line_of
from harness.measure.longmemeval.family import (
    Tail,
    await_free,
    journals_of,
    left_to_ask,
    questions_in,
    shard_journal,
    shard_journals,
)
from harness.measure.longmemeval.journal import Warn, opened
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.run import Machinery, run_shard
from harness.measure.progress import Advance, Progress
from harness.provider.counts import Counts
from harness.provider.options import EmbeddingOptions
from harness.report.model import Report
from harness.runtime.choice import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How a run is spread, beside its plan; plain data that may travel.

    No key of an embeddings endpoint is in it: every worker reads its own.
    """

    plan: LongMemEvalPlan
    workers: int
    wish: Wish
    """How each worker's daemon comes to be, on the worker's machine."""
    embedding: EmbeddingOptions = field(default_factory=EmbeddingOptions)
    """How a worker asks for vectors, where the plan has a model."""
    cache: Path | None = None
    """Folder of the vectors that are kept, as the worker's machine names it."""
    probed: Counts | None = None
    """What the plan's model was found by, before there was any worker."""


@dataclass(frozen=True, slots=True)
class Shard:
    """What one worker has to do."""

    spread: Spread
    number: int
    """From 1."""
    indices: tuple[int, ...]
    """Which questions, by their place in the file."""

    @property
    def name(self) -> str:
        """What messages call its worker."""
        return f"worker {self.number} of {self.spread.workers}"


class Ask(Protocol):
    """Has every shard asked, each into its own journal; returns when all are done."""

    def __call__(
        self, shards: Sequence[Shard], journal: Path, advance: Advance, warn: Warn
    ) -> None:
        """Ask, and tell of each question that is done.

        Args:
            shards: None of them without a question.
            journal: The run's; those of the shards are named after it.
            advance: Told after each question.
            warn: Told what the workers warn of.

        Raises:
            HarnessError: A shard failed; the others were stopped, and what is done
                is in the journals.
        """


def shares(pending: frozenset[int], workers: int) -> list[tuple[int, ...]]:
    """Give each worker every n-th question of the file, less what is done.

    >>> shares(frozenset({0, 1, 2, 4}), 2)
    [(0, 2, 4), (1,)]
    """
    ordered = sorted(pending)
    return [
        tuple(index for index in ordered if index % workers == worker)
        for worker in range(workers)
    ]


def measure_spread(
    spread: Spread, journal: Path, ask: Ask, progress: Progress, warn: Warn = print
) -> Report:
    """Have all questions of a plan asked by several workers, and make the report.

    Args:
        spread: What to measure, and over how many workers.
        journal: The run's; a run that was killed goes on from it and from those
            beside it, over however many workers it was spread.
        ask: Starts the workers; see `ask_here`.
        progress: Shows all of them as one.
        warn: Told what a person should know of the journals.

    Raises:
        UsageError: The isolation means one store; or a journal is of another run, or
            in use.
        HarnessError: A worker failed. The same call goes on where all stopped.
    """
    plan, workers = spread.plan, spread.workers
    if plan.isolation == "shared":
        isolation.require(plan.isolation, frozenset(), resumed=False, workers=workers)
    with opened(journal, plan.fingerprint(), warn):
        for path in shard_journals(journal):
            await_free(path, time.sleep)
        pending = left_to_ask(plan, journal)
        if len(pending) < plan.questions:
            warn(f"going on from {journal}: {len(pending)} questions left.")
        shards = [
            Shard(spread, number, indices)
            for number, indices in enumerate(shares(pending, workers), start=1)
            if indices
        ]
        if shards:
            name = f"questions ({workers} workers)"
            with progress.phase(name, len(pending)) as advance:
                ask(shards, journal, advance, warn)
            _note_probe(spread, shard_journal(journal, shards[0].number), warn)
    return report_from_journals(journals_of(journal))


def _note_probe(spread: Spread, path: Path, warn: Warn) -> None:
    """Add what we asked of the endpoint ourselves to what one worker asked of it.

    It is in no journal of its own: that begins with the daemon, and we have none.
    """
    if spread.probed is None:
        return
    with opened(path, spread.plan.fingerprint(), warn) as kept:
        known = [] if kept.embedded is None else [kept.embedded]
        kept.note(added_up([*known, line_of(spread.probed)]))


def ask_here(
    shards: Sequence[Shard], journal: Path, advance: Advance, warn: Warn
) -> None:
    """Run every shard in a process of its own on this machine; see `Ask`."""
    paths = [shard_journal(journal, shard.number) for shard in shards]
    tails = [Tail(path) for path in paths]

    def look() -> None:
        for tail in tails:
            advance(questions_in(tail.lines()))

    with Crew() as crew:
        for shard, path in zip(shards, paths, strict=True):
            crew.start(shard.name, Job(shard, path))
        for text in crew.attend(look):
            warn(text)


@dataclass(frozen=True, slots=True)
class Job:
    """What is handed to a worker's process."""

    shard: Shard
    journal: Path

    def run(self, machinery: Machinery) -> None:
        """Ask the shard's questions, in the process that was started for it.

        Raises:
            PrerequisiteError: This machine does not see the same file.
            HarnessError: As `run_shard`.
        """
        plan = self.shard.spread.plan
        require_file(plan)
        run_shard(plan, self.shard.indices, self.journal, machinery)


def require_file(plan: LongMemEvalPlan) -> None:
    """Refuse to read another file than the one that was planned with.

    Raises:
        PrerequisiteError: It is not here, or its bytes are others.
    """
    host = socket.gethostname()
    if not plan.path.exists():
        raise PrerequisiteError(
            f"the worker on {host!r} does not see the data file.",
            where=str(plan.path),
            remedy="Put it under this path on every machine of the cluster.",
        )
    with open_data(plan.path) as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != plan.file.sha256:
        raise PrerequisiteError(
            f"the worker on {host!r} sees another file: its SHA-256 is {found!r}, "
            f"planned was {plan.file.sha256!r}.",
            where=str(plan.path),
            remedy="Put the same file under this path on every machine.",
        )
