"""Put one daemon before the checks of a recall tier, as far as a fault concerns them.

A run of a few rows takes a second, and fails every check about the others, because
there is no value to check. What a fault is seen by are therefore the checks that have a
value, and a wrong one.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from harness.cli.target import PATIENCE, TRIGRAMS
from harness.daemon.embedder import FaultKind
from harness.dataset.recall.model import Tier
from harness.judge.recall.baseline import baseline_name, load_baseline
from harness.judge.recall.budgets import load_budgets
from harness.judge.recall.checks import checked
from harness.measure.progress import SilentProgress
from harness.measure.recall.run import RecallSettings, measure_recall
from harness.report.model import Report
from harness.runtime.base import RunningDaemon, RuntimeName
from harness.runtime.embedded import palace_setup
from harness.runtime.embedder import EmbedderProcess, embedder_setup
from harness.runtime.folders import run_folder
from tests.mutants.stand import Stand, StandRuntime, stand

HERE = Path(__file__).parent
BASELINES = HERE.parents[1] / "baselines"
BUDGETS = load_budgets(BASELINES / "budgets.toml")


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A fault, where it is looked for, and what must see it.

    Attributes:
        name: Its function in `plant_recall`, unless it is only other constants.
        rows: The rows to measure.
        caught_by: Names of checks that must turn red.
        spared: Names of checks that stay green all the same, so that a fault they
            cannot see is known to be seen by others.
        constants: What it changes in the ranking; empty where it is code.
        faults: Faults of the embedder to measure as well.
        tier: The tier on which it is looked for.
    """

    name: str
    rows: frozenset[str]
    caught_by: frozenset[str]
    spared: frozenset[str] = frozenset()
    constants: Mapping[str, object] = field(default_factory=dict)
    faults: tuple[FaultKind, ...] = ()
    tier: Tier = "smoke"

    @property
    def settings(self) -> RecallSettings:
        """What is measured of it; nothing is timed."""
        return RecallSettings(
            tier=self.tier, rows=self.rows, faults=self.faults, repetitions=0
        )

    @property
    def planted(self) -> dict[str, str]:
        """The variables that plant it."""
        if self.constants:
            return {"PALACE_RANKING": json.dumps(dict(self.constants))}
        return {"PYTHONPATH": str(HERE), "MUTANT": self.name}


@dataclass(frozen=True)
class Trial:
    """Daemons one after the other, over one Postgres and beside one embedder."""

    stand: Stand
    embedder: EmbedderProcess

    def report(self, settings: RecallSettings, mutant: Mutant | None = None) -> Report:
        """Measure a daemon with the fault in it, or a sound one, and check it."""
        planted = {} if mutant is None else mutant.planted
        told = TRIGRAMS.told_daemon(self.embedder.running.url)
        setup = replace(
            palace_setup("release", settings={**told, **PATIENCE, **planted}),
            module="plant_recall" if "MUTANT" in planted else "palace",
        )
        runtime = BesideEmbedder(StandRuntime(self.stand, setup), self.embedder)
        report = measure_recall(settings, runtime, SilentProgress())
        accepted = BASELINES / baseline_name(settings.tier, settings.variant)
        return checked(report, BUDGETS, load_baseline(accepted, BUDGETS))


@dataclass(frozen=True)
class BesideEmbedder:
    """A runtime whose daemon finds an embedder running."""

    runtime: StandRuntime
    embedder: EmbedderProcess

    @property
    def name(self) -> RuntimeName:
        """Which runtime, as a report names it."""
        return self.runtime.name

    @property
    def reason(self) -> str:
        """Why this runtime."""
        return self.runtime.reason

    def __enter__(self) -> RunningDaemon:
        """Start the daemon."""
        return replace(self.runtime.__enter__(), embedder=self.embedder.running)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the daemon; the embedder stays."""
        self.runtime.__exit__(kind, error, trace)


@contextmanager
def trial() -> Iterator[Trial]:
    """Start what all daemons share, for the block."""
    with stand() as made, run_folder() as folder:
        embedder = EmbedderProcess(embedder_setup(TRIGRAMS), folder)
        try:
            yield Trial(made, embedder)
        finally:
            embedder.stop()


def red(report: Report) -> set[str]:
    """Return the checks that have a value, and a wrong one."""
    failed = (check for check in report.checks if not check.passed)
    return {check.name for check in failed if check.value is not None}


def green(report: Report) -> set[str]:
    """Return the checks that hold."""
    return {check.name for check in report.checks if check.passed}
