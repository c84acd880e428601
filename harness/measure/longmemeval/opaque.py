"""Names that say nothing: made of what is sent anyway, and of nothing else.

Ids in the file tell evidence from filler, and so would any name that is derived from
them, or from the file's hash. These are hashes of the texts of a haystack and of a
place in it. Two files that differ in their labels alone give the same names.
"""

import hashlib
from collections.abc import Iterable

ROOM = "sessions"
DIGITS = 20
"""Hex digits of a name: 80 bits, and no form that a daemon could take for an id."""


class OpaqueNames:
    """The names of one question's wing and documents.

    Args:
        index: The question's place in the file.
        texts: What is sent for it: the question, then its documents in order.
        attempt: How many runs of the same journal came before. A run that was killed
            may have left half a haystack behind, and this one must not meet it.
    """

    def __init__(self, index: int, texts: Iterable[str], attempt: int) -> None:
        content = hashlib.sha256()
        for text in texts:
            data = text.encode()
            content.update(b"%d:" % len(data))
            content.update(data)
        self._content = f"{index} {content.hexdigest()}"
        self.wing = f"q-{_hashed(self._content, str(attempt))}"

    def document(self, position: int, part: int) -> str:
        """Name a document by its place among those sent; a part of it by its own."""
        return _hashed(self._content, f"{position}.{part}")


def _hashed(content: str, place: str) -> str:
    return hashlib.sha256(f"{content} {place}".encode()).hexdigest()[:DIGITS]
