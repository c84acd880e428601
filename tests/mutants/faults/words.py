"""Faults in how texts become words, and how words become scores."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from types import SimpleNamespace

from palace import lexical, memory
from palace.lexical import analysis, bm25
from palace.lexical.folding import fold
from palace.lexical.index import LexicalIndex
from palace.lexical.stemming import stem
from palace.search import engine

from faults.putting import put

_terms = analysis.terms
_search = LexicalIndex.search

_SMALL_WORDS = (
    "a an and are as at be by for from has how i in is it of on or that the this to was"
    " we what when where which who will with"
)


def _queries_by(terms: Callable[[str], list[str]]) -> None:
    """Have queries cut into words in another way than drawers."""
    put(engine, "lexical", SimpleNamespace(terms=terms))


def _matching(match: str, instead: str) -> None:
    """Have searches that match one way match another way."""

    def search(index: LexicalIndex, *words: object, **how: object) -> object:
        if how["match"] == match:
            how["match"] = instead
        return _search(index, *words, **how)  # type: ignore[arg-type]  # passed on

    put(LexicalIndex, "search", search)


def stemming_off() -> None:
    """Words match in the very form they were written in."""
    put(analysis, "stem", lambda word: word)


def queries_not_stemmed() -> None:
    """Drawers are stored under the stems of their words, and queries keep theirs."""

    def terms(text: str) -> list[str]:
        put(analysis, "stem", lambda word: word)
        try:
            return _terms(text)
        finally:
            put(analysis, "stem", stem)

    _queries_by(terms)


def accents_kept() -> None:
    """A letter with an accent is another letter than the one without."""
    put(analysis, "fold", lambda text: unicodedata.normalize("NFC", text).casefold())


def punctuation_kept() -> None:
    """Words end at white space only, so a comma becomes part of one."""
    put(lexical, "terms", lambda text: [stem(word) for word in fold(text).split()])


def letters_and_digits_joined() -> None:
    """Letters and digits that touch are one word."""
    put(analysis, "_ASCII_WORD", re.compile(r"[a-z0-9]+"))
    put(analysis, "_RUN", re.compile(r"[a0][a0m]*|c[cm]*"))


def unspaced_scripts_not_cut() -> None:
    """A run of Japanese is one word, however long."""
    put(analysis, "characters_and_pairs", lambda run, _: [run])


def small_words_dropped_from_queries() -> None:
    """Queries lose their small English words, in whatever language they are."""
    small = set(_SMALL_WORDS.split())
    _queries_by(lambda text: [word for word in _terms(text) if word not in small])


def only_the_first_words_kept() -> None:
    """Of a drawer, the first 300 characters are searched by words."""
    put(memory, "lexical", SimpleNamespace(terms=lambda text: _terms(text[:300])))


def any_word_fallback_missing() -> None:
    """A query some of whose words occur nowhere together finds nothing."""
    _matching("all_then_any", "all")


def any_word_at_once() -> None:
    """Drawers with every word of the query are not preferred."""
    _matching("all_then_any", "any")


def idf_missing() -> None:
    """A rare word counts no more than a common one."""
    put(bm25, "idf", lambda n_documents, n_with_term: 1.0)  # noqa: ARG005 - the sound one's names


def bm25_k1_higher() -> None:
    """Words that are repeated count a little more: k1 is 1.6 instead of 1.2."""
    put(bm25, "K1", 1.6)


def bm25_b_lower() -> None:
    """Long drawers are held down a little less: b is 0.6 instead of 0.75."""
    put(bm25, "B", 0.6)


def bm25_of_another_engine() -> None:
    """BM25 has the constants of another engine: k1 0.9 and b 0.4."""
    put(bm25, "K1", 0.9)
    put(bm25, "B", 0.4)
