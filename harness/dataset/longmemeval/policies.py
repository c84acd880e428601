"""What counts: which texts are written, what is relevant, which questions are scored.

None of these choices is right for everyone, and each moves the headline, so a run
declares its own and every figure says how many questions stand behind it.
"""

from dataclasses import dataclass
from typing import Literal

from harness.dataset.longmemeval.model import Question, Turn

TextPolicy = Literal["full", "user"]
"""Whose turns are written: both sides', or the user's alone as the official evaluation
has it, which puts most questions about the assistant's words out of reach."""

GoldPolicy = Literal["answer_session_ids", "any_turn", "user_turn"]
"""What makes a session relevant: it is listed as an answer session; any turn of it is
labelled; a turn of the user is labelled. The last is what the official evaluation
scores by. In S the three differ for about a quarter of the questions."""

Granularity = Literal["session", "turn"]
"""What one document is."""

Abstention = Literal["exclude", "include"]
"""What becomes of questions whose right answer is that there is none."""

QuestionSet = Literal["all", "answerable", "official"]
"""The sets that published figures are over; in a whole release 500, 470 and 419."""

Unscored = Literal["abstention", "no gold"]
"""Why a question is left out of the averages."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The declared choices of a run; two runs that differ here do not compare."""

    text: TextPolicy = "full"
    gold: GoldPolicy = "answer_session_ids"
    granularity: Granularity = "session"
    abstention: Abstention = "exclude"

    @property
    def scores_sessions(self) -> bool:
        """Whether rankings are scored as sessions.

        Turns are scored as the session they are of where only sessions are judged:
        a list of sessions cannot tell which of their turns matter.
        """
        return self.granularity == "session" or self.gold == "answer_session_ids"


def gold(question: Question, policies: Policies) -> frozenset[str]:
    """Return what is relevant, by the ids that `harness...units.Unit` is scored as.

    It may be empty, or hold turns that the text policy never writes: such a question
    cannot be answered in full, and that is what its score then says.
    """
    if policies.gold == "answer_session_ids":
        return frozenset(question.answer_session_ids)
    only_user = policies.gold == "user_turn"
    labelled = (
        (session, position)
        for session in question.sessions
        for position, turn in enumerate(session.turns)
        if turn.has_answer and (turn.role == "user" or not only_user)
    )
    if policies.scores_sessions:
        return frozenset(session.id for session, _ in labelled)
    return frozenset(session.turn_id(position) for session, position in labelled)


def why_unscored(question: Question, policies: Policies) -> Unscored | None:
    """Return why a question counts in no average, or `None` where it counts.

    Without gold a metric would be 0 or 1 by definition, whatever came back. Such
    questions are left out, and the report lists them.
    """
    if question.is_abstention and policies.abstention == "exclude":
        return "abstention"
    return None if gold(question, policies) else "no gold"


def scored(question: Question, policies: Policies) -> bool:
    """Tell whether a question counts in the averages."""
    return why_unscored(question, policies) is None


def question_sets(question: Question) -> frozenset[QuestionSet]:
    """Return the published sets a question belongs to, whatever the policies are."""
    sets: set[QuestionSet] = {"all"}
    if not question.is_abstention:
        sets.add("answerable")
        if any(_is_target(turn) for each in question.sessions for turn in each.turns):
            sets.add("official")
    return frozenset(sets)


def _is_target(turn: Turn) -> bool:
    return turn.role == "user" and turn.has_answer is True
