"""Read LoCoMo's conversations, each with the questions asked about it.

The file is a list of samples, one bare sample, or an object that keeps the list under a
key of any name; the conversation may stand under ``conversation`` or beside ``qa``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from harness.dataset.jsonfile import display, parse_json, read_bytes
from harness.dataset.locomo.categories import category, is_adversarial
from harness.dataset.locomo.conversation import (
    SESSION,
    Conversation,
    read_conversation,
    require,
)
from harness.dataset.locomo.evidence import Evidence, find_evidence
from harness.dataset.longmemeval import fields
from harness.dataset.longmemeval.model import (
    ABSTENTION_MARK,
    Question,
    Session,
)
from harness.dataset.longmemeval.stream import Entry, entries, open_data
from harness.dataset.node import Node
from harness.dataset.place import Place, shown
from harness.dataset.read import LARGEST_FILE


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what its evidence came to."""

    question: Question
    evidence: Evidence
    conversation: Conversation


def read_locomo(path: Path, limit: int | None = None) -> Iterator[Question]:
    """Yield the questions of a file in its order, one conversation in memory at a time.

    Questions of one conversation share its `Session` values, but for those that hold
    their evidence: labels are of a question.

    Args:
        path: A file in LoCoMo's layout; ``docs/datasets.md`` says what may differ.
        limit: How many questions at most.

    Raises:
        DatasetError: While iterating, where a sample is malformed, with its id and the
            place in the JSON.
    """
    for each in islice(read_asked(path), limit):
        yield each.question


def read_asked(path: Path) -> Iterator[Asked]:
    """Yield the questions with what was found of their evidence; see `read_locomo`."""
    index = 0
    places: dict[str, str] = {}
    for entry in _samples(path):
        sample = Node(entry.value, entry.place).object()
        require(sample, entry.place, "qa")
        conversation = read_conversation(sample, entry.place)
        earlier = places.setdefault(conversation.id, entry.place.path)
        if earlier != entry.place.path:
            raise entry.place.refuse(
                f"{shown(conversation.id)} is the id of {earlier} too.",
                "Give every conversation an id of its own.",
            )
        place = Place(
            f"{entry.place.file}: conversation {shown(conversation.id)}",
            entry.place.steps,
        )
        asked = Node(sample["qa"].value, place.at("qa"))
        for number, node in enumerate(asked.items()):
            yield _asked(index, number, node, conversation)
            index += 1
    if not index:
        raise Place(display(path)).refuse(
            "found no questions.", "They are to stand under qa, in each conversation."
        )


def _samples(path: Path) -> Iterator[Entry]:
    name = display(path)
    with open_data(path) as file:
        for entry in entries(file, name):
            if is_of_bare_sample(entry):
                break
            yield entry
        else:
            return
    # The list that was found is the questions', not one of samples.
    data = read_bytes(path, at_most=LARGEST_FILE)
    yield Entry(Place(name), parse_json(data, name))


def is_sample(entry: Entry) -> bool:
    """Tell whether an entry is a conversation with its questions."""
    return isinstance(entry.value, dict) and "qa" in entry.value


def is_of_bare_sample(entry: Entry) -> bool:
    """Tell whether an entry was found in a list of one sample, and not of many."""
    first = entry.place.steps[0] if entry.place.steps else ""
    return first == "qa" or SESSION.fullmatch(str(first)) is not None


def _asked(index: int, number: int, node: Node, conversation: Conversation) -> Asked:
    members = node.object()
    require(members, node.place, "question")
    kind = category(members.get("category"))
    mark = ABSTENTION_MARK if is_adversarial(kind) else ""
    answer = members.get("answer")
    evidence = find_evidence(_texts(members.get("evidence")), conversation.turns)
    sessions = _labelled(conversation.sessions, evidence)
    question = Question(
        index=index,
        id=f"{conversation.id}/{number}{mark}",
        type=kind,
        text=fields.label(members["question"]),
        answer=fields.answer(answer),
        answer_is_number=answer is not None and isinstance(answer.value, int | float),
        date=None,
        date_text=None,
        sessions=sessions,
        answer_session_ids=tuple(
            dict.fromkeys(sessions[spot.session].id for spot in evidence.spots)
        ),
    )
    return Asked(question, evidence, conversation)


def _texts(node: Node | None) -> list[str]:
    if node is None or node.value is None:
        return []
    if isinstance(node.value, str):
        return [node.value]
    return [each.text() for each in node.items()]


def _labelled(sessions: tuple[Session, ...], evidence: Evidence) -> tuple[Session, ...]:
    """Label the turns of the sessions that hold evidence, and leave the others."""
    labels: dict[int, set[int]] = {}
    for spot in evidence.spots:
        labels.setdefault(spot.session, set()).add(spot.turn)
    return tuple(
        session
        if session.position not in labels
        else Session(
            session.position,
            session.id,
            session.date,
            session.date_text,
            tuple(
                turn._replace(has_answer=at in labels[session.position])
                for at, turn in enumerate(session.turns)
            ),
        )
        for session in sessions
    )
