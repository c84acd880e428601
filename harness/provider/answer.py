"""Take an embeddings answer apart, believing nothing of it.

Nothing is raised here. A body may repeat the key, and a frame that holds one must not
be in a traceback; so what is wrong is returned, and raised where no body is in sight.
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

_NUMBERS = frozenset({int, float, type(None)})
SHOWN = 200
"""Characters of an endpoint's own words that a message repeats."""


class Vectors(NamedTuple):
    """The vectors of an answer, a row each, in the order of the texts that were sent.

    Rows may hold NaN or infinity, as the endpoint answered them.
    """

    rows: NDArray[np.float32]
    tokens_billed: int | None


class Unusable(NamedTuple):
    """Why no vector may be taken from an answer."""

    what: str


def read_vectors(body: bytes, n_texts: int) -> Vectors | Unusable:
    """Put the vectors of *body* into the order of the texts.

    Returns:
        *n_texts* rows of one length, 1 or more, or what is not as the protocol has it.
    """
    answer = _decoded(body)
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or not isinstance(items, list):
        return Unusable("no JSON object with a list `data`")
    if len(items) != n_texts:
        return Unusable(f"{len(items)} vectors for {n_texts} texts")
    rows = _in_order(items)
    if isinstance(rows, Unusable):
        return rows
    lengths = sorted({len(row) for row in rows})
    if len(lengths) != 1 or not lengths[0]:
        return Unusable(f"vectors of lengths {lengths}")
    return Vectors(np.stack(rows), _billed(answer.get("usage")))


def complaint_of(body: bytes) -> str:
    """Find an endpoint's own words about a failure, on one line, of any length."""
    answer = _decoded(body)
    error = answer.get("error", answer) if isinstance(answer, dict) else None
    if isinstance(error, dict):
        found = [error.get(name) for name in ("code", "type", "message", "detail")]
        words = ": ".join(word for word in found if isinstance(word, str) and word)
    elif isinstance(error, str):
        words = error
    else:
        words = body[: 10 * SHOWN].decode(errors="replace")
    return " ".join(words.split())


def shortened(words: str) -> str:
    """Make an endpoint's words fit into a message, without control characters."""
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in words)
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."


def _in_order(items: Sequence[object]) -> list[NDArray[np.float32]] | Unusable:
    """Put each vector into the place it says."""
    rows: dict[int, NDArray[np.float32]] = {}
    for item in items:
        sent = item if isinstance(item, dict) else {}
        place, row = sent.get("index"), _row(sent.get("embedding"))
        # True would pass for 1.
        if type(place) is not int or not 0 <= place < len(items):
            return Unusable(f"a vector with index {repr(place)[:40]}")
        if place in rows:
            return Unusable(f"two vectors with index {place}")
        if row is None:
            return Unusable(f"something else than numbers at index {place}")
        rows[place] = row
    return [rows[place] for place in range(len(items))]


def _row(sent: object) -> NDArray[np.float32] | None:
    """Return one vector, NaN where ``null`` was sent, or None for anything else."""
    if not isinstance(sent, list) or not set(map(type, sent)) <= _NUMBERS:
        return None
    try:
        # What is finite as sent can be too large for single precision.
        with np.errstate(over="ignore"):
            return np.array(sent, np.float64).astype(np.float32)
    except OverflowError:  # a whole number beyond every float
        return np.full(len(sent), np.inf, np.float32)


def _billed(usage: object) -> int | None:
    billed = usage.get("prompt_tokens") if isinstance(usage, Mapping) else None
    return billed if type(billed) is int and billed >= 0 else None


def _decoded(body: bytes) -> dict[str, object] | Sequence[object] | str | None:
    answer: object
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = _lenient(body)
    return answer if isinstance(answer, dict | list | str) else None


def _lenient(body: bytes) -> object:
    """Read JSON with NaN in it, which is none, so that NaN is what is complained of."""
    if b"NaN" not in body and b"Infinity" not in body:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
