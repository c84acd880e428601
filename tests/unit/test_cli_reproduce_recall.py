"""``harness reproduce`` of a recall tier: the same tier, order and sample again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli import main
from harness.dataset.recall.model import digest
from harness.dataset.recall.tiers import recall_corpus, shuffled
from harness.errors import ExitCode
from harness.measure.recall.run import RecallSettings
from harness.report.model import Report
from harness.report.store import save
from tests.builders import a_dataset, an_environment
from tests.recall_builders import a_recall_report, with_facts, with_fault

VECTORS = "fixture: hashed words and letter trigrams, 384-d"


@pytest.fixture
def stored() -> Report:
    """Measure the 1k tier, shuffled, at an address."""
    corpus = shuffled(recall_corpus("1k"))
    report = a_recall_report(
        dataset=a_dataset("recall-1k", digest(corpus.documents)),
        environment=an_environment(runtime="live", vectors=VECTORS),
    )
    return with_facts(report, variant="shuffled")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, stored: Report) -> list[RecallSettings]:
    """Note what is measured again, and let the same come out."""
    return _measuring(monkeypatch, lambda: stored)


def _measuring(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], Report]
) -> list[RecallSettings]:
    asked: list[RecallSettings] = []

    def measure(plan: RecallSettings, *_: object) -> Report:
        asked.append(plan)
        return make()

    monkeypatch.setattr("harness.cli.reproduce.measure_recall", measure)
    monkeypatch.delenv("EVAL_OUT", raising=False)
    return asked


def reproduce(stored: Report, folder: Path, *words: str) -> int:
    path = folder / "stored.json"
    save(stored, path)
    return main(["reproduce", str(path), "--url", "http://127.0.0.1:9", *words])


def test_the_same_is_asked_again_and_the_same_passes(
    stored: Report,
    asked: list[RecallSettings],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert reproduce(stored, tmp_path) == ExitCode.PASSED
    assert "are the same, to the bit" in capsys.readouterr().out
    assert asked == [
        RecallSettings(
            tier="1k",
            variant="shuffled",
            repetitions=0,
            limit=20,
            cutoffs=(1, 3, 5, 10),
            fault_queries=4,
        )
    ]


def test_fault_that_comes_to_something_else_is_named(
    stored: Report,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = with_fault(stored, "nan", "vector", codes={"memcastle::embed::failed": 4})
    _measuring(monkeypatch, lambda: other)

    assert reproduce(stored, tmp_path) == ExitCode.GATE_FAILED
    assert "recall faults" in capsys.readouterr().out


def test_corpus_that_is_made_otherwise_today_does_not_compare(
    stored: Report,
    asked: list[RecallSettings],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = stored.model_copy(update={"dataset": a_dataset("recall-1k")})

    assert reproduce(old, tmp_path) == ExitCode.NOTHING_MEASURED
    assert "this tier's corpus has" in capsys.readouterr().err
    assert asked == []


def test_data_set_file_is_refused(
    stored: Report, asked: list[RecallSettings], tmp_path: Path
) -> None:
    words = ["--dataset", str(tmp_path / "data.json")]

    assert reproduce(stored, tmp_path, *words) == ExitCode.USAGE
    assert asked == []


def test_embedder_of_a_daemon_that_runs_is_refused_for_one_that_is_started(
    stored: Report, asked: list[RecallSettings], tmp_path: Path
) -> None:
    started = stored.model_copy(update={"environment": an_environment(vectors=VECTORS)})
    path = tmp_path / "stored.json"
    save(started, path)
    words = ["--embedder", "http://127.0.0.1:1/v1", "http://127.0.0.1:2"]

    assert main(["reproduce", str(path), *words]) == ExitCode.USAGE
    assert asked == []
