"""Turns text into terms, the same way for a drawer and for a query."""

from __future__ import annotations

import re
from typing import Final

from palace.lexical.folding import fold
from palace.lexical.shapes import SHAPES, ascii_digits, characters_and_pairs
from palace.lexical.stemming import stem

# English endings that an apostrophe cuts off a word: Bob's, don't, we'll, they've.
_CLITIC: Final = re.compile(r"(?<=[^\W_])'(?:s|t|d|m|ll|re|ve)(?![^\W_])")

_ASCII_WORD: Final = re.compile(r"[a-z]+|[0-9]+")

# Over the shape of a text, see Shapes.
_RUN: Final = re.compile(r"a[am]*|0[0m]*|c[cm]*")


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
    folded = fold(text)
    if "'" in folded:
        folded = _CLITIC.sub(" ", folded)
    if folded.isascii():
        # Digits sort before letters, so this tells the two kinds of run apart.
        return [w if w < "a" else stem(w) for w in _ASCII_WORD.findall(folded)]
    return _terms_of_any_script(folded)


def _terms_of_any_script(folded: str) -> list[str]:
    found: list[str] = []
    shape = folded.translate(SHAPES)
    for run in _RUN.finditer(shape):
        start, end = run.span()
        piece = folded[start:end]
        kind = shape[start]
        if kind == "c":
            found.extend(characters_and_pairs(piece, shape[start:end]))
        elif kind == "0":
            found.append(ascii_digits(piece))
        else:
            found.append(stem(piece) if piece.isascii() else piece)
    return found
