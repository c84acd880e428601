"""Writing JSON, and finding what the application holds."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from fastapi import Request, Response

from palace.core import Palace
from palace.errors import PalaceError
from palace.jobs import JobRunner

_JSON = "application/json"


def reply(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response, written by orjson and not validated again."""
    return Response(orjson.dumps(value), status, headers, _JSON)


def refusal(problem: PalaceError) -> Response:
    """Return the JSON error body of a refusal."""
    headers = {"www-authenticate": "Bearer"} if problem.status == 401 else None
    if problem.status == 503:
        headers = {"retry-after": "1"}
    return reply(problem.body(), problem.status, headers)


def palace_of(request: Request) -> Palace:
    """Return the palace that the application serves."""
    palace: Palace = request.app.state.palace
    return palace


def runner_of(request: Request) -> JobRunner:
    """Return the runner of background jobs."""
    runner: JobRunner = request.app.state.runner
    return runner
