"""The application: routes, error bodies, OpenAPI, and what opens and closes with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.routing import Route

from palace import __version__
from palace.core import Palace
from palace.errors import (
    Internal,
    InvalidInput,
    MethodNotAllowed,
    PalaceError,
    RouteNotFound,
)
from palace.gate import Gate
from palace.jobs import JobRunner
from palace.routes import (
    daemon,
    describing,
    documents,
    drawers,
    facts,
    graph,
    jobs,
    places,
    retrieval,
    search,
)
from palace.routes.replies import refusal
from palace.settings import Settings
from palace.wire.reading import invalid_query

_DESCRIPTION = (
    "A memory daemon: drawers in the rooms of wings, each valid for a window of time,"
    " found by their words, by their meaning and through the entities they mention."
)

# In the order they are tried: what is asked most and fastest comes first.
_ROUTED = (daemon, search, retrieval, documents, drawers, facts, graph, places, jobs)
_ROUTERS = tuple(module.router for module in _ROUTED)


def create_app(settings: Settings) -> FastAPI:
    """Return the application; the palace opens and closes with its lifespan.

    Whoever serves it sets `app.state.stop`, which a caller's shutdown runs.
    """
    palace = Palace(settings)
    runner = JobRunner(palace)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await palace.open()
        runner.start()
        try:
            yield
        finally:
            await runner.stop()
            await palace.close()

    app = FastAPI(
        title="palace",
        version=__version__,
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.palace = palace
    app.state.runner = runner
    for router in _ROUTERS:
        app.include_router(router)
    app.add_exception_handler(PalaceError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_query)
    app.add_exception_handler(HTTPException, _refuse_route)
    app.add_middleware(Gate, token=settings.token)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]  # FastAPI's own way to replace it
    return app


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, request bodies included."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        schemas = document["components"]["schemas"]
        schemas.update(describing.schemas())
        # The errors of a query string have the same body as all others.
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        for path in document["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
        document["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"}
        }
        document["security"] = [{"bearer": []}, {}]
        app.openapi_schema = document
    return app.openapi_schema


async def _refuse(_: Request, problem: Exception) -> Response:
    return refusal(problem if isinstance(problem, PalaceError) else Internal())


async def _refuse_query(_: Request, problem: Exception) -> Response:
    if not isinstance(problem, RequestValidationError):
        return refusal(Internal())
    return refusal(invalid_query(problem))


async def _refuse_route(request: Request, problem: Exception) -> Response:
    """Answer for paths and methods that no route has."""
    path = request.url.path
    if isinstance(problem, HTTPException) and problem.status_code == 405:
        response = refusal(MethodNotAllowed(request.method, path))
        response.headers["allow"] = ", ".join(_methods(request))
        return response
    if isinstance(problem, HTTPException) and problem.status_code != 404:
        return refusal(InvalidInput("request", problem.detail))
    return refusal(RouteNotFound(path))


def _methods(request: Request) -> list[str]:
    """Return the methods of a path; the router itself names those of one route only."""
    methods: set[str] = set()
    for route in (route for router in _ROUTERS for route in router.routes):
        if isinstance(route, Route) and route.path_regex.match(request.scope["path"]):
            methods |= route.methods or set()
    return sorted(methods)
