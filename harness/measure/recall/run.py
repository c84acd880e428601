"""One whole run of a recall tier: start, ingest, ask every row, break the embedder.

A report comes out of a run that went through to its end, or not at all: whatever fails
on the way, an interruption included, leaves through the runtime's clean-up.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from harness.daemon.client import DaemonClient
from harness.daemon.documents import DocumentsClient
from harness.daemon.embedder import EmbedderControl, FaultKind
from harness.daemon.timing import REAL_TIME, Time
from harness.dataset.recall.model import CUTOFF, Tier
from harness.errors import UsageError
from harness.measure.floor import Floor
from harness.measure.meter import Meter
from harness.measure.metrics import NDCG_GAIN
from harness.measure.phases import Phases, started
from harness.measure.progress import Progress
from harness.measure.recall import assemble, lifecycle
from harness.measure.recall.assemble import Origin, Outcome
from harness.measure.recall.bench import Bench
from harness.measure.recall.faults import FAULTS, MODES, FaultMatrix, sample
from harness.measure.recall.ingest import ingest
from harness.measure.recall.library import Library
from harness.measure.recall.material import Material, Variant, material
from harness.measure.recall.modes import Asker, Measured, skipped
from harness.measure.recall.proof import Checks, documents_of
from harness.measure.recall.rows import HYBRID, KEYWORD, MAIN, VECTOR, Row
from harness.measure.recall.stand import meet_recall
from harness.measure.recall.watch import Watch
from harness.report.model import ConfigurationResult, Parameters, Report
from harness.report.recall import FaultResult
from harness.runtime.base import RunningDaemon, Runtime

LEFT_OUT = "left out of this run"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """The knobs of a run.

    Raises:
        UsageError: They contradict each other.
    """

    tier: Tier
    variant: Variant = "published"
    """Order of ingestion, which decides between equal scores."""
    repetitions: int = 1
    """Timed passes after the scored one; 0 measures no latency."""
    limit: int = 20
    """Hits asked for, where a row takes a limit."""
    cutoffs: tuple[int, ...] = (1, 3, 5, 10)
    rows: frozenset[str] | None = None
    """Names of the rows to measure; ``None`` for all. The others keep their places
    unmeasured, so a report of some rows never passes as a whole."""
    faults: tuple[FaultKind, ...] = FAULTS
    """Faults to go through; none where a row they are compared with is left out."""
    fault_queries: int = 10
    """Queries that each fault meets."""
    allow_nonempty: bool = False
    """Whether to measure a palace that holds somebody's documents."""
    timeout_s: float = 60.0
    """Most seconds a single request may take; one may ingest hundreds of documents."""

    def __post_init__(self) -> None:
        if self.repetitions < 0 or self.fault_queries < 1:
            raise UsageError(
                f"{self.repetitions} repetitions and {self.fault_queries} queries a "
                "fault were asked for; there is at least 0 of the one and 1 of the "
                "other."
            )
        wanted = CUTOFF in self.cutoffs and min(self.cutoffs) >= 1
        if not wanted or max(self.cutoffs) > self.limit:
            raise UsageError(
                f"the cut-offs {self.cutoffs} must lie between 1 and the limit of "
                f"{self.limit} hits, and {CUTOFF} must be among them.",
                remedy="What is not asked for cannot be found.",
            )

    def parameters(self) -> Parameters:
        """Put the knobs into the report's words."""
        return Parameters(
            cutoffs=self.cutoffs,
            limit=self.limit,
            repetitions=self.repetitions,
            scale=0,
            ndcg_gain=NDCG_GAIN,
        )


def measure_recall(
    plan: RecallSettings,
    runtime: Runtime,
    progress: Progress,
    *,
    time: Time = REAL_TIME,
) -> Report:
    """Measure one daemon on one tier: every row, or those the plan names.

    A row that the daemon cannot answer keeps its place with the reason; where none can
    be measured, a report says so of all of them. Its checks are left empty: they judge
    the numbers, which is the judge's work.

    Args:
        plan: The knobs.
        runtime: Brings daemon and embedder up, and down again however this ends.
        progress: Is told where the run is.
        time: The clocks; a test gives its own.

    Raises:
        DaemonError: Daemon or embedder did not come up, died, or broke the contract.
        PrerequisiteError: The palace is not empty.
        UsageError: The plan names a row that there is not.
    """
    chosen = material(plan.tier, plan.variant)
    return measure_material(chosen, plan, runtime, progress, time=time)


