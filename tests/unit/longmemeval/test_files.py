"""The committed file has what it is there for, and real files are read as they are."""

import pytest

from harness.dataset.longmemeval.defects import Defects, find_defects
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.policies import Policies, gold, question_sets
from harness.dataset.longmemeval.read import read_questions
from harness.dataset.longmemeval.releases import file_facts
from harness.dataset.longmemeval.units import units
from tests.datafiles import ROOT, a_case_file

SYNTHETIC = ROOT / "datasets" / "longmemeval-synthetic.json"
FOUR = "longmemeval/derived_lme_s_4q.json"


def gold_sizes(question: Question) -> tuple[int, int, int]:
    """Return how much is gold by answer sessions, by any turn, by turns of the user."""
    return (
        len(gold(question, Policies())),
        len(gold(question, Policies(gold="any_turn"))),
        len(gold(question, Policies(gold="user_turn"))),
    )


def test_the_synthetic_file_has_every_type_and_an_abstention() -> None:
    questions = list(read_questions(SYNTHETIC))

    assert [(each.type, gold_sizes(each)) for each in questions] == [
        ("single-session-user", (1, 1, 1)),
        ("single-session-assistant", (1, 1, 0)),
        ("single-session-preference", (1, 1, 1)),
        ("multi-session", (3, 2, 2)),
        ("temporal-reasoning", (2, 2, 2)),
        ("knowledge-update", (2, 2, 2)),
        ("single-session-user", (1, 1, 1)),
    ]
    assert [each.is_abstention for each in questions] == [False] * 6 + [True]
    sizes = [
        sum(name in question_sets(each) for each in questions)
        for name in ("all", "answerable", "official")
    ]
    assert sizes == [7, 6, 5]


def test_the_synthetic_file_has_what_real_files_trip_over() -> None:
    found = sum(map(find_defects, read_questions(SYNTHETIC)), Defects())

    assert found == Defects(
        questions=7,
        sessions=36,
        turns=86,
        repeated_sessions=1,
        questions_with_repeats=1,
        blank_turns=2,
        sessions_without_user_turn=2,
        sessions_begun_by_assistant=5,
        sessions_of_odd_length=6,
        number_answers=1,
        questions_dated_before_a_session=1,
        questions_dated_before_evidence=1,
        unsorted_haystacks=1,
        answer_sessions=11,
        unlabelled_answer_sessions=1,
    )
    assert not file_facts(SYNTHETIC).is_oracle


def test_four_real_questions_are_read_as_they_are() -> None:
    questions = list(read_questions(a_case_file(FOUR)))

    assert [(each.id, len(each.sessions)) for each in questions] == [
        ("e47becba", 53),
        ("6a1eabeb", 54),
        ("gpt4_70e84552_abs", 54),
        ("gpt4_2655b836", 55),
    ]
    assert [gold_sizes(each) for each in questions] == [
        (1, 1, 1),
        (2, 2, 2),
        (2, 1, 1),
        (3, 2, 2),
    ]
    assert [each.is_abstention for each in questions] == [False, False, True, False]
    assert sum(find_defects(each).turns for each in questions[:1]) == 550


def test_the_real_question_before_its_session_is_dated_so() -> None:
    questions = list(read_questions(a_case_file(FOUR)))
    early = [
        each.id
        for each in questions
        if find_defects(each).questions_dated_before_a_session
    ]

    assert early == ["gpt4_70e84552_abs"]
    assert str(questions[2].date) == "2023-05-30 08:08:00"
    assert len(units(questions[2], Policies())) == 54


def test_text_of_the_real_question_is_as_long_as_measured() -> None:
    question = next(read_questions(a_case_file(FOUR)))

    user = sorted(len(each.text) for each in units(question, Policies(text="user")))

    assert (user[0], user[len(user) // 2], user[-1]) == (23, 888, 2269)


@pytest.mark.parametrize(
    ("name", "questions", "sessions", "is_oracle"),
    [
        ("adit_longmemeval_sample.json", 2, 4, True),
        ("memmachine_longmemeval_snippet.json", 1, 3, True),
        ("hippo_longmemeval_synthetic_smoke.json", 10, 38, False),
        ("distillery_longmemeval_mini.json", 2, 5, False),
        ("memtrust_longmemeval_sample.json", 3, 7, False),
        ("derived_lme_s_4q.json", 4, 216, False),
    ],
)
def test_files_of_other_peoples_shapes_are_read(
    name: str, questions: int, sessions: int, is_oracle: bool
) -> None:
    path = a_case_file(f"longmemeval/{name}")
    read = list(read_questions(path))

    assert len(read) == questions
    assert sum(len(each.sessions) for each in read) == sessions
    facts = file_facts(path)
    assert (facts.is_oracle, facts.release) == (is_oracle, None)
