"""A whole run: meet the daemon, ask question after question, keep each on the disk.

While the daemon has one question, the next ones are read, embedded and written as
requests in a thread of their own.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.daemon.client import DaemonClient
from harness.daemon.haystack import HaystackClient
from harness.daemon.timing import REAL_TIME, Clock, Time
from harness.dataset.conversations import read_conversations
from harness.dataset.longmemeval.model import Question
from harness.errors import UsageError
from harness.measure.longmemeval import isolation
from harness.measure.longmemeval.ahead import ahead
from harness.measure.longmemeval.assemble import report_from_journals
from harness.measure.longmemeval.embedder import Embedder, Maker, Making
from harness.measure.longmemeval.endpoint import line_of
from harness.measure.longmemeval.family import journals_of, left_to_ask
from harness.measure.longmemeval.heading import header_of, start_of
from harness.measure.longmemeval.journal import Journal, Warn, opened
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.prepare import Prepared, Preparer, Writer, added
from harness.measure.longmemeval.question import Asker, Laps, ended
from harness.measure.longmemeval.records import Embedding, Failure, QuestionRecord
from harness.measure.longmemeval.shared import WING, Asking, Filling, Store
from harness.measure.phases import started
from harness.measure.progress import Progress
from harness.measure.target import Target, meet
from harness.report.model import Report
from harness.runtime.base import RunningDaemon, Runtime

Timed = tuple[Question, float]
"""A question, and the seconds that reading it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machinery:
    """What a run is done with, beside its plan."""

    runtime: Runtime
    progress: Progress
    embedder: Embedder | None = None
    """Of the plan's model; none where it has none."""
    workers: int = 1
    """How many daemons the questions are spread over; this is one of them."""
    warn: Warn = print
    """Told what a person should know of a journal."""
    time: Time = REAL_TIME


def measure_longmemeval(
    plan: LongMemEvalPlan, journal: Path, machinery: Machinery
) -> Report:
    """Ask every question of a plan with one daemon, and make the report.

    Args:
        plan: What to measure.
        journal: Where the outcomes are kept; a run that was killed goes on from it,
            and from those of its workers where it was spread.
        machinery: What to do it with.

    Raises:
        DatasetError: The file changed, or a question is malformed.
        DaemonError: The daemon did not come up, or died.
        PrerequisiteError: It lacks what the plan takes, or is not empty.
        UsageError: The journal is of another run, or in use.
        NothingMeasuredError: No question has a result.
    """
    run_shard(plan, left_to_ask(plan, journal), journal, machinery)
    return report_from_journals(journals_of(journal))


def run_shard(
    plan: LongMemEvalPlan,
    indices: Collection[int],
    journal: Path,
    machinery: Machinery,
) -> Path:
    """Ask some questions of a plan with one daemon, and keep them in a journal.

    What the journal holds already is not asked again, unless it failed. Where nothing
    is left to ask, nothing is started.

    Args:
        plan: What to measure.
        indices: Which of its questions, by their place in the file.
        journal: This shard's own.
        machinery: What to do it with.

    Returns:
        The journal's path, for `report_from_journals`.

    Raises:
        HarnessError: As `measure_longmemeval`.
    """
    _require_model(plan, machinery.embedder)
    with opened(journal, plan.fingerprint(), machinery.warn) as kept:
        pending = frozenset(indices) - kept.done
        if not pending:
            return journal
        if kept.done:
            machinery.warn(f"going on from {journal}: {len(pending)} questions left.")
        with ExitStack() as stack:
            running = stack.enter_context(
                started(machinery.runtime, machinery.progress)
            )
            shard = _Shard.met(plan, machinery, running, kept, stack)
            shard.run(pending)
    return journal


def _require_model(plan: LongMemEvalPlan, embedder: Embedder | None) -> None:
    wanted = None if plan.model is None else (plan.model.name, plan.model.dimension)
    found = None if embedder is None else (embedder.model, embedder.dimension)
    if wanted != found:
        raise UsageError(
            f"the plan is of the model {wanted!r}, and the embedder has {found!r}."
        )


