"""Documents of several fragments, whose answers do not stand where it is easy.

A daemon that cuts documents at 1,750 characters, each fragment repeating the last 350
of the one before, makes three to four fragments of each. Six more documents of that
length hold, for every question, a near miss in a single sentence. So where an answer is
lost - since only the beginning was kept, or since a cut went through it and nothing
repeats it - six documents come before the one that is relevant.
"""

from collections.abc import Iterator

from harness.dataset.recall import long_texts
from harness.dataset.recall.long_texts import PASSAGES, Passage
from harness.dataset.recall.model import RecallDocument, RecallQuery, Slice
from harness.dataset.recall.mulberry import Mulberry32

FRAGMENT = 1750
"""Characters at which the documents expect to be cut."""

OVERLAP = 350
"""Characters that they expect to be repeated."""

# Where the answers stand, in turn.
PLACES = ("first", "second", "third", "boundary", "end", "unbroken")
"""Where an answer stands, the category of its query; each occurs twice.

``first``, ``second`` and ``third``: in the middle of that fragment. ``boundary``: on
both sides of the first cut, in a document without line breaks. ``end``: the last words.
``unbroken``: last, after a word that is longer than a fragment.
"""

_SEED = 0x10F6
_LENGTH = 4600
_MISSES = 6
_PARAGRAPH = 5

# A cut at the 1,750th character then falls between the answer's first and last words:
# the sentence before it may overrun this by its own length.
_BEFORE_CUT = 150

_STARTS = {
    "first": 700,
    "second": 2200,
    "third": 3500,
    "boundary": FRAGMENT - _BEFORE_CUT,
    "end": _LENGTH,
    "unbroken": 900,
}

_SUBJECTS, _VERBS, _OBJECTS, _MANNERS = (
    tuple(part for part in listed.split("|") if part)
    for listed in (
        long_texts.SUBJECTS,
        long_texts.VERBS,
        long_texts.OBJECTS,
        long_texts.MANNERS,
    )
)


def long_documents_slice() -> Slice:
    """Make the slice: twelve documents with one answer each, and six without."""
    random = Mulberry32(_SEED)
    documents: list[RecallDocument] = []
    queries: list[RecallQuery] = []
    for number, passage in enumerate(PASSAGES):
        place = PLACES[number % len(PLACES)]
        identity = f"long-{number}"
        documents.append(RecallDocument(identity, _answering(passage, place, random)))
        queries.append(
            RecallQuery(f"long-query-{number}", passage.query, (identity,), place)
        )
    documents += [
        RecallDocument(f"long-miss-{number}", _missing(random))
        for number in range(_MISSES)
    ]
    return Slice("long", tuple(documents), tuple(queries))


def _answering(passage: Passage, place: str, random: Mulberry32) -> str:
    before = list(_prose(_STARTS[place], random))
    after: list[str] = []
    if place == "unbroken":
        before.append(_unbroken(random))
    elif place != "end":
        after = list(_prose(_LENGTH - _STARTS[place], random))
    sentences = [*before, passage.answer, *after]
    if place == "boundary":
        return " ".join(sentences)
    return _in_paragraphs(sentences)


def _missing(random: Mulberry32) -> str:
    """Make a document with every near miss, each after some lines of prose."""
    sentences: list[str] = []
    for passage in random.shuffled(PASSAGES):
        sentences += _prose(_LENGTH // len(PASSAGES) - len(passage.miss), random)
        sentences.append(passage.miss)
    return _in_paragraphs(sentences)


def _prose(length: int, random: Mulberry32) -> Iterator[str]:
    """Yield sentences until they have *length* characters, spaces between counted."""
    written = 0
    while written < length:
        parts = (_SUBJECTS, _VERBS, _OBJECTS, _MANNERS)
        sentence = " ".join(random.pick(part) for part in parts)
        yield f"{sentence[0].upper()}{sentence[1:]}."
        written += len(sentence) + 2


def _unbroken(random: Mulberry32) -> str:
    """Make one word of two fragments' length, as a pasted file may be."""
    letters = "bcdfghjklmnpqrstvwxz0123456789"
    return "".join(random.pick(letters) for _ in range(2 * FRAGMENT))


def _in_paragraphs(sentences: list[str]) -> str:
    """Join *sentences*, with a line break after some and a blank line after more."""
    paragraphs = []
    for start in range(0, len(sentences), _PARAGRAPH):
        first, *rest = sentences[start : start + _PARAGRAPH]
        paragraphs.append("\n".join(filter(None, (first, " ".join(rest)))))
    return "\n\n".join(paragraphs)
