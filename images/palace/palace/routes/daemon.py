"""The daemon itself: does it live, what is it, and stop it."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from palace import facts
from palace.routes.describing import answers, given
from palace.routes.replies import palace_of, reply
from palace.wire import daemon as wire

router = APIRouter(prefix="/api", tags=["daemon"])

_OK = b'{"status":"ok"}'


@router.get(
    "/health",
    summary="Say that the daemon answers",
    responses={200: given(wire.Health, "It does.")},
)
async def health() -> Response:
    """Answer without a token and without asking Postgres."""
    return Response(_OK, media_type="application/json")


@router.get(
    "/status",
    summary="Read what the daemon is and holds",
    responses=answers(wire.Status, "Everything about it."),
)
async def status(request: Request) -> Response:
    """Tell counts, build, Postgres and indexes; `now` is the clock of validity."""
    return reply(await facts.status(palace_of(request)))


@router.get(
    "/config",
    summary="Read how the daemon is configured",
    responses=answers(wire.Config, "Without secrets."),
)
async def config(request: Request) -> Response:
    """Tell the settings that a client may need."""
    return reply(facts.config(palace_of(request).settings))


@router.post(
    "/shutdown",
    summary="Stop the daemon",
    status_code=202,
    responses=answers(wire.Stopping, "It finishes and exits.", status=202),
)
async def shutdown(request: Request) -> Response:
    """Finish the requests under way, then exit with 0."""
    request.app.state.stop()
    return reply({"status": "stopping"}, 202)
