"""Where two reports first part in what they must share to the bit.

The canonical quality JSON decides whether two are equal; walking the same JSON names
the place, so that no difference can go without a name.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import cast

from harness.report.model import Report
from harness.report.quality import Json, quality_json

MISSING = "nothing"
"""Stands in a difference for what one side has not."""

FIRST = ("dataset", "vectors", "parameters", "seeding", "configurations")
"""What was asked comes before what came back: it explains the rest."""
RANKED = ("rankings", "documents", "scores", "plan")
"""A changed ranking comes before the metrics that change with it."""

PER_RANK = {"documents": "document", "scores": "score"}

Step = str | int


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first place at which two results are not the same.

    Attributes:
        field: What differs there: ``document``, ``score``, ``metrics recall@5``.
        configuration: Where it lies, if it is an answer.
        query: Its id; ``None`` for a figure over all queries.
        rank: From 1; ``None`` where the difference has no rank.
        base: What the first has, in the words of its JSON.
        new: What the second has.
    """

    field: str
    configuration: str | None
    query: str | None
    rank: int | None
    base: str
    new: str

    def __str__(self) -> str:
        query = None if self.query is None else f"query {self.query}"
        rank = None if self.rank is None else f"rank {self.rank}"
        parts = (self.configuration, query, rank, self.field)
        place = ", ".join(part for part in parts if part is not None)
        return f"{place}: {self.base} and {self.new}"


def first_difference(
    base: Report, new: Report, *, evidence: bool = False
) -> FirstDifference | None:
    """Name the first thing that differs; ``None`` where both are equal to the bit.

    Args:
        base: The report that is believed.
        new: The one held against it.
        evidence: Compare each hit's score and the daemon's plan as well, which only
            runs on one kind of processor share.
    """
    ours = quality_json(base, evidence=evidence)
    theirs = quality_json(new, evidence=evidence)
    if ours == theirs:
        return None
    views: tuple[Json, Json] = (json.loads(ours), json.loads(theirs))
    path, left, right = next(_parts(*views))
    return _named(views[0], path, left, right)


def _parts(left: object, right: object) -> Iterator[tuple[list[Step], object, object]]:
    """Walk both trees at once, and yield the path of each leaf that differs."""
    steps: list[tuple[Step, object, object]]
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        keys = sorted(left.keys() | right.keys(), key=_importance)
        steps = [(key, left.get(key, ...), right.get(key, ...)) for key in keys]
    elif isinstance(left, list) and isinstance(right, list):
        pairs = zip_longest(left, right, fillvalue=...)
        steps = [(place, *pair) for place, pair in enumerate(pairs)]
    else:
        # 1 and 1.0 are two texts, and so are true and 1.
        if type(left) is not type(right) or left != right:
            yield [], left, right
        return
    for step, ours, theirs in steps:
        for path, one, other in _parts(ours, theirs):
            yield [step, *path], one, other


def _importance(key: str) -> tuple[int, int, str]:
    first = FIRST.index(key) if key in FIRST else len(FIRST)
    ranked = RANKED.index(key) if key in RANKED else len(RANKED)
    return first, ranked, key


def _named(
    view: Json, path: Sequence[Step], left: object, right: object
) -> FirstDifference:
    """Put names in the place of the positions in *path*."""
    words = [str(step) for step in path]
    configuration = query = rank = None
    if words[0] == "configurations" and len(words) > 1:
        results = cast("dict[str, list[dict[str, object]]]", view)["configurations"]
        result = _at(results, int(words[1]))
        configuration = str(result.get("name", f"number {int(words[1]) + 1}"))
        words = words[2:] or ["configuration"]
        if words[0] == "rankings" and len(words) > 1:
            rankings = cast("list[dict[str, object]]", result["rankings"])
            query = str(_at(rankings, int(words[1])).get("query", MISSING))
            words = words[2:] or ["ranking"]
            if words[0] in PER_RANK and len(words) > 1:
                rank = int(words[1]) + 1
                words = [PER_RANK[words[0]]]
    field = " ".join(words)
    return FirstDifference(field, configuration, query, rank, _text(left), _text(right))


def _at(items: Sequence[dict[str, object]], place: int) -> dict[str, object]:
    """Give the item at *place*; an empty one where only the other side has it."""
    return items[place] if place < len(items) else {}


def _text(value: object) -> str:
    if value is ...:
        return MISSING
    if isinstance(value, dict):
        # A whole answer that only one side has: its name says enough.
        value = value.get("name") or value.get("query") or "one more"
    return json.dumps(value, ensure_ascii=False)
