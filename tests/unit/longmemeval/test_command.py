"""``harness longmemeval``: each way to end, and what is left behind."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cli import main
from harness.errors import ExitCode
from harness.report.store import load
from tests.fake_palace import Answer, FakePalace, answer, refusal
from tests.fakes import served
from tests.haystack_runs import a_file, a_palace, facts_of
from tests.haystacks import a_chat, an_entry, with_sessions


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(("EVAL_", "HARNESS_TOKEN")):
            monkeypatch.delenv(name)


@pytest.fixture
def palace() -> FakePalace:
    return a_palace()


@pytest.fixture
def url(palace: FakePalace) -> Iterator[str]:
    with served(palace) as address:
        yield address


def run(folder: Path, path: Path, *words: str) -> int:
    """Measure a file, the report in a place of its own."""
    return main(["longmemeval", str(path), "--out", str(folder / "r.json"), *words])


def journals(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.journal.jsonl"))


def test_a_sound_run_leaves_a_report_and_no_journal(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2_abs"))
    assert run(tmp_path, path, "--url", url) == ExitCode.PASSED

    report = load(tmp_path / "r.json")
    output = capsys.readouterr().out
    assert report.suite == "longmemeval"
    assert report.dataset.name == "longmemeval:haystacks.json"
    assert journals(tmp_path) == []
    assert "lexical (1)" in output
    assert "lexical, all (2)" in output
    assert "chance" in output
    assert "NO HEADLINE" not in output


def test_a_stored_report_is_shown_and_compared(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, a_file(tmp_path, an_entry("q1")), "--url", url)
    stored = str(tmp_path / "r.json")
    printed = capsys.readouterr().out

    assert main(["show", stored]) == ExitCode.PASSED
    assert capsys.readouterr().out == printed
    assert main(["compare", stored, stored]) == ExitCode.PASSED
    assert "No metric changed." in capsys.readouterr().out


def test_reports_of_other_policies_do_not_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path, an_entry("q1"))
    for name, text in (("a.json", "full"), ("b.json", "user")):
        with served(a_palace()) as url:
            words = ["--text", text, "--url", url, "--out", str(tmp_path / name)]
            assert main(["longmemeval", str(path), *words]) == ExitCode.PASSED
    capsys.readouterr()

    words = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert main(["compare", *words]) == ExitCode.NOTHING_MEASURED
    assert "policies" in capsys.readouterr().out


def test_a_wing_that_stands_alone_compares_with_one_that_was_isolated(
    tmp_path: Path,
) -> None:
    path = a_file(tmp_path, an_entry("q1"))
    for name in ("wing", "isolated"):
        with served(a_palace()) as url:
            out = str(tmp_path / f"{name}.json")
            words = ["--isolation", name, "--url", url, "--out", out]
            assert main(["longmemeval", str(path), *words]) == ExitCode.PASSED
    pair = [str(tmp_path / "wing.json"), str(tmp_path / "isolated.json")]
    assert main(["compare", *pair]) == ExitCode.PASSED


def test_an_error_fails_the_run_and_keeps_what_was_done(
    tmp_path: Path, url: str, palace: FakePalace, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2"))
    answers = iter([None, refusal(500, "broken", "no room")])
    palace.faults["POST", "/api/drawers/batch"] = lambda: next(answers, None)

    assert run(tmp_path, path, "--url", url) == ExitCode.GATE_FAILED
    out, err = capsys.readouterr()
    assert "NO HEADLINE" in out
    assert "q2, write: POST /api/drawers/batch answered 500" in out
    assert "asked again by the same command" in " ".join(err.split())
    assert len(journals(tmp_path)) == 1

    assert run(tmp_path, path, "--url", url) == ExitCode.PASSED
    assert facts_of(load(tmp_path / "r.json")).errors == ()
    assert journals(tmp_path) == []


def test_a_run_without_any_result_measured_nothing(
    tmp_path: Path, url: str, palace: FakePalace
) -> None:
    palace.faults["POST", "/api/search"] = refusal(500, "broken", "no")
    path = a_file(tmp_path, an_entry("q1"))
    assert run(tmp_path, path, "--url", url) == ExitCode.NOTHING_MEASURED


def test_a_violation_fails_the_run(
    tmp_path: Path, url: str, palace: FakePalace
) -> None:
    palace.rewrite = lambda _, __: [{"id": "stranger", "score": 1.0}]
    path = a_file(tmp_path, an_entry("q1"))
    assert run(tmp_path, path, "--url", url) == ExitCode.GATE_FAILED


def oracle(folder: Path) -> Path:
    return a_file(folder, with_sessions({"answer_1": a_chat("bread")}, ["answer_1"]))


def test_an_oracle_file_is_refused_with_the_reason(
    tmp_path: Path, url: str, palace: FakePalace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, oracle(tmp_path), "--url", url) == ExitCode.USAGE
    assert "every session of every question is evidence" in capsys.readouterr().err
    assert palace.requests == []


def test_an_oracle_file_that_is_asked_for_is_marked_trivial(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(tmp_path, oracle(tmp_path), "--url", url, "--oracle")
    assert code == ExitCode.PASSED
    facts = facts_of(load(tmp_path / "r.json"))
    assert facts.is_trivial
    assert facts.file.is_oracle
    assert capsys.readouterr().out.count("TRIVIAL") == 2


def test_a_file_that_scores_nothing_starts_nothing(
    tmp_path: Path, url: str, palace: FakePalace, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path, an_entry("q1_abs"))
    assert run(tmp_path, path, "--url", url) == ExitCode.NOTHING_MEASURED
    assert "1 abstention" in capsys.readouterr().err
    assert palace.requests == []
    assert run(tmp_path, path, "--url", url, "--abstention", "include") == 0


def test_a_dry_run_counts_and_starts_nothing(
    tmp_path: Path, url: str, palace: FakePalace, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2"))
    assert run(tmp_path, path, "--url", url, "--dry-run") == ExitCode.PASSED

    output = capsys.readouterr().out
    assert "2 read, 2 to ask, 2 to score" in output
    assert "a token for each 4 ASCII characters begun" in " ".join(output.split())
    assert palace.requests == []
    assert not (tmp_path / "r.json").exists()


def test_a_limit_from_the_environment_is_read_and_an_option_wins(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2"), an_entry("q3"))
    monkeypatch.setenv("EVAL_LONGMEMEVAL_LIMIT", "2")
    run(tmp_path, path, "--dry-run")
    assert "2 read" in capsys.readouterr().out
    run(tmp_path, path, "--dry-run", "--limit", "1")
    assert "1 read" in capsys.readouterr().out


def test_json_is_the_report_and_nothing_else(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_file(tmp_path, an_entry("q1"))
    assert run(tmp_path, path, "--url", url, "--json") == ExitCode.PASSED
    assert json.loads(capsys.readouterr().out)["suite"] == "longmemeval"


def test_a_journal_can_be_named(tmp_path: Path, url: str, palace: FakePalace) -> None:
    palace.faults["POST", "/api/search"] = refusal(500, "broken", "no")
    journal = tmp_path / "kept" / "mine.jsonl"
    path = a_file(tmp_path, an_entry("q1"))
    run(tmp_path, path, "--url", url, "--journal", str(journal))
    assert journal.exists()


def test_a_report_cannot_replace_the_file_it_is_of(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_entry("q1"))
    assert main(["longmemeval", str(path), "--out", str(path)]) == ExitCode.USAGE


CANARY = "sk-canary-4f1d"


class Endpoint:
    """An embeddings endpoint whose every text has a vector of its own length."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.texts: list[str] = []

    def handle(self, method: str, target: str, body: bytes) -> Answer:
        assert (method, target) == ("POST", "/v1/embeddings")
        texts = json.loads(body)["input"]
        texts = [texts] if isinstance(texts, str) else texts
        self.texts += texts
        rows = [
            {"index": place, "embedding": [float(len(text)), *[1.0] * self.rest]}
            for place, text in enumerate(texts)
        ]
        return answer({"data": rows, "model": "m"})

    @property
    def rest(self) -> int:
        return self.dimension - 1


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    made = Endpoint(dimension=768)
    with served(made) as address:
        monkeypatch.setenv("EVAL_EMBEDDINGS_URL", f"{address}/v1")
        monkeypatch.setenv("EVAL_EMBEDDINGS_MODEL", "m")
        monkeypatch.setenv("EVAL_EMBEDDINGS_API_KEY", CANARY)
        yield made


