"""The simplest exact search that ranks: shared words, cosine, and their fusion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Json = dict[str, Any]
Scores = list[tuple[str, float]]
Ranked = list[tuple[str, float, Json]]


@dataclass
class StoredDrawer:
    """One version in the fake."""

    id: str
    wing: str
    room: str
    content: str
    valid_from: str
    valid_to: str | None = None
    vector: Sequence[float] | None = None
    entities: set[str] = field(default_factory=set)
    name: str | None = None

    def shown(self) -> Json:
        """The drawer as the contract shows it."""
        return {
            "id": self.id,
            "wing": self.wing,
            "room": self.room,
            "content": self.content,
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
        }


def passes(drawer: StoredDrawer, scope: Json) -> bool:
    if scope["wing"] not in {None, drawer.wing}:
        return False
    if scope["room"] not in {None, drawer.room}:
        return False
    match scope["temporal"]:
        case "current":
            return drawer.valid_to is None
        case "all":
            return True
        case {"as_of": at}:
            return drawer.valid_from <= at and _ends_after(drawer, at)
        case {"between": {"from": start, "until": end}}:
            return drawer.valid_from < end and _ends_after(drawer, start)
    raise AssertionError(scope)


def _ends_after(drawer: StoredDrawer, moment: str) -> bool:
    return drawer.valid_to is None or drawer.valid_to > moment


def lexical(drawers: Sequence[StoredDrawer], text: str) -> Scores:
    wanted = set(text.lower().split())
    scores = {
        drawer.id: float(len(wanted & set(drawer.content.lower().split())))
        for drawer in drawers
    }
    return _best({drawer: score for drawer, score in scores.items() if score > 0})


def semantic(drawers: Sequence[StoredDrawer], vector: Sequence[float] | None) -> Scores:
    if vector is None:
        return []
    query = np.array(vector, np.float32)
    return _best(
        {
            drawer.id: float(np.array(drawer.vector, np.float32) @ query)
            for drawer in drawers
            if drawer.vector is not None
        }
    )


def fused(*legs: Scores) -> Ranked:
    scores: dict[str, float] = {}
    signals: dict[str, Json] = {}
    for kind, leg in zip(("lexical", "semantic"), legs, strict=True):
        for rank, (drawer, score) in enumerate(leg, start=1):
            scores[drawer] = scores.get(drawer, 0.0) + 1 / (60 + rank)
            signals.setdefault(drawer, {})[kind] = score
    return [(drawer, score, signals[drawer]) for drawer, score in _best(scores)]


def _best(scores: Mapping[str, float]) -> Scores:
    # Stable, so equal scores stay in the order the drawers were written in.
    return sorted(scores.items(), key=lambda each: -each[1])
