"""Read the questions of a LongMemEval file, or say exactly which entry is malformed.

Malformed is what would silently measure something else: a missing key, lists that do
not go together, a content that is no text, an answer session that is not there. Keys
that LongMemEval does not have are passed over, since exports carry columns of their
own.
"""

from collections.abc import Iterator
from pathlib import Path

from harness.dataset.jsonfile import display
from harness.dataset.longmemeval import fields
from harness.dataset.longmemeval.model import Question, Session
from harness.dataset.longmemeval.stream import Entry, entries, open_data
from harness.dataset.node import Node
from harness.dataset.place import Place, shown

_REQUIRED = (
    "question_id",
    "question",
    "haystack_session_ids",
    "haystack_sessions",
    "answer_session_ids",
)


def read_questions(path: Path, limit: int | None = None) -> Iterator[Question]:
    """Yield the questions of a file in its order, one in memory at a time.

    Args:
        path: S, M or oracle, original or cleaned; ``docs/datasets.md`` says what else.
        limit: How many at most. Nothing behind the last of them is looked at.

    Raises:
        DatasetError: While iterating, where an entry is malformed. It names the
            question's id and the place in the JSON, sessions and turns from 0.
    """
    name = display(path)
    indices: dict[str, int] = {}
    with open_data(path) as file:
        for index, entry in enumerate(entries(file, name)):
            question = _question(index, entry)
            if question.id in indices:
                raise entry.place.at("question_id").refuse(
                    f"{shown(question.id)} is the id of entry {indices[question.id]} "
                    "too.",
                    "Give every question an id of its own: results are kept by it.",
                )
            indices[question.id] = index
            yield question
            if limit is not None and index + 1 >= limit:
                return
    if not indices:
        raise Place(name).refuse(
            "found no questions.",
            "They are to stand in a list, at the top of the file or under one key.",
        )


def _question(index: int, entry: Entry) -> Question:
    known = Node(entry.value, entry.place).object()
    for key in _REQUIRED:
        if key not in known:
            raise entry.place.refuse(
                f"the key {key!r} is missing.",
                f"Add it. Required here: {', '.join(_REQUIRED)}.",
            )
    name = fields.label(known["question_id"])
    # A person looks for the id, a program for the index: messages have both.
    place = Place(f"{entry.place.file}: question {shown(name)}", entry.place.steps)
    members = {key: Node(each.value, place.at(key)) for key, each in known.items()}
    asked = fields.date(members.get("question_date"))
    answer = members.get("answer")
    sessions = _sessions(members, place)
    return Question(
        index=index,
        id=name,
        type=_type(members.get("question_type")),
        text=fields.label(members["question"]),
        answer=fields.answer(answer),
        answer_is_number=answer is not None and isinstance(answer.value, int | float),
        date=asked.moment,
        date_text=asked.text,
        sessions=sessions,
        answer_session_ids=_answer_sessions(members["answer_session_ids"], sessions),
    )


def _type(node: Node | None) -> str:
    return "" if node is None or node.value is None else fields.storable(node.text())


def _sessions(members: dict[str, Node], place: Place) -> tuple[Session, ...]:
    chats = members["haystack_sessions"]
    names = fields.labels(members["haystack_session_ids"])
    dates = _dates(members.get("haystack_dates"), len(names))
    count = len(fields.values(chats))
    if not count == len(names) == len(dates):
        raise place.refuse(
            f"found {count} sessions, {len(names)} ids and {len(dates)} dates.",
            "The three lists go together: give each session its id and its date.",
        )
    if not names:
        raise chats.place.refuse(
            "found no sessions, so there is nothing to search.",
            "Leave the question out, or give it its haystack.",
        )
    parts = zip(names, dates, chats.items(), strict=True)
    return tuple(
        Session(position, name, date.moment, date.text, fields.turns(chat))
        for position, (name, date, chat) in enumerate(parts)
    )


def _dates(node: Node | None, count: int) -> list[fields.Date]:
    if node is None or node.value is None:
        return [fields.Date(None, None)] * count
    return fields.dates(node)


def _answer_sessions(node: Node, sessions: tuple[Session, ...]) -> tuple[str, ...]:
    there = {each.id for each in sessions}
    names = fields.labels(node)
    for index, name in enumerate(names):
        if name not in there:
            raise node.place.at(index).refuse(
                f"{shown(name)} is not the id of a session of this haystack.",
                "No ranking could find it. Mend the id, or add the session.",
            )
    return tuple(dict.fromkeys(names))
