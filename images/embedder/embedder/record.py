"""One line of a recording: a text's hash and its vector, read and written."""

from __future__ import annotations

import base64
import binascii
from typing import Final, NamedTuple

import numpy as np
import orjson

_HASH_BYTES: Final = 32
_FLOAT_BYTES: Final = 4


class UnusableLine(Exception):
    """A line that is none of ours; the text says what is wrong with it."""


class Record(NamedTuple):
    """What a service answered for one text."""

    model: str
    dimension: int
    """The length of the vector."""
    was_asked: bool
    """Whether the request named the dimension, or left it to the model."""
    digest: bytes
    """The SHA-256 of the text's UTF-8."""
    vector: bytes
    """Its 32-bit floats, low byte first."""

    @property
    def space(self) -> tuple[str, int | None]:
        """What a request must name to be given this vector."""
        return self.model, self.dimension if self.was_asked else None


class Space(NamedTuple):
    """The vectors that requests for one model and dimension are given."""

    dimension: int
    vectors: dict[bytes, bytes]
    """By the hash of the text."""


def written(record: Record) -> bytes:
    """Return the line of a record, its end included."""
    return orjson.dumps(
        {
            "model": record.model,
            "dimension": record.dimension,
            "asked": record.was_asked,
            "sha256": record.digest.hex(),
            "vector": base64.b64encode(record.vector).decode("ascii"),
        },
        option=orjson.OPT_APPEND_NEWLINE,
    )


def parse_line(line: bytes) -> Record:
    """Read a line, with or without its end.

    Raises:
        UnusableLine: It is not what `written` writes.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise UnusableLine("the line is no JSON") from None
    if not isinstance(value, dict) or value.keys() != {
        "model",
        "dimension",
        "asked",
        "sha256",
        "vector",
    }:
        raise UnusableLine(
            "the line is no object of model, dimension, asked, sha256 and vector"
        )
    model, dimension, asked = value["model"], value["dimension"], value["asked"]
    if not isinstance(model, str) or type(dimension) is not int or dimension < 1:
        raise UnusableLine(f"model {model!r:.40} or dimension {dimension!r:.40}")
    if not isinstance(asked, bool):
        raise UnusableLine(f"asked is {asked!r:.40}, neither true nor false")
    return Record(
        model,
        dimension,
        asked,
        _digest(value["sha256"]),
        _vector(value["vector"], dimension),
    )


def _digest(value: object) -> bytes:
    try:
        digest = bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        digest = b""
    if len(digest) != _HASH_BYTES:
        raise UnusableLine(f"sha256 is {value!r:.80}, not 64 hexadecimal digits")
    return digest


def _vector(value: object, dimension: int) -> bytes:
    try:
        text = value if isinstance(value, str) else ""
        vector = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UnusableLine("the vector is no base64") from None
    if len(vector) != dimension * _FLOAT_BYTES:
        raise UnusableLine(
            f"the vector has {len(vector)} bytes, not {_FLOAT_BYTES} for each of"
            f" {dimension} numbers"
        )
    if not np.isfinite(np.frombuffer(vector, "<f4")).all():
        raise UnusableLine("the vector has a number that is not finite")
    return vector
