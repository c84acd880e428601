"""When two spellings name one thing: keys, typos, and what is only possibly the same.

Pure: it decides among candidates it is given. The rules, first that fits: the exact
name, the same key, a known alias, a typo with exactly one candidate; else the entity
is new, with links to those it might be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from palace.edits import edits

EXACT, SAME_KEY, ALIAS = 1.0, 0.98, 0.95
"""How sure each rule is; a typo is as sure as the two keys are similar."""

POSSIBLY_SAME_AT_MOST = 5
"""How many links to possibly the same entities a new one gets."""

_TYPO_KEY = 6
_POSSIBLE_KEY = 4
_POSSIBLE_EDITS = 2
_POSSIBLE_SIMILARITY = 0.75


class Candidate(NamedTuple):
    """An entity that is there, by its number and key."""

    seq: int
    key: str


class Likeness(NamedTuple):
    """An entity and how alike its key is, 0 to 1."""

    seq: int
    similarity: float


def entity_key(name: str) -> str:
    """Return the form in which spellings of one name meet.

    Lower case; letters, digits, `+` and `#` stay (C, C++ and C# differ); dots and
    apostrophes vanish (`U.S.` is `us`); any other run is one space.
    """
    kept = []
    for letter in name.lower():
        if letter.isalnum() or letter in "+#":
            kept.append(letter)
        elif letter not in ".'\u2019":
            kept.append(" ")
    return " ".join("".join(kept).split())


def typo_of(key: str, candidates: Sequence[Candidate]) -> Likeness | None:
    """Return the one candidate a single edit away; None when there are two or none."""
    if len(key) < _TYPO_KEY:
        return None
    found = [
        Likeness(candidate.seq, _similarity(1, key, candidate.key))
        for candidate in candidates
        if len(candidate.key) >= _TYPO_KEY
        and abs(len(candidate.key) - len(key)) <= 1
        and edits(key, candidate.key) == 1
    ]
    return found[0] if len(found) == 1 else None


def possibly_same(key: str, candidates: Sequence[Candidate]) -> list[Likeness]:
    """Return the candidates that might be the same, most alike first, at most five."""
    if len(key) < _POSSIBLE_KEY:
        return []
    found = []
    for candidate in candidates:
        if (
            len(candidate.key) < _POSSIBLE_KEY
            or abs(len(candidate.key) - len(key)) > _POSSIBLE_EDITS
        ):
            continue
        distance = edits(key, candidate.key)
        alike = _similarity(distance, key, candidate.key)
        if distance <= _POSSIBLE_EDITS and alike >= _POSSIBLE_SIMILARITY:
            found.append(Likeness(candidate.seq, alike))
    found.sort(key=lambda likeness: (-likeness.similarity, likeness.seq))
    return found[:POSSIBLY_SAME_AT_MOST]


def _similarity(distance: int, one: str, other: str) -> float:
    return 1 - distance / max(len(one), len(other))
