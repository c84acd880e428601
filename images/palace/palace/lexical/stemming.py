"""English stems, from one pinned library.

Never from the database's dictionary: Postgres releases stem some English words
differently, and a ranking must not depend on which server happens to hold the rows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from Stemmer import Stemmer

# Nothing English is longer; what is (base64, hashes) would only crowd the cache out.
_LONGEST_STEMMED: Final = 64

# Lets a vocabulary of this many spellings be stemmed once each, in about 12 MB.
_STEM_CACHE_SIZE: Final = 65_536


class _ThreadStemmer(threading.local):
    """Holds one stemmer a thread, since a PyStemmer object must not be shared."""

    def __init__(self) -> None:
        # 0 switches off the library's own cache, which has no bound in bytes.
        self.stem_word: Callable[[str], str] = Stemmer("english", 0).stemWord


_STEMMER: Final = _ThreadStemmer()


@lru_cache(maxsize=_STEM_CACHE_SIZE)
def _stem_short(word: str) -> str:
    return _STEMMER.stem_word(word)


def stem(word: str) -> str:
    """Return the stem of a word in small letters (Snowball English, or Porter 2)."""
    return _stem_short(word) if len(word) <= _LONGEST_STEMMED else word
