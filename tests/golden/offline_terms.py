"""Ways of cutting a text into terms: two that lose no script, and two that lose some.

They agree on plain English. Those of the public bench are here for what they lose, so
that a test can say what it costs.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

Stem = Callable[[str], str]

_STOPS = """
a an and are as at be by for from has he in is it its of on that the to was were will
with
"""
STOP_WORDS = frozenset(_STOPS.split())

# Kana, ideographs and Hangul syllables: written without spaces, or with particles.
_UNSPACED = "[぀-ヿ㐀-鿿가-힣]+"
_SPACED = "[^\\W_぀-ヿ㐀-鿿가-힣]+"


def ascii_terms(text: str) -> list[str]:
    """Cut as the document ranker of the public bench: all but a-z and 0-9 parts."""
    return re.findall("[a-z0-9]+", text.lower())


def whole_terms(text: str) -> list[str]:
    """Cut without losing a script: words, pairs of unspaced characters, symbols."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    terms: list[str] = []
    for run in re.findall(rf"{_UNSPACED}|{_SPACED}|[^\w\s]", folded):
        if len(run) > 1 and re.match(_UNSPACED, run):
            terms += map("".join, pairwise(run))
        elif run.isalnum() or unicodedata.category(run) == "So":
            terms.append(run)
    return terms


def search_terms(text: str, stem: Stem | None) -> list[str]:
    """Cut for the search ranker, losing no script; ``None`` leaves words unstemmed."""
    terms = whole_terms(without_accents(text))
    return list(_searched(terms, stem))


def public_search_terms(text: str, stem: Stem | None) -> list[str]:
    """Cut as the search ranker of the public bench, its faults included.

    A line break vanishes between two words; Hangul, Cyrillic and emoji vanish whole; a
    run of ideographs is one word.
    """
    lowered = unicodedata.normalize("NFKD", text.lower())
    kept = "".join(
        each for each in lowered if unicodedata.category(each) not in {"Cc", "Cf", "So"}
    )
    bare = re.sub("[\u0300-\u036f]", "", kept)
    return list(_searched(re.findall(f"(?:[a-z0-9]|{_UNSPACED})+", bare), stem))


def without_accents(text: str) -> str:
    """Drop the accents that stand apart once a text is decomposed."""
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))


def _searched(terms: list[str], stem: Stem | None) -> Iterator[str]:
    for term in terms:
        is_whole = len(term) >= 2 or term.isdigit() or not term.isalnum()
        if is_whole and term not in STOP_WORDS:
            yield stem(term) if stem and len(term) >= 3 else term
