"""Documents: put in, replace, delete, read back, and see what they are cut into."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from palace.clock import rfc3339
from palace.documents import ingest, reading
from palace.documents.ingest import NewDocument, Stored
from palace.documents.store import StoredFragment
from palace.names import checked_id
from palace.routes.describing import answers, takes
from palace.routes.replies import palace_of, reply
from palace.store.drawers import Body
from palace.wire import documents as wire
from palace.wire.reading import read_body
from palace.wire.requests import PLAIN

router = APIRouter(prefix="/api", tags=["documents"])


@router.post(
    "/documents",
    summary="Put a document into a room",
    responses=answers(wire.IngestedDocument, "Made or there.", 400, 404, 413, 502),
    openapi_extra=takes(wire.CreateDocument),
)
async def create_document(request: Request) -> Response:
    """Cut it into fragments and embed them; one that is there is not made again."""
    body = await read_body(request, wire.CreateDocument)
    (stored,) = await ingest.ingest(palace_of(request), [_new(body)])
    return reply(_ingested(stored))


@router.post(
    "/documents/batch",
    summary="Put many documents into their rooms",
    responses=answers(wire.IngestedDocuments, "Made or there.", 400, 404, 413, 502),
    openapi_extra=takes(wire.CreateDocuments),
)
async def create_documents(request: Request) -> Response:
    """All or none, in one transaction; ingestion order is the order of the list."""
    body = await read_body(request, wire.CreateDocuments)
    new = [_new(document) for document in body.documents]
    stored = await ingest.ingest(palace_of(request), new) if new else []
    return reply({"documents": [_ingested(document) for document in stored]})


@router.get(
    "/wings/{wing}/rooms/{room}/documents",
    summary="List the documents of a room",
    responses=answers(list[wire.Document], "In the order they were made.", 400, 404),
)
async def list_documents(
    request: Request,
    wing: str,
    room: str,
    limit: Annotated[int, Query(ge=1, le=1000), PLAIN] = 100,
    after: str | None = None,
) -> Response:
    """List documents without their texts; go on after the last id of a page."""
    stored = await reading.in_room(
        palace_of(request),
        (wing, room),
        after=None if after is None else checked_id(after, "after"),
        limit=limit,
    )
    return reply([_document(document) for document in stored])


@router.get(
    "/documents/{document}",
    summary="Read a document",
    responses=answers(wire.DocumentWithContent, "With its text.", 400, 404),
)
async def get_document(request: Request, document: str) -> Response:
    """Read a document as it is now."""
    stored, content = await reading.find(palace_of(request), checked_id(document))
    return reply({**_document(stored), "content": content})


@router.put(
    "/documents/{document}",
    summary="Replace a document's text",
    responses=answers(wire.Document, "With the new version.", 400, 404, 413, 502),
    openapi_extra=takes(wire.ReplaceDocument),
)
async def replace_document(request: Request, document: str) -> Response:
    """Keep the id; the fragments are new, and last in the order of ingestion."""
    wanted = checked_id(document)
    body = await read_body(request, wire.ReplaceDocument)
    stored = await ingest.replace(palace_of(request), wanted, body.content)
    return reply(_document(stored))


@router.delete(
    "/documents/{document}",
    summary="Delete a document",
    status_code=204,
    response_class=Response,
    responses={**answers(None, "It is gone.", 400, 404, status=204)},
)
async def delete_document(request: Request, document: str) -> Response:
    """Delete a document for good, with its fragments and their vectors."""
    await ingest.delete(palace_of(request), checked_id(document))
    return Response(status_code=204)


@router.get(
    "/documents/{document}/fragments",
    summary="Read what a document is cut into",
    responses=answers(wire.Fragments, "In the order of the text.", 400, 404),
)
async def get_fragments(request: Request, document: str) -> Response:
    """List the fragments; together they hold every character of the text."""
    found = await reading.fragments(palace_of(request), checked_id(document))
    return reply({"fragments": [_fragment(fragment) for fragment in found]})


def _new(body: wire.CreateDocument) -> NewDocument:
    return NewDocument(body.wing, body.room, body.name, body.content)


def _document(stored: Stored) -> Body:
    row, room = stored.row, stored.room
    created_at = rfc3339(row.created_at)
    is_changed = row.updated_at is not row.created_at
    return {
        "id": str(row.id),
        "wing": room.wing.name,
        "room": room.name,
        "name": row.name,
        "fragments": row.fragments,
        "version": row.version,
        "created_at": created_at,
        "updated_at": rfc3339(row.updated_at) if is_changed else created_at,
    }


def _ingested(stored: Stored) -> Body:
    body = _document(stored)
    body["created"] = stored.created
    return body


def _fragment(fragment: StoredFragment) -> Body:
    row = fragment.row
    return {
        "id": str(fragment.id),
        "position": row.position,
        "start": row.start_at,
        "end": row.end_at,
        "content": row.content,
        "embedded": fragment.embedded,
    }
