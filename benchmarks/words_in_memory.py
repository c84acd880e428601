"""The floor under a lexical search: BM25 over one haystack, in a few arrays.

No store, no request, nothing kept: what it takes is what ranking by words must take at
least, and what it finds is what ranking by words alone finds.
"""

import re
from collections.abc import Sequence

import numpy as np

K1, B = 1.5, 0.75
"""Those of the official BM25 baseline."""

_WORD = re.compile(r"[a-z0-9]+")


def ranked(texts: Sequence[str], query: str, depth: int) -> list[int]:
    """Rank texts by BM25; return the places of the best, ties in their order.

    Texts that share no word with the query are left out.
    """
    vocabulary: dict[str, int] = {}
    documents = [
        np.fromiter(
            (vocabulary.setdefault(word, len(vocabulary)) for word in words), np.int64
        )
        for words in map(_words, texts)
    ]
    lengths = np.array([len(each) for each in documents], float)
    wanted = [vocabulary[word] for word in _words(query) if word in vocabulary]
    if not wanted:
        return []
    counts = np.zeros((len(documents), len(wanted)))
    for place, document in enumerate(documents):
        counts[place] = np.bincount(document, minlength=len(vocabulary))[wanted]
    having = (counts > 0).sum(axis=0)
    rarity = np.log1p((len(documents) - having + 0.5) / (having + 0.5))
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    scores = (rarity * counts * (K1 + 1) / (counts + norm[:, None])).sum(axis=1)
    order = np.argsort(-scores, kind="stable")[:depth]
    return [place for place in order.tolist() if scores[place] > 0]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
