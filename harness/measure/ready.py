"""A daemon that holds a data set, proven and ready to be asked.

What was started for it ends with the block, whatever ends the block.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from harness.daemon.client import DaemonClient
from harness.daemon.timing import REAL_TIME, Time
from harness.dataset.configurations import CONFIGURATIONS, takes_part
from harness.dataset.model import Dataset
from harness.dataset.vectors.concepts import DESCRIPTION, DIMENSION, ConceptModel
from harness.errors import NothingMeasuredError, UsageError
from harness.measure import passes, proof, seeding
from harness.measure.cautions import Circumstances, cautions_of
from harness.measure.facts import daemon_facts, environment_facts
from harness.measure.floor import Floor
from harness.measure.invariants import InvariantChecks
from harness.measure.meter import Meter
from harness.measure.metrics import NDCG_GAIN
from harness.measure.phases import Phases, started
from harness.measure.progress import Progress
from harness.measure.provenance import harness_facts
from harness.measure.seeding import Seeded
from harness.measure.target import Target, meet
from harness.report.model import (
    ConfigurationResult,
    DatasetFacts,
    Parameters,
    Report,
)
from harness.runtime.base import RunningDaemon, Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """The knobs of an evaluation.

    Raises:
        UsageError: They contradict each other.
    """

    repetitions: int = 5
    """Timed passes after the scored one; 0 measures no latency."""
    scale: int = 0
    """Filler drawers written beside the data set."""
    limit: int = 10
    """Hits asked for."""
    cutoffs: tuple[int, ...] = (1, 3, 5, 10)
    allow_nonempty: bool = False
    """Whether to measure a palace that holds somebody's drawers."""
    timeout_s: float = 30.0
    """Most seconds a single request may take."""

    def __post_init__(self) -> None:
        if self.repetitions < 0 or self.scale < 0:
            raise UsageError(
                f"{self.repetitions} repetitions and a scale of {self.scale} were "
                f"asked for; neither can be below 0."
            )
        if not self.cutoffs or min(self.cutoffs) < 1 or max(self.cutoffs) > self.limit:
            raise UsageError(
                f"the cut-offs {self.cutoffs} do not lie between 1 and the limit of "
                f"{self.limit} hits.",
                remedy="What is not asked for cannot be found.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """One daemon with the data set in it, and everything its report will say."""

    asker: passes.Asker
    phases: Phases
    floor: Floor
    """Of the client; whoever measures takes it before and after."""
    target: Target
    runtime: Runtime
    running: RunningDaemon
    settings: EvaluationSettings
    created_at: str

    def report(self, results: Sequence[ConfigurationResult]) -> Report:
        """Put the report together, while the daemon still runs.

        The discrimination checks are left empty: they judge the numbers, which is the
        judge's work.

        Args:
            results: Of every configuration, in order.
        """
        target, running, settings = self.target, self.running, self.settings
        daemon = daemon_facts(target)
        cautions = cautions_of(
            results,
            Circumstances(
                build=daemon.build,
                repetitions=settings.repetitions,
                scale=settings.scale,
                foreign=target.foreign,
                tells_time=target.tells_time,
                floor_before=self.floor.service_before,
                floor_after=self.floor.service_after,
            ),
        )
        seeded, dataset = self.asker.seeded, self.asker.dataset
        return Report(
            created_at=self.created_at,
            harness=harness_facts(),
            daemon=daemon,
            dataset=_dataset_facts(dataset, seeded),
            environment=environment_facts(
                target, self.runtime, running, vectors=DESCRIPTION
            ),
            parameters=_parameters(settings),
            seeding=seeded.facts,
            configurations=tuple(results),
            client_floor=self.floor.facts(),
            invariants=self.asker.checks.results(),
            discrimination=(),
            warnings=(*running.cautions, *cautions),
            phases=(*running.phases, *self.phases.taken),
        )


@contextmanager
def ready(
    dataset: Dataset,
    runtime: Runtime,
    settings: EvaluationSettings,
    progress: Progress,
    *,
    time: Time = REAL_TIME,
) -> Iterator[Ready]:
    """Bring a daemon up, write the data set into it, and prove that it is there.

    Args:
        dataset: What to write and what to ask.
        runtime: Brings the daemon up, and down again however the block ends.
        settings: The knobs.
        progress: Is told where the run is.
        time: The clocks; a test gives its own.

    Raises:
        DaemonError: The daemon did not come up, died, or broke the contract.
        DatasetError: Two documents of a room have the same text.
        PrerequisiteError: The palace is not empty, or takes no such vectors.
        NothingMeasuredError: No query takes part in any configuration.
    """
    _refuse_unaskable(dataset)
    created_at = time.utc().isoformat(timespec="seconds").replace("+00:00", "Z")
    with (
        started(runtime, progress) as running,
        DaemonClient(
            running.url,
            running.token,
            settings.timeout_s,
            time=time,
            check=running.check,
        ) as client,
    ):
        vectors = ConceptModel(dataset.concepts)
        phases = Phases(time.clock, running.check, Meter(running.usage))
        target = meet(
            client, dimension=DIMENSION, allow_nonempty=settings.allow_nonempty
        )
        run = _Run(dataset, vectors, settings, progress, phases)
        seeded = _seed(run, target)
        yield Ready(
            asker=_asker(run, target, seeded),
            phases=phases,
            floor=Floor(client),
            target=target,
            runtime=runtime,
            running=running,
            settings=settings,
            created_at=created_at,
        )


@dataclass(frozen=True, slots=True)
class _Run:
    """What every step of getting ready needs."""

    dataset: Dataset
    vectors: ConceptModel
    settings: EvaluationSettings
    progress: Progress
    phases: Phases


def _refuse_unaskable(dataset: Dataset) -> None:
    """Fail before anything is started where nothing would be measured."""
    for configuration in CONFIGURATIONS:
        if any(takes_part(query, configuration) for query in dataset.queries):
            return
    raise NothingMeasuredError(
        f"no query of {dataset.name!r} takes part in any configuration.",
        where=str(dataset.path),
        remedy="Give the data set at least one judged query.",
    )


def _seed(run: _Run, target: Target) -> Seeded:
    """Write everything, let the daemon settle, and prove that it is there."""
    dataset, scale = run.dataset, run.settings.scale
    total = seeding.steps_of(dataset, scale)
    with run.phases.timed("seeding"), run.progress.phase("seeding", total) as advance:
        seeded = seeding.seed(
            target, dataset, run.vectors, scale=scale, advance=advance
        )
    with run.phases.timed("indexing"), run.progress.phase("indexing", None):
        proof.wait_until_searchable(target)
    with (
        run.phases.timed("reading back"),
        run.progress.phase("reading back", None) as advance,
    ):
        verified = proof.prove(target, dataset, seeded, advance)
    facts = seeded.facts.model_copy(update={"verified": verified})
    return replace(seeded, facts=facts)


def _asker(run: _Run, target: Target, seeded: Seeded) -> passes.Asker:
    queries = run.dataset.queries
    rows = run.vectors.embed_all([query.text for query in queries])
    return passes.Asker(
        client=target.client,
        dataset=run.dataset,
        seeded=seeded,
        query_vectors={query.id: row for query, row in zip(queries, rows, strict=True)},
        profile=target.profile,
        settings=passes.PassSettings(
            limit=run.settings.limit,
            cutoffs=run.settings.cutoffs,
            repetitions=run.settings.repetitions,
        ),
        checks=InvariantChecks(run.dataset),
        names=passes.Names(seeded.document_of),
    )


def _dataset_facts(dataset: Dataset, seeded: Seeded) -> DatasetFacts:
    return DatasetFacts(
        name=dataset.name,
        version=dataset.version,
        sha256=dataset.sha256,
        documents=len(seeded.document_of),
        queries=len(dataset.queries),
    )


def _parameters(settings: EvaluationSettings) -> Parameters:
    return Parameters(
        cutoffs=settings.cutoffs,
        limit=settings.limit,
        repetitions=settings.repetitions,
        scale=settings.scale,
        ndcg_gain=NDCG_GAIN,
    )
