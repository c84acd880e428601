"""What a route takes and answers, for the OpenAPI document only.

Models are named by reference and added to the document when it is asked for. Given to
FastAPI as models, each of them would be compiled for each route at every start.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from palace.wire import answers as answer_models
from palace.wire import daemon as daemon_models
from palace.wire import documents as document_models
from palace.wire import facts as fact_models
from palace.wire import requests as request_models
from palace.wire import retrieval as retrieval_models

_MODULES = (
    request_models,
    answer_models,
    daemon_models,
    document_models,
    fact_models,
    retrieval_models,
)
_JSON = "application/json"
_REFERENCE = "#/components/schemas/{model}"

Described = dict[int | str, dict[str, Any]]
"""What FastAPI takes as `responses`."""


def answers(
    model: type[BaseModel] | type[list[Any]] | None,
    description: str,
    *errors: int,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Described:
    """Describe a route's answers: what it gives, and the errors it can give.

    Args:
        model: The answer, a list of models, or None for an empty body.
        description: What the answer means.
        errors: Status codes with the error body, beside those every route has.
        status: The status code of success.
        headers: What each response header says.
    """
    described: Described = {status: given(model, description, headers)}
    for error in sorted({*errors, 401, 403, 500, 503}):
        described[error] = given(answer_models.ErrorBody, _MEANINGS[error])
    return described


def given(
    model: type[BaseModel] | type[list[Any]] | None,
    description: str,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Describe one answer."""
    described: dict[str, Any] = {"description": description}
    if model is not None:
        described["content"] = {_JSON: {"schema": _schema(model)}}
    if headers:
        described["headers"] = {
            name: {"description": meaning, "schema": {"type": "string"}}
            for name, meaning in headers.items()
        }
    return described


def takes(model: type[BaseModel]) -> dict[str, Any]:
    """Describe a route's JSON body."""
    content = {_JSON: {"schema": _schema(model)}}
    return {"requestBody": {"required": True, "content": content}}


def schemas() -> dict[str, Any]:
    """Return the schema of every model that goes over the wire, by name."""
    models = [
        model
        for module in _MODULES
        for name, model in inspect.getmembers(module, inspect.isclass)
        if issubclass(model, BaseModel)
        and model.__module__ == module.__name__
        and not name.startswith("_")
    ]
    _, document = models_json_schema(
        [(model, "validation") for model in models], ref_template=_REFERENCE
    )
    found: dict[str, Any] = document["$defs"]
    return found


def _schema(model: type[BaseModel] | type[list[Any]]) -> dict[str, Any]:
    arguments = get_args(model)
    if arguments:
        return {"type": "array", "items": _schema(arguments[0])}
    return {"$ref": _REFERENCE.format(model=model.__name__)}


_MEANINGS = {
    400: "A field is unusable; the message names it.",
    401: "The bearer token is missing or wrong.",
    403: "The mode of the request forbids it.",
    404: "Something named does not exist.",
    409: "It conflicts with what is there.",
    413: "The body is too large.",
    500: "The daemon failed.",
    502: "The embedding provider failed.",
    503: "Postgres is away, or the embedding provider.",
}
