"""Small LongMemEval files with one thing in them to look at, built where it is seen."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.read import read_questions
from harness.errors import DatasetError, ExitCode

# Any: what a person may write into a JSON file, wrong kinds included.
Json = Any


def said(role: str, content: str, has_answer: bool | None = None) -> Json:
    """Return a turn as the file has it; without a label where there is none."""
    turn: Json = {"role": role, "content": content}
    return turn if has_answer is None else turn | {"has_answer": has_answer}


def a_chat(topic: str) -> Json:
    """Return a session of two unlabelled turns."""
    return [said("user", f"Tell me of {topic}"), said("assistant", f"{topic}, then")]


def an_entry(name: str = "q1", **changes: Json) -> Json:
    """Return a question of three sessions, the second of them its labelled evidence."""
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": f"Where does {name} live?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": "In Oslo",
        "answer_session_ids": ["answer_b"],
        "haystack_dates": [
            "2023/05/20 (Sat) 02:21",
            "2023/05/21 (Sun) 02:57",
            "2023/05/22 (Mon) 03:51",
        ],
        "haystack_session_ids": ["chat_a", "answer_b", "chat_c"],
        "haystack_sessions": [
            a_chat("bread"),
            [said("user", "I moved to Oslo", True), said("assistant", "Nice", False)],
            a_chat("boats"),
        ],
    } | changes


def with_sessions(
    sessions: dict[str, Json], answers: list[str], **changes: Json
) -> Json:
    """Return a question with these sessions by id, all of one day."""
    return an_entry(
        haystack_session_ids=list(sessions),
        haystack_sessions=list(sessions.values()),
        haystack_dates=["2023/05/20 (Sat) 10:00"] * len(sessions),
        answer_session_ids=answers,
        **changes,
    )


def write(folder: Path, content: Json) -> Path:
    """Write *content* as JSON, or as it is where it is text or bytes."""
    path = folder / "haystacks.json"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, "utf-8")
    return path


def read(folder: Path, content: Json) -> list[Question]:
    """Return the questions of a file with this content."""
    return list(read_questions(write(folder, content)))


def read_one(folder: Path, entry: Json) -> Question:
    """Return the question made of one entry."""
    (question,) = read(folder, [entry])
    return question


def refused(folder: Path, content: Json) -> DatasetError:
    """Return the error that a file with this content is refused with."""
    with pytest.raises(DatasetError) as caught:
        read(folder, content)
    assert caught.value.exit_code == ExitCode.USAGE
    assert caught.value.where.startswith(str(folder))
    assert caught.value.remedy
    return caught.value


def large_entries(count: int, *, turns: int = 500) -> Iterator[Json]:
    """Yield questions of about half a megabyte each, as those of S are."""
    text = "Some words of no interest whatever. " * 28
    for number in range(count):
        sessions = {
            f"chat_{number}_{position}": [
                said("user" if turn % 2 else "assistant", f"{text}{turn}")
                for turn in range(turns // 50)
            ]
            for position in range(50)
        }
        yield with_sessions(sessions, []) | {"question_id": f"q{number}"}
