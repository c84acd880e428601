"""Look a file through before anything is started: what there is, and what it costs.

The whole of what will be measured is read once. An entry that is malformed is found
here, and not after an hour.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.daemon.haystack import Document
from harness.dataset.conversations import read_conversations
from harness.dataset.longmemeval.errata import Errata
from harness.dataset.longmemeval.policies import Policies
from harness.measure.longmemeval.describe import describe
from harness.measure.longmemeval.prepare import batched


@dataclass(slots=True)
class Survey:
    """Counts over the questions that would be read."""

    questions: int = 0
    asked: int = 0
    scored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    sessions: int = 0
    documents: int = 0
    """That would be written, for the questions that would be asked."""
    blank: int = 0
    characters: int = 0
    requests: int = 0
    """That would write the documents, to a daemon that takes many at once."""


def survey(
    path: Path,
    policies: Policies,
    errata: Errata | None = None,
    *,
    limit: int | None = None,
    seen: Callable[[int], None] = lambda _questions: None,
    texts: Callable[[Sequence[str], Sequence[str]], None] | None = None,
) -> Survey:
    """Read what would be measured, and count it.

    Args:
        path: The file.
        policies: What would be written, and what is relevant.
        errata: The list of doubted questions, where one is applied.
        limit: How many questions are read, from the first.
        seen: Told after each question that there was one more.
        texts: Given the documents and the query of each question to be asked.

    Raises:
        DatasetError: An entry is malformed, or the errata do not fit it.
    """
    found = Survey()
    for question in read_conversations(path, limit):
        record, documents = describe(question, policies, errata)
        found.questions += 1
        found.scored += record.unscored is None
        found.sessions += record.sessions
        if record.unscored is not None:
            found.unscored[record.unscored] += 1
        seen(1)
        if not record.asked:
            continue
        drawers = (Document(unit.key, unit.text) for unit in documents)
        found.asked += 1
        found.documents += len(documents)
        found.blank += record.blank
        found.characters += record.characters
        found.requests += sum(1 for _ in batched(drawers))
        if texts is not None:
            texts([unit.text for unit in documents], [question.text])
    return found
