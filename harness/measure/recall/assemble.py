"""Put what a run brought into the report."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from harness.dataset.recall.model import CUTOFF, digest
from harness.dataset.vectors.trigrams import DESCRIPTION
from harness.measure.cautions import Circumstances, cautions_of
from harness.measure.facts import daemon_facts, environment_facts
from harness.measure.floor import Floor
from harness.measure.provenance import harness_facts
from harness.measure.recall.bench import Bench
from harness.measure.recall.ingest import Ingested
from harness.measure.recall.modes import Measured
from harness.measure.recall.rows import (
    HYBRID,
    HYBRID_FAILOPEN,
    SAME_RANKER,
    STEMMED,
    UNSTEMMED,
    VECTOR,
    VECTOR_FAILOPEN,
)
from harness.report.model import (
    Caution,
    ConfigurationResult,
    DatasetFacts,
    Environment,
    Invariant,
    Parameters,
    Report,
)
from harness.report.recall import FailOpen, FaultResult, RecallFacts, Stemming
from harness.runtime.base import RunningDaemon, Runtime

VERSION = 1
"""Version of the corpus: what its digest identifies is fixed for good."""

HEADLINE = f"recall@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class Origin:
    """When and on what a run was measured."""

    created_at: str
    runtime: Runtime
    running: RunningDaemon


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the steps of a run brought."""

    ingested: Ingested
    rows: tuple[Measured, ...]
    faults: tuple[FaultResult, ...]
    floor: Floor
    invariants: tuple[Invariant, ...]

    @property
    def results(self) -> tuple[ConfigurationResult, ...]:
        """The rows alone, in order."""
        return tuple(each.result for each in self.rows)


def report(
    bench: Bench, outcome: Outcome, parameters: Parameters, origin: Origin
) -> Report:
    """Put the report together; its checks are the judge's work."""
    daemon = daemon_facts(bench.stand.target)
    return Report(
        suite="recall",
        created_at=origin.created_at,
        harness=harness_facts(),
        daemon=daemon,
        dataset=_dataset(bench),
        environment=_environment(bench, origin),
        parameters=parameters,
        seeding=outcome.ingested.seeding,
        configurations=outcome.results,
        client_floor=outcome.floor.facts(),
        invariants=outcome.invariants,
        discrimination=(),
        warnings=(
            *origin.running.cautions,
            *cautions_of(
                outcome.results,
                Circumstances(
                    build=daemon.build,
                    repetitions=parameters.repetitions,
                    scale=parameters.scale,
                    foreign=bench.stand.foreign,
                    tells_time=True,
                    tells_plans=False,
                    floor_before=outcome.floor.service_before,
                    floor_after=outcome.floor.service_after,
                ),
            ),
            *_cautions(bench, outcome),
        ),
        phases=(*origin.running.phases, *bench.phases.taken),
        recall=_recall(bench, outcome),
    )


def _dataset(bench: Bench) -> DatasetFacts:
    corpus = bench.material.corpus
    return DatasetFacts(
        name=f"recall-{corpus.tier}",
        version=VERSION,
        sha256=digest(corpus.documents),
        documents=bench.material.documents,
        queries=bench.material.distinct_queries,
    )


def _environment(bench: Bench, origin: Origin) -> Environment:
    """Name what the daemon ran on, the constants of its ranking included."""
    vectors = DESCRIPTION if bench.stand.trigrams else "the daemon's own"
    environment = environment_facts(
        bench.stand.target, origin.runtime, origin.running, vectors=vectors
    )
    constants = {
        f"documents.{name}": value if isinstance(value, str) else json.dumps(value)
        for name, value in sorted(bench.stand.constants.items())
    }
    return environment.model_copy(
        update={"settings": {**environment.settings, **constants}}
    )


def _cautions(bench: Bench, outcome: Outcome) -> Iterator[Caution]:
    if bench.watch is None:
        yield Caution(
            code="embedder_unwatched",
            text="No embedder of ours is beside the daemon: that its modes ran rests "
            "on its own word and on its rankings, and no fault was tried.",
            remedy="Start the daemon here, without --url.",
        )
    cut = [each.result.name for each in outcome.rows if each.cut]
    if cut:
        yield Caution(
            code="scan_cut",
            text=f"The daemon left fragments out of its keyword scans: {', '.join(cut)}"
            ". What lies beyond the limit cannot be found by words.",
            remedy="Raise `keyword_scan`, or read these rows as of that limit.",
        )


def _recall(bench: Bench, outcome: Outcome) -> RecallFacts:
    material = bench.material
    recall = {result.name: result.metrics.get(HEADLINE) for result in outcome.results}
    stemmed, unstemmed = recall.get(STEMMED), recall.get(UNSTEMMED)
    vector, hybrid = recall.get(VECTOR), recall.get(HYBRID)
    vector_open, hybrid_open = recall.get(VECTOR_FAILOPEN), recall.get(HYBRID_FAILOPEN)
    return RecallFacts(
        tier=material.corpus.tier,
        variant=material.variant,
        k=CUTOFF,
        topics=material.corpus.topics,
        corpus_documents=len(material.corpus.documents),
        fail_open=(
            FailOpen(
                mode="vector",
                healthy_recall=vector,
                degraded_recall=vector_open,
                drop=_less(vector, vector_open),
            ),
            FailOpen(
                mode="hybrid",
                healthy_recall=hybrid,
                degraded_recall=hybrid_open,
                drop=_less(hybrid, hybrid_open),
            ),
        ),
        stemming=Stemming(
            stemmed_recall=stemmed,
            unstemmed_recall=unstemmed,
            same_ranker_recall=recall.get(SAME_RANKER),
            lift=_less(stemmed, unstemmed),
        ),
        faults=outcome.faults,
        embedded={
            each.result.name: each.embedded
            for each in outcome.rows
            if each.embedded is not None
        },
        tempo=outcome.ingested.tempo,
    )


def _less(first: float | None, second: float | None) -> float | None:
    """Subtract; what was not measured leaves no difference."""
    return None if first is None or second is None else first - second
