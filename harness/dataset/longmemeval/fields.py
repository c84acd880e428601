"""Read the single fields of a LongMemEval file, each with its own allowances."""

import math
from datetime import datetime
from typing import NamedTuple

from harness.dataset.jsonfile import JsonValue
from harness.dataset.longmemeval.dates import parse_date
from harness.dataset.longmemeval.model import Role, Turn
from harness.dataset.node import Node
from harness.dataset.place import shown

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""Stands for what JSON can write and no daemon can take: U+0000, and halves of
surrogate pairs."""

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


class Date(NamedTuple):
    """A moment, and the text that named it."""

    moment: datetime | None
    text: str | None


def storable(text: str) -> str:
    """Return *text* with `REPLACEMENT` for what UTF-8 or Postgres cannot hold."""
    if text.isascii() and "\0" not in text:
        return text
    text = text.replace("\0", REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        units = text.encode("utf-16-le", "surrogatepass")
        return units.decode("utf-16-le", "replace")
    return text


def values(node: Node) -> list[JsonValue]:
    """Return the items of a list, without notes of their places."""
    if isinstance(node.value, list):
        return node.value
    return [each.value for each in node.items()]  # raises, and says why


def label(node: Node) -> str:
    """Return a string that is not blank: an id, or the question itself."""
    text = storable(node.text())
    if not text.strip():
        raise node.place.refuse(f"{shown(text)} is blank.", "Give it a visible name.")
    return text


def labels(node: Node) -> list[str]:
    """Return a list of labels."""
    return [
        value
        if isinstance(value, str) and value.isprintable() and value.strip()
        else label(Node(value, node.place.at(index)))
        for index, value in enumerate(values(node))
    ]


def date(node: Node | None) -> Date:
    """Return a date; nothing and null are none.

    A date that cannot be read is an error, and never today: dates are only counted,
    but a made-up one would be counted too.
    """
    if node is None or node.value is None:
        return Date(None, None)
    text = node.text()
    moment = parse_date(text)
    if moment is None:
        raise node.place.refuse(
            f"{shown(text)} is no date.",
            "Write it like '2023/05/30 (Tue) 23:40', or null.",
        )
    return Date(moment, text)


def dates(node: Node) -> list[Date]:
    """Return a list of dates."""
    found = []
    for index, value in enumerate(values(node)):
        moment = parse_date(value) if isinstance(value, str) else None
        if moment is None:
            found.append(date(Node(value, node.place.at(index))))
        else:
            found.append(Date(moment, str(value)))
    return found


def answer(node: Node | None) -> str | None:
    """Return an answer as text, a number written out; it is never looked into."""
    if node is None:
        return None
    value = node.value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return str(value)
    return None if value is None else storable(node.text())


def turns(node: Node) -> tuple[Turn, ...]:
    """Return the turns of one session, which may have none."""
    return tuple(
        [
            _quick_turn(value) or _turn(Node(value, node.place.at(index)))
            for index, value in enumerate(values(node))
        ]
    )


def _quick_turn(value: JsonValue) -> Turn | None:
    """Return a turn that nothing is wrong with; what is wrong, `_turn` says.

    A large file has a quarter of a million of them, so this one makes no notes.
    """
    if type(value) is not dict:
        return None
    role = _ROLES.get(str(value.get("role")))
    text = value.get("content")
    has_answer = value.get("has_answer")
    if role is None or type(text) is not str:
        return None
    if has_answer is None or type(has_answer) is bool:
        return Turn(role, storable(text), has_answer)
    return None


def _turn(node: Node) -> Turn:
    members = node.object()
    for key in ("role", "content"):
        if key not in members:
            raise node.place.refuse(
                f"the key {key!r} is missing.", "Add it. Required here: role, content."
            )
    return Turn(
        _role(members["role"]),
        storable(members["content"].text()),
        _has_answer(members.get("has_answer")),
    )


def _role(node: Node) -> Role:
    role = _ROLES.get(node.text())
    if role is None:
        raise node.place.refuse(
            f"found {shown(node.value)}, wanted 'user' or 'assistant'.",
            "Name the side that speaks; turns of other kinds cannot be measured.",
        )
    return role


def _has_answer(node: Node | None) -> bool | None:
    match node:
        case None | Node(value=None):
            return None
        case Node(value=bool(label)):
            return label
    raise node.place.refuse(
        f"found {shown(node.value)}, wanted true or false.",
        "The label says whether the turn holds the answer.",
    )
