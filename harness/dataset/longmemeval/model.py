"""A question with its haystack, as frozen values.

`harness.dataset.longmemeval.read` makes them from a file and refuses what is malformed.
What is only odd (blank turns, one session twice, dates out of order) is kept as it is,
and counted by `harness.dataset.longmemeval.defects`.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal, NamedTuple

ABSTENTION_MARK = "_abs"
"""What an id holds, anywhere in it, when its question has no answer in the haystack.

That is the official evaluation's rule. The question's type does not tell, and nor do
its labels: some of these questions have evidence.
"""

Role = Literal["user", "assistant"]


class Turn(NamedTuple):
    """What one side said at one time."""

    role: Role
    text: str
    """May be blank."""
    has_answer: bool | None
    """The label; `None` where the file has none, which means the same as false."""

    @property
    def is_blank(self) -> bool:
        """Whether the turn says nothing."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class Session:
    """One chat of a haystack."""

    position: int
    """Place in the haystack, from 0. This is what tells sessions apart."""
    id: str
    """Not unique: a session may stand in a haystack twice, under two dates."""
    date: datetime | None
    """As the file has it, without a time zone; never sent, never used to cut."""
    date_text: str | None
    turns: tuple[Turn, ...]
    """Either side may begin, speak twice running, or be missing; may be empty."""

    def turn_id(self, turn: int) -> str:
        """Return the official evaluation's id for a turn; *turn* counts from 0."""
        return f"{self.id}_{turn + 1}"


@dataclass(frozen=True)
class Question:
    """A question and the sessions among which the answer is looked for."""

    index: int
    """Place in the file, from 0."""
    id: str
    type: str
    """Empty where the file has none."""
    text: str
    """All that is asked; the date is no part of the query."""
    answer: str | None
    """For people: numbers are written out, and no metric looks at it."""
    answer_is_number: bool
    date: datetime | None
    """When it is asked: after the whole haystack, whatever the clock times say."""
    date_text: str | None
    sessions: tuple[Session, ...]
    """Never empty; in file order, which need not be the order of their dates."""
    answer_session_ids: tuple[str, ...]
    """Each is the id of a session here, and named once; may be empty."""

    @property
    def is_abstention(self) -> bool:
        """Whether the right answer is that there is none."""
        return ABSTENTION_MARK in self.id

    @cached_property
    def is_evidence_only(self) -> bool:
        """Whether every session is an answer session, so that no ranking can miss."""
        return {each.id for each in self.sessions} <= set(self.answer_session_ids)
