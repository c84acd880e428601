"""Every known defect of the published files is read, kept, and counted."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from harness.dataset.longmemeval.defects import Defects, find_defects
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.policies import Policies, gold, scored
from harness.dataset.longmemeval.units import units
from tests.haystacks import Json, a_chat, an_entry, read_one, said, with_sessions

FULL = Policies()
USER = Policies(text="user")


def oddities(question: Question) -> Mapping[str, int]:
    """Return what is odd, without the counts that every question has."""
    usual = {"questions", "sessions", "turns", "answer_sessions"}
    counts = asdict(find_defects(question))
    return {
        name: count for name, count in counts.items() if count and name not in usual
    }


def dated(asked: str, *dates: str) -> Json:
    return an_entry(question_date=asked, haystack_dates=list(dates))


def test_nothing_is_odd_in_a_plain_question(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry())

    assert oddities(question) == {}
    assert find_defects(question) == Defects(
        questions=1, sessions=3, turns=6, answer_sessions=1
    )
    assert find_defects(question).remarks() == ()


def test_a_session_that_stands_twice_is_two_documents_and_one_to_score(
    tmp_path: Path,
) -> None:
    entry = an_entry(
        haystack_session_ids=["07b7a667_1", "answer_b", "07b7a667_1"],
        haystack_sessions=[
            a_chat("bread"),
            [said("user", "I moved to Oslo", True)] * 2,
            a_chat("bread"),
        ],
    )
    question = read_one(tmp_path, entry)
    documents = units(question, FULL)

    assert [each.key for each in documents] == ["0", "1", "2"]
    assert [each.scored_as for each in documents] == [
        "07b7a667_1",
        "answer_b",
        "07b7a667_1",
    ]
    assert question.sessions[0].date != question.sessions[2].date
    found = oddities(question)
    assert found["repeated_sessions"] == 1
    assert found["questions_with_repeats"] == 1


@pytest.mark.parametrize("content", ["", " ", "\n\t", "\u3000"])
def test_a_blank_turn_is_taken_and_adds_no_text(tmp_path: Path, content: str) -> None:
    turns = [said("user", content), said("assistant", "Hello?"), said("user", "Hi")]
    question = read_one(tmp_path, with_sessions({"s": turns}, ["s"]))

    assert oddities(question)["blank_turns"] == 1
    assert [each.text for each in units(question, FULL)] == [
        "assistant: Hello?\nuser: Hi"
    ]
    assert [each.text for each in units(question, USER)] == ["Hi"]


def test_a_blank_turn_is_a_unit_that_is_never_sent(tmp_path: Path) -> None:
    turns = [said("user", " "), said("assistant", "Hello?")]
    question = read_one(tmp_path, with_sessions({"s": turns}, ["s"]))

    documents = units(question, Policies(granularity="turn"))

    assert [each.is_blank for each in documents] == [True, False]


def test_a_session_without_user_turn_stays_as_a_blank_document(tmp_path: Path) -> None:
    sessions = {"digest": [said("assistant", "Nothing is due.")], "s": a_chat("bread")}
    question = read_one(tmp_path, with_sessions(sessions, ["s"]))

    assert oddities(question)["sessions_without_user_turn"] == 1
    assert [each.is_blank for each in units(question, USER)] == [True, False]
    assert [each.is_blank for each in units(question, FULL)] == [False, False]


def test_a_session_without_turns_stays_as_a_blank_document(tmp_path: Path) -> None:
    question = read_one(tmp_path, with_sessions({"none": [], "s": a_chat("b")}, ["s"]))

    assert oddities(question)["empty_sessions"] == 1
    assert [each.is_blank for each in units(question, FULL)] == [True, False]


def test_an_assistant_may_begin_and_either_may_go_on(tmp_path: Path) -> None:
    turns = [
        said("assistant", "Shall we?", False),
        said("user", "My key is under the pot", True),
        said("user", "The blue one", True),
    ]
    question = read_one(tmp_path, with_sessions({"answer_k": turns}, ["answer_k"]))

    assert oddities(question) == {
        "sessions_begun_by_assistant": 1,
        "sessions_with_one_role_twice_running": 1,
        "sessions_of_odd_length": 1,
    }
    by_turn = Policies(granularity="turn", gold="user_turn", text="user")
    assert [each.text for each in units(question, by_turn)] == [
        "My key is under the pot",
        "The blue one",
    ]
    assert gold(question, by_turn) == {"answer_k_2", "answer_k_3"}


def test_a_question_dated_before_a_session_of_its_day_hides_nothing(
    tmp_path: Path,
) -> None:
    question = read_one(
        tmp_path,
        dated(
            "2023/05/30 (Tue) 08:08",
            "2023/05/29 (Mon) 10:00",
            "2023/05/30 (Tue) 08:29",
            "2023/05/30 (Tue) 07:00",
        ),
    )

    assert oddities(question) == {
        "questions_dated_before_a_session": 1,
        "questions_dated_before_evidence": 1,
        "unsorted_haystacks": 1,
    }
    assert len(units(question, FULL)) == 3


def test_a_question_dated_before_all_sessions_still_has_its_haystack(
    tmp_path: Path,
) -> None:
    question = read_one(
        tmp_path,
        dated(
            "2023/05/01 (Mon) 08:08",
            "2023/05/29 (Mon) 10:00",
            "2023/05/30 (Tue) 08:29",
            "2023/05/31 (Wed) 07:00",
        ),
    )

    assert oddities(question)["questions_dated_before_every_session"] == 1
    assert len(units(question, FULL)) == 3
    assert scored(question, FULL)


@pytest.mark.parametrize(("value", "text"), [(5, "5"), (0, "0"), (2.5, "2.5")])
def test_a_number_for_an_answer_is_written_out(
    tmp_path: Path, value: float, text: str
) -> None:
    question = read_one(tmp_path, an_entry(answer=value))

    assert question.answer == text
    assert oddities(question) == {"number_answers": 1}


def test_an_answer_that_starts_with_a_dollar_is_kept_as_it_is(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry(answer="$HOME ${x} $(date) $45"))

    assert question.answer == "$HOME ${x} $(date) $45"
    assert oddities(question) == {}


def test_unlabelled_evidence_is_gold_by_one_policy_alone(tmp_path: Path) -> None:
    sessions = {
        "answer_1": [said("user", "Two hives", True)] * 2,
        "answer_2": [said("user", "One hive less", False)] * 2,
    }
    question = read_one(tmp_path, with_sessions(sessions, ["answer_1", "answer_2"]))

    assert find_defects(question).answer_sessions == 2
    assert find_defects(question).unlabelled_answer_sessions == 1
    assert len(gold(question, FULL)) == 2
    assert gold(question, Policies(gold="any_turn")) == {"answer_1"}


def test_a_haystack_out_of_order_keeps_its_order(tmp_path: Path) -> None:
    question = read_one(
        tmp_path,
        dated(
            "2023/05/30 (Tue) 08:08",
            "2023/05/22 (Mon) 10:00",
            "2023/05/20 (Sat) 08:29",
            "2023/05/21 (Sun) 07:00",
        ),
    )

    assert oddities(question) == {"unsorted_haystacks": 1}
    assert [each.session for each in units(question, FULL)] == [0, 1, 2]


def test_evidence_of_one_question_may_be_filler_of_another(tmp_path: Path) -> None:
    one = read_one(tmp_path, an_entry("q1"))
    other = read_one(tmp_path, an_entry("q2", answer_session_ids=["chat_a"]))

    assert gold(one, FULL) == {"answer_b"}
    assert gold(other, FULL) == {"chat_a"}


def test_a_replaced_character_is_counted(tmp_path: Path) -> None:
    turns = [said("user", "a\0b"), said("assistant", "fine")]
    question = read_one(tmp_path, with_sessions({"s": turns}, ["s"]))

    assert oddities(question)["turns_with_replacement_character"] == 1


def test_counts_add_up_and_remarks_come_once_a_kind(tmp_path: Path) -> None:
    blank = with_sessions({"s": [said("user", " "), said("assistant", "?")]}, ["s"])
    one = find_defects(read_one(tmp_path, blank))

    both = one + find_defects(read_one(tmp_path, an_entry(answer=3))) + one

    assert (both.questions, both.blank_turns, both.number_answers) == (3, 2, 1)
    assert both.remarks()[0] == "2 turns are blank: nothing is written for them."
    assert len(both.remarks()) == 2
