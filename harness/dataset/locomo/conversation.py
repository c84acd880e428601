"""Read the sessions of one LoCoMo conversation."""

import re
from dataclasses import dataclass
from datetime import datetime

from harness.dataset.locomo.evidence import Spot
from harness.dataset.longmemeval import fields
from harness.dataset.longmemeval.dates import parse_date
from harness.dataset.longmemeval.model import (
    ABSTENTION_MARK,
    Role,
    Session,
    Turn,
)
from harness.dataset.node import Node
from harness.dataset.place import Place, shown

SESSION = re.compile(r"session_(\d{1,6})", re.ASCII)
"""The keys that hold sessions, by number; the numbers order them."""

_DATED = re.compile(r"session_(\d{1,6})_date_time", re.ASCII)
_IMAGE = ("img_url", "blip_caption")
_CLOCK_FIRST = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True)
class Conversation:
    """The sessions that all questions of a sample share."""

    id: str
    sessions: tuple[Session, ...]
    """In the order of their numbers; no turn is labelled."""
    turns: dict[str, Spot]
    """Turns by ``dia_id``, which is unique in one conversation and not beyond it."""
    images: int
    """Turns with an image, of which only the caption is written."""
    idle_dates: int
    """Dates of sessions that are not there."""


def require(members: dict[str, Node], place: Place, *keys: str) -> None:
    """Refuse an object that lacks one of *keys*."""
    for key in keys:
        if key not in members:
            raise place.refuse(
                f"the key {key!r} is missing.",
                f"Add it. Required here: {', '.join(keys)}.",
            )


def read_conversation(sample: dict[str, Node], place: Place) -> Conversation:
    """Read the conversation of a sample; its questions are not looked at.

    Args:
        sample: Its members.
        place: Where it stands in the file.

    Raises:
        DatasetError: It is malformed.
    """
    talk = sample["conversation"].object() if "conversation" in sample else sample
    name = _name(sample, place)
    found = {
        int(match[1]): node
        for key, node in talk.items()
        if (match := SESSION.fullmatch(key)) and node.value is not None
    }
    if not found:
        raise place.refuse(
            "found no sessions, so there is nothing to search.",
            "They are to stand under session_1, session_2 and so on.",
        )
    roles = _roles(talk, place)
    sessions = tuple(
        _session(position, number, found[number], talk, roles)
        for position, number in enumerate(sorted(found))
    )
    nodes = {
        Spot(position, at): node.object()
        for position, number in enumerate(sorted(found))
        for at, node in enumerate(found[number].items())
    }
    dated = {int(match[1]) for key in talk if (match := _DATED.fullmatch(key))}
    return Conversation(
        id=name,
        sessions=sessions,
        turns=_by_id(nodes),
        images=sum(any(key in each for key in _IMAGE) for each in nodes.values()),
        idle_dates=len(dated - set(found)),
    )


def _session(
    position: int,
    number: int,
    node: Node,
    talk: dict[str, Node],
    roles: dict[str, Role],
) -> Session:
    date = _date(talk.get(f"session_{number}_date_time"))
    return Session(
        position=position,
        id=f"session_{number}",
        date=date.moment,
        date_text=date.text,
        turns=tuple(_turn(each.object(), each.place, roles) for each in node.items()),
    )


def _name(sample: dict[str, Node], place: Place) -> str:
    for key in ("sample_id", "conversation_id"):
        if key in sample:
            name = fields.label(sample[key])
            if ABSTENTION_MARK in name:
                raise sample[key].place.refuse(
                    f"{shown(name)} holds {ABSTENTION_MARK!r}, which marks questions "
                    "without an answer.",
                    "Rename the conversation.",
                )
            return name
    raise place.refuse(
        "the conversation has no id.", "Give it one as sample_id or conversation_id."
    )


def _roles(talk: dict[str, Node], place: Place) -> dict[str, Role]:
    sides: tuple[tuple[str, Role], ...] = (
        ("speaker_a", "user"),
        ("speaker_b", "assistant"),
    )
    require(talk, place, *(key for key, _ in sides))
    return {fields.label(talk[key]): role for key, role in sides}


def _turn(members: dict[str, Node], place: Place, roles: dict[str, Role]) -> Turn:
    require(members, place, "speaker", "text")
    speaker = members["speaker"].text()
    if speaker not in roles:
        raise place.at("speaker").refuse(
            f"{shown(speaker)} is neither of the two speakers.",
            f"They are: {', '.join(map(repr, roles))}.",
        )
    text = members["text"].text().strip()
    caption = members.get("blip_caption")
    if caption is not None and caption.value is not None:
        text = f"{text} [image: {caption.text().strip()}]".strip()
    # Two people talk: without the name nothing tells who said it.
    named = fields.storable(f"{speaker}: {text}") if text else ""
    return Turn(roles[speaker], named, None)


def _by_id(nodes: dict[Spot, dict[str, Node]]) -> dict[str, Spot]:
    """Map ids to turns; a turn without one can be no evidence."""
    turns: dict[str, Spot] = {}
    for spot, members in nodes.items():
        if "dia_id" not in members:
            continue
        name = members["dia_id"].text()
        if turns.setdefault(name, spot) != spot:
            raise members["dia_id"].place.refuse(
                f"{shown(name)} is the dia_id of another turn of this conversation "
                "too.",
                "Give every turn one of its own: evidence names turns by it.",
            )
    return turns


def _date(node: Node | None) -> fields.Date:
    if node is None or node.value is None:
        return fields.Date(None, None)
    text = node.text()
    moment = parse_date(text)
    if moment is None:
        try:
            moment = datetime.strptime(text.strip(), _CLOCK_FIRST)
        except ValueError:
            return fields.date(node)  # raises, and says how dates are written
    return fields.Date(moment, text)
