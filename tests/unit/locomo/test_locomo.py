"""LoCoMo's layout, with one thing in it to look at, built where it is seen."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from harness.dataset.conversations import layout_of, read_conversations
from harness.dataset.locomo.oddities import Oddities, find_oddities
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.policies import Policies, gold, scored
from harness.dataset.longmemeval.units import units
from harness.errors import DatasetError
from tests.datafiles import ROOT, a_case_file

# Any: what a person may write into a JSON file, wrong kinds included.
Json = Any


def a_turn(name: str, speaker: str = "Ann", **changes: Json) -> Json:
    return {"speaker": speaker, "dia_id": name, "text": f"words of {name}"} | changes


def asked(text: str = "Where?", **changes: Json) -> Json:
    entry = {"question": text, "answer": "Here", "evidence": ["D1:2"], "category": 4}
    return entry | changes


def a_talk(**changes: Json) -> Json:
    return {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [a_turn("D1:1"), a_turn("D1:2", "Ben")],
        "session_2_date_time": "12:09 am on 13 September, 2023",
        "session_2": [a_turn("D2:1", "Ben"), a_turn("D2:2")],
        "session_10_date_time": "10:00 am on 1 January, 2024",
        "session_10": [a_turn("D10:1")],
    } | changes


def a_sample(*questions: Json, name: str = "conv-1", **changes: Json) -> Json:
    return {
        "sample_id": name,
        "conversation": a_talk(**changes),
        "qa": list(questions) or [asked()],
        "event_summary": {"events_session_1": {"Ann": []}},
    }


def write(folder: Path, content: Json) -> Path:
    path = folder / "locomo.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


def read(folder: Path, content: Json) -> list[Question]:
    return list(read_conversations(write(folder, content)))


def one(folder: Path, question: Json, **changes: Json) -> Question:
    (found,) = read(folder, [a_sample(question, **changes)])
    return found


def oddities(folder: Path, content: Json) -> Oddities:
    return find_oddities(write(folder, content))


def refused(folder: Path, content: Json) -> DatasetError:
    with pytest.raises(DatasetError) as caught:
        read(folder, content)
    assert caught.value.remedy
    return caught.value


def test_sessions_are_ordered_by_number_and_not_by_name(tmp_path: Path) -> None:
    question = one(tmp_path, asked())

    assert [each.id for each in question.sessions] == [
        "session_1",
        "session_2",
        "session_10",
    ]
    assert [each.date for each in question.sessions] == [
        datetime(2023, 5, 8, 13, 56),
        datetime(2023, 9, 13, 0, 9),
        datetime(2024, 1, 1, 10, 0),
    ]


def test_gold_is_the_sessions_or_the_turns_of_the_evidence(tmp_path: Path) -> None:
    question = one(tmp_path, asked(evidence=["D2:1", "D1:2"]))

    assert question.answer_session_ids == ("session_2", "session_1")
    assert gold(question, Policies()) == {"session_1", "session_2"}
    turns = Policies(gold="any_turn", granularity="turn")
    assert gold(question, turns) == {"session_1_2", "session_2_1"}


def test_a_written_text_says_who_speaks_and_nothing_of_evidence(tmp_path: Path) -> None:
    question = one(tmp_path, asked())
    first = units(question, Policies())[0]

    assert first.text == "user: Ann: words of D1:1\nassistant: Ben: words of D1:2"


def test_labels_of_one_question_are_not_those_of_the_next(tmp_path: Path) -> None:
    first, second = read(
        tmp_path, [a_sample(asked(evidence=["D1:1"]), asked(evidence=["D2:2"]))]
    )
    labelled = [
        [
            session.turn_id(at)
            for session in question.sessions
            for at, turn in enumerate(session.turns)
            if turn.has_answer
        ]
        for question in (first, second)
    ]

    assert labelled == [["session_1_1"], ["session_2_2"]]
    assert first.sessions[2] is second.sessions[2]


def test_questions_are_numbered_through_the_file(tmp_path: Path) -> None:
    samples = [a_sample(asked(), asked()), a_sample(asked(), name="conv-2")]
    found = read(tmp_path, samples)

    assert [(each.index, each.id) for each in found] == [
        (0, "conv-1/0"),
        (1, "conv-1/1"),
        (2, "conv-2/0"),
    ]


def test_evidence_is_looked_up_in_its_own_conversation(tmp_path: Path) -> None:
    other = a_sample(asked(), name="conv-2", session_2=[a_turn("D1:9")])
    other["qa"] = [asked(evidence=["D1:9"])]
    found = read(tmp_path, [a_sample(asked(evidence=["D1:9"])), other])

    assert [each.answer_session_ids for each in found] == [(), ("session_2",)]


@pytest.mark.parametrize(
    ("evidence", "sessions"),
    [
        (["D1:1; D2:1"], ("session_1", "session_2")),
        (["D10:1 D2:1 D1:1"], ("session_10", "session_2", "session_1")),
        (["D10:01"], ("session_10",)),
        (["D1:1", "D1:2"], ("session_1",)),
        ("D2:2", ("session_2",)),
        ([], ()),
        (None, ()),
        (["D"], ()),
        (["D:2:1"], ()),
        (["D1:19", "D2:1"], ("session_2",)),
    ],
)
def test_evidence_is_found_in_the_ways_it_is_written(
    tmp_path: Path, evidence: Json, sessions: tuple[str, ...]
) -> None:
    assert one(tmp_path, asked(evidence=evidence)).answer_session_ids == sessions


def test_odd_evidence_is_counted_and_named(tmp_path: Path) -> None:
    found = oddities(
        tmp_path,
        [
            a_sample(
                asked(evidence=["D1:1; D2:1"]),
                asked(evidence=["D10:01"]),
                asked(evidence=["D", "D1:19"]),
                asked(evidence=[]),
            )
        ],
    )

    assert (found.split, found.mended) == (1, 1)
    assert found.unknown == ["conv-1/2: D", "conv-1/2: D1:19"]
    assert found.without_evidence == ["conv-1/2", "conv-1/3"]
    assert any("conv-1/2: D, conv-1/2: D1:19" in each for each in found.remarks())


def test_a_question_without_evidence_is_not_scored(tmp_path: Path) -> None:
    assert not scored(one(tmp_path, asked(evidence=[])), Policies())


def test_missing_and_number_answers_are_kept_as_what_they_are(tmp_path: Path) -> None:
    adversarial = asked(category=5, adversarial_answer="There")
    del adversarial["answer"]
    content = [a_sample(asked(answer=2022), adversarial)]
    number, missing = read(tmp_path, content)

    assert (number.answer, number.answer_is_number) == ("2022", True)
    assert (missing.answer, missing.answer_is_number) == (None, False)
    found = oddities(tmp_path, content)
    assert (found.number_answers, found.without_answer) == (1, 1)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (1, "1 multi-hop"),
        (2, "2 temporal"),
        (3, "3 open-domain"),
        (4, "4 single-hop"),
        (5, "5 adversarial"),
        ("single-hop", "single-hop"),
        (None, ""),
    ],
)
def test_a_category_keeps_its_number_beside_its_name(
    tmp_path: Path, code: Json, name: str
) -> None:
    assert one(tmp_path, asked(category=code)).type == name


def test_categories_with_numbers_come_with_a_caution(tmp_path: Path) -> None:
    assert any("other way round" in each for each in a_remark(tmp_path, 4))
    assert not any("other way round" in each for each in a_remark(tmp_path, 3))


def a_remark(folder: Path, code: int) -> tuple[str, ...]:
    return oddities(folder, [a_sample(asked(category=code))]).remarks()


@pytest.mark.parametrize("category", [5, "adversarial"])
def test_adversarial_questions_have_no_answer(tmp_path: Path, category: Json) -> None:
    question = one(tmp_path, asked(category=category))

    assert question.is_abstention
    assert not scored(question, Policies())
    assert scored(question, Policies(abstention="include"))


def test_dates_of_sessions_that_are_not_there_are_counted(tmp_path: Path) -> None:
    changes = {f"session_{number}_date_time": "8 May" for number in range(20, 36)}
    content = [a_sample(asked(), **changes)]

    assert len(read(tmp_path, content)[0].sessions) == 3
    assert oddities(tmp_path, content).idle_dates == 16


def test_an_image_is_written_as_its_caption(tmp_path: Path) -> None:
    shows = a_turn("D1:1", blip_caption="a red bicycle", img_url=["x"])
    content = [a_sample(asked(), session_1=[shows, a_turn("D1:2")])]

    (question,) = read(tmp_path, content)
    text = question.sessions[0].turns[0].text
    assert text == "Ann: words of D1:1 [image: a red bicycle]"
    assert oddities(tmp_path, content).image_turns == 1


def test_a_blank_turn_stays_blank(tmp_path: Path) -> None:
    question = one(tmp_path, asked(), session_10=[a_turn("D10:1", text=" ")])

    assert question.sessions[2].turns[0].is_blank


def test_a_list_a_wrapped_list_and_a_bare_sample_read_alike(tmp_path: Path) -> None:
    sample = a_sample(asked(), asked("When?"))
    flat = {**sample["conversation"], "sample_id": "conv-1", "qa": sample["qa"]}
    in_a_list = read(tmp_path, [sample])

    assert read(tmp_path, {"_note": "x", "conversations": [sample]}) == in_a_list
    assert read(tmp_path, sample) == in_a_list
    assert read(tmp_path, flat) == in_a_list
    assert read(tmp_path, [flat]) == in_a_list


def test_a_limit_counts_questions_and_reads_no_further(tmp_path: Path) -> None:
    path = write(tmp_path, [a_sample(asked(), asked()), {"broken": True}])

    assert len(list(read_conversations(path, 2))) == 2


def test_a_file_of_longmemeval_is_read_as_one() -> None:
    path = ROOT / "datasets" / "longmemeval-synthetic.json"

    assert layout_of(path) == "LongMemEval"
    assert len(list(read_conversations(path, 3))) == 3


@pytest.mark.parametrize(
    ("changes", "where", "what"),
    [
        ({"session_1": [a_turn("D1:1", "Cid")]}, "session_1[0].speaker", "'Cid'"),
        ({"session_1": [a_turn("D2:1")]}, "session_2[0].dia_id", "'D2:1'"),
        ({"session_1": [{"speaker": "Ann"}]}, "session_1[0]", "'text' is missing"),
        ({"session_1": "none"}, "session_1", "wanted a list"),
        ({"session_2_date_time": "a Monday"}, "session_2_date_time", "is no date"),
    ],
)
def test_a_malformed_conversation_is_refused_at_its_place(
    tmp_path: Path, changes: Json, where: str, what: str
) -> None:
    error = refused(tmp_path, [a_sample(asked(), **changes)])

    assert error.where.endswith(f"[0].conversation.{where}")
    assert what in error.what


@pytest.mark.parametrize(
    ("sample", "what"),
    [
        (a_sample(asked(category=9)), "found 9, wanted a category from 1 to 5"),
        (a_sample({"answer": "Here"}), "'question' is missing"),
        (a_sample(asked(evidence=[3])), "found 3, wanted a string"),
        (a_sample(asked(), name="conv_abs"), "'_abs'"),
        (a_sample(asked()) | {"conversation": {"speaker_a": "x"}}, "no sessions"),
        ({**a_sample(asked()), "sample_id": " "}, "is blank"),
    ],
)
def test_a_malformed_sample_is_refused(tmp_path: Path, sample: Json, what: str) -> None:
    assert what in refused(tmp_path, [sample]).what


def test_a_malformed_question_is_named_by_its_conversation(tmp_path: Path) -> None:
    error = refused(tmp_path, [a_sample(asked(), asked(category=True))])

    assert error.where.endswith("conversation 'conv-1': [0].qa[1].category")


def test_two_conversations_of_one_id_are_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, [a_sample(), a_sample()])

    assert error.what == "'conv-1' is the id of [0] too."


def test_no_questions_at_all_are_refused(tmp_path: Path) -> None:
    sample = a_sample()
    sample["qa"] = []

    assert refused(tmp_path, [sample]).what == "found no questions."


def test_somebody_elses_sample_reads_as_it_is() -> None:
    path = a_case_file("longmemeval/memtrust_locomo_sample.json")
    found = list(read_conversations(path))

    assert [(each.type, each.answer_session_ids) for each in found] == [
        ("single-hop", ("session_1",)),
        ("temporal", ("session_1", "session_2")),
        ("multi-hop", ("session_2",)),
        ("adversarial", ()),
    ]
    assert [each.is_abstention for each in found] == [False] * 3 + [True]
    assert found[0].sessions[1].date == datetime(2026, 3, 16, 18, 30)
    assert find_oddities(path).turns == 6
