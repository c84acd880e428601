"""Facts: put in and delete."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from palace.clock import rfc3339
from palace.documents import noting
from palace.documents.noting import NewFact, Noted
from palace.names import checked_id
from palace.routes.describing import answers, takes
from palace.routes.replies import palace_of, reply
from palace.store.drawers import Body
from palace.wire import facts as wire
from palace.wire.reading import read_body

router = APIRouter(prefix="/api", tags=["facts"])


@router.post(
    "/facts",
    summary="Put facts into their rooms",
    responses=answers(wire.Facts, "They are stored.", 400, 404, 413),
    openapi_extra=takes(wire.CreateFacts),
)
async def create_facts(request: Request) -> Response:
    """All or none, in one transaction; ingestion order is the order of the list."""
    body = await read_body(request, wire.CreateFacts)
    new = [NewFact(**dict(fact)) for fact in body.facts]
    noted = await noting.add(palace_of(request), new) if new else []
    return reply({"facts": [_fact(fact) for fact in noted]})


@router.delete(
    "/facts/{fact}",
    summary="Delete a fact",
    status_code=204,
    response_class=Response,
    responses={**answers(None, "It is gone.", 400, 404, status=204)},
)
async def delete_fact(request: Request, fact: str) -> Response:
    """Delete a fact for good."""
    await noting.forget(palace_of(request), checked_id(fact))
    return Response(status_code=204)


def _fact(noted: Noted) -> Body:
    row, room = noted
    return {
        "id": str(row.id),
        "wing": room.wing.name,
        "room": room.name,
        "kind": row.kind,
        "text": row.text,
        "category": row.category,
        "confidence": row.confidence,
        "keywords": list(row.keywords),
        "fields": row.fields,
        "valid_at": None if row.valid_at is None else rfc3339(row.valid_at),
        "created_at": rfc3339(row.created_at),
    }
