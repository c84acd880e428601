"""Find the turns that a question's evidence names, in the ways people wrote them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_BETWEEN = re.compile(r"[;,\s]+")
_ZEROS = re.compile(r"(?<=[D:])0+(?=\d)")


class Spot(NamedTuple):
    """A turn: the places of its session and of itself, from 0."""

    session: int
    turn: int


class Evidence(NamedTuple):
    """What a question's evidence comes to."""

    spots: tuple[Spot, ...]
    """In the order they are named, each once."""
    unknown: tuple[str, ...]
    """Names of no turn of the conversation, as they stand in the file."""
    split: int
    """How many strings held several names."""
    mended: int
    """How many names were found once zeros before a number were dropped."""


def find_evidence(texts: list[str], turns: Mapping[str, Spot]) -> Evidence:
    """Look up evidence such as ``D8:6``, also where one string holds several.

    ``D30:05`` is taken for ``D30:5``. Nothing else is guessed: what names no turn is
    returned as unknown.

    Args:
        texts: The question's evidence.
        turns: The conversation's turns by their ``dia_id``.
    """
    spots: dict[Spot, None] = {}
    unknown: list[str] = []
    split = mended = 0
    for text in texts:
        names = [text] if text in turns else _BETWEEN.split(text.strip())
        split += len(names) > 1
        for name in names:
            plain = name if name in turns else _ZEROS.sub("", name)
            if plain in turns:
                spots[turns[plain]] = None
                mended += plain != name
            elif name:
                unknown.append(name)
    return Evidence(tuple(spots), tuple(unknown), split, mended)
