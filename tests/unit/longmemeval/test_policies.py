"""What counts follows from declared policies, and from nothing in an id but _abs."""

from pathlib import Path

import pytest

from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.policies import (
    GoldPolicy,
    Granularity,
    Policies,
    gold,
    question_sets,
    scored,
    why_unscored,
)
from harness.dataset.longmemeval.units import units
from tests.haystacks import Json, a_chat, an_entry, read, read_one, said, with_sessions

SESSIONS: Json = {
    "answer_user": [said("user", "Four cats", True), said("assistant", "Oh", False)],
    "answer_assistant": [said("user", "A name?"), said("assistant", "Harbour", True)],
    "answer_none": [said("user", "One cat less", False), said("assistant", "Sad")],
    "filler": a_chat("bread"),
}
ANSWERS = ["answer_user", "answer_assistant", "answer_none"]


@pytest.fixture
def question(tmp_path: Path) -> Question:
    return read_one(tmp_path, with_sessions(SESSIONS, ANSWERS))


def asks_the_assistant(name: str) -> Json:
    """Return a question whose evidence only the assistant gave."""
    chat = [said("user", "A name?", False), said("assistant", "Harbour", True)]
    return with_sessions({"answer_a": chat, "s": a_chat("b")}, ["answer_a"]) | {
        "question_id": name
    }


@pytest.mark.parametrize(
    ("policy", "granularity", "wanted"),
    [
        ("answer_session_ids", "session", set(ANSWERS)),
        ("any_turn", "session", {"answer_user", "answer_assistant"}),
        ("user_turn", "session", {"answer_user"}),
        ("answer_session_ids", "turn", set(ANSWERS)),
        ("any_turn", "turn", {"answer_user_1", "answer_assistant_2"}),
        ("user_turn", "turn", {"answer_user_1"}),
    ],
)
def test_gold_is_what_the_policy_says(
    question: Question, policy: GoldPolicy, granularity: Granularity, wanted: set[str]
) -> None:
    policies = Policies(gold=policy, granularity=granularity)

    assert gold(question, policies) == wanted
    assert wanted <= {each.scored_as for each in units(question, policies)}


def test_turns_judged_by_session_are_scored_as_their_session(
    question: Question,
) -> None:
    documents = units(question, Policies(granularity="turn"))

    assert [each.key for each in documents[:3]] == ["0.0", "0.1", "1.0"]
    assert [each.scored_as for each in documents[:3]] == [
        "answer_user",
        "answer_user",
        "answer_assistant",
    ]


def test_turn_ids_count_all_turns_from_one(tmp_path: Path) -> None:
    chat = [said("assistant", "Yes?"), said("user", "My key", True), said("user", "!")]
    question = read_one(tmp_path, with_sessions({"k": chat}, ["k"]))

    policies = Policies(text="user", granularity="turn", gold="user_turn")

    assert [each.scored_as for each in units(question, policies)] == ["k_2", "k_3"]


@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [
        ("0862e8bf_abs", "single-session-user", True),
        ("gpt4_70e84552_abs", "temporal-reasoning", True),
        ("0862e8bf_abs_2", "single-session-user", True),
        ("abs0862e", "single-session-user", False),
        ("0862e8bf", "abstention", False),
    ],
)
def test_abstention_is_told_by_the_id_and_never_by_the_type(
    tmp_path: Path, name: str, kind: str, wanted: bool
) -> None:
    question = read_one(tmp_path, an_entry(name, question_type=kind))

    assert question.is_abstention is wanted


def test_abstention_with_evidence_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry("q1_abs"))

    assert why_unscored(question, Policies()) == "abstention"
    assert scored(question, Policies(abstention="include"))


def test_a_question_without_gold_is_left_out_with_its_reason(tmp_path: Path) -> None:
    question = read_one(tmp_path, an_entry(answer_session_ids=[]))
    asked = read_one(tmp_path, asks_the_assistant("q1"))

    assert why_unscored(question, Policies()) == "no gold"
    assert why_unscored(asked, Policies(gold="user_turn")) == "no gold"
    assert scored(asked, Policies(gold="any_turn"))
    assert scored(asked, Policies())


def test_the_published_sets_are_500_470_and_419(tmp_path: Path) -> None:
    # By type: questions, abstentions, those only the assistant answers.
    release = {
        "single-session-user": (70, 6, 0),
        "single-session-assistant": (56, 0, 51),
        "single-session-preference": (30, 0, 0),
        "multi-session": (133, 12, 0),
        "temporal-reasoning": (133, 6, 0),
        "knowledge-update": (78, 6, 0),
    }
    entries = []
    for kind, (count, abstentions, by_assistant) in release.items():
        for number in range(count):
            name = f"{kind}-{number}"
            if number < abstentions:
                entry = an_entry(f"{name}_abs")
            elif number < abstentions + by_assistant:
                entry = asks_the_assistant(name)
            else:
                entry = an_entry(name)
            entries.append(entry | {"question_type": kind})

    questions = read(tmp_path, entries)

    def size(kind: str, name: str) -> int:
        of_kind = [each for each in questions if each.type == kind]
        return sum(name in question_sets(each) for each in of_kind)

    sizes = {
        kind: (size(kind, "all"), size(kind, "answerable"), size(kind, "official"))
        for kind in release
    }
    assert sizes == {
        "single-session-user": (70, 64, 64),
        "single-session-assistant": (56, 56, 5),
        "single-session-preference": (30, 30, 30),
        "multi-session": (133, 121, 121),
        "temporal-reasoning": (133, 127, 127),
        "knowledge-update": (78, 72, 72),
    }
    totals = [sum(column) for column in zip(*sizes.values(), strict=True)]
    assert totals == [500, 470, 419]


def test_the_sets_do_not_depend_on_the_policies(tmp_path: Path) -> None:
    question = read_one(tmp_path, asks_the_assistant("q1"))

    assert question_sets(question) == {"all", "answerable"}
