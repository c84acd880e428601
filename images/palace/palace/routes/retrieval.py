"""Searches over the fragments of documents, and over facts."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from palace.clock import parse_rfc3339_ns, to_datetime
from palace.documents.answer import Answer, Mode, Place
from palace.documents.facts import Recalled, recall
from palace.documents.modes import Question, search
from palace.documents.plain import Ranker, rank_words, search_by_vector
from palace.errors import InvalidInput
from palace.routes.describing import answers, takes
from palace.routes.replies import palace_of, reply
from palace.store.drawers import Body
from palace.wire import retrieval as wire
from palace.wire.reading import read_body

router = APIRouter(prefix="/api", tags=["retrieval"])


@router.post(
    "/documents/search",
    summary="Search documents by vector, by keywords or by both",
    responses=answers(wire.FoundFragments, "Fragments, best first.", 400, 413),
    openapi_extra=takes(wire.SearchDocuments),
)
async def search_documents(request: Request) -> Response:
    """Fall open to keywords, and say so, when the query's vector cannot be had."""
    body = await read_body(request, wire.SearchDocuments)
    question = Question(
        body.query,
        Mode(body.mode),
        Place(body.wing, body.room),
        body.limit,
        body.threshold,
    )
    return _reply(await search(palace_of(request), question))


@router.post(
    "/fragments/search",
    summary="Search fragments by a vector",
    responses=answers(wire.FoundFragments, "Fragments, nearest first.", 400, 413),
    openapi_extra=takes(wire.SearchFragments),
)
async def search_fragments(request: Request) -> Response:
    """Compare the caller's vector with those of the provider, and rank no further."""
    body = await read_body(request, wire.SearchFragments)
    answer = await search_by_vector(
        palace_of(request),
        body.embedding,
        Place(body.wing, body.room),
        limit=body.limit,
        threshold=body.threshold,
    )
    return _reply(answer)


@router.post(
    "/fragments/rank",
    summary="Rank fragments by words",
    responses=answers(wire.FoundFragments, "Fragments, best first.", 400, 413),
    openapi_extra=takes(wire.RankFragments),
)
async def rank_fragments(request: Request) -> Response:
    """Rank a whole scope by one of two rankers, with stemming or without."""
    body = await read_body(request, wire.RankFragments)
    answer = await rank_words(
        palace_of(request),
        body.query,
        Place(body.wing, body.room),
        Ranker(body.ranker, body.stemming),
        body.limit,
    )
    return _reply(answer)


@router.post(
    "/facts/search",
    summary="Call up facts",
    responses=answers(wire.RecalledFacts, "Facts, durable ones first.", 400, 413),
    openapi_extra=takes(wire.SearchFacts),
)
async def search_facts(request: Request) -> Response:
    """Call up what is known of a room by the words of a question."""
    body = await read_body(request, wire.SearchFacts)
    now = None
    if body.now is not None:
        try:
            now = to_datetime(parse_rfc3339_ns(body.now) // 1000)
        except ValueError as problem:
            raise InvalidInput("now", str(problem)) from problem
    found = await recall(palace_of(request), body.query, (body.wing, body.room), now)
    return reply(
        {
            "facts": [_fact(recalled) for recalled in found.facts[: body.limit]],
            "mode": "lexical",
            "effective": "lexical",
            "degraded": None,
            "scanned": found.scanned,
            "cut": found.is_cut,
        }
    )


def _reply(answer: Answer) -> Response:
    degraded = None
    if answer.missing is not None:
        degraded = {
            "from": answer.mode.value,
            "to": answer.effective.value,
            "code": answer.missing.code,
            "reason": answer.missing.reason,
        }
    return reply(
        {
            "mode": answer.mode.value,
            "effective": answer.effective.value,
            "degraded": degraded,
            "scanned": answer.scanned,
            "cut": answer.is_cut,
            "timing": {"embed_ms": answer.embed_ms, "search_ms": answer.search_ms},
            "hits": [
                {
                    "id": str(fragment.id),
                    "document_id": str(fragment.document),
                    "name": fragment.name,
                    "wing": fragment.wing,
                    "room": fragment.room,
                    "position": fragment.position,
                    "score": score,
                    "content": fragment.content,
                }
                for fragment, score in answer.hits
            ],
        }
    )


def _fact(recalled: Recalled) -> Body:
    return {
        "id": str(recalled.fact.id),
        "text": recalled.fact.text,
        "kind": recalled.fact.kind,
        "category": recalled.fact.category,
        "score": recalled.score,
        "relevance": recalled.relevance,
        "prior": recalled.prior,
    }
