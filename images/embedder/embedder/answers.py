"""Writes answers: the right ones, and those that a fault spoils."""

from __future__ import annotations

import binascii
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from embedder.errors import Refused
from embedder.faults import Fault
from embedder.wire import Wanted

_GARBAGE = b"<!doctype html><title>Welcome</title><p>This is no JSON.\n"

# What stands before the first number of a vector.
_FIRST = b'"embedding":['

# Roughly what a tokenizer makes of English; nobody is billed by it.
_CHARACTERS_PER_TOKEN = 4


class Reply(NamedTuple):
    """A response, not sent yet."""

    status: int
    body: bytes
    content_type: bytes = b"application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()


def json_reply(value: object, status: int = 200) -> Reply:
    """Return *value* as a response."""
    return Reply(status, orjson.dumps(value))


def refusal(problem: Refused) -> Reply:
    """Return an error as a response, in the shape OpenAI gives it."""
    error = {
        "message": problem.message,
        "type": problem.kind,
        "param": problem.param,
        "code": problem.code,
    }
    headers = []
    if problem.retry_after_s is not None:
        headers.append((b"retry-after", b"%d" % problem.retry_after_s))
    if problem.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    return json_reply({"error": error}, problem.status)._replace(headers=tuple(headers))


def garbage() -> Reply:
    """Return a success whose body is a web page, as a captive proxy answers."""
    return Reply(200, _GARBAGE, b"text/html; charset=utf-8")


def embeddings(wanted: Wanted, vectors: NDArray[np.float32], fault: Fault) -> Reply:
    """Return the vectors of a request, spoiled where *fault* spoils vectors.

    As JSON, each number has as few digits as still name its 32-bit float.

    Args:
        wanted: The request.
        vectors: A row for each of its texts, in order, all of them finite.
        fault: What the request met.
    """
    if fault.kind == "half":
        vectors = vectors[: len(vectors) // 2]
    elif fault.kind == "wrong_dimension":
        vectors = vectors[:, : vectors.shape[1] // 2]
    elif fault.kind == "nan":
        vectors = vectors.copy()
        vectors[:, :1] = np.nan
    numbers: Sequence[object] = list(vectors)
    if wanted.encoding == "base64":
        numbers = [_base64(row) for row in vectors]
    body = orjson.dumps(
        {
            "object": "list",
            "data": [
                {"object": "embedding", "index": place, "embedding": row}
                for place, row in enumerate(numbers)
            ],
            "model": wanted.model,
            "usage": _usage(wanted.texts),
        },
        option=orjson.OPT_SERIALIZE_NUMPY,
    )
    if fault.spelling == "NaN":
        # The library writes null; Python's own, which many servers use, writes this.
        body = body.replace(_FIRST + b"null", _FIRST + b"NaN")
    return Reply(200, body)


def _base64(row: NDArray[np.float32]) -> str:
    little = row.astype("<f4", copy=False).tobytes()
    return binascii.b2a_base64(little, newline=False).decode("ascii")


def _usage(texts: Sequence[str]) -> dict[str, int]:
    tokens = sum(len(text) // _CHARACTERS_PER_TOKEN + 1 for text in texts)
    return {"prompt_tokens": tokens, "total_tokens": tokens}
