"""The journal: whole lines, one run, and what a killed one leaves behind."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from harness.dataset.longmemeval.policies import Policies
from harness.errors import ExitCode, PrerequisiteError, ReportFormatError, UsageError
from harness.measure.longmemeval.assemble import report_from_journals
from harness.measure.longmemeval.journal import opened, read_journal
from harness.measure.longmemeval.plan import LongMemEvalPlan, Model
from harness.measure.longmemeval.run import measure_longmemeval, run_shard
from harness.report.quality import quality_json
from tests.fake_palace import refusal
from tests.haystack_runs import (
    a_file,
    a_palace,
    a_plan,
    a_shard,
    facts_of,
    machinery,
    searches,
    written,
)
from tests.haystacks import an_entry


@pytest.fixture
def plan(tmp_path: Path) -> LongMemEvalPlan:
    """Plan a run of five questions."""
    names = ("q0", "q1", "q2", "q3_abs", "q4")
    return a_plan(a_file(tmp_path, *(an_entry(name) for name in names)))


@pytest.fixture
def journal(plan: LongMemEvalPlan) -> Path:
    """Write the journal of a whole run."""
    path = plan.path.with_name("whole.jsonl")
    a_shard(plan, range(plan.questions), path)
    return path


def test_a_journal_has_a_header_a_start_and_a_line_a_question(journal: Path) -> None:
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["header", "start"] + ["question"] * 5
    assert [line["index"] for line in lines[2:]] == [0, 1, 2, 3, 4]
    assert lines[0]["fingerprint"]["daemon"] == "fake"


def test_nothing_of_a_text_is_kept(journal: Path) -> None:
    content = journal.read_text()
    assert "Oslo" not in content
    assert "Where does" not in content


def cut_points(data: bytes) -> Iterator[int]:
    """Choose places to kill a run at: each line's end, near it, and in its middle."""
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    for begin, end in zip([0, *ends], ends, strict=False):
        yield from (begin + 1, (begin + end) // 2, end - 1, end)


def test_a_run_killed_anywhere_goes_on_and_ends_with_the_same_report(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    undisturbed = quality_json(report_from_journals([journal]), evidence=True)
    whole = journal.read_bytes()
    for place in cut_points(whole):
        journal.write_bytes(whole[:place])
        palace = a_palace()
        report = measure_longmemeval(plan, journal, machinery(palace))

        assert quality_json(report, evidence=True) == undisturbed
        kept = max(whole[:place].count(b"\n") - 2, 0)
        assert len(searches(palace)) == 5 - kept


def test_a_torn_last_line_is_cut_off_with_a_warning(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-20])
    warnings: list[str] = []
    run_shard(plan, range(5), journal, machinery(a_palace(), warnings=warnings))

    torn, going_on = warnings
    assert "is torn" in torn
    assert "1 questions left" in going_on
    assert all(json.loads(line) for line in journal.read_text().splitlines())


def test_a_bad_line_elsewhere_is_refused(plan: LongMemEvalPlan, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:3], lines[3][:40] + b"\n", *lines[4:]]))

    with pytest.raises(ReportFormatError, match="line 4") as caught:
        run_shard(plan, range(5), journal, machinery(a_palace()))
    assert caught.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (Policies(text="user"), "its text is 'full', here it is 'user'"),
        (Policies(gold="any_turn"), "its gold is"),
        (Policies(granularity="turn"), "its granularity is"),
        (Policies(abstention="include"), "its abstention is"),
        ("isolated", "its isolation is 'wing'"),
        (2, "its questions is 5, here it is 2"),
    ],
)
def test_a_journal_of_other_settings_is_refused_by_name(
    plan: LongMemEvalPlan,
    journal: Path,
    change: Policies | Literal["isolated"] | int,
    named: str,
) -> None:
    match change:
        case Policies():
            other = a_plan(plan.path, policies=change)
        case int():
            other = a_plan(plan.path, limit=change)
        case _:
            other = a_plan(plan.path, isolation=change)
    with pytest.raises(UsageError, match=named) as caught:
        run_shard(other, [0], journal, machinery(a_palace()))
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_journal_of_another_file_is_refused(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    a_file(plan.path.parent, *(an_entry(f"p{number}") for number in range(5)))
    with pytest.raises(UsageError, match="its file is"):
        run_shard(a_plan(plan.path), [0], journal, machinery(a_palace()))


def test_a_journal_of_another_daemon_is_refused(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]))
    palace = a_palace("mentions")
    with pytest.raises(UsageError, match="its daemon features is"):
        run_shard(plan, range(5), journal, machinery(palace))
    assert written(palace) == []


