"""Turns the text of fragments, queries and facts into terms, losing no script.

On ASCII text both tokenisers give what those of recall-bench give, so that its
published figures hold. Beyond ASCII those drop accents, Cyrillic, Greek, Hangul or
emoji, and fuse the words on either side of a line break; these do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from palace.documents.constants import RECALL, RankingConstants
from palace.lexical.folding import fold
from palace.lexical.shapes import Shapes, ascii_digits, characters_and_pairs
from palace.lexical.stemming import stem

_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")

# Over the shape of a text: a word, a run of an unspaced script, a flag, an emoji.
_RUN: Final = re.compile(r"[a0][a0m]*|c[cm]*|ff?|e")

# Marks of trade stick to a name and say nothing of it; folded, the first two would add
# letters to it.
_TRADE_MARKS: Final = str.maketrans(dict.fromkeys("™℠©®"))

# By block, not by category: emoji younger than Python's tables have none yet.
_EMOJI: Final = (
    (0x2300, 0x23FF),  # clocks, arrows of players
    (0x2600, 0x27BF),  # symbols and dingbats
    (0x2B00, 0x2BFF),  # stars, squares
    (0x1F000, 0x1FAFF),
)
# Two of these letters are a flag.
_FLAG_LETTERS: Final = range(0x1F1E6, 0x1F200)
# The same gesture in another colour is the same word.
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)


class _Shapes(Shapes):
    """The shapes of other tokenizers, and ``e`` emoji, ``f`` letter of a flag."""

    def __missing__(self, code: int) -> str:
        shape = super().__missing__(code)
        if shape == " " and any(first <= code <= last for first, last in _EMOJI):
            shape = "f" if code in _FLAG_LETTERS else "e"
            if code in _SKIN_TONES:
                shape = " "
            self[code] = shape
        return shape


_SHAPES: Final = _Shapes()


def document_terms(text: str) -> list[str]:
    r"""Cut text into terms, in the order of the text, repeats kept.

    A term is a run of letters and digits in small letters without accents; whatever
    else, line breaks and tabs included, separates. Nothing is stemmed or left out.
    Runs of scripts without spaces, and Hangul with its particles, give each character
    and each pair of neighbours. An emoji is a term, whatever its skin tone.

    >>> document_terms("Crème-Brûlée\tpy311")
    ['creme', 'brulee', 'py311']
    >>> document_terms("서울에 🎉")
    ['서', '울', '에', '서울', '울에', '🎉']
    """
    if not text.isascii():
        text = text.translate(_TRADE_MARKS)
    folded = fold(text)
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    found: list[str] = []
    shape = folded.translate(_SHAPES)
    for run in _RUN.finditer(shape):
        start, end = run.span()
        piece = folded[start:end]
        if shape[start] == "c":
            found.extend(characters_and_pairs(piece, shape[start:end]))
        else:
            found.append(ascii_digits(piece))
    return found


def search_terms(
    text: str, *, stemming: bool, constants: RankingConstants = RECALL
) -> list[str]:
    """Cut text into the terms of the search ranker: no stop words, no short ones.

    Args:
        text: Of a fragment or of a query.
        stemming: Whether English words are taken by their stems.
        constants: Which words are left out, and which are stemmed.

    >>> search_terms("the configuration of a 5 kg box", stemming=True)
    ['configur', '5', 'kg', 'box']
    """
    kept = (term for term in document_terms(text) if is_searched(term, constants))
    return stems(kept, constants) if stemming else list(kept)


def is_searched(term: str, constants: RankingConstants = RECALL) -> bool:
    """Tell whether the search ranker takes a term of `document_terms`.

    One letter is too little of a word, yet a number, a character of an unspaced script
    and an emoji are whole however short.
    """
    if term in constants.search_stop_words:
        return False
    is_long = len(term) >= constants.search_least_length
    return is_long or term.isdecimal() or is_whole(term)


def is_whole(term: str) -> bool:
    """Tell whether even one character of a term's kind says as much as a word.

    >>> is_whole("猫"), is_whole("🎉"), is_whole("я")
    (True, True, False)
    """
    return _SHAPES[ord(term[0])] in "cef"


def stems(terms: Iterable[str], constants: RankingConstants = RECALL) -> list[str]:
    """Return each term's stem; terms that are short or not plain Latin stay.

    >>> stems(["configuring", "py", "ночью"])
    ['configur', 'py', 'ночью']
    """
    least = constants.search_stem_from
    return [
        stem(term) if len(term) >= least and term.isascii() else term for term in terms
    ]
