"""``harness reproduce`` on a LongMemEval report: the same questions, or the reason."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cli import main, reproduce_longmemeval
from harness.errors import ExitCode
from tests.datafiles import ROOT
from tests.fake_palace import Answer, FakePalace, answer, refusal
from tests.fakes import served
from tests.haystack_runs import a_file, a_palace
from tests.haystacks import an_entry


class Endpoint:
    """An embeddings endpoint; as many numbers as the daemon takes."""

    def handle(self, _method: str, _target: str, body: bytes) -> Answer:
        rows = [
            {"index": place, "embedding": [float(len(text)), *[1.0] * 767]}
            for place, text in enumerate(json.loads(body)["input"])
        ]
        return answer({"data": rows})


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have journals written here, and nothing set that a run would look at."""
    for name in ("URL", "MODEL", "API_KEY", "API_KEY_FILE", "DIMENSION"):
        monkeypatch.delenv(f"EVAL_EMBEDDINGS_{name}", raising=False)
    for name in ("EVAL_OUT", "EVAL_LONGMEMEVAL_LIMIT", "HARNESS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "reports"
    monkeypatch.setattr(reproduce_longmemeval, "REPORTS", folder)
    return folder


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with served(Endpoint()) as address:
        monkeypatch.setenv("EVAL_EMBEDDINGS_URL", f"{address}/v1")
        monkeypatch.setenv("EVAL_EMBEDDINGS_MODEL", "m")
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    names = ("q1", "q2", "q3_abs")
    asked = "Who moved to Oslo?"
    return a_file(tmp_path, *(an_entry(name, question=asked) for name in names))


def stored(folder: Path, path: Path, *words: str, palace: FakePalace) -> Path:
    """Measure a fake, and keep the report."""
    report = folder / "stored.json"
    cache = ["--embedding-cache", str(folder / "vectors")]
    with served(palace) as url:
        words = ("--url", url, "--out", str(report), *cache, *words)
        main(["longmemeval", str(path), *words])
    return report


def again(
    report: Path, *words: str, path: Path | None, palace: FakePalace | None = None
) -> int:
    """Reproduce a report against a daemon that is empty."""
    given = [] if path is None else ["--dataset", str(path)]
    cache = ["--embedding-cache", str(report.parent / "vectors")]
    with served(palace or a_palace()) as url:
        return main(["reproduce", str(report), "--url", url, *given, *cache, *words])


def test_the_same_questions_by_the_same_policies_come_out_the_same(
    tmp_path: Path, path: Path, reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--limit", "2", "--text", "user", "--isolation", "isolated"]
    report = stored(tmp_path, path, *words, palace=a_palace())
    capsys.readouterr()
    palace = a_palace()

    assert again(report, path=path, palace=palace) == ExitCode.PASSED
    assert "are the same, to the bit" in capsys.readouterr().out
    assert sum(each.method == "DELETE" for each in palace.requests) == 2
    assert list(reports.glob("*")) == []


def test_another_ranking_is_named(
    tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = stored(tmp_path, path, palace=a_palace())
    palace = a_palace()
    palace.rewrite = lambda _asked, hits: hits[1:]
    capsys.readouterr()

    assert again(report, "--json", path=path, palace=palace) == ExitCode.GATE_FAILED
    found = json.loads(capsys.readouterr().out)
    assert found["first_difference"]["configuration"] == "lexical"


@pytest.mark.usefixtures("endpoint")
def test_a_report_with_vectors_takes_its_model(
    tmp_path: Path,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--model-tokens", "3", "--oversize", "truncate"]
    report = stored(tmp_path, path, *words, palace=a_palace())
    assert again(report, path=path) == ExitCode.PASSED

    monkeypatch.setenv("EVAL_EMBEDDINGS_MODEL", "n")
    assert again(report, path=path) == ExitCode.NOTHING_MEASURED
    assert "'m', EVAL_EMBEDDINGS_MODEL is 'n'" in capsys.readouterr().err

    monkeypatch.delenv("EVAL_EMBEDDINGS_URL")
    assert again(report, path=path) == ExitCode.UNAVAILABLE
    assert "EVAL_EMBEDDINGS_URL is not set" in capsys.readouterr().err


def test_a_model_in_the_environment_is_none_of_a_lexical_report(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = stored(tmp_path, path, palace=a_palace())
    monkeypatch.setenv("EVAL_EMBEDDINGS_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("EVAL_EMBEDDINGS_MODEL", "m")
    assert again(report, path=path) == ExitCode.PASSED


def test_another_file_is_refused_by_its_hash(
    tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = stored(tmp_path, path, palace=a_palace())
    a_file(tmp_path, an_entry("q1"))
    assert again(report, path=path) == ExitCode.NOTHING_MEASURED
    assert "SHA-256" in capsys.readouterr().err


def test_a_file_that_is_nowhere_is_to_be_named(
    tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = stored(tmp_path, path, palace=a_palace())
    assert again(report, path=None) == ExitCode.NOTHING_MEASURED
    assert "with --dataset" in capsys.readouterr().err


def test_a_report_with_errors_has_nothing_to_come_out_the_same(
    tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    palace = a_palace()
    palace.faults["POST", "/api/search"] = refusal(500, "broken", "no")
    report = stored(tmp_path, path, palace=palace)
    capsys.readouterr()
    assert again(report, path=path) == ExitCode.NOTHING_MEASURED
    assert "failed" in capsys.readouterr().err


def test_timed_passes_are_refused(tmp_path: Path, path: Path) -> None:
    report = stored(tmp_path, path, palace=a_palace())
    assert again(report, "--repetitions", "2", path=path) == ExitCode.USAGE


def test_other_errata_than_the_reports_are_refused(
    tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errata = tmp_path / "mine.toml"
    errata.write_bytes(
        (ROOT / "datasets" / "longmemeval-errata.toml").read_bytes() + b"\n# mine\n"
    )
    report = stored(tmp_path, path, "--errata", str(errata), palace=a_palace())
    assert again(report, path=path) == ExitCode.NOTHING_MEASURED
    assert "errata 'mine.toml'" in capsys.readouterr().err
