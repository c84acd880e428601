"""Wings and rooms: what there is."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

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
