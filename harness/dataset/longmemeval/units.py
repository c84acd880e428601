"""Cut a haystack into the documents that are written and ranked."""

from dataclasses import dataclass

from harness.dataset.longmemeval.model import Question, Session, Turn
from harness.dataset.longmemeval.policies import Policies, TextPolicy, gold


@dataclass(frozen=True, slots=True)
class Unit:
    """One document of a haystack: a session, or a turn."""

    key: str
    """Where it stands in its question, such as ``12`` or ``12.3``; counted from 0.

    Unique in the question, where the session's id is not.
    """
    session: int
    turn: int | None
    scored_as: str
    """What stands for it in rankings and in `gold`; units of one id share it."""
    text: str
    """Nothing but what was said: no id, no date and no label."""

    @property
    def place(self) -> str:
        """Where it stands, for a message; sessions and turns are counted from 0."""
        turn = "" if self.turn is None else f", turn {self.turn}"
        return f"session {self.session}{turn} ({self.scored_as!r})"

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to write; it still counts as not returned."""
        return not self.text.strip()


def units(question: Question, policies: Policies) -> list[Unit]:
    """Return the documents of a haystack, in its order.

    A session that stands in it twice gives two, scored as one: rankings are to drop
    what repeats. Turns the text policy leaves out give none of their own.
    """
    if policies.granularity == "session":
        return [_of_session(each, policies.text) for each in question.sessions]
    return [
        _of_turn(session, position, policies)
        for session in question.sessions
        for position, turn in enumerate(session.turns)
        if _is_written(turn, policies.text)
    ]


def pool_size(question: Question, policies: Policies) -> int:
    """Return how many different things a ranking could hold: what chance draws from.

    What is not written because it is blank counts, and so does gold that the text
    policy leaves out: neither can be found, and both are there to be missed.
    """
    written = {each.scored_as for each in units(question, policies)}
    return len(written | gold(question, policies))


def session_text(session: Session, policy: TextPolicy) -> str:
    """Return the text of a session; empty where nobody who counts said anything.

    Full is a line ``role: content`` a turn, as MemCastle writes it; the user's side is
    their contents joined by a blank, as the official evaluation has it. Blank turns
    add nothing.
    """
    said = [
        turn
        for turn in session.turns
        if _is_written(turn, policy) and not turn.is_blank
    ]
    if policy == "user":
        return " ".join(turn.text for turn in said)
    return "\n".join(f"{turn.role}: {turn.text}" for turn in said)


def _is_written(turn: Turn, policy: TextPolicy) -> bool:
    return policy == "full" or turn.role == "user"


def _of_session(session: Session, policy: TextPolicy) -> Unit:
    return Unit(
        key=f"{session.position}",
        session=session.position,
        turn=None,
        scored_as=session.id,
        text=session_text(session, policy),
    )


def _of_turn(session: Session, position: int, policies: Policies) -> Unit:
    as_session = policies.scores_sessions
    return Unit(
        key=f"{session.position}.{position}",
        session=session.position,
        turn=position,
        scored_as=session.id if as_session else session.turn_id(position),
        text=session.turns[position].text,
    )
