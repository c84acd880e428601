"""The same data and daemon give the same report, whatever the run and the build."""

from pathlib import Path

import pytest

from harness.dataset.read import read_dataset
from harness.judge.discrimination import with_discrimination
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.measure.progress import SilentProgress
from harness.report.quality import quality_json
from harness.runtime.embedded import EmbeddedRuntime
from harness.runtime.palace import Build

CORE = Path(__file__).resolve().parents[2] / "datasets" / "core.json"
RUNS = 10

pytestmark = [pytest.mark.postgres, pytest.mark.slow]


def kept(build: Build) -> bytes:
    """Run one evaluation; return its report less timings and facts of the host."""
    report = evaluate(
        read_dataset(CORE),
        EmbeddedRuntime(build),
        EvaluationSettings(repetitions=1),
        SilentProgress(),
    )
    return quality_json(with_discrimination(report), evidence=True)


def test_ten_runs_and_both_builds_give_one_report() -> None:
    reports = [kept("release") for _ in range(RUNS)] + [kept("debug")]

    assert len(reports[0]) > 10_000
    assert set(reports) == {reports[0]}
