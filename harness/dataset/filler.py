"""Make the texts that fill a palace up to a chosen size beside the judged data.

Filler words are made of syllables that no English query contains, so filler costs
the daemon time without ever being a fair answer: it tests speed, not quality.
"""

from collections.abc import Iterator

from harness.dataset.xorshift import step

FILLER_WING = "filler"
"""Wing that filler is written to; a data set may not use it."""

FILLER_ROOM = "bulk"
"""Room of `FILLER_WING` that filler is written to."""

FILLER_PREFIX = "filler-"
"""Start of the data-set ids of filler; a data set may not use it."""

_SEED = 0x9E3779B97F4A7C15
_SIXTEEN = "zor vek mil tarq bun oxe lyp dru fen gaz hov jin kwo nox pez qua"
_SYLLABLES = tuple(_SIXTEEN.split())
_WORDS_A_TEXT = 12


def filler_id(index: int) -> str:
    """Return the data-set id of the filler text number *index*, counted from 0."""
    return f"{FILLER_PREFIX}{index}"


def filler_texts(count: int) -> Iterator[str]:
    """Yield *count* texts, no two alike, the same ones in every run.

    A larger *count* only adds texts at the end: the first ones stay what they were.

    Args:
        count: How many texts, 0 or more.

    >>> next(filler_texts(1))
    'noxlyp lypbun kwogaz quahov jinpez oxetarq noxpez quaqua fenoxe quagaz noxqua \
hovpez filler0'
    """
    state = _SEED
    for index in range(count):
        words = []
        for _ in range(_WORDS_A_TEXT):
            state = step(state)
            first = _SYLLABLES[state % 16]
            state = step(state)
            words.append(first + _SYLLABLES[state % 16])
        yield f"{' '.join(words)} filler{index}"
