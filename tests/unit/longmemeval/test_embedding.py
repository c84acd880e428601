"""What a model adds to a run: counts in the report, and errors with a place."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cli import main
from harness.errors import ExitCode
from harness.measure.longmemeval.assemble import report_from_journals
from harness.measure.longmemeval.endpoint import embedding_facts
from harness.measure.longmemeval.journal import read_journal
from harness.measure.longmemeval.records import Embedding
from harness.measure.longmemeval.run import run_shard
from harness.report.quality import quality_json, quality_view
from harness.report.store import load
from tests.fake_palace import Answer, answer
from tests.fakes import served
from tests.haystack_runs import (
    WordEmbedder,
    a_file,
    a_palace,
    a_plan,
    facts_of,
    machinery,
    measured,
)
from tests.haystacks import a_chat, an_entry, said


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EVAL_LONGMEMEVAL_LIMIT", "EVAL_OUT", "EVAL_EMBEDDINGS_API_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


def counts(**changes: float | None) -> Embedding:
    fields: dict[str, float | None] = dict.fromkeys(Embedding.model_fields, 0)
    del fields["kind"]
    return Embedding.model_validate(fields | changes)


def test_counts_of_all_starts_and_workers_are_added_up() -> None:
    found = embedding_facts(
        [
            counts(requests=3, tokens_billed=7, busy_s=1.0, span_s=2.0, flight_s=4.0),
            counts(requests=2, tokens_billed=None, busy_s=2.0, span_s=2.0),
        ],
        dimension=384,
    )
    assert found is not None
    assert (found.requests, found.tokens_billed, found.dimension) == (5, 7, 384)
    assert (found.busy_share, found.mean_in_flight) == (0.75, 1.0)


def test_where_all_vectors_were_there_already_there_is_no_share() -> None:
    found = embedding_facts([counts(requests=1, tokens_billed=None)], dimension=3)
    assert found is not None
    assert (found.busy_share, found.mean_in_flight, found.tokens_billed) == (None,) * 3


def test_a_run_reports_what_it_asked_for(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2"))
    embedder = WordEmbedder()
    report = measured(a_plan(path, embedder=embedder), a_palace(), embedder)
    found = facts_of(report).embedding
    assert found is not None
    assert (found.texts, found.requests, found.dimension) == (8, 2, 768)


def test_a_lexical_run_asked_for_nothing(tmp_path: Path) -> None:
    report = measured(a_plan(a_file(tmp_path, an_entry("q1"))), a_palace())
    assert facts_of(report).embedding is None


def test_counts_of_a_run_that_went_on_include_those_before(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2"))
    journal = tmp_path / "run.journal.jsonl"
    plan = a_plan(path, embedder=WordEmbedder())
    for index in (0, 1):
        run_shard(plan, [index], journal, machinery(a_palace(), WordEmbedder()))

    assert sorted(read_journal(journal).embedded) == [1, 2]
    found = facts_of(report_from_journals([journal])).embedding
    assert found is not None
    assert (found.texts, found.requests) == (8, 2)


def test_what_embedding_took_is_no_quality(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_entry("q1"))
    embedder = WordEmbedder()
    report = measured(a_plan(path, embedder=embedder), a_palace(), embedder)
    facts = facts_of(report)
    assert facts.embedding is not None
    dearer = facts.embedding.model_copy(update={"requests": 900, "cache_hits": 9})
    other = report.model_copy(
        update={"longmemeval": facts.model_copy(update={"embedding": dearer})}
    )
    view = quality_view(report)["longmemeval"]
    assert isinstance(view, dict)
    assert "embedding" not in view
    assert quality_json(other) == quality_json(report)


class Endpoint:
    """An embeddings endpoint that has no number for some texts."""

    def __init__(self) -> None:
        self.fails = "\0"

    def handle(self, _method: str, _target: str, body: bytes) -> Answer:
        texts = json.loads(body)["input"]
        rows = [
            {"index": place, "embedding": self.vector(text)}
            for place, text in enumerate(texts)
        ]
        return answer({"data": rows})

    def vector(self, text: str) -> list[float]:
        first = 0.0 if self.fails in text else float(len(text))
        return [first, *[0.0 if self.fails in text else 1.0] * 767]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    made = Endpoint()
    with served(made) as address:
        monkeypatch.setenv("EVAL_EMBEDDINGS_URL", f"{address}/v1")
        monkeypatch.setenv("EVAL_EMBEDDINGS_MODEL", "m")
        yield made


@pytest.fixture
def url() -> Iterator[str]:
    with served(a_palace()) as address:
        yield address


def run(folder: Path, path: Path, url: str, *words: str) -> int:
    fixed = ["--out", str(folder / "r.json"), "--embedding-cache", str(folder / "v")]
    return main(["longmemeval", str(path), "--url", url, *fixed, *words])


def test_where_only_embedding_failed_the_run_ends_with_69_and_goes_on(
    tmp_path: Path, url: str, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.fails = "bread"
    sound = an_entry("q2")
    sound["haystack_sessions"][0] = a_chat("salt")
    path = a_file(tmp_path, an_entry("q1"), sound)

    assert run(tmp_path, path, url) == ExitCode.UNAVAILABLE
    out, err = capsys.readouterr()
    assert "q1, embed: no usable vector for session 0 ('chat_a')" in out
    assert "EMBEDDING FAILED" in err

    endpoint.fails = "\0"
    assert run(tmp_path, path, url) == ExitCode.PASSED
    assert facts_of(load(tmp_path / "r.json")).errors == ()


def test_where_nothing_could_be_embedded_it_is_69_too(
    tmp_path: Path, url: str, endpoint: Endpoint
) -> None:
    endpoint.fails = "bread"
    path = a_file(tmp_path, an_entry("q1"))
    assert run(tmp_path, path, url) == ExitCode.UNAVAILABLE


def test_a_turn_without_a_vector_is_named_by_session_and_turn(
    tmp_path: Path, url: str, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.fails = "boats, then"
    path = a_file(tmp_path, an_entry("q1"))
    words = ["--granularity", "turn", "--gold", "any_turn"]
    run(tmp_path, path, url, *words)
    assert "session 2, turn 1 ('chat_c_2')" in " ".join(capsys.readouterr().out.split())


def test_a_question_without_a_vector_is_named_as_such(
    tmp_path: Path, url: str, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.fails = "Where does q1 live?"
    run(tmp_path, a_file(tmp_path, an_entry("q1")), url)
    assert "no usable vector for the question" in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.usefixtures("endpoint")
def test_the_models_limit_is_an_option_and_part_of_the_rule(
    tmp_path: Path, url: str
) -> None:
    entry = an_entry("q1")
    entry["haystack_sessions"][0] = [said("user", "bread " * 100)]
    path = a_file(tmp_path, entry)
    assert run(tmp_path, path, url, "--model-tokens", "50") == ExitCode.PASSED

    facts = facts_of(load(tmp_path / "r.json"))
    assert facts.oversize_rule == "chunk above 50 tokens"
    assert facts.split_documents == 1
    assert facts.embedding is not None
    assert facts.embedding.chunked == 1


@pytest.mark.usefixtures("endpoint")
def test_a_dry_run_says_what_is_then_sent(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Nine questions of one haystack: what one of them embeds serves all.
    path = a_file(tmp_path, *(an_entry(f"q{number}") for number in range(9)))
    assert main(["longmemeval", str(path), "--dry-run"]) == ExitCode.PASSED
    estimated = " ".join(capsys.readouterr().out.split())

    assert run(tmp_path, path, url) == ExitCode.PASSED
    found = facts_of(load(tmp_path / "r.json")).embedding
    assert found is not None
    assert found.cache_hits + found.joined == 8 * 3
    assert f"{found.tokens} tokens in {found.requests} requests" in estimated
