"""Cuts a list of texts into requests that no service refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from palace.provider.failures import UnusableText

# About one token for three bytes: too many for English, about right for Chinese.
_BYTES_PER_TOKEN: Final = 3


class Caps(NamedTuple):
    """How much one request carries at most.

    Services cap a request by its inputs and by the tokens of all of them together, and
    answer 400 above that. The defaults are far below what any of them is known to
    refuse; small requests cost throughput, though.
    """

    texts: int = 16
    tokens: int = 32_000
    """Estimated; a text over it travels alone."""


def batches(texts: Sequence[str], caps: Caps) -> Iterator[list[str]]:
    """Cut *texts* into runs that keep both caps; a huge text travels alone."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        weight = len(text.encode()) // _BYTES_PER_TOKEN + 1
        if batch and (len(batch) == caps.texts or tokens + weight > caps.tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += weight
    if batch:
        yield batch


def check_texts(texts: Sequence[str]) -> None:
    """Refuse what must not be sent.

    Raises:
        UnusableText: A text is blank or holds a lone surrogate.
    """
    for place, text in enumerate(texts):
        if not text or text.isspace():
            raise UnusableText(place, "it is blank")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UnusableText(place, "it holds a lone surrogate") from None
