"""Search, as a body or as a query string."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from palace.errors import InvalidInput
from palace.routes.describing import answers, takes
from palace.routes.replies import palace_of, reply
from palace.scope import Filter, Now
from palace.scope import Window as TimeWindow
from palace.search import Answer, Hit, Ranking, search
from palace.search import Query as SearchQuery
from palace.store.drawers import Body, drawer_body
from palace.wire import answers as wire
from palace.wire.reading import read_body
from palace.wire.requests import Search, SearchFilter, SearchParameters
from palace.wire.temporal import instant, read_temporal, window

router = APIRouter(prefix="/api", tags=["search"])

_RESPONSES = answers(
    list[wire.SearchHit],
    "Hits, best first.",
    400,
    413,
    502,
    headers={
        "X-Palace-Ranking": "The ranking that ran: lexical, semantic or hybrid.",
        "X-Palace-Degraded": "The code of what made `auto` fall open, if it did.",
        "X-Palace-Plan": "How the vector leg ran, and the rows in scope.",
        "X-Palace-Lexical": "Whether hits have all words or any, or none matched.",
    },
)


@router.post(
    "/search",
    summary="Search drawers",
    responses=_RESPONSES,
    openapi_extra=takes(Search),
)
async def post_search(request: Request) -> Response:
    """Search within a scope; every field may be left out."""
    body = await read_body(request, Search)
    wanted = body.filter or SearchFilter()
    scope = Filter(
        wing=wanted.wing,
        room=wanted.room,
        tags=tuple(wanted.tags),
        source_kind=wanted.source_kind,
        time=read_temporal(wanted.temporal),
    )
    query = SearchQuery(
        text=body.text,
        ranking=Ranking(body.ranking),
        limit=body.limit,
        filter=scope,
        expand=body.expand,
        vector=body.query_embedding,
        profile=body.profile,
    )
    return _reply(await search(palace_of(request), query))


@router.get("/search", summary="Search drawers", responses=_RESPONSES)
async def get_search(
    request: Request, given: Annotated[SearchParameters, Query()]
) -> Response:
    """Search without a vector, by a query string."""
    scope = Filter(
        wing=given.wing,
        room=given.room,
        tags=tuple(tag for tags in given.tags for tag in tags.split(",") if tag),
        source_kind=given.source_kind,
        time=_time(given),
    )
    query = SearchQuery(
        text=given.q or given.query or "",
        ranking=Ranking(given.ranking),
        limit=given.limit,
        filter=scope,
        expand=given.expand,
    )
    return _reply(await search(palace_of(request), query))


def _time(given: SearchParameters) -> Now | TimeWindow:
    begin, end = given.from_, given.until
    is_window = begin is not None or end is not None
    if (given.as_of is not None) + is_window + given.include_historical > 1:
        raise InvalidInput(
            "temporal", "give one of as_of, from/until and include_historical"
        )
    if given.as_of is not None:
        return instant(given.as_of)
    if is_window:
        if begin is None or end is None:
            raise InvalidInput("temporal", "from and until go together")
        return window(begin, end)
    return Now.ALL if given.include_historical else Now.CURRENT


def _reply(answer: Answer) -> Response:
    headers = {
        "x-palace-ranking": answer.ranking.value,
        "x-palace-plan": f"{answer.plan.value};rows={answer.rows}",
        "x-palace-lexical": answer.matched,
    }
    if answer.degraded is not None:
        headers["x-palace-degraded"] = answer.degraded
    return reply([_hit(hit) for hit in answer.hits], headers=headers)


def _hit(hit: Hit) -> Body:
    body = drawer_body(hit.row)
    body["score"] = hit.score
    if hit.signals:
        body["signals"] = hit.signals
    if hit.via:
        body["via"] = hit.via
    return body
