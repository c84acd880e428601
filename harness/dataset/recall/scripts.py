"""Sentences in scripts that a search for a-z would lose, and lines parted by breaks.

Vectors of letters know a-z and 0-9 alone, so most of these queries have no vector, and
what finds them is the keyword search that a daemon falls back to. A daemon that drops
accents with their letters, takes a line of Chinese for one word, or deletes a newline
between two words misses them.
"""

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from harness.dataset.recall import script_texts
from harness.dataset.recall.model import RecallDocument, RecallQuery, Slice

SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        "latin": script_texts.LATIN,
        "cyrillic": script_texts.CYRILLIC,
        "korean": script_texts.KOREAN,
        "japanese": script_texts.JAPANESE,
        "chinese": script_texts.CHINESE,
        "emoji": script_texts.EMOJI,
        "linebreaks": script_texts.LINEBREAKS,
    }
)
"""Category of the queries to the sentences they are asked of."""

_ESCAPES = {r"\n": "\n", r"\r": "\r", r"\t": "\t"}


def scripts_slice() -> Slice:
    """Make the slice: documents and queries of all scripts, script after script."""
    documents: list[RecallDocument] = []
    queries: list[RecallQuery] = []
    for script, lines in SCRIPTS.items():
        written, asked = _read(script, lines)
        documents += written
        queries += asked
    return Slice("scripts", tuple(documents), tuple(queries))


def _read(script: str, lines: str) -> tuple[list[RecallDocument], list[RecallQuery]]:
    documents: list[RecallDocument] = []
    queries: list[RecallQuery] = []
    answers: list[str] = []
    for line in lines.strip().splitlines():
        mark, text = (line[0], line[2:]) if line[0] in "?-~" else ("", line)
        if mark == "?":
            number = len(queries)
            queries.append(
                RecallQuery(f"{script}-query-{number}", text, tuple(answers), script)
            )
            answers = []
            continue
        document = RecallDocument(f"{script}-{len(documents)}", _stored(mark, text))
        documents.append(document)
        if mark != "-":
            answers.append(document.id)
    return documents, queries


def _stored(mark: str, text: str) -> str:
    """Return *text* as it is written to the daemon."""
    for escape, character in _ESCAPES.items():
        text = text.replace(escape, character)
    return unicodedata.normalize("NFD" if mark == "~" else "NFC", text)
