"""Reads what a client asks for, as strictly as the real service does."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import orjson

from embedder.errors import Refused

_FIELDS: Final = {"model", "input", "dimensions", "encoding_format", "user"}
_MAX_INPUTS: Final = 2048
_MAX_DIMENSION: Final = 16_000

Encoding = Literal["float", "base64"]


class Wanted(NamedTuple):
    """A request for embeddings that is right in itself."""

    model: str
    texts: list[str]
    """As they were sent, none of them empty; blanks around them stay."""
    dimension: int | None
    """The length asked for; None where the request leaves it to the model."""
    encoding: Encoding


def parse_request(body: bytes) -> Wanted:
    """Read the body of a request for embeddings.

    Raises:
        Refused: With status 400, naming the field; no message repeats a text.
    """
    value = parse_json(body)
    if not isinstance(value, dict):
        raise Refused(400, "The body is not a JSON object.")
    unknown = sorted(value.keys() - _FIELDS)
    if unknown:
        raise _wrong(unknown[0][:80], "there is no such parameter")
    model = value.get("model")
    if not isinstance(model, str) or not model:
        raise _wrong("model", "you must name a model, as a string")
    _check_user(value.get("user"))
    return Wanted(
        model,
        _texts(value.get("input")),
        _dimension(value.get("dimensions")),
        _encoding(value.get("encoding_format")),
    )


def parse_json(body: bytes) -> object:
    """Return the JSON value of a body.

    Raises:
        Refused: With status 400; the parser's words would show part of the body.
    """
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError as problem:
        place = f"line {problem.lineno}, column {problem.colno}"
    else:
        return value
    raise Refused(400, f"The body is not JSON: see {place}.")


def _texts(value: object) -> list[str]:
    if value is None:
        raise _wrong("input", "you must give a text or a list of texts")
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(type(text) is str for text in texts):
        raise _wrong("input", "it is neither a text nor a list of texts")
    if not texts:
        raise _wrong("input", "the list is empty")
    if len(texts) > _MAX_INPUTS:
        raise _wrong("input", f"{len(texts)} texts are more than {_MAX_INPUTS}")
    if "" in texts:
        raise _wrong("input", f"text {texts.index('')} is empty")
    return texts


def _dimension(value: object) -> int | None:
    # True would pass for 1.
    if value is not None and (
        type(value) is not int or not 1 <= value <= _MAX_DIMENSION
    ):
        raise _wrong(
            "dimensions",
            f"{value!r:.80} is not a whole number from 1 to {_MAX_DIMENSION}",
        )
    return value


def _encoding(value: object) -> Encoding:
    if value is None or value == "float":
        return "float"
    if value == "base64":
        return "base64"
    raise _wrong("encoding_format", f"{value!r:.80} is neither 'float' nor 'base64'")


def _check_user(value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise _wrong("user", "it is not a string")


def _wrong(param: str, what: str) -> Refused:
    return Refused(400, f"Invalid `{param}`: {what}.", param=param)