def measure_material(
    chosen: Material,
    plan: RecallSettings,
    runtime: Runtime,
    progress: Progress,
    *,
    time: Time = REAL_TIME,
) -> Report:
    """Measure one daemon on given material, as `measure_recall` does on a tier's."""
    _refuse_unknown(plan, chosen)
    created_at = time.utc().isoformat(timespec="seconds").replace("+00:00", "Z")
    with ExitStack() as stack:
        running = stack.enter_context(started(runtime, progress))
        client = stack.enter_context(_client(running, plan, time))
        documents = DocumentsClient(client.door)
        stand = meet_recall(
            client, documents, running.embedder, allow_nonempty=plan.allow_nonempty
        )
        bench = Bench(
            material=chosen,
            stand=stand,
            library=Library(documents, client.url),
            watch=_watch(running, plan, time, stack),
            phases=Phases(time.clock, running.check, Meter(running.usage)),
            progress=progress,
        )
        outcome = _measure(bench, client, plan)
        return assemble.report(
            bench, outcome, plan.parameters(), Origin(created_at, runtime, running)
        )


def _refuse_unknown(plan: RecallSettings, chosen: Material) -> None:
    unknown = sorted((plan.rows or set()) - {row.name for row in chosen.rows})
    if unknown:
        raise UsageError(f"there is no row {', '.join(map(repr, unknown))}.")


def _client(running: RunningDaemon, plan: RecallSettings, time: Time) -> DaemonClient:
    return DaemonClient(
        running.url, running.token, plan.timeout_s, time=time, check=running.check
    )


def _watch(
    running: RunningDaemon, plan: RecallSettings, time: Time, stack: ExitStack
) -> Watch | None:
    embedder = running.embedder
    if embedder is None:
        return None
    control = stack.enter_context(
        EmbedderControl(embedder.control_url, embedder.url, plan.timeout_s, time=time)
    )
    return Watch(control, embedder.model, embedder.dimension)


def _measure(bench: Bench, client: DaemonClient, plan: RecallSettings) -> Outcome:
    """Ingest, ask every row between two readings of the floor, then break things."""
    ingested = ingest(bench)
    checks = Checks(bench.stand.trigrams)
    asker = Asker(
        library=bench.library,
        clock=client.time.clock,
        watch=bench.watch,
        checks=checks,
        limit=plan.limit,
        cutoffs=plan.cutoffs,
        repetitions=plan.repetitions,
    )
    floor = Floor(client)
    if plan.repetitions:
        with bench.step("client floor"):
            floor.take_before()
    rows = tuple(_row(bench, asker, row, plan) for row in bench.material.rows)
    if plan.repetitions:
        with bench.step("client floor again"):
            floor.take_after()
    results = [each.result for each in rows]
    checks.between(results, bench.stand.threshold)
    faults = _faults(bench, asker, plan, {each.name: each for each in results})
    return Outcome(ingested, rows, faults, floor, checks.results())


def _row(bench: Bench, asker: Asker, row: Row, plan: RecallSettings) -> Measured:
    """Measure one row, or keep its place with the reason why not."""
    reason = bench.stand.lacks(row)
    if reason is not None:
        return skipped(row, reason)
    if plan.rows is not None and row.name not in plan.rows:
        if row.after is not None:
            # Changes add up: the next row is asked of what this one leaves.
            lifecycle.apply(row.after, bench.material.lifecycle, bench.library)
        return skipped(row, LEFT_OUT)
    queries = bench.material.asked_by(row)
    total = len(queries) * (1 + asker.repetitions)
    with ExitStack() as stack:
        advance = stack.enter_context(bench.step(row.name, total))
        if row.after is not None:
            lifecycle.apply(row.after, bench.material.lifecycle, bench.library)
        if row.fails and bench.watch is not None:
            stack.enter_context(bench.watch.fault("error"))
        return asker.measure(row, queries, bench.library.held(row.wing), advance)


def _faults(
    bench: Bench,
    asker: Asker,
    plan: RecallSettings,
    results: Mapping[str, ConfigurationResult],
) -> tuple[FaultResult, ...]:
    """Run the fault matrix where there is an embedder to fail and modes that embed."""
    needed = (results[VECTOR], results[HYBRID])
    unmeasured = any(each.skip_reason is not None for each in needed)
    if bench.watch is None or unmeasured or not plan.faults:
        return ()
    matrix = FaultMatrix(
        asker,
        bench.watch,
        sample(bench.material.queries[MAIN], plan.fault_queries),
        documents_of(results[KEYWORD]),
        plan.faults,
    )
    with bench.step("faults", len(plan.faults) * len(MODES)) as advance:
        return matrix.run(advance)