@dataclass(frozen=True, slots=True)
class _Shard:
    """One daemon that was met, and all that asking it takes."""

    plan: LongMemEvalPlan
    machinery: Machinery
    journal: Journal
    asker: Asker
    writer: Writer
    check: Callable[[], None]

    @classmethod
    def met(
        cls,
        plan: LongMemEvalPlan,
        machinery: Machinery,
        running: RunningDaemon,
        journal: Journal,
        stack: ExitStack,
    ) -> "_Shard":
        client = stack.enter_context(
            DaemonClient(
                running.url,
                running.token,
                plan.timeout_s,
                time=machinery.time,
                check=running.check,
            )
        )
        resumed = journal.header is not None
        dimension = plan.model.dimension if plan.model else None
        target = meet(client, dimension=dimension, allow_nonempty=True)
        if not plan.allow_nonempty:
            isolation.require_empty(target, plan.isolation, resumed=resumed)
        isolation.require(
            plan.isolation, target.features, resumed=resumed, workers=machinery.workers
        )
        start = start_of(plan, target, machinery.runtime, running, machinery.time)
        journal.begin(header_of(plan, start), start)
        return cls(
            plan,
            machinery,
            journal,
            _asker(plan, client, target),
            Writer(target.writes_batches, target.profile),
            running.check,
        )

    @property
    def clock(self) -> Clock:
        return self.machinery.time.clock

    def run(self, pending: frozenset[int]) -> None:
        """Ask what is pending, in file order."""
        if self.plan.isolation == "shared":
            store = Store()
            self._load(store)
            self._ask(
                pending,
                Asking(self.plan, store, self.clock),
                lambda each, laps: self._from(store, each, laps),
            )
            return
        preparer = Preparer(self.plan, self.writer, self.journal.attempts, self.clock)
        self._ask(pending, preparer, self.asker.measure)

    def _ask(
        self,
        pending: frozenset[int],
        making: Making,
        measure: Callable[[Prepared, Laps], QuestionRecord],
    ) -> None:
        """Take prepared questions as they come, and keep what came out of each."""
        mark, journal_s = self.clock(), 0.0
        with (
            self.machinery.progress.phase("questions", len(pending)) as advance,
            self._made(pending, making) as prepared,
        ):
            for each in prepared:
                wait_s = self.clock() - mark - journal_s
                record = measure(each, Laps(self.clock))
                now = self.clock()
                spent = added(
                    record.spent, wait=wait_s, journal=journal_s, wall=now - mark
                )
                record = record.model_copy(update={"spent": spent})
                self.journal.add(record, self._embedding())
                journal_s, mark = self.clock() - now, now
                advance(1)
        # A daemon may answer from memory after its database is gone.
        self.check()

    def _embedding(self) -> Embedding | None:
        embedder = self.machinery.embedder
        return None if embedder is None else line_of(embedder.counts)

    def _load(self, store: Store) -> None:
        """Write every haystack into the one store; a hole in it spoils every answer."""
        everything = frozenset(range(self.plan.questions))
        filling = Filling(self.plan, store, self.writer, self.clock)
        before = self.asker.vectors() if self.asker.counts_vectors else None
        mark = self.clock()
        with (
            self.machinery.progress.phase("writing", self.plan.questions) as advance,
            self._made(everything, filling) as prepared,
        ):
            for each in prepared:
                laps = Laps(self.clock)
                store.drawers.update(self.asker.write(each, laps))
                now = self.clock()
                record = ended(each.record, laps)
                spent = added(record.spent, wall=now - mark)
                mark = now
                store.loaded[record.index] = record.model_copy(update={"spent": spent})
                advance(1)
        self._count(store, before)

    def _count(self, store: Store, before: int | None) -> None:
        """Hold what the daemon counts to what was written."""
        wanted = len(store.drawers)
        if not wanted:
            return
        vectors = None if before is None else before + wanted
        if self.asker.verify(WING, wanted, Laps(self.clock), vectors):
            for index, record in store.loaded.items():
                counted = record.model_copy(update={"verified": record.documents})
                store.loaded[index] = counted

    def _from(self, store: Store, each: Prepared, laps: Laps) -> QuestionRecord:
        """Ask a question of the one store."""
        if each.failure is not None:
            return ended(each.record, laps, failures=(each.failure,))
        if not each.record.asked:
            return ended(each.record, laps)
        failures: list[Failure] = []
        answers = self.asker.asked(each, laps, failures, store.drawers.get)
        return ended(each.record, laps, tuple(answers), tuple(failures))

    def _made(
        self, wanted: frozenset[int], making: Making
    ) -> AbstractContextManager[Iterator[Prepared]]:
        """Read and prepare the wanted questions in a thread of its own."""
        maker = Maker(making, self.machinery.embedder, self.clock)
        return ahead(lambda: maker.made(self._questions(wanted)))

    def _questions(self, wanted: frozenset[int]) -> Iterator[Timed]:
        """Read the wanted questions, and note how long each took."""
        began = self.clock()
        for question in read_conversations(self.plan.path, self.plan.questions):
            if question.index in wanted:
                yield question, self.clock() - began
                began = self.clock()


def _asker(plan: LongMemEvalPlan, client: DaemonClient, target: Target) -> Asker:
    by_words = plan.model is None
    return Asker(
        client=client,
        haystack=HaystackClient(client.door),
        configurations=("lexical",) if by_words else ("lexical", "semantic", "hybrid"),
        profile=target.profile,
        counts_vectors=not by_words,
        deletes=plan.isolation == "isolated",
    )
