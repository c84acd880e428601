"""Count what is odd in a file and measured all the same.

The published files have all of this. Nothing here changes a score by itself; a reader
of the report sees what stood in the data.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import pairwise

from harness.dataset.longmemeval.dates import has_wrong_weekday
from harness.dataset.longmemeval.fields import REPLACEMENT
from harness.dataset.longmemeval.model import Question, Session


@dataclass(frozen=True, slots=True)
class Defects:
    """Counts over some questions; add them up in any order."""

    questions: int = 0
    sessions: int = 0
    turns: int = 0
    repeated_sessions: int = 0
    """Sessions whose id an earlier one of the haystack has; scored as one with it."""
    questions_with_repeats: int = 0
    blank_turns: int = 0
    """Nothing is written for them."""
    empty_sessions: int = 0
    """Without any turn; never written, and so never returned."""
    sessions_without_user_turn: int = 0
    """Likewise never written where only the user's side is."""
    sessions_begun_by_assistant: int = 0
    sessions_with_one_role_twice_running: int = 0
    sessions_of_odd_length: int = 0
    number_answers: int = 0
    questions_dated_before_a_session: int = 0
    """By the clock; they are asked after the whole haystack all the same."""
    questions_dated_before_evidence: int = 0
    """Among these: a cut by date would hide an answer session."""
    questions_dated_before_every_session: int = 0
    unsorted_haystacks: int = 0
    """Sessions not in the order of their dates."""
    wrong_weekdays: int = 0
    """Dates that name another weekday than they fall on; the weekday is ignored."""
    answer_sessions: int = 0
    unlabelled_answer_sessions: int = 0
    """Listed as answer sessions, with no labelled turn: gold by one policy alone."""
    turns_with_replacement_character: int = 0
    """Holding U+FFFD, from the file or in place of what no daemon can store."""

    def remarks(self) -> tuple[str, ...]:
        """Return a sentence for each kind of oddity there is, however often it is."""
        found = ((getattr(self, name), text) for name, text in _REMARKS.items())
        return tuple(text.format(count) for count, text in found if count)

    def __add__(self, other: "Defects") -> "Defects":
        return Defects(
            **{
                each.name: getattr(self, each.name) + getattr(other, each.name)
                for each in fields(Defects)
            }
        )


_REMARKS = {
    "repeated_sessions": "{:,} sessions stand in their haystack a second time: each is "
    "written, and both are scored as one.",
    "blank_turns": "{:,} turns are blank: nothing is written for them.",
    "empty_sessions": "{:,} sessions have no turn: they are never written.",
    "sessions_without_user_turn": "{:,} sessions have no turn of the user: where only "
    "the user's side is written, they are not.",
    "questions_dated_before_a_session": "{:,} questions are dated before a session of "
    "theirs: they are asked after all of them.",
    "unsorted_haystacks": "{:,} haystacks are not in the order of their dates: they "
    "are written as they stand.",
    "wrong_weekdays": "{:,} dates name a weekday they do not fall on: it is ignored.",
    "unlabelled_answer_sessions": "{:,} answer sessions hold no labelled turn: they "
    "are gold by answer_session_ids alone.",
    "turns_with_replacement_character": "{:,} turns hold U+FFFD, some perhaps in place "
    "of what no daemon can store.",
}
"""What is worth a sentence; the other counts say only how the data is."""


def find_defects(question: Question) -> Defects:
    """Count what is odd in one question."""
    return _of_shape(question) + _of_dates(question) + _of_evidence(question)


def _of_shape(question: Question) -> Defects:
    sessions = question.sessions
    turns = [turn for session in sessions for turn in session.turns]
    repeated = len(sessions) - len({session.id for session in sessions})
    return Defects(
        questions=1,
        sessions=len(sessions),
        turns=len(turns),
        repeated_sessions=repeated,
        questions_with_repeats=int(repeated > 0),
        blank_turns=sum(turn.is_blank for turn in turns),
        empty_sessions=sum(not session.turns for session in sessions),
        sessions_without_user_turn=sum(map(_lacks_user, sessions)),
        sessions_begun_by_assistant=sum(map(_is_begun_by_assistant, sessions)),
        sessions_with_one_role_twice_running=sum(map(_repeats_a_role, sessions)),
        sessions_of_odd_length=sum(len(each.turns) % 2 for each in sessions),
        number_answers=int(question.answer_is_number),
        turns_with_replacement_character=sum(
            REPLACEMENT in turn.text for turn in turns
        ),
    )


def _of_dates(question: Question) -> Defects:
    texts = [question.date_text, *(each.date_text for each in question.sessions)]
    dates = [each.date for each in question.sessions if each.date is not None]
    evidence = [each.date for each in _evidence(question) if each.date is not None]
    asked = question.date
    return Defects(
        questions_dated_before_a_session=int(_is_before(asked, dates, any)),
        questions_dated_before_evidence=int(_is_before(asked, evidence, any)),
        questions_dated_before_every_session=int(_is_before(asked, dates, all)),
        unsorted_haystacks=int(dates != sorted(dates)),
        wrong_weekdays=sum(map(has_wrong_weekday, texts)),
    )


def _of_evidence(question: Question) -> Defects:
    named = len(question.answer_session_ids)
    labelled = {each.id for each in _evidence(question) if _is_labelled(each)}
    return Defects(
        answer_sessions=named, unlabelled_answer_sessions=named - len(labelled)
    )


def _evidence(question: Question) -> list[Session]:
    named = set(question.answer_session_ids)
    return [each for each in question.sessions if each.id in named]


def _lacks_user(session: Session) -> bool:
    return all(turn.role != "user" for turn in session.turns)


def _is_begun_by_assistant(session: Session) -> bool:
    return bool(session.turns) and session.turns[0].role == "assistant"


def _repeats_a_role(session: Session) -> bool:
    return any(one.role == another.role for one, another in pairwise(session.turns))


def _is_labelled(session: Session) -> bool:
    return any(turn.has_answer for turn in session.turns)


def _is_before(
    asked: datetime | None,
    dates: list[datetime],
    which: Callable[[Iterable[bool]], bool],
) -> bool:
    if asked is None or not dates:
        return False
    return which(asked < date for date in dates)
