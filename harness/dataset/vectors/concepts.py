"""The hashed bag of concepts: vectors that the data set itself defines.

Every word, or the concept the data set names for it, lights one of 768 slots, so two
texts are near exactly when they share concepts. On top of it each word adds a faint
dense background of its own: without it all texts that share nothing with a query
would lie at one distance, and chance would say which of them make the cut.

The arithmetic is 32-bit throughout and in one fixed order, because published numbers
rest on it. A vector never depends on which texts are embedded beside it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from harness.dataset.xorshift import step

DIMENSION = 768

DESCRIPTION = "fixture: hashed bag of concepts, 768-d, supplied by the harness"
"""How a report names these vectors."""

_STOPS = "a an and at by for from in is it its of on s the to was were who with my i"
STOP_WORDS = frozenset(_STOPS.split())
"""Words that carry no topic and are left out."""

# Faint enough never to outweigh a shared concept, strong enough to part what ties.
_BACKGROUND = np.float32(0.01)

_FNV_BASIS = 0x811C9DC5
_FNV_PRIME = 0x01000193

# Texts worked on together, and how many of their words: 3 kB of background each.
_TEXTS = 256
_WORDS = 8192


def words(text: str) -> list[str]:
    """Split *text* into lower-case words, stop words left out, repeats kept.

    A word is a stretch of letters and digits as ``str.isalnum`` knows them. For
    scripts that write vowels as combining marks this cuts finer than Unicode's
    ``Alphabetic`` property would; documents and queries are cut alike.
    """
    stretches = (
        "".join(characters).lower()
        for is_word, characters in groupby(text, key=str.isalnum)
        if is_word
    )
    return [word for word in stretches if word not in STOP_WORDS]


@lru_cache(maxsize=1 << 16)
def fnv1a(token: str) -> int:
    """Return the 32-bit FNV-1a hash of *token*'s UTF-8 bytes."""
    value = _FNV_BASIS
    for byte in token.encode():
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return value


class ConceptModel:
    """Embed texts as unit vectors of `DIMENSION` 32-bit floats.

    Args:
        concepts: Lower-case word to concept. The concept stands as written: it is
            neither looked up again nor tested against the stop words.
    """

    def __init__(self, concepts: Mapping[str, str]) -> None:
        self._concepts = dict(concepts)
        self._draws = _draw_tables()

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text, of shape ``(DIMENSION,)``.

        A text without a word (empty, or stop words only) gets the first axis.
        """
        return self.embed_all([text]).reshape(DIMENSION)

    def embed_all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, in order; no texts give shape ``(0, DIMENSION)``.

        Beside the result this takes some 25 MB and the words of 256 texts, however
        many texts there are.
        """
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for start in range(0, len(texts), _TEXTS):
            block = vectors[start : start + _TEXTS]
            self._light(block, texts[start : start + _TEXTS])
            _normalise(block)
        return vectors

    def _light(self, block: NDArray[np.float32], texts: Sequence[str]) -> None:
        """Add every word of *texts* to its text's row, in the order they stand."""
        hashes = [self._hashes(text) for text in texts]
        longest = max(map(len, hashes))
        width = _WORDS // len(texts)
        for start in range(0, longest, width):
            window = [row[start : start + width] for row in hashes]
            tokens = np.unique(np.fromiter(_flatten(window), np.uint32))
            backgrounds = self._backgrounds(tokens)
            for rows, column in _columns(window):
                block[rows, column % DIMENSION] += np.float32(1)
                block[rows] += backgrounds[np.searchsorted(tokens, column)]

    def _hashes(self, text: str) -> list[int]:
        return [fnv1a(self._concepts.get(word, word)) for word in words(text)]

    def _backgrounds(self, tokens: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Return the dense background of each token hash, one row a token."""
        seeds = tokens | np.uint32(1)
        draws = self._draws[0][seeds & np.uint32(0xF)]
        for place in range(1, len(self._draws)):
            digit = (seeds >> np.uint32(4 * place)) & np.uint32(0xF)
            draws ^= self._draws[place][digit]
        # 24 bits as a number in [-1, 1): no step of this rounds, the product does.
        unit = draws.astype(np.float32) / np.float32(1 << 23) - np.float32(1)
        background: NDArray[np.float32] = unit * _BACKGROUND
        return background


@cache
def _draw_tables() -> NDArray[np.uint32]:
    """Tabulate what a seed's hexadecimal digits draw: (8 places, 16 digits, 768).

    Xorshift is linear: the sequence of a seed is the XOR of the sequences of its
    bits, and so are its top 24 bits, which are all that is used. Eight look-ups
    stand for 768 steps, and a token costs the same whether it comes alone or not.
    """
    tables = np.zeros((8, 16, DIMENSION), np.uint32)
    for place in range(8):
        for bit in range(4):
            sequence = np.fromiter(_top_bits(1 << (4 * place + bit)), np.uint32)
            for digit in range(16):
                if digit >> bit & 1:
                    tables[place, digit] ^= sequence
    tables.flags.writeable = False
    return tables


def _top_bits(state: int) -> Iterator[int]:
    for _ in range(DIMENSION):
        state = step(state)
        yield state >> 40


def _flatten(rows: Iterable[Iterable[int]]) -> Iterator[int]:
    return (value for row in rows for value in row)


def _columns(
    window: Sequence[Sequence[int]],
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint32]]]:
    """Yield, word place by word place, the rows that reach it and their hashes."""
    for place in range(max(map(len, window))):
        rows = [row for row, hashes in enumerate(window) if len(hashes) > place]
        column = [window[row][place] for row in rows]
        yield np.array(rows, np.intp), np.array(column, np.uint32)


def _normalise(block: NDArray[np.float32]) -> None:
    """Scale each row to length 1; a row of zeros becomes the first axis."""
    # Summed one by one, as `accumulate` does: numpy's own sum adds in pairs, which
    # moves the last bit.
    norms = np.sqrt(np.add.accumulate(block * block, axis=1)[:, -1:])
    empty = norms[:, 0] == 0
    norms[empty] = 1
    block /= norms
    block[empty, 0] = 1
