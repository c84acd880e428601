"""Which field a complaint about a request body names."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import Request
from pydantic import BaseModel
from starlette.types import Message

from palace.errors import InvalidInput, TooLarge
from palace.wire import reading
from palace.wire.reading import read_body
from palace.wire.requests import CreateBatch, CreateMention, PutEmbedding, Search

TWO_TIMES = b"""{"filter": {"temporal": {
    "as_of": "2026-01-01", "between": {"from": "2026-01-01", "until": "2026-01-02"}
}}}"""


def read(body: bytes, model: type[BaseModel], **headers: str) -> BaseModel:
    chunks = [body[place : place + 7] for place in range(0, len(body), 7)] or [b""]

    async def receive() -> Message:
        chunk = chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    scope = {
        "type": "http",
        "method": "POST",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }
    return asyncio.run(read_body(Request(scope, receive), model))


@pytest.mark.parametrize(
    ("body", "model", "field"),
    [
        (b"", PutEmbedding, "body"),
        (b"{", PutEmbedding, "body"),
        (b"\xff\xfe", PutEmbedding, "body"),
        (b"[]", PutEmbedding, "body"),
        (b"null", PutEmbedding, "body"),
        (b"{}", PutEmbedding, "embedding"),
        (b'{"embedding": "1"}', PutEmbedding, "embedding"),
        (b'{"embedding": ["1"]}', PutEmbedding, "embedding"),
        (b'{"embedding": [1, null]}', PutEmbedding, "embedding"),
        (b'{"embedding": [1, NaN]}', PutEmbedding, "embedding"),
        (b'{"embedding": [Infinity]}', PutEmbedding, "embedding"),
        (b'{"embedding": [1e999]}', PutEmbedding, "embedding"),
        (b'{"name": "a"}', CreateMention, "kind"),
        (b'{"text": 3}', Search, "text"),
        (b'{"limit": -1}', Search, "limit"),
        (b'{"limit": 1.5}', Search, "limit"),
        (b'{"ranking": "best"}', Search, "ranking"),
        (b'{"query_embedding": ["x"]}', Search, "query_embedding"),
        (b'{"filter": {"wing": 1}}', Search, "wing"),
        (b'{"filter": {"tags": [1]}}', Search, "tags[0]"),
        (b'{"filter": {"temporal": "now"}}', Search, "temporal"),
        (b'{"filter": {"temporal": {"between": {"from": "x"}}}}', Search, "temporal"),
        (
            TWO_TIMES,
            Search,
            "temporal",
        ),
        (b'{"filter": 1}', Search, "filter"),
        (b'{"filter": []}', Search, "filter"),
        (b'{"filter": "current"}', Search, "filter"),
        (b'{"filter": {"tags": null}}', Search, "tags"),
        (
            b'{"drawers": [{"wing": "w", "room": "r"}]}',
            CreateBatch,
            "drawers[0].content",
        ),
        (
            b'{"drawers":[{"wing":"w","room":"r","content":"c","embedding":[NaN]}]}',
            CreateBatch,
            "drawers[0].embedding",
        ),
    ],
)
def test_the_field_at_fault_is_named(
    body: bytes, model: type[BaseModel], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(body, model)

    assert caught.value.field == field


def test_unknown_fields_are_ignored() -> None:
    assert read(b'{"text": "a", "surprise": 1}', Search) == Search(text="a")


def test_a_filter_of_null_is_none() -> None:
    assert read(b'{"filter": null}', Search) == read(b"{}", Search) == Search()


def test_text_may_be_called_query() -> None:
    assert read(b'{"query": "a"}', Search) == Search(text="a")


def test_a_declared_length_over_the_cap_is_refused_unread() -> None:
    size = str(reading.BODY_MOST + 1)
    with pytest.raises(TooLarge):
        read(b"{}", Search, **{"content-length": size})


def test_an_undeclared_length_over_the_cap_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "BODY_MOST", 10)
    with pytest.raises(TooLarge):
        read(b'{"text": "longer"}', Search)
