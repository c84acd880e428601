"""Count what is odd in a LoCoMo file and measured all the same."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.dataset.locomo.categories import CAUTION
from harness.dataset.locomo.read import Asked, read_asked


@dataclass(slots=True)
class Oddities:
    """Counts over a whole file; each is at least once in the published one."""

    conversations: int = 0
    sessions: int = 0
    turns: int = 0
    categories: Mapping[str, int] = field(default_factory=Counter)
    """Questions of each."""
    image_turns: int = 0
    idle_dates: int = 0
    """Dates of sessions that are not there."""
    without_answer: int = 0
    number_answers: int = 0
    without_evidence: list[str] = field(default_factory=list)
    """Ids of questions without any evidence that could be found: no gold."""
    split: int = 0
    """Evidence strings that held several names."""
    mended: int = 0
    """Evidence found once zeros before a number were dropped."""
    unknown: list[str] = field(default_factory=list)
    """Evidence that names no turn, as ``question: name``."""

    def remarks(self) -> tuple[str, ...]:
        """Return a sentence for each kind of oddity there is."""
        found = [
            (self.image_turns, "turns show an image: its caption alone is written."),
            (self.idle_dates, "dates are of sessions that are not there."),
            (self.without_answer, "questions have no answer key."),
            (self.number_answers, "answers are numbers: they are kept as text."),
            (self.split, "evidence strings held several turns: they were parted."),
            (self.mended, "evidence was found without the zeros before its number."),
        ]
        remarks = [f"{count:,} {text}" for count, text in found if count]
        if self.unknown:
            remarks.append(
                f"{len(self.unknown):,} evidence names no turn, and is left out: "
                f"{', '.join(self.unknown)}."
            )
        if self.without_evidence:
            remarks.append(
                f"{len(self.without_evidence):,} questions are without evidence, and "
                f"in no average: {', '.join(self.without_evidence)}."
            )
        if any(name[:1] in {"1", "4"} for name in self.categories):
            remarks.append(CAUTION)
        return tuple(remarks)


def find_oddities(path: Path) -> Oddities:
    """Read a whole LoCoMo file, and count.

    Raises:
        DatasetError: As `harness.dataset.locomo.read.read_locomo`.
    """
    found = Oddities()
    counts: Counter[str] = Counter()
    seen = ""
    for asked in read_asked(path):
        if asked.conversation.id != seen:
            seen = asked.conversation.id
            _count_conversation(found, asked)
        counts[asked.question.type] += 1
        _count_question(found, asked)
    found.categories = counts
    return found


def _count_conversation(found: Oddities, asked: Asked) -> None:
    conversation = asked.conversation
    found.conversations += 1
    found.sessions += len(conversation.sessions)
    found.turns += sum(len(each.turns) for each in conversation.sessions)
    found.image_turns += conversation.images
    found.idle_dates += conversation.idle_dates


def _count_question(found: Oddities, asked: Asked) -> None:
    question, evidence = asked.question, asked.evidence
    found.without_answer += question.answer is None
    found.number_answers += question.answer_is_number
    found.split += evidence.split
    found.mended += evidence.mended
    found.unknown += [f"{question.id}: {name}" for name in evidence.unknown]
    if not evidence.spots:
        found.without_evidence.append(question.id)
