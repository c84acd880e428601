"""The hashed bag of words and letter trigrams: nearness by parts of words.

Every word lights one of 384 slots strongly and a slot for each three letters in a row
weakly, so that two texts are near when they share words, and somewhat near when their
words share a beginning, a stem or an ending. This is the embedding of recall-bench,
spelled out to the bit, because its published numbers rest on it.

It knows only a-z and 0-9: any other letter, an accented one included, parts words. A
text in another script therefore has the zero vector, and can be found by its words
alone.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

DIMENSION = 384

DESCRIPTION = "fixture: hashed words and letter trigrams, 384-d"
"""How a report names these vectors."""

_WORD = re.compile("[a-z0-9]+")

# A shared word must outweigh what chance overlaps of its letters add.
_WORD_WEIGHT = 3
_TRIGRAM_WEIGHT = 1

_FNV_BASIS = 0x811C9DC5
_FNV_PRIME = 0x01000193

# Texts worked on together: 0.75 MB of sums.
_TEXTS = 256


def words(text: str) -> list[str]:
    """Split *text* into lower-case stretches of a-z and 0-9, repeats kept.

    >>> words("Café No. 12")
    ['caf', 'no', '12']
    """
    return _WORD.findall(text.lower())


def features(word: str) -> list[str]:
    """List what *word*, as `words` returns it, lights: itself, then its trigrams.

    The word is fenced by ``^`` and ``$`` first, so that its ends count; a word of one
    letter is then the only trigram of itself.

    >>> features("ab")
    ['tok:ab', 'tri:^ab', 'tri:ab$']
    """
    fenced = f"^{word}$"
    starts = range(len(fenced) - 2)
    return [f"tok:{word}", *(f"tri:{fenced[at : at + 3]}" for at in starts)]


def bucket(feature: str) -> int:
    """Return the slot of *feature*, 0 to 383.

    That is the 32-bit FNV-1a hash modulo `DIMENSION`. It hashes UTF-16 code units, not
    bytes, which differs only beyond U+007F, where no feature of a text comes.
    """
    units = np.frombuffer(feature.encode("utf-16-le", "surrogatepass"), "<u2")
    value = _FNV_BASIS
    for unit in units.tolist():
        value = ((value ^ unit) * _FNV_PRIME) & 0xFFFFFFFF
    return value % DIMENSION


@lru_cache(maxsize=1 << 16)
def _slots(word: str) -> tuple[int, ...]:
    """Return the slots *word* adds 1 to, a slot that it adds more to repeated."""
    strong, *weak = map(bucket, features(word))
    return (strong,) * _WORD_WEIGHT + tuple(weak) * _TRIGRAM_WEIGHT


class TrigramModel:
    """Embed texts as `DIMENSION` 32-bit floats of length 1, none of them negative.

    So the cosine of two texts is their dot product and lies between 0 and 1. A vector
    never depends on which texts are embedded beside it.
    """

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text, of shape ``(DIMENSION,)``.

        A text without a-z and 0-9 gets the **zero vector**, which is near nothing and
        which a provider must not pass off as an embedding.
        """
        return self.embed_all([text]).reshape(DIMENSION)

    def embed_all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, in order; no texts give shape ``(0, DIMENSION)``."""
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for start in range(0, len(texts), _TEXTS):
            sums = _sums(texts[start : start + _TEXTS])
            # Whole numbers up to here, so no order of adding can move a bit.
            lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
            vectors[start : start + _TEXTS] = sums / np.maximum(lengths, 1)
        return vectors


def _sums(texts: Sequence[str]) -> NDArray[np.intp]:
    """Count, a row a text, how often each slot is added to."""
    lit = (
        row * DIMENSION + slot
        for row, text in enumerate(texts)
        for word in words(text)
        for slot in _slots(word)
    )
    summed = np.bincount(np.fromiter(lit, np.intp), minlength=len(texts) * DIMENSION)
    return summed.reshape(len(texts), DIMENSION)
