"""A journal that was changed after it was written gives no report."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli import main
from harness.errors import ExitCode, ReportFormatError
from harness.measure.longmemeval.assemble import report_from_journals
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.run import measure_longmemeval, run_shard
from tests.fake_palace import refusal
from tests.fakes import served
from tests.haystack_runs import (
    WordEmbedder,
    a_file,
    a_palace,
    a_plan,
    facts_of,
    machinery,
    searches,
)
from tests.haystacks import Json, an_entry

FIRST = 2
"""Line of the first question, after the header and the start, from 0."""


@pytest.fixture
def plan(tmp_path: Path) -> LongMemEvalPlan:
    """Plan a run of two questions with a model."""
    path = a_file(tmp_path, an_entry("q0"), an_entry("q1"))
    return a_plan(path, embedder=WordEmbedder())


@pytest.fixture
def journal(plan: LongMemEvalPlan) -> Path:
    """Write the journal of a whole run, without what embedding took."""
    path = plan.path.with_name("whole.jsonl")
    run_shard(plan, [0, 1], path, machinery(a_palace(), WordEmbedder()))
    keep(path, [each for each in lines_of(path) if each["kind"] != "embedding"])
    return path


def lines_of(journal: Path) -> list[Json]:
    return [json.loads(line) for line in journal.read_text().splitlines()]


def keep(journal: Path, lines: list[Json]) -> None:
    journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def change(journal: Path, place: int, change: Callable[[Json], object]) -> None:
    """Change what one line holds; *place* is from 0."""
    lines = lines_of(journal)
    change(lines[place])
    keep(journal, lines)


def no_answers(record: Json) -> None:
    record["answers"] = []


def one_configuration_less(record: Json) -> None:
    del record["answers"][1]


def one_configuration_twice(record: Json) -> None:
    record["answers"][2] = record["answers"][0]


def a_repeated_hit(record: Json) -> None:
    hits = record["answers"][1]["hits"]
    hits.append([hits[0][0], None])


def rising_scores(record: Json) -> None:
    record["answers"][2]["hits"] = [["a", 0.5], ["b", None], ["c", 0.75]]


def another_index(record: Json) -> None:
    record["index"] = 2


def not_asked(record: Json) -> None:
    record.update(asked=False, answers=[])


CHANGES = [
    (no_answers, "its answers are of nothing, wanted was lexical, semantic, hybrid"),
    (one_configuration_less, "are of lexical, hybrid, wanted was lexical, semantic,"),
    (one_configuration_twice, "are of lexical, semantic, lexical, wanted was"),
    (a_repeated_hit, r"semantic has '\w+' again at rank \d"),
    (rising_scores, "hybrid has the score 0.75 at rank 3, after 0.5"),
    (another_index, "it has the index 2 of 2 questions"),
    (not_asked, "it has gold and was not asked"),
]


def test_what_a_run_wrote_is_a_report(journal: Path) -> None:
    assert len(report_from_journals([journal]).configurations) == 3


@pytest.mark.parametrize(("happens", "says"), CHANGES)
def test_a_record_that_no_run_writes_is_refused_by_question_and_line(
    journal: Path, happens: Callable[[Json], None], says: str
) -> None:
    change(journal, FIRST + 1, happens)

    with pytest.raises(ReportFormatError, match=says) as caught:
        report_from_journals([journal])
    assert caught.value.what.startswith("question 'q1' in line 4: ")
    assert caught.value.where == str(journal)
    assert "changed after it was written. Remove the file" in caught.value.remedy
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_run_does_not_go_on_from_a_changed_journal(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    change(journal, FIRST, no_answers)
    palace = a_palace()
    with pytest.raises(ReportFormatError, match="question 'q0' in line 3"):
        measure_longmemeval(plan, journal, machinery(palace, WordEmbedder()))
    assert palace.log == []


def test_an_answer_of_a_model_in_a_run_without_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lexical.jsonl"
    run_shard(
        a_plan(a_file(tmp_path, an_entry("q0"))), [0], path, machinery(a_palace())
    )

    def with_more(record: Json) -> None:
        more = record["answers"][0] | {"configuration": "semantic"}
        record["answers"].append(more)

    change(path, FIRST, with_more)
    with pytest.raises(ReportFormatError, match=r"wanted was lexical\.\n"):
        report_from_journals([path])


def test_equal_scores_and_missing_ones_do_not_rise(journal: Path) -> None:
    def level(record: Json) -> None:
        hits = [["a", 0.5], ["b", 0.5], ["c", None], ["d", 0.25]]
        record["answers"][0]["hits"] = hits

    change(journal, FIRST, level)
    hits = report_from_journals([journal]).configurations[0].rankings[0].hits
    assert [hit.score for hit in hits] == [0.5, 0.5, None, 0.25]


@pytest.mark.parametrize("left", [2, 1])
def test_a_journal_without_its_start_is_refused(journal: Path, left: int) -> None:
    header, _, *records = lines_of(journal)
    keep(journal, [header, *records[:left]])

    with pytest.raises(ReportFormatError, match="line 2 is before any start") as caught:
        report_from_journals([journal])
    assert caught.value.where == str(journal)
    assert "Remove the file" in caught.value.remedy


def test_counts_of_an_endpoint_before_any_start_are_refused(
    plan: LongMemEvalPlan,
) -> None:
    path = plan.path.with_name("counted.jsonl")
    run_shard(plan, [0, 1], path, machinery(a_palace(), WordEmbedder()))
    header, _, *rest = lines_of(path)
    assert rest[0]["kind"] == "embedding"
    keep(path, [header, *rest])
    with pytest.raises(ReportFormatError, match="line 2 is before any start"):
        report_from_journals([path])


def test_a_header_alone_is_what_a_killed_run_may_leave(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    keep(journal, lines_of(journal)[:1])
    with pytest.raises(ReportFormatError, match="question 0 of 2 is in no journal"):
        report_from_journals([journal])
    report = measure_longmemeval(plan, journal, machinery(a_palace(), WordEmbedder()))
    assert facts_of(report).errors == ()


def test_a_question_that_failed_under_one_configuration_is_asked_again(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    path = tmp_path / "failed.jsonl"
    palace = a_palace()
    answers = iter([None, refusal(500, "broken", "no"), None, None, None, None])
    palace.faults["POST", "/api/search"] = lambda: next(answers)
    run_shard(plan, [0, 1], path, machinery(palace, WordEmbedder()))

    (error,) = facts_of(report_from_journals([path])).errors
    assert (error.question, error.configuration) == ("q0", "semantic")

    again = a_palace()
    report = measure_longmemeval(plan, path, machinery(again, WordEmbedder()))
    assert facts_of(report).errors == ()
    assert len(searches(again)) == 3


def test_a_failed_question_does_not_excuse_what_stands_in_its_answers(
    journal: Path,
) -> None:
    def failed(record: Json) -> None:
        record["failures"] = [{"stage": "delete", "configuration": None, "what": "no"}]
        a_repeated_hit(record)

    change(journal, FIRST, failed)
    with pytest.raises(ReportFormatError, match="again at rank"):
        report_from_journals([journal])


def test_a_torn_last_line_is_dropped_whatever_it_would_have_said(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    change(journal, FIRST + 1, no_answers)
    journal.write_bytes(journal.read_bytes()[:-1])

    report = measure_longmemeval(plan, journal, machinery(a_palace(), WordEmbedder()))
    assert [each.queries for each in report.configurations] == [2, 2, 2]


def test_the_command_ends_with_64_and_names_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("EVAL_EMBEDDINGS_URL", raising=False)
    monkeypatch.delenv("EVAL_LONGMEMEVAL_LIMIT", raising=False)
    path = a_file(tmp_path, an_entry("q0"))
    journal = tmp_path / "kept.jsonl"
    run_shard(a_plan(path), [0], journal, machinery(a_palace()))
    change(journal, FIRST, no_answers)
    with served(a_palace()) as url:
        words = ["--url", url, "--journal", str(journal), "--out", f"{tmp_path}/r.json"]
        assert main(["longmemeval", str(path), *words]) == ExitCode.USAGE
    assert f"{journal}: question 'q0' in line 3" in capsys.readouterr().err
    assert not (tmp_path / "r.json").exists()