def test_a_run_by_wing_goes_on_only_where_wings_cannot_move_scores(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    path = tmp_path / "unscoped.jsonl"
    run_shard(plan, [0], path, machinery(a_palace("lexical.scoped")))
    with pytest.raises(PrerequisiteError, match="cannot be resumed"):
        run_shard(plan, [1], path, machinery(a_palace("lexical.scoped")))


def test_a_resumed_run_writes_into_wings_of_its_own(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    """The palace may hold the half haystack that the killed run was writing."""
    path = tmp_path / "resumed.jsonl"
    palace = a_palace()
    run_shard(plan, [0], path, machinery(palace))
    half = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(half[:2]))
    run_shard(plan, range(5), path, machinery(palace))

    report = report_from_journals([path])
    assert facts_of(report).errors == ()
    assert "resumed" in [caution.code for caution in report.warnings]


def test_what_failed_is_asked_again(plan: LongMemEvalPlan, tmp_path: Path) -> None:
    path = tmp_path / "failed.jsonl"
    palace = a_palace()
    answers = iter([None, refusal(500, "broken", "no"), None, None, None])
    palace.faults["POST", "/api/drawers/batch"] = lambda: next(answers)
    run_shard(plan, range(5), path, machinery(palace))
    assert len(facts_of(report_from_journals([path])).errors) == 1

    again = a_palace()
    run_shard(plan, range(5), path, machinery(again))
    assert len(searches(again)) == 1
    assert facts_of(report_from_journals([path])).errors == ()


def test_a_whole_journal_starts_nothing(plan: LongMemEvalPlan, journal: Path) -> None:
    palace = a_palace()
    run_shard(plan, range(5), journal, machinery(palace))
    assert palace.log == []


def test_shards_give_the_report_of_a_single_run(
    plan: LongMemEvalPlan, journal: Path, tmp_path: Path
) -> None:
    shards = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    a_shard(plan, [4, 0, 2], shards[0])
    a_shard(plan, [1, 3], shards[1])

    single = quality_json(report_from_journals([journal]), evidence=True)
    for order in (shards, shards[::-1]):
        assert quality_json(report_from_journals(order), evidence=True) == single
    warnings = report_from_journals(shards).warnings
    assert "resumed" not in [caution.code for caution in warnings]


def test_a_question_in_no_journal_is_named(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    path = tmp_path / "part.jsonl"
    a_shard(plan, [0, 1], path)
    with pytest.raises(ReportFormatError, match="question 2 of 5 is in no journal"):
        report_from_journals([path])


def test_a_question_in_two_journals_is_refused(
    plan: LongMemEvalPlan, journal: Path, tmp_path: Path
) -> None:
    path = tmp_path / "more.jsonl"
    a_shard(plan, [1], path)
    with pytest.raises(ReportFormatError, match="'q1' is in another journal"):
        report_from_journals([journal, path])


def test_a_journal_is_written_by_one_run_at_a_time(
    plan: LongMemEvalPlan, journal: Path
) -> None:
    with (
        opened(journal, plan.fingerprint(), print),
        pytest.raises(UsageError, match="another run is writing"),
        opened(journal, plan.fingerprint(), print),
    ):
        pass


def test_a_file_that_is_no_journal_is_left_alone(
    plan: LongMemEvalPlan, tmp_path: Path
) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann, {")
    with pytest.raises(ReportFormatError, match="no journal"):
        run_shard(plan, [0], path, machinery(a_palace()))
    assert path.read_text() == "Dear Ann, {"


def test_reading_a_missing_journal_names_it(tmp_path: Path) -> None:
    with pytest.raises(ReportFormatError, match="cannot be read"):
        read_journal(tmp_path / "none.jsonl")


def test_another_endpoint_under_the_same_model_name_is_another_run(
    plan: LongMemEvalPlan,
) -> None:
    first, second = (
        replace(
            plan,
            model=Model(name="same", dimension=8, oversize="chunk", endpoint=endpoint),
        )
        for endpoint in ("http://one/v1", "http://two/v1")
    )
    assert first.fingerprint() != second.fingerprint()
    assert first.journal_name() != second.journal_name()