def test_an_endpoint_in_the_environment_adds_semantic_and_hybrid(
    tmp_path: Path, url: str, endpoint: Endpoint, palace: FakePalace
) -> None:
    path = a_file(tmp_path, an_entry("q1"))
    cache = str(tmp_path / "cache")
    words = ["--url", url, "--embedding-cache", cache]
    assert run(tmp_path, path, *words) == ExitCode.PASSED

    report = load(tmp_path / "r.json")
    assert [each.queries for each in report.configurations] == [1, 1, 1]
    assert report.environment.embedding_model == "m"
    assert facts_of(report).oversize_rule == "chunk above 8192 tokens"
    assert all(drawer.vector is not None for drawer in palace.drawers.values())
    assert "Where does q1 live?" in endpoint.texts


@pytest.mark.usefixtures("endpoint")
def test_the_key_is_nowhere_but_in_the_request(
    tmp_path: Path, url: str, palace: FakePalace, capsys: pytest.CaptureFixture[str]
) -> None:
    palace.faults["POST", "/api/search"] = refusal(500, "broken", "no")
    path = a_file(tmp_path, an_entry("q1"))
    cache = str(tmp_path / "cache")
    run(tmp_path, path, "--url", url, "--embedding-cache", cache)

    out, err = capsys.readouterr()
    left = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    sent = b"".join(each.body for each in palace.requests)
    assert len(journals(tmp_path)) == 1
    for place in (out.encode(), err.encode(), left, sent):
        assert CANARY.encode() not in place


def test_a_daemon_that_takes_no_such_vectors_is_refused_before_anything_is_written(
    tmp_path: Path, url: str, endpoint: Endpoint, palace: FakePalace
) -> None:
    endpoint.dimension = 3
    path = a_file(tmp_path, an_entry("q1"))
    cache = str(tmp_path / "cache")
    code = run(tmp_path, path, "--url", url, "--embedding-cache", cache)
    assert code == ExitCode.UNAVAILABLE
    assert palace.drawers == {}
