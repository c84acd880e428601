"""Put one daemon before the gates, and see which of them turns red, and by what."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from harness.dataset.model import Dataset
from harness.dataset.read import read_dataset
from harness.errors import (
    DaemonDiedError,
    DaemonError,
    DaemonNotReadyError,
    DatasetError,
)
from harness.judge.baseline import Baseline, load_baseline
from harness.judge.comparable import from_report
from harness.judge.compare import compare
from harness.judge.demands import Finding
from harness.judge.discrimination import with_discrimination
from harness.judge.gate import gate
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.measure.progress import SilentProgress
from harness.report.model import Report
from tests.mutants.catalogue import Fault
from tests.mutants.stand import Stand

ROOT = Path(__file__).resolve().parents[2]


class Way(Enum):
    """How a gate saw that something is wrong, the gravest first."""

    REFUSED = "refused"
    """The daemon broke the contract or lost what it confirmed: no report at all."""
    INVARIANT = "invariant"
    """A hit that must never be returned, or passes that differ."""
    REGRESSION = "regression"
    """A metric fell by more than the threshold."""
    CHECK = "check"
    """A recall tier's value is not the one it must be."""
    OTHER = "other demand"
    """Configurations that are not told apart, or a metric that is gone."""
    UNREPEATED = "unrepeated"
    """A second run of the same daemon gave other rankings."""
    SLOWER = "slower"
    """Interleaved with a sound daemon, it took longer, and did so again."""


@dataclass(frozen=True)
class Bench:
    """A data set with the baseline that was accepted on it.

    Attributes:
        name: How tables call it.
        dataset: What is asked.
        baseline: What the answers are held against.
        repeats: Whether a second pass and a second run must bring the same, which
            ``harness eval`` and ``harness reproduce`` look at, and the gate does not.
    """

    name: str
    dataset: Dataset
    baseline: Baseline
    repeats: bool = False


@dataclass(frozen=True)
class Sight:
    """What one gate saw first."""

    way: Way
    text: str


@dataclass(frozen=True)
class Look:
    """What one bench made of one daemon.

    Attributes:
        bench: Which.
        sight: What turned its gate red; ``None`` where it is green.
        moved: How many rankings are not the accepted ones, which the gate shows and
        does not judge.
        note: Why it is green, where that is not plain.
    """

    bench: str
    sight: Sight | None
    moved: int = 0
    note: str = ""


def read_benches() -> dict[str, Bench]:
    """Read the benches in the order in which they are asked."""
    core, field = (
        Bench(
            name,
            read_dataset(ROOT / "datasets" / f"{name}.json"),
            load_baseline(ROOT / "baselines" / f"{name}.json"),
        )
        for name in ("core", "field")
    )
    again = Bench("again", core.dataset, core.baseline, repeats=True)
    return {bench.name: bench for bench in (core, field, again)}


def look(stand: Stand, fault: Fault | None, bench: Bench) -> Look:
    """Measure a daemon on one bench.

    Args:
        stand: Starts the daemon.
        fault: What is wrong with it; ``None`` for a sound one.
        bench: What to ask and what to hold the answers against.

    Raises:
        DaemonDiedError: It ended: the fault is planted wrongly, and says nothing.
        DaemonNotReadyError: It did not start, likewise.
    """
    try:
        report = _measured(stand, fault, bench)
        second = _measured(stand, fault, bench) if bench.repeats else None
    except (DaemonDiedError, DaemonNotReadyError):
        raise
    except (DaemonError, DatasetError) as error:
        return Look(bench.name, Sight(Way.REFUSED, error.what))
    verdict = gate(report, bench.baseline)
    moved = len(verdict.comparison.rankings) if verdict.comparison else 0
    failing = [finding for finding in verdict.findings if finding.fails]
    if failing:
        first = min(failing, key=lambda finding: list(Way).index(_way(finding)))
        return Look(bench.name, Sight(_way(first), first.text), moved)
    differs = None if second is None else _unrepeated(report, second)
    return Look(bench.name, differs, moved)


def _measured(stand: Stand, fault: Fault | None, bench: Bench) -> Report:
    report = evaluate(
        bench.dataset,
        stand.runtime(fault),
        EvaluationSettings(repetitions=int(bench.repeats)),
        SilentProgress(),
    )
    return with_discrimination(report)


def _unrepeated(first: Report, second: Report) -> Sight | None:
    """Say where two runs differ, if they do."""
    changes = compare(from_report(first), from_report(second)).rankings
    if not changes:
        return None
    change = changes[0]
    text = (
        f"{change.configuration}, query {change.query}: two runs differ from rank "
        f"{change.rank} on"
    )
    return Sight(Way.UNREPEATED, text)


def _way(finding: Finding) -> Way:
    if finding.code.startswith("invariant"):
        return Way.INVARIANT
    if finding.code == "repeated-hit":
        return Way.INVARIANT
    return Way.REGRESSION if finding.code == "regression" else Way.OTHER
