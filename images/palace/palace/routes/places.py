"""Wings and rooms: what there is."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from palace import clearing
from palace.clock import rfc3339
from palace.routes.describing import answers
from palace.routes.replies import palace_of, reply
from palace.scope import Filter, Now
from palace.wire import answers as wire

router = APIRouter(prefix="/api", tags=["places"])


@router.get(
    "/wings",
    summary="List wings",
    responses=answers(list[wire.Wing], "In order of creation."),
)
async def list_wings(request: Request) -> Response:
    """List every wing."""
    palace = palace_of(request)
    await palace.trust_memory()
    memory, catalog = palace.memory, palace.memory.catalog
    return reply(
        [
            {
                "id": str(wing.id),
                "name": wing.name,
                "rooms": sum(1 for _ in catalog.rooms(wing)),
                "drawers": memory.table.count(Filter(wing=wing.name, time=Now.ALL)),
                "created_at": rfc3339(wing.created_at),
            }
            for wing in catalog.wings()
        ]
    )


@router.delete(
    "/wings/{wing}",
    summary="Delete a wing and all that is in it",
    status_code=204,
    response_class=Response,
    responses=answers(None, "It is gone.", 404, status=204),
)
async def delete_wing(request: Request, wing: str) -> Response:
    """Delete a wing for good: rooms, drawers, documents and facts."""
    await clearing.remove_wing(palace_of(request), wing)
    return Response(status_code=204)


@router.get(
    "/wings/{wing}/rooms",
    summary="List the rooms of a wing",
    responses=answers(list[wire.Room], "In order of creation.", 404),
)
async def list_rooms(request: Request, wing: str) -> Response:
    """List the rooms of a wing, which is named or given by id."""
    palace = palace_of(request)
    await palace.trust_memory()
    memory, catalog = palace.memory, palace.memory.catalog
    return reply(
        [
            {
                "id": str(room.id),
                "wing": str(room.wing.id),
                "name": room.name,
                "drawers": memory.table.count(
                    Filter(wing=room.wing.name, room=room.name, time=Now.ALL)
                ),
                "created_at": rfc3339(room.created_at),
            }
            for room in catalog.rooms(catalog.wing(wing))
        ]
    )
