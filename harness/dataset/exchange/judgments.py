"""Judgments as other people's files have them, and what they become here.

Their scores may be 0 or below, which says that somebody looked and found the document
not relevant. Here such a document is simply not listed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.dataset.place import Place, shown
from harness.dataset.rules.queries import LARGEST_GRADE
from harness.errors import UsageError

ANSWER = 2
"""The grade of a document that answers a query."""

_WHOLE = re.compile(r"[+-]?\d{1,9}(?:\.0*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Judgments:
    """Every judged document of every query, relevant or not."""

    scores: Mapping[str, Mapping[str, int]]
    """Query to document to score, in the order of the file."""

    @property
    def count(self) -> int:
        """How many judgments there are."""
        return sum(map(len, self.scores.values()))

    def relevant(self, query: str) -> dict[str, int]:
        """Return the documents of a query with a score above 0, perhaps none."""
        found = self.scores.get(query, {})
        return {document: each for document, each in found.items() if each > 0}


class QrelsBuilder:
    """Collect judgments, and refuse the second of two on one document."""

    def __init__(self) -> None:
        self._scores: dict[str, dict[str, int]] = {}

    def add(self, place: Place, query: str, document: str, number: int) -> None:
        """Take one judgment, the line of which is *place*."""
        found = self._scores.setdefault(query, {})
        if document in found:
            raise place.refuse(
                f"{shown(document)} is judged twice in query {shown(query)}.",
                "Keep one of the two judgments.",
            )
        found[document] = number

    def judgments(self) -> Judgments:
        """Return what was collected."""
        return Judgments(self._scores)


def score(place: Place, text: str) -> int:
    """Read a judgment's score: a whole number, perhaps written as ``1.0``."""
    number = int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else None
    if number is None or number > LARGEST_GRADE:
        raise place.refuse(
            f"found {shown(text)} for a score, wanted a whole number of at most "
            f"{LARGEST_GRADE}.",
            "0 and below are not relevant; the gain of a grade doubles with each step.",
        )
    return number


@dataclass(frozen=True, slots=True)
class Grading:
    """The rule that turns scores into grades; below 1 nothing is listed."""

    name: str
    """As it was asked for, and as it is written into the data set."""
    grades: Mapping[int, int] | None = field(default=None)
    """Score to grade, where the rule is a table."""

    def grade(self, number: int) -> int | None:
        """Return the grade of a score, 0 for not relevant; `None` for no rule."""
        if self.grades is not None:
            return self.grades.get(number)
        if number <= 0:
            return 0
        return ANSWER if self.name == "binary" else number


KEEP = Grading("keep")
"""The score is the grade, as trec_eval has it."""


def parse_grading(text: str) -> Grading:
    """Read a rule: ``keep``, ``binary``, or a table such as ``0=0,1=1,2=2,3=2``.

    Raises:
        UsageError: It is none of the three.
    """
    if text in {"keep", "binary"}:
        return Grading(text)
    grades: dict[int, int] = {}
    for part in text.split(","):
        found = re.fullmatch(r"(-?\d{1,9})=(\d{1,2})", part.strip(), re.ASCII)
        if found is None or int(found[2]) > LARGEST_GRADE or int(found[1]) in grades:
            raise UsageError(
                f"--grades: {part!r} gives no score a grade from 0 to {LARGEST_GRADE}, "
                "or one that has one.",
                remedy="Write keep, binary, or a table such as 0=0,1=1,2=2,3=2.",
            )
        grades[int(found[1])] = int(found[2])
    return Grading(text, grades)
