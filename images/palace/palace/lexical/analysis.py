"""Turns text into terms, the same way for a drawer and for a query.

Stems come from one pinned library here, never from the database's dictionary: Postgres
releases stem some English words differently, and a ranking must not depend on which
server happens to hold the rows.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Final

from Stemmer import Stemmer

# Nothing English is longer; what is (base64, hashes) would only crowd the cache out.
_LONGEST_STEMMED: Final = 64

# Lets a vocabulary of this many spellings be stemmed once each, in about 12 MB.
_STEM_CACHE_SIZE: Final = 65_536

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

# English endings that an apostrophe cuts off a word: Bob's, don't, we'll, they've.
_CLITIC: Final = re.compile(r"(?<=[^\W_])'(?:s|t|d|m|ll|re|ve)(?![^\W_])")

_ASCII_WORD: Final = re.compile(r"[a-z]+|[0-9]+")

# Over the shape of a text, see _Shapes.
_RUN: Final = re.compile(r"a[am]*|0[0m]*|c[cm]*")
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


class _Shapes(dict[int, str]):
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


_SHAPES: Final = _Shapes()


class _ThreadStemmer(threading.local):
    """Holds one stemmer a thread, since a PyStemmer object must not be shared."""

    def __init__(self) -> None:
        # 0 switches off the library's own cache, which has no bound in bytes.
        self.stem_word: Callable[[str], str] = Stemmer("english", 0).stemWord


_STEMMER: Final = _ThreadStemmer()


@lru_cache(maxsize=_STEM_CACHE_SIZE)
def _stem_short(word: str) -> str:
    return _STEMMER.stem_word(word)


def _stem(word: str) -> str:
    return _stem_short(word) if len(word) <= _LONGEST_STEMMED else word


def terms(text: str) -> list[str]:
    """Cut text into terms, in the order of the text, repeats kept.

    Upper and lower case are one, and so are letters with and without an accent. A term
    is a run of letters or a run of digits: like MemCastle's tokenizer this cuts between
    the two, so ``py311`` is ``py`` and ``311``. Letter runs in plain Latin letters are
    stemmed as English (Snowball, called Porter 2), whatever language they are; there
    are no stop words.

    Punctuation, symbols and emoji are gaps: they leave no term, so they can neither be
    searched for nor make a query fail, and text made of nothing else gives ``[]``. The
    English endings ``'s 't 'd 'm 'll 're 've`` go with their apostrophe, because else
    the ``s`` of ``Bob's`` would be a word that every match needs.

    Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese runs give each character and
    each pair of neighbours. Pairs keep the order of characters relevant, single ones
    let a word of one character be found inside a longer run. Any part of such a run
    therefore matches it with every term. Other scripts keep whole words, vowel signs
    included; digits of any script become ASCII digits.

    The same text gives the same terms with the same Python minor version (its Unicode
    tables) and the pinned PyStemmer.

    >>> terms("Crème brûlée: Bob's recipes, py311!")
    ['creme', 'brule', 'bob', 'recip', 'py', '311']
    >>> terms("?! 🎉")
    []
    """
    folded = _fold(text)
    if "'" in folded:
        folded = _CLITIC.sub(" ", folded)
    if folded.isascii():
        # Digits sort before letters, so this tells the two kinds of run apart.
        return [w if w < "a" else _stem(w) for w in _ASCII_WORD.findall(folded)]
    return _terms_of_any_script(folded)


def _fold(text: str) -> str:
    """Remove what two spellings of one word may differ in: case, accents, width."""
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


def _terms_of_any_script(folded: str) -> list[str]:
    found: list[str] = []
    shape = folded.translate(_SHAPES)
    for run in _RUN.finditer(shape):
        start, end = run.span()
        piece = folded[start:end]
        kind = shape[start]
        if kind == "c":
            found.extend(_characters_and_pairs(piece, shape[start:end]))
        elif kind == "0":
            found.append(_ascii_digits(piece))
        else:
            found.append(_stem(piece) if piece.isascii() else piece)
    return found


def _characters_and_pairs(run: str, shape: str) -> list[str]:
    units = [run[unit.start() : unit.end()] for unit in _UNIT.finditer(shape)]
    pairs = [left + right for left, right in pairwise(units)]
    return units + pairs


def _ascii_digits(run: str) -> str:
    if run.isascii():
        return run
    return "".join(str(unicodedata.decimal(char, char)) for char in run)
