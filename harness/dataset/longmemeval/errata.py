"""Correct what is publicly doubted in a data set, beside the uncorrected figures.

The list is data, never code: each entry says what is doubted and who said so. Only a
doubt about the evidence touches retrieval. A wrong answer text is listed for the reader
and changes nothing, since no metric looks at answers.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from harness.dataset.jsonfile import JsonValue, display, read_bytes
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.policies import Policies, gold
from harness.dataset.node import Node
from harness.dataset.place import Place, shown

LARGEST_FILE = 1 << 20
"""Bytes a list may have."""

Doubt = Literal["evidence", "answer"]

_DOUBTS: dict[str, Doubt] = {"evidence": "evidence", "answer": "answer"}


@dataclass(frozen=True, slots=True)
class Erratum:
    """What is doubted of one question."""

    question: str
    doubts: Doubt
    what: str
    source: str
    """Who said so, such as an issue."""
    gold: tuple[str, ...] | None
    """The right answer sessions; `None` where nobody has named them."""


@dataclass(frozen=True, slots=True)
class Errata:
    """A list of doubted questions, known by the hash of its bytes."""

    name: str
    sha256: str
    entries: Mapping[str, Erratum]
    """By question id; ids that a file does not have do no harm."""

    def apply(self, question: Question, policies: Policies) -> frozenset[str] | None:
        """Return the corrected gold, or `None` where the question is to be left out.

        Unlisted questions, and those with a doubted answer alone, keep their gold. A
        question whose evidence is doubted is left out when nobody has named the right
        sessions, or when turns are scored, which sessions cannot correct.

        Raises:
            DatasetError: The list names a session that the haystack does not have.
        """
        erratum = self.entries.get(question.id)
        if erratum is None or erratum.doubts == "answer":
            return gold(question, policies)
        if erratum.gold is None or not policies.scores_sessions:
            return None
        there = {session.id for session in question.sessions}
        for name in erratum.gold:
            if name not in there:
                raise (
                    Place(self.name)
                    .at(question.id)
                    .refuse(
                        f"{shown(name)} is not the id of a session of this haystack.",
                        "No ranking could find it. Mend the id, or add the session.",
                    )
                )
        return frozenset(erratum.gold)


def read_errata(path: Path) -> Errata:
    """Return the list in the TOML file at *path*.

    Raises:
        DatasetError: It is no TOML, or an entry is malformed or there twice.
    """
    data = read_bytes(path, at_most=LARGEST_FILE)
    place = Place(display(path))
    try:
        content = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise place.refuse(
            f"the list cannot be read as TOML: {error}.", "Mend it there."
        ) from error
    root = Node(cast(JsonValue, content), place)
    entries: dict[str, Erratum] = {}
    for node in root.members(required=("question",))["question"].items():
        erratum = _erratum(node)
        if erratum.question in entries:
            raise node.place.refuse(
                f"{shown(erratum.question)} is listed twice.", "Keep one of the two."
            )
        entries[erratum.question] = erratum
    return Errata(path.name, hashlib.sha256(data).hexdigest(), entries)


def _erratum(node: Node) -> Erratum:
    members = node.members(
        required=("id", "doubts", "what", "source"), optional=("gold",)
    )
    doubts = _DOUBTS.get(members["doubts"].text())
    if doubts is None:
        raise members["doubts"].place.refuse(
            f"found {shown(members['doubts'].value)}, wanted 'evidence' or 'answer'.",
            "Say what is doubted: only doubtful evidence changes what is scored.",
        )
    named = members.get("gold")
    sessions = None if named is None else tuple(each.text() for each in named.items())
    if sessions == () or (sessions and doubts == "answer"):
        raise node.place.refuse(
            f"found {len(sessions)} sessions under gold.",
            "Name the right sessions where the evidence is doubted, or leave it out.",
        )
    return Erratum(
        question=members["id"].text(),
        doubts=doubts,
        what=members["what"].text(),
        source=members["source"].text(),
        gold=sessions,
    )
