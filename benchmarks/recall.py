"""How the recall tiers grow: each phase against what the documents alone would cost.

Every tier is run once from cold, in the release build, without the faults of the
embedder: what those cost is mostly waiting, and has nothing to do with documents.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.bench import Row
from harness.cli.target import PATIENCE, TRIGRAMS
from harness.dataset.recall.model import Tier
from harness.measure.progress import SilentProgress
from harness.measure.recall.run import RecallSettings, measure_recall
from harness.report.model import Report
from harness.report.recall import RecallFacts
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.embedder import embedder_setup

TIERS: tuple[Tier, ...] = ("smoke", "1k", "10k")

STARTING = frozenset({"postgres", "embedder", "daemon"})
"""Phases that are over before there is a document."""

LEAST_SHARE = 0.5
"""Documents that must go in for each text the embedder alone would serve."""

GAUGES = frozenset({"embedder alone", "client floor", "client floor again"})
"""Phases that gauge the embedder and the client: shown, and no growth of the daemon."""

RESOLUTION_S = 0.5
"""A phase that grew by less is not judged: a shared machine may add as much to any."""


@dataclass(frozen=True)
class TierRun:
    """What one tier took.

    Attributes:
        tier: Its name.
        documents: How many its corpus has; the slices are the same in each.
        phases: Phase to its seconds, in the order of the run.
        ingest_per_s: Documents of the corpus a second, written and searchable.
        embedder_per_s: Texts a second that the embedder alone serves.
    """

    tier: Tier
    documents: int
    phases: Mapping[str, float]
    ingest_per_s: float
    embedder_per_s: float

    @property
    def starting_s(self) -> float:
        """What it takes until the first document can be written."""
        return sum(s for name, s in self.phases.items() if name in STARTING)

    @property
    def measuring_s(self) -> float:
        """All the rest."""
        return sum(self.phases.values()) - self.starting_s

    @property
    def share(self) -> float:
        """How much of the embedder's rate ingestion reaches."""
        return self.ingest_per_s / self.embedder_per_s


@dataclass(frozen=True)
class Growth:
    """The tiers beside each other, the smallest first."""

    runs: Sequence[TierRun]

    def ratios(self, name: str) -> list[float]:
        """Return how a phase grew from tier to tier, over how the documents did.

        1 is linear in documents, below 1 is better.
        """
        return [
            (larger.phases[name] / smaller.phases[name])
            / (larger.documents / smaller.documents)
            for smaller, larger in pairwise(self.runs)
        ]

    def worse_than_linear(self) -> list[str]:
        """Name the phases that grew faster than the documents."""
        found = []
        for name in self._measuring():
            if name in GAUGES:
                continue
            steps = zip(pairwise(self.runs), self.ratios(name), strict=True)
            for (smaller, larger), ratio in steps:
                grew = larger.phases[name] - smaller.phases[name]
                if ratio > 1 and grew > RESOLUTION_S:
                    found.append(f"{name} ({smaller.tier} to {larger.tier})")
        return found

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _measuring(self) -> list[str]:
        return [name for name in self.runs[0].phases if name not in STARTING]

    def _lines(self) -> Iterator[str]:
        tiers = ", ".join(f"{run.tier} {run.documents:,}" for run in self.runs)
        yield f"recall tiers from cold, documents: {tiers}"
        names = [run.tier for run in self.runs]
        yield _line("", ["seconds", "", ""], ["a 1,000 documents", "", ""], ["growth"])
        yield _line("", names, names, names[1:])
        for name in self._measuring():
            seconds = [run.phases[name] for run in self.runs]
            ratios = [f"{ratio:.2f}" for ratio in self.ratios(name)]
            yield _line(name, *self._times(seconds), ratios)
        yield _line(
            "all of these", *self._times([run.measuring_s for run in self.runs])
        )
        yield _line("starting, before", *self._times([r.starting_s for r in self.runs]))
        grown = self.worse_than_linear()
        verdict = f"DOES NOT HOLD: {', '.join(grown)}" if grown else "holds"
        yield f"    growth over that of the documents, promised at most 1: {verdict}"

    def _times(self, seconds: Sequence[float]) -> tuple[list[str], list[str]]:
        each = zip(seconds, self.runs, strict=True)
        return (
            [f"{taken:.2f}" for taken in seconds],
            [f"{taken / run.documents * 1e3:.2f}" for taken, run in each],
        )


def recall() -> Iterator[Growth | Row]:
    """Run the three tiers one after the other; then say how they grew."""
    runs = [_run(tier) for tier in TIERS]
    yield Growth(runs)
    for run in runs:
        yield Row(
            f"ingestion of the corpus of {run.tier}",
            f"daemon {run.ingest_per_s:,.0f} documents/s",
            f"the embedder alone {run.embedder_per_s:,.0f} texts/s",
            run.share,
            # One small request is mostly its own cost.
            f"at least {LEAST_SHARE}" if run is runs[-1] else "",
            run.share >= LEAST_SHARE,
        )


def _run(tier: Tier) -> TierRun:
    runtime = EmbeddedRuntime(
        "release",
        setup=palace_setup("release", settings=PATIENCE),
        embedder=embedder_setup(TRIGRAMS),
    )
    report = measure_recall(
        RecallSettings(tier=tier, faults=()), runtime, SilentProgress()
    )
    return TierRun(
        tier,
        _facts(report).corpus_documents,
        {phase.name: phase.seconds for phase in report.phases},
        *_rates(report),
    )


def _rates(report: Report) -> tuple[float, float]:
    tempo = _facts(report).tempo
    if not tempo.documents_per_second or not tempo.embedder_per_second:
        raise ValueError("the run did not time its ingestion")
    return tempo.documents_per_second, tempo.embedder_per_second


def _facts(report: Report) -> RecallFacts:
    if report.recall is None:
        raise ValueError("the report is not of a recall tier")
    return report.recall


def _line(name: str, *groups: Sequence[str]) -> str:
    columns = "   ".join("".join(f"{each:>8}" for each in group) for group in groups)
    return f"    {name:<24}{columns}".rstrip()
