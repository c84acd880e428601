"""The embeddings client against a provider that does everything wrong."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import numpy as np
import pytest
from structlog.testing import capture_logs

from palace.provider import (
    EmbeddingProvider,
    Patience,
    ProviderFailed,
    UnusableText,
)

KEY = "sk-very-secret-0123456789"
DIMENSION = 4

FAILED = "memcastle::embed::failed"
MISMATCH = "memcastle::embed::dimension_mismatch"
NOT_FINITE = "memcastle::embed::not_finite"

Handler = Callable[[httpx.Request], httpx.Response]


def vector_of(text: str) -> list[float]:
    """Give each text a vector that tells it apart."""
    return [float(len(text)), float(ord(text[0])), 0.5, -1.0]


def answer(request: httpx.Request) -> list[dict[str, Any]]:
    """Make the right `data` for a request."""
    texts = json.loads(request.content)["input"]
    return [
        {"object": "embedding", "index": place, "embedding": vector_of(text)}
        for place, text in enumerate(texts)
    ]


class Provider:
    """A provider that answers from a script, then rightly, and keeps what it got."""

    def __init__(self, *script: Handler | httpx.Response | Exception) -> None:
        self.script = list(script)
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if not self.script:
            return httpx.Response(200, json={"data": answer(request)})
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, httpx.Response) else step(request)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    @property
    def inputs(self) -> list[list[str]]:
        return [json.loads(request.content)["input"] for request in self.requests]

    def client(self, **settings: Any) -> EmbeddingProvider:
        wanted: dict[str, Any] = {
            "url": "http://provider.test/v1",
            "model": "tiny",
            "dimension": DIMENSION,
            "api_key": KEY,
            "transport": httpx.MockTransport(self),
            "patience": Patience(sleep=self.sleep),
        }
        return EmbeddingProvider(**{**wanted, **settings})


def embed(
    provider: Provider, texts: Sequence[str], **settings: Any
) -> list[list[float]]:
    async def run() -> list[list[float]]:
        client = provider.client(**settings)
        try:
            return [vector.tolist() for vector in await client.embed(texts)]
        finally:
            await client.close()

    return asyncio.run(run())


def failure(
    provider: Provider, texts: Sequence[str] = ("one", "two"), **settings: Any
) -> ProviderFailed:
    with pytest.raises(ProviderFailed) as caught:
        embed(provider, texts, **settings)
    return caught.value


def with_data(change: Callable[[list[dict[str, Any]]], Any]) -> Handler:
    """Answer 200 with the right `data` after a change."""

    def handler(request: httpx.Request) -> httpx.Response:
        data = answer(request)
        changed = change(data)
        return httpx.Response(
            200, content=json.dumps({"data": data if changed is None else changed})
        )

    return handler


def test_request_is_the_protocols() -> None:
    provider = Provider()

    embed(provider, ["alpha", "beta"])

    [request] = provider.requests
    assert request.method == "POST"
    assert str(request.url) == "http://provider.test/v1/embeddings"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert json.loads(request.content) == {
        "model": "tiny",
        "input": ["alpha", "beta"],
        "dimensions": DIMENSION,
    }


def test_no_key_sends_no_authorization() -> None:
    provider = Provider()

    embed(provider, ["alpha"], api_key=None)

    assert "Authorization" not in provider.requests[0].headers


def test_a_slash_after_the_address_changes_nothing() -> None:
    provider = Provider()

    embed(provider, ["alpha"], url="http://provider.test/v1/")

    assert provider.requests[0].url.path == "/v1/embeddings"


def test_vectors_are_single_precision() -> None:
    async def run() -> list[np.dtype[Any]]:
        return [vector.dtype for vector in await Provider().client().embed(["a"])]

    assert asyncio.run(run()) == [np.dtype(np.float32)]


def test_no_texts_ask_nothing() -> None:
    provider = Provider()

    assert embed(provider, []) == []
    assert provider.requests == []


def test_order_is_restored_by_index() -> None:
    provider = Provider(with_data(lambda data: data[::-1]))
    texts = ["a", "bb", "ccc"]

    assert embed(provider, texts) == [vector_of(text) for text in texts]


def test_many_texts_travel_sixteen_at_a_time_and_come_back_in_order() -> None:
    provider = Provider(*[with_data(lambda data: data[::-1])] * 3)
    texts = [f"{chr(65 + place)}{'x' * place}" for place in range(40)]

    assert embed(provider, texts) == [vector_of(text) for text in texts]
    assert [len(batch) for batch in provider.inputs] == [16, 16, 8]


def test_long_texts_travel_in_fewer() -> None:
    provider = Provider()
    texts = ["x" * 40_000] * 5

    embed(provider, texts)

    # A token for three bytes makes 13,334 a text; 32,000 hold two.
    assert [len(batch) for batch in provider.inputs] == [2, 2, 1]


def test_a_text_over_the_token_cap_travels_alone() -> None:
    provider = Provider()
    texts = ["a", "b" * 200_000, "c"]

    assert embed(provider, texts) == [vector_of(text) for text in texts]
    assert [len(batch) for batch in provider.inputs] == [1, 1, 1]


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u00a0", "a\ud800"])
def test_a_text_that_cannot_be_embedded_is_refused_before_anything_is_sent(
    text: str,
) -> None:
    provider = Provider()

    problem = failure(provider, ["fine"] * 20 + [text])

    assert isinstance(problem, UnusableText)
    assert problem.place == 20
    assert problem.code == FAILED
    assert provider.requests == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data[:1], id="half a batch"),
        pytest.param(lambda data: [*data, data[0]], id="one too many"),
        pytest.param(lambda _: [], id="none"),
        pytest.param(lambda data: [data[0], data[0]], id="an index twice"),
        pytest.param(lambda data: data[1].pop("index") and None, id="an index missing"),
        pytest.param(lambda data: data[1].update(index=2), id="an index too high"),
        pytest.param(lambda data: data[1].update(index=-1), id="a negative index"),
        pytest.param(lambda data: data[1].update(index=True), id="a boolean index"),
        pytest.param(lambda data: data[1].update(index="1"), id="an index as text"),
        pytest.param(lambda data: data[1].pop("embedding") and None, id="no vector"),
        pytest.param(lambda data: data[1].update(embedding=None), id="a null vector"),
        pytest.param(
            lambda data: data[1].update(embedding=["1", "2", "3", "4"]),
            id="numbers as text",
        ),
        pytest.param(lambda data: data[1].update(embedding=[True] * 4), id="booleans"),
        pytest.param(lambda data: data[1].update(embedding=[[1.0]] * 4), id="a matrix"),
        pytest.param(lambda data: data[1].update(embedding="AACAPw=="), id="base64"),
        pytest.param(
            lambda data: data[1].update(embedding=[1.0, None, "1", 1.0]),
            id="a null beside text",
        ),
        pytest.param(lambda _: ["a", "b"], id="no objects"),
        pytest.param(lambda _: {"0": 1}, id="no list"),
    ],
)
def test_an_unusable_answer_fails_and_is_not_asked_for_again(
    change: Callable[[list[dict[str, Any]]], Any],
) -> None:
    provider = Provider(with_data(change))

    problem = failure(provider)

    assert problem.code == FAILED
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    "number",
    [
        # Not JSON, and what many a service writes all the same.
        pytest.param(float("nan"), id="NaN"),
        pytest.param(float("-inf"), id="infinity"),
        pytest.param(None, id="null, which others write for it"),
        pytest.param(1e39, id="too large for single precision"),
    ],
)
def test_what_is_not_finite_has_a_code_of_its_own(number: float | None) -> None:
    provider = Provider(
        with_data(lambda data: data[1].update(embedding=[1.0, number, 1.0, 1.0]))
    )

    problem = failure(provider)

    assert problem.code == NOT_FINITE
    assert "text 1" in problem.message
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"<html>",
        b"[]",
        b"null",
        b'{"data"',
        b'{"error":{}}',
        b"\xff",
        b"[" * 9999 + b"NaN",
    ],
)
def test_garbage_fails(body: bytes) -> None:
    provider = Provider(httpx.Response(200, content=body))

    assert failure(provider).code == FAILED


@pytest.mark.parametrize("length", [0, 3, 5])
def test_another_length_is_a_dimension_mismatch(length: int) -> None:
    provider = Provider(
        with_data(lambda data: data[1].update(embedding=[1.0] * length))
    )

    problem = failure(provider)

    assert problem.code == MISMATCH
    assert f"length {length}" in problem.message
    assert str(DIMENSION) in problem.message
    assert len(provider.requests) == 1


def test_an_endless_answer_is_cut_off() -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b" " * 65_536

    problem = failure(Provider(httpx.Response(200, stream=Endless())))

    assert problem.code == FAILED
    assert "bytes" in problem.message


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529, 408, 429])
def test_a_passing_failure_is_tried_again_after_a_growing_pause(status: int) -> None:
    provider = Provider(httpx.Response(status), httpx.Response(status))

    assert embed(provider, ["a"]) == [vector_of("a")]
    assert provider.waits == [0.25, 0.5]


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectError("refused"),
        httpx.ConnectTimeout("slow"),
        httpx.ReadTimeout("slow"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("gone"),
    ],
)
def test_a_network_failure_is_tried_again(error: Exception) -> None:
    provider = Provider(error)

    assert embed(provider, ["a"]) == [vector_of("a")]
    assert len(provider.requests) == 2


def test_a_lasting_failure_ends_after_three_attempts() -> None:
    provider = Provider(*[httpx.Response(503)] * 9)

    problem = failure(provider)

    assert problem.code == FAILED
    assert "503" in problem.message
    assert len(provider.requests) == 3
    assert len(provider.waits) == 2


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    provider = Provider(
        httpx.Response(status, headers={"Location": "http://elsewhere.test/"})
    )

    problem = failure(provider)

    assert problem.code == FAILED
    assert str(status) in problem.message
    assert len(provider.requests) == 1


def test_a_broken_encoding_is_not_tried_again() -> None:
    provider = Provider(
        lambda _: httpx.Response(
            200,
            headers={"Content-Encoding": "gzip"},
            stream=httpx.ByteStream(b"not gzip"),
        )
    )

    assert failure(provider).code == FAILED
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("value", "pause_s"),
    [
        ("7", 7.0),
        ("0", 0.0),
        (" 3 ", 3.0),
        ("3600", 20.0),
        ("9" * 400, 20.0),
        ("soon", 0.25),
        ("-5", 0.25),
        ("1.5", 0.25),
        ("", 0.25),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 20.0),
        ("Fri, 31 Dec 9999 23:59:59 -9900", 0.25),
    ],
)
def test_retry_after_is_honoured_up_to_a_cap(value: str, pause_s: float) -> None:
    provider = Provider(httpx.Response(429, headers={"Retry-After": value}))

    assert embed(provider, ["a"]) == [vector_of("a")]
    assert provider.waits == [pause_s]


def test_retry_after_may_be_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=9), usegmt=True)
    provider = Provider(httpx.Response(503, headers={"Retry-After": soon}))

    embed(provider, ["a"])

    [pause_s] = provider.waits
    assert 7 <= pause_s <= 9


def test_an_attempt_is_timed_as_a_whole() -> None:
    class Dripping(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b" "
                await asyncio.sleep(0.005)

    provider = Provider(httpx.Response(200, stream=Dripping()))

    assert embed(provider, ["a"], timeout_s=0.05) == [vector_of("a")]
    assert len(provider.requests) == 2


def test_no_attempt_follows_once_twice_the_timeout_is_over() -> None:
    class Silent(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            await asyncio.sleep(60)
            yield b""

    provider = Provider(*[httpx.Response(200, stream=Silent()) for _ in range(9)])
    patience = Patience(attempts=9, sleep=provider.sleep)

    problem = failure(provider, timeout_s=0.05, patience=patience)

    assert "0.05 s" in problem.message
    assert len(provider.requests) == 2


def test_cancelling_is_not_taken_for_a_failure() -> None:
    class Silent(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            await asyncio.sleep(60)
            yield b""

    provider = Provider(httpx.Response(200, stream=Silent()))

    async def run() -> None:
        asking = asyncio.create_task(provider.client().embed(["a"]))
        await asyncio.sleep(0.01)
        asking.cancel()
        await asking

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert len(provider.requests) == 1


def test_a_failing_batch_fails_the_call() -> None:
    provider = Provider(with_data(lambda _: None), httpx.Response(400))

    assert failure(provider, ["a"] * 17).code == FAILED


@pytest.mark.parametrize(
    "url", ["", "provider.test/v1", "ftp://provider.test", "http://", "http://[::", "x"]
)
def test_an_address_that_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="not an http"):
        Provider().client(url=url)


def test_credentials_in_the_address_are_refused_without_showing_them() -> None:
    with pytest.raises(ValueError, match="credentials") as caught:
        Provider().client(url="http://user:hunter2@provider.test/v1")

    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY} x", f"{KEY}é", f"{KEY}\0"])
def test_a_key_that_cannot_be_a_header_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ValueError, match="key") as caught:
        Provider().client(api_key=key)

    assert KEY not in str(caught.value)


def test_the_key_is_in_no_repr() -> None:
    client = Provider().client()

    assert KEY not in repr(client)
    assert "http://provider.test/v1" in repr(client)


@pytest.mark.parametrize(
    "step",
    [
        httpx.Response(401, text=f"wrong key {KEY}"),
        httpx.Response(500, text=f"wrong key {KEY}"),
        httpx.Response(200, text=f"wrong key {KEY}"),
        httpx.Response(200, json={"error": {"message": f"wrong key {KEY}"}}),
        httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"),
        httpx.ConnectError(f"with {KEY}"),
        httpx.ReadTimeout(f"with {KEY}"),
        httpx.DecodingError(f"with {KEY}"),
    ],
)
def test_the_key_is_in_no_message_traceback_local_or_log(
    step: Exception | httpx.Response, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider = Provider(*[step] * 3)

    with capture_logs() as logs:
        problem = failure(provider)

    shown = "".join(
        traceback.TracebackException.from_exception(
            problem, capture_locals=True, lookup_lines=False
        ).format()
    )
    # This test's own frames know the key; those of the package and below must not.
    inside = shown[shown.index("palace/provider") :]
    for text in (str(problem), repr(problem), inside, repr(logs), caplog.text):
        assert KEY not in text


def test_no_exception_of_the_http_library_hangs_on() -> None:
    problem: BaseException | None = failure(Provider(*[httpx.ReadError("x")] * 3))

    while problem is not None:
        assert not isinstance(problem, httpx.HTTPError)
        problem = problem.__cause__ or problem.__context__


def test_retries_are_logged() -> None:
    with capture_logs() as logs:
        embed(Provider(httpx.Response(503)), ["a"])

    [entry] = logs
    assert entry["event"] == "embeddings_retry"
    assert entry["attempt"] == 1
    assert "503" in entry["reason"]


def test_texts_are_in_no_message() -> None:
    text = "the private diary"
    provider = Provider(lambda request: httpx.Response(400, content=request.content))

    assert text not in failure(provider, [text]).message


def test_closing_twice_is_fine() -> None:
    async def run() -> None:
        client = Provider().client()
        await client.close()
        await client.close()

    asyncio.run(run())
