"""Jobs: ask for one, and see how they stand."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from palace.names import checked_id
from palace.routes.describing import answers, takes
from palace.routes.replies import palace_of, reply, runner_of
from palace.store.jobs import job_body
from palace.wire import answers as wire
from palace.wire.reading import read_body
from palace.wire.requests import PLAIN, CreateJob

router = APIRouter(prefix="/api", tags=["jobs"])


@router.post(
    "/jobs",
    summary="Queue a job",
    responses=answers(wire.Job, "It is queued.", 400, 404, 413),
    openapi_extra=takes(CreateJob),
)
async def create_job(request: Request) -> Response:
    """Embed drawers without a vector, or build a profile's vector index."""
    body = await read_body(request, CreateJob)
    if body.wing is not None:
        palace_of(request).memory.catalog.wing(body.wing)
    row = await runner_of(request).submit(
        body.type, wing=body.wing, profile=body.profile
    )
    return reply(job_body(row))


@router.get(
    "/jobs",
    summary="List jobs",
    responses=answers(list[wire.Job], "Newest first.", 400),
)
async def list_jobs(
    request: Request,
    status: str | None = None,
    kind: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000), PLAIN] = 1000,
) -> Response:
    """List the newest jobs, of one status or kind where that is given."""
    rows = await runner_of(request).listed(status=status, kind=kind, limit=limit)
    return reply([job_body(row) for row in rows])


@router.get(
    "/jobs/{job}",
    summary="Read a job",
    responses=answers(wire.Job, "How it stands.", 400, 404),
)
async def get_job(request: Request, job: str) -> Response:
    """Read one job."""
    return reply(job_body(await runner_of(request).find(checked_id(job))))
