"""The harness and the reference daemon bring MemCastle's published numbers.

The data set and its baseline are MemCastle's own files. Neither is part of this
repository; without them the test is skipped, loudly.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.dataset.read import read_dataset
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.measure.progress import SilentProgress
from harness.report.model import Report
from harness.runtime.embedded import EmbeddedRuntime
from tests.datafiles import a_case_file

pytestmark = pytest.mark.postgres

CONFIGURATIONS = ["lexical", "semantic", "hybrid", "lexical+expand"]
TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def data_file() -> Path:
    return a_case_file("memcastle/core.json")


@pytest.fixture(scope="module")
def report(data_file: Path) -> Report:
    """One evaluation of MemCastle's data set on the reference daemon."""
    return evaluate(
        read_dataset(data_file),
        EmbeddedRuntime("release", reason="a test"),
        EvaluationSettings(repetitions=1),
        SilentProgress(),
    )


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    """The published figures, by configuration."""
    baseline = json.loads(a_case_file("memcastle/baseline.json").read_bytes())
    return {run["name"]: run for run in baseline["runs"]}


def differences(
    got: dict[str, float], wanted: dict[str, float]
) -> dict[str, tuple[float | None, float]]:
    """Pick the metrics that are not the published ones, or are missing."""
    return {
        name: (got.get(name), value)
        for name, value in wanted.items()
        if name not in got or abs(got[name] - value) > TOLERANCE
    }


def test_every_published_configuration_is_measured(
    report: Report, published: dict[str, Any]
) -> None:
    assert list(published) == CONFIGURATIONS
    assert [each.name for each in report.configurations] == CONFIGURATIONS


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_metrics_over_all_queries_are_the_published_ones(
    report: Report, published: dict[str, Any], name: str
) -> None:
    result = next(each for each in report.configurations if each.name == name)
    assert result.queries == published[name]["queries"]
    assert differences(dict(result.metrics), published[name]["metrics"]) == {}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_metrics_of_every_category_are_the_published_ones(
    report: Report, published: dict[str, Any], name: str
) -> None:
    result = next(each for each in report.configurations if each.name == name)
    wanted = published[name]["by_category"]
    assert set(result.by_category) == set(wanted)
    found = {
        category: differences(dict(result.by_category[category]), metrics)
        for category, metrics in wanted.items()
    }
    assert found == {category: {} for category in wanted}


def test_every_hit_obeys_the_invariants(report: Report) -> None:
    assert [each.violations for each in report.invariants] == [(), (), (), ()]
    assert all(each.checked for each in report.invariants)
