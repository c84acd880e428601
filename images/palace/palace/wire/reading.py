"""Reading request bodies and query strings: every complaint names its field."""

from __future__ import annotations

from typing import TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from palace.errors import InvalidInput, TooLarge

BODY_MOST = 64 * 1024 * 1024
"""The longest body that is read: a batch of 500 drawers with wide vectors fits."""

_Model = TypeVar("_Model", bound=BaseModel)

# What pydantic adds to a location to tell the arms of a union apart.
_TEMPORAL = (
    "give `current`, `all`, `{as_of: instant}` or"
    " `{between: {from: instant, until: instant}}`"
)
_UNION_ARMS = frozenset({"literal['current','all']", "TemporalAsOf", "TemporalBetween"})


async def read_body(request: Request, model: type[_Model]) -> _Model:
    """Read the request's JSON body.

    Raises:
        InvalidInput: Not JSON (field `body`), or a field is missing or wrong.
        TooLarge: Over the cap; the rest is not read.
    """
    body = await _bytes(request)
    try:
        return model.model_validate_json(body)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        raise _invalid(first) from None


def invalid_query(problem: RequestValidationError) -> InvalidInput:
    """Return what is wrong with a query string in the caller's terms."""
    detail = problem.errors()[0]
    parts = [str(part) for part in detail["loc"] if part not in ("query", "path")]
    return InvalidInput(".".join(parts) or "query", detail["msg"])


async def _bytes(request: Request) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > BODY_MOST:
        raise TooLarge(BODY_MOST)
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > BODY_MOST:
            raise TooLarge(BODY_MOST)
        chunks.append(chunk)
    return b"".join(chunks)


def _invalid(detail: ErrorDetails) -> InvalidInput:
    """Return the complaint in the caller's terms.

    A component of a vector is reported as the vector (with its place in the reason),
    a field of the filter by its own name, one of a batch by its path.
    """
    reason = detail["msg"]
    if detail["type"] in ("json_invalid", "model_type") and not detail["loc"]:
        return InvalidInput("body", reason)
    path = ""
    for part in detail["loc"]:
        if isinstance(part, int):
            if path.endswith("embedding"):
                reason = f"component {part}: {reason}"
            else:
                path += f"[{part}]"
        elif part not in _UNION_ARMS and part != "filter":
            path += f".{part}" if path else part
    if path.startswith("temporal"):
        path, reason = "temporal", _TEMPORAL
    whole = "filter" if "filter" in detail["loc"] else "body"
    return InvalidInput(path or whole, reason)
