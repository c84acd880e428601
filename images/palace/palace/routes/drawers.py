"""Drawers: create, list, read, replace, delete, and give them vectors."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from palace import drawers, versions
from palace.dedup import NewDrawer
from palace.drawers import Created, Wanted, checked_drawer, checked_embedding
from palace.names import checked_id
from palace.routes.describing import answers, given, takes
from palace.routes.replies import palace_of, reply, runner_of
from palace.store.drawers import Body, drawer_body
from palace.store.links import link_body
from palace.wire import answers as wire
from palace.wire.reading import read_body
from palace.wire.requests import (
    PLAIN,
    CreateBatch,
    CreateDrawer,
    PutEmbedding,
    Supersede,
)

router = APIRouter(prefix="/api", tags=["drawers"])


@router.post(
    "/wings/{wing}/rooms/{room}/drawers",
    summary="Put a drawer into a room",
    responses={
        **answers(wire.CreatedDrawer, "It was there already.", 400, 404, 409, 413),
        201: given(wire.CreatedDrawer, "It was made."),
    },
    openapi_extra=takes(CreateDrawer),
)
async def create_drawer(request: Request, wing: str, room: str) -> Response:
    """Make wing and room on demand; an unnamed copy of a current text is not made."""
    palace = palace_of(request)
    body = await read_body(request, CreateDrawer)
    new = _new(request, wing, room, body)
    (created,) = await drawers.create(palace, [new])
    runner_of(request).wake()
    return reply(_created(created), 201 if created.created else 200)


@router.post(
    "/drawers/batch",
    summary="Put many drawers into their rooms",
    responses=answers(wire.CreatedBatch, "Made or there.", 400, 404, 409, 413),
    openapi_extra=takes(CreateBatch),
)
async def create_batch(request: Request) -> Response:
    """All or none, in one transaction; ingestion order is the order of the list."""
    palace = palace_of(request)
    body = await read_body(request, CreateBatch)
    new = [_new(request, drawer.wing, drawer.room, drawer) for drawer in body.drawers]
    created = await drawers.create(palace, new) if new else []
    runner_of(request).wake()
    return reply({"drawers": [_created(drawer) for drawer in created]})


@router.get(
    "/wings/{wing}/rooms/{room}/drawers",
    summary="List the drawers of a room",
    responses=answers(list[wire.Drawer], "In order of ingestion.", 400, 404),
)
async def list_drawers(
    request: Request,
    wing: str,
    room: str,
    limit: Annotated[int, Query(ge=1, le=1000), PLAIN] = 100,
    after: str | None = None,
    include_historical: bool = False,
) -> Response:
    """List current drawers, or all versions; go on after the last id of a page."""
    rows = await versions.in_room(
        palace_of(request),
        (wing, room),
        after=None if after is None else checked_id(after, "after"),
        limit=limit,
        include_historical=include_historical,
    )
    return reply([drawer_body(row) for row in rows])


@router.get(
    "/drawers/{drawer}",
    summary="Read a drawer",
    responses=answers(wire.Drawer, "The drawer, of any time.", 400, 404),
)
async def get_drawer(request: Request, drawer: str) -> Response:
    """Read one version, current or not."""
    row = await versions.find(palace_of(request), checked_id(drawer))
    return reply(drawer_body(row))


@router.delete(
    "/drawers/{drawer}",
    summary="Delete a drawer",
    status_code=204,
    response_class=Response,
    responses={**answers(None, "It is gone.", 400, 404, status=204)},
)
async def delete_drawer(request: Request, drawer: str) -> Response:
    """Delete one version for good, with its vectors and mentions."""
    await versions.delete(palace_of(request), checked_id(drawer))
    return Response(status_code=204)


@router.get(
    "/drawers/{drawer}/history",
    summary="Read every version of a drawer",
    responses=answers(wire.History, "Versions, oldest first.", 400, 404),
)
async def get_history(request: Request, drawer: str) -> Response:
    """List all versions, whichever of them the id is of."""
    wanted = checked_id(drawer)
    rows = await versions.history(palace_of(request), wanted)
    return reply(
        {"drawer": str(wanted), "versions": [drawer_body(row) for row in rows]}
    )


@router.get(
    "/drawers/{drawer}/duplicates",
    summary="List drawers that say the same or nearly the same",
    responses=answers(wire.Duplicates, "Most alike first.", 400, 404),
)
async def get_duplicates(request: Request, drawer: str) -> Response:
    """List the drawers this one was linked to when the newer of the two was made."""
    wanted = checked_id(drawer)
    links = await versions.duplicates(palace_of(request), wanted)
    return reply(
        {"drawer": str(wanted), "similar": [link_body(link) for link in links]}
    )


@router.put(
    "/drawers/{drawer}/embedding",
    summary="Give a drawer its vector",
    responses=answers(wire.Embedded, "It is stored.", 400, 404, 413),
    openapi_extra=takes(PutEmbedding),
)
async def put_embedding(request: Request, drawer: str) -> Response:
    """Store a vector in one profile, in place of the one that was there."""
    palace = palace_of(request)
    wanted = checked_id(drawer)
    body = await read_body(request, PutEmbedding)
    embedding = checked_embedding(palace, "embedding", body.embedding, body.profile)
    await drawers.attach(palace, wanted, embedding)
    return reply({"embedded": True})


@router.post(
    "/drawers/{drawer}/supersede",
    summary="Replace or close a drawer",
    responses=answers(wire.SupersededDrawer, "Done.", 400, 404, 409, 413),
    openapi_extra=takes(Supersede),
)
async def supersede_drawer(request: Request, drawer: str) -> Response:
    """End a drawer's validity and begin its replacement's at one instant."""
    wanted = checked_id(drawer)
    body = await read_body(request, Supersede)
    old, new = await versions.supersede(
        palace_of(request),
        wanted,
        content=body.content,
        tags=body.tags,
        requested_by=body.requested_by,
    )
    runner_of(request).wake()
    replacement = None
    if new is not None:
        # MemCastle leaves the link out of this answer; the stored drawer has it.
        replacement = drawer_body(new)
        replacement.pop("supersedes")
    return reply({"superseded": drawer_body(old), "replacement": replacement})


def _new(request: Request, wing: str, room: str, body: CreateDrawer) -> Wanted:
    palace = palace_of(request)
    embedding = None
    if body.embedding is not None:
        embedding = checked_embedding(palace, "embedding", body.embedding, body.profile)
    elif body.profile is not None:
        palace.table_of(body.profile)
    new = NewDrawer(wing, room, body.content, body.name, body.requested_by)
    return Wanted(checked_drawer(palace, new), embedding)


def _created(created: Created) -> Body:
    return {"created": created.created, **drawer_body(created.row)}
