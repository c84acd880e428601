"""Whole runs with the real daemon, and with a real endpoint where there is a model."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.haystacks import write_haystacks
from harness.cli import main
from harness.errors import ExitCode
from harness.report.longmemeval import EmbeddingFacts
from harness.report.model import Report
from harness.report.store import load
from harness.runtime.embedder import EmbedderProcess, EmbedderWish, embedder_setup
from tests.datafiles import ROOT
from tests.haystack_runs import facts_of

pytestmark = pytest.mark.postgres

SYNTHETIC = ROOT / "datasets" / "longmemeval-synthetic.json"
LATENCY_MS = 200


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Start an endpoint that takes its time over every answer."""
    wish = EmbedderWish(
        model="trigram-384",
        dimension=384,
        settings={"EMBEDDER_LATENCY_MS": str(LATENCY_MS)},
    )
    with tempfile.TemporaryDirectory() as folder:
        process = EmbedderProcess(embedder_setup(wish), Path(folder))
        try:
            yield process.running.url
        finally:
            process.stop()


@pytest.fixture
def endpoint(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVAL_EMBEDDINGS_URL", address)
    monkeypatch.setenv("EVAL_EMBEDDINGS_MODEL", "trigram-384")


def run(folder: Path, path: Path, *words: str) -> Report:
    out = folder / "report.json"
    fixed = ["--runtime", "embedded", "--embedding-cache", str(folder / "vectors")]
    code = main(["longmemeval", str(path), "--out", str(out), *fixed, *words])
    assert code == ExitCode.PASSED
    return load(out)


def embedding_of(report: Report) -> EmbeddingFacts:
    found = facts_of(report).embedding
    assert found is not None
    return found


def a_locomo_file(folder: Path) -> Path:
    """Write two talks, of which each knows the answer to its own question."""
    samples = [
        {
            "sample_id": name,
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Ben",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "Ann", "dia_id": "D1:1", "text": "We baked bread."},
                    {"speaker": "Ben", "dia_id": "D1:2", "text": "It was good."},
                ],
                "session_2_date_time": "9:10 am on 9 May, 2023",
                "session_2": [
                    {
                        "speaker": "Ann",
                        "dia_id": "D2:1",
                        "text": f"I moved to {town} in spring.",
                    }
                ],
            },
            "qa": [
                {
                    "question": "Which town did Ann move to?",
                    "answer": town,
                    "evidence": ["D2:1"],
                    "category": 4,
                }
            ],
        }
        for name, town in (("one", "Oslo"), ("two", "Rome"))
    ]
    path = folder / "locomo.json"
    path.write_text(json.dumps(samples))
    return path


def test_a_locomo_file_is_measured_as_a_longmemeval_file_is(tmp_path: Path) -> None:
    report = run(tmp_path, a_locomo_file(tmp_path))
    facts = facts_of(report)

    assert facts.file.layout == "LoCoMo"
    assert facts.embedding is None
    assert [each.gold["answer_session_ids"] for each in facts.questions] == [
        ("session_2",)
    ] * 2
    assert report.configurations[0].metrics["hit@1"] == 1.0
    assert any(each.code == "locomo" for each in report.warnings)


@pytest.mark.usefixtures("endpoint")
def test_what_is_sent_is_what_the_dry_run_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["longmemeval", str(SYNTHETIC), "--dry-run"]) == ExitCode.PASSED
    estimated = " ".join(capsys.readouterr().out.split())
    found = embedding_of(run(tmp_path, SYNTHETIC))

    assert found.joined + found.cache_hits > 0, "questions of this file share texts"
    assert f"{found.tokens} tokens in {found.requests} requests" in estimated


@pytest.mark.slow
@pytest.mark.usefixtures("endpoint")
def test_an_endpoint_that_is_the_bottleneck_is_busy_nine_tenths_of_the_time(
    tmp_path: Path,
) -> None:
    path = tmp_path / "generated.json"
    write_haystacks(path, 16, scale=0.1)
    found = embedding_of(run(tmp_path, path))

    assert found.busy_share is not None
    assert found.busy_share >= 0.9
    # A second run is paid for by the first: it asks for the probe alone.
    again = embedding_of(run(tmp_path, path))
    assert (again.requests, again.tokens, again.cache_hits) == (1, 0, found.fragments)
