"""Entities: what drawers mention, and how entities relate."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from palace import mentions
from palace.names import checked_id
from palace.routes.describing import answers, given, takes
from palace.routes.replies import palace_of, reply
from palace.store.entities import entity_body
from palace.wire import answers as wire
from palace.wire.reading import read_body
from palace.wire.requests import PLAIN, CreateMention, CreateRelation

router = APIRouter(prefix="/api", tags=["graph"])


@router.post(
    "/drawers/{drawer}/mentions",
    summary="Link an entity to a drawer",
    responses={
        **answers(wire.Mention, "The link was there.", 400, 404, 413),
        201: given(wire.Mention, "The link was made."),
    },
    openapi_extra=takes(CreateMention),
)
async def create_mention(request: Request, drawer: str) -> Response:
    """Find the entity the name stands for, or make it, and link it."""
    wanted = checked_id(drawer)
    body = await read_body(request, CreateMention)
    made = await mentions.mention(palace_of(request), wanted, body.name, body.kind)
    return reply(
        {
            "drawer": str(made.drawer),
            "entity": entity_body(made.entity),
            "created": made.created,
        },
        201 if made.created else 200,
    )


@router.get(
    "/drawers/{drawer}/mentions",
    summary="List the entities of a drawer",
    responses=answers(list[wire.Entity], "In the order they were linked.", 400, 404),
)
async def list_mentions(request: Request, drawer: str) -> Response:
    """List what a drawer mentions."""
    found = await mentions.of_drawer(palace_of(request), checked_id(drawer))
    return reply([entity_body(row) for row in found])


@router.get(
    "/entities",
    summary="List entities",
    responses=answers(list[wire.Entity], "In order of name.", 400),
)
async def list_entities(
    request: Request,
    kind: str | None = None,
    name: str | None = None,
    limit: Annotated[int, Query(ge=1, le=200), PLAIN] = 50,
) -> Response:
    """List entities of a kind, or whose name contains something in any case."""
    found = await mentions.listed(
        palace_of(request),
        kind=kind,
        name=name,
        limit=limit,
    )
    return reply([entity_body(row) for row in found])


@router.get(
    "/entities/{entity}",
    summary="Read an entity",
    responses=answers(wire.Entity, "The entity.", 400, 404),
)
async def get_entity(request: Request, entity: str) -> Response:
    """Read one entity with its aliases."""
    return reply(
        entity_body(await mentions.find(palace_of(request), checked_id(entity)))
    )


@router.post(
    "/entities/{entity}/relations",
    summary="Relate two entities",
    responses={
        **answers(wire.Relation, "The edge was there.", 400, 404, 413),
        201: given(wire.Relation, "The edge was made."),
    },
    openapi_extra=takes(CreateRelation),
)
async def create_relation(request: Request, entity: str) -> Response:
    """Draw an edge, valid from now on; expansion follows `relates_to` both ways."""
    source = checked_id(entity)
    body = await read_body(request, CreateRelation)
    target = checked_id(body.to, "to")
    kind, created = await mentions.relate(palace_of(request), source, target, body.kind)
    return reply(
        {
            "source": str(source),
            "target": str(target),
            "kind": kind,
            "created": created,
        },
        201 if created else 200,
    )
