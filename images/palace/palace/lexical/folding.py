"""Removes what two spellings of one word may differ in: case, accents, width."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Typographic apostrophes, and Latin letters that Unicode does not decompose although
# people type them without the stroke or as two letters.
_SPELLINGS: Final = str.maketrans(
    {
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{SINGLE HIGH-REVERSED-9 QUOTATION MARK}": "'",
        "\N{MODIFIER LETTER APOSTROPHE}": "'",
        "\N{ACUTE ACCENT}": "'",
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{HORIZONTAL ELLIPSIS}": ".",
        "\N{NO-BREAK SPACE}": " ",
        "ø": "o",
        "Ø": "o",
        "ł": "l",
        "Ł": "l",
        "đ": "d",
        "Đ": "d",
        "ð": "d",
        "Ð": "d",
        "ħ": "h",
        "Ħ": "h",
        "ŧ": "t",
        "Ŧ": "t",
        "ı": "i",  # noqa: RUF001 - the dotless letter is the point
        "æ": "ae",
        "Æ": "ae",
        "œ": "oe",
        "Œ": "oe",
        "þ": "th",
        "Þ": "th",
    }
)

# What leaves nothing behind, on decomposed text. Accents go, but five Cyrillic letters
# that Unicode writes as base and accent are letters of their own. Hebrew and Arabic
# vowel points are optional in writing, so they go too; vowel signs of other scripts
# are not, so they stay. Invisible format characters (soft hyphen, joiners, direction
# marks, variation selectors) never end a word; a zero width space does.
_DROPPED: Final = re.compile(
    "(?<!\u0456)\u0308|(?<![\u0433\u043a])\u0301|(?<![\u0438\u0443])\u0306"
    "|[\u0300\u0302-\u0305\u0307\u0309-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    "\ufe20-\ufe2f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640"
    "\u064b-\u0652\u0670\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0001-\U000e007f\U000e0100-\U000e01ef]"
)


def fold(text: str) -> str:
    """Return *text* in the one spelling that is compared.

    Case, accents, width, ligatures and invisible characters are gone; letters and
    their order, gaps and symbols stay.

    >>> fold("Crème BRÛLÉE")
    'creme brulee'
    """
    if not text.isascii():
        text = text.translate(_SPELLINGS)
    if text.isascii():
        return text.lower()
    # Casefolding can bring new accents (the Turkish capital I with its dot) and needs
    # compatibility forms out of the way, hence a decomposition on either side.
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    decomposed = unicodedata.normalize("NFKD", decomposed)
    # Composed again, so that Hangul syllables and voiced kana are one character.
    return unicodedata.normalize("NFC", _DROPPED.sub("", decomposed))
