"""Cut texts into requests that no endpoint refuses for their size.

Nothing is tokenised. A token is estimated to be four ASCII characters, and every other
character to be a token: a little too many for English, about right for Chinese, too few
for digits and base64. So text that looks like a model's control token is text like any
other, and the endpoint has the last word on what is too long.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

ASCII_PER_TOKEN = 4


class Piece(NamedTuple):
    """A text as it is sent, named by the SHA-256 of its UTF-8."""

    sha256: bytes
    text: str

    @property
    def name(self) -> str:
        """The hash in hexadecimal, to name the text without repeating it."""
        return self.sha256.hex()


def piece(text: str) -> Piece:
    """Make *text* ready to be sent.

    A lone surrogate, half a character that JSON allows and UTF-8 does not, becomes
    U+FFFD. Nothing else changes.
    """
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Piece(sha256(sound.encode()).digest(), sound)


def is_blank(text: str) -> bool:
    """Tell whether *text* must not be sent, as endpoints refuse all of its request."""
    return not text or text.isspace()


def tokens(text: str) -> int:
    """Estimate the tokens of *text*.

    >>> tokens("twelve chars"), tokens("北京"), tokens("")
    (3, 2, 0)
    """
    others = 0
    if not text.isascii():
        others = len(text) - len(text.encode("ascii", "ignore"))
    return -(-(len(text) - others) // ASCII_PER_TOKEN) + others


def batches(
    pieces: Iterable[Piece], *, most_texts: int, most_tokens: int
) -> Iterator[list[Piece]]:
    """Cut *pieces* into runs that keep both caps, in order; a huge one goes alone."""
    batch: list[Piece] = []
    weight = 0
    for each in pieces:
        added = tokens(each.text)
        if batch and (len(batch) == most_texts or weight + added > most_tokens):
            yield batch
            batch, weight = [], 0
        batch.append(each)
        weight += added
    if batch:
        yield batch
