"""What each character is to a tokenizer, and what runs of unspaced scripts give."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

_UNIT: Final = re.compile(r"cm*")

# Scripts written without spaces between words, or (Hangul) with particles joined on.
_UNSPACED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul jamo
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3040, 0x318F),  # kana, Bopomofo, Hangul jamo
    (0x31A0, 0x31FF),  # Bopomofo and kana extensions
    (0x3400, 0x9FFF),  # Han
    (0xA960, 0xA97F),  # Hangul jamo
    (0xAC00, 0xD7FF),  # Hangul syllables
    (0xF900, 0xFAFF),  # Han
    (0x1B000, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # Han
)


class Shapes(dict[int, str]):
    """Maps a code point to what it is to the tokenizer, learning as texts come by.

    ``a`` letter, ``0`` number, ``c`` letter of an unspaced script, ``m`` mark that
    belongs to the character before it, blank anything else. A table for
    ``str.translate``; it cannot outgrow the assigned characters of Unicode.
    """

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        if category in ("Cn", "Co", "Cs"):
            return " "
        shape = " "
        if category[0] == "L" or category == "Nl":
            unspaced = any(first <= code <= last for first, last in _UNSPACED)
            shape = "c" if unspaced else "a" if category[0] == "L" else "0"
        elif category[0] == "N":
            shape = "0"
        elif category in ("Mn", "Mc"):
            shape = "m"
        self[code] = shape
        return shape


SHAPES: Final = Shapes()
"""The one table, learning for all."""


def characters_and_pairs(run: str, shape: str) -> list[str]:
    """Return each character of a run with its marks, then each pair of neighbours.

    Args:
        run: Characters of unspaced scripts only.
        shape: Their shapes, of the same length.
    """
    units = [run[unit.start() : unit.end()] for unit in _UNIT.finditer(shape)]
    pairs = [left + right for left, right in pairwise(units)]
    return units + pairs


def ascii_digits(run: str) -> str:
    """Return *run* with the digits of every script as 0 to 9, all else as it is."""
    if run.isascii():
        return run
    return "".join(str(unicodedata.decimal(char, char)) for char in run)
