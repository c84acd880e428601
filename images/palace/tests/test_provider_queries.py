"""What a query may cost when the provider is slow, busy or away; codes of failures."""

from __future__ import annotations

import asyncio
import json
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import numpy as np
import pytest

from palace.provider import Caps, EmbeddingProvider, Patience, ProviderFailed
from palace.provider.patience import FOR_QUERIES

DIMENSION = 4
VECTOR = [1.0, 0.5, -2.0, 0.0]

Answering = Callable[[httpx.Request], Awaitable[httpx.Response]]


class Script(httpx.AsyncBaseTransport):
    """Answers each request by a function, and counts them."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return await self._answering(request)


def rightly(request: httpx.Request) -> httpx.Response:
    texts = json.loads(request.content)["input"]
    data = [{"index": place, "embedding": VECTOR} for place in range(len(texts))]
    return httpx.Response(200, json={"data": data})


async def well(request: httpx.Request) -> httpx.Response:
    return rightly(request)


def always(status: int, **headers: str) -> Answering:
    async def answer(_: httpx.Request) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.Response(status, headers=named)

    return answer


def raising(error: Exception) -> Answering:
    async def answer(_: httpx.Request) -> httpx.Response:
        raise error

    return answer


async def never(_: httpx.Request) -> httpx.Response:
    await asyncio.sleep(60)
    raise AssertionError


def client(transport: httpx.AsyncBaseTransport, **settings: Any) -> EmbeddingProvider:
    wanted: dict[str, Any] = {
        "url": "http://provider.test/v1",
        "model": "tiny",
        "dimension": DIMENSION,
        "transport": transport,
    }
    return EmbeddingProvider(**{**wanted, **settings})


def asked(answering: Answering, **settings: Any) -> tuple[Script, str | None, float]:
    """Embed a query; return the script, the code of the failure, and the seconds."""
    script = Script(answering)

    async def run() -> str | None:
        provider = client(script, **settings)
        try:
            await provider.embed_query("what is it")
        except ProviderFailed as problem:
            return problem.code.removeprefix("memcastle::embed::")
        finally:
            await provider.close()
        return None

    start = time.perf_counter()
    code = asyncio.run(run())
    return script, code, time.perf_counter() - start


def test_a_query_is_one_vector() -> None:
    async def run() -> np.ndarray[Any, Any]:
        return await client(Script(well)).embed_query("what")

    assert asyncio.run(run()).tolist() == VECTOR


@pytest.mark.parametrize(
    ("answering", "code"),
    [
        pytest.param(raising(httpx.ConnectError("x")), "unreachable", id="refused"),
        pytest.param(raising(httpx.ReadError("x")), "unreachable", id="broken off"),
        pytest.param(raising(httpx.ReadTimeout("x")), "timeout", id="slow"),
        pytest.param(always(429), "rate_limited", id="429"),
        pytest.param(always(500), "failed", id="500"),
        pytest.param(always(503), "failed", id="503"),
        pytest.param(always(408), "failed", id="408"),
        pytest.param(always(401), "failed", id="401"),
        pytest.param(always(200), "failed", id="an empty answer"),
    ],
)
def test_each_failure_has_its_code(answering: Answering, code: str) -> None:
    _, got, _ = asked(answering)

    assert got == code


def test_a_silent_provider_costs_the_budget_and_no_more() -> None:
    script, code, seconds = asked(never, query_budget_s=0.2)

    assert code == "timeout"
    assert 0.19 < seconds < 0.6
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "answering", [always(503), raising(httpx.ConnectError("x"))], ids=["503", "refused"]
)
def test_a_query_is_tried_once_more(answering: Answering) -> None:
    script, _, _ = asked(answering)

    assert len(script.requests) == 2


def test_the_pause_before_a_query_is_tried_again_is_not_felt() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    asked(always(503), query_patience=FOR_QUERIES._replace(sleep=sleep))

    assert waits == [0.05]


def test_attempts_and_pauses_together_keep_the_budget() -> None:
    async def slowly(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.1)
        return httpx.Response(503)

    script, code, seconds = asked(
        slowly,
        query_budget_s=0.5,
        query_patience=Patience(attempts=99, first_wait_s=0.05),
    )

    assert code == "failed"
    # 0.1, 0.05, 0.1, 0.1, 0.1: the next pause of 0.2 would end after 0.5.
    assert len(script.requests) == 3
    assert seconds < 0.5


def test_an_attempt_within_the_budget_is_still_cut_at_its_end() -> None:
    requests = 0

    async def first_busy(request: httpx.Request) -> httpx.Response:
        nonlocal requests
        requests += 1
        return httpx.Response(503) if requests == 1 else await never(request)

    _, code, seconds = asked(
        first_busy, query_budget_s=0.3, query_patience=Patience(first_wait_s=0.1)
    )

    assert (requests, code) == (2, "timeout")
    assert 0.29 < seconds < 0.7


@pytest.mark.parametrize("pause", ["2", "3600"])
def test_a_longer_pause_than_is_left_is_not_begun(pause: str) -> None:
    script, code, seconds = asked(always(429, retry_after=pause), query_budget_s=2.0)

    assert code == "rate_limited"
    assert len(script.requests) == 1
    assert seconds < 0.5


def test_a_shorter_pause_is_kept() -> None:
    requests = 0

    async def busy_once(request: httpx.Request) -> httpx.Response:
        nonlocal requests
        requests += 1
        if requests == 1:
            return httpx.Response(429, headers={"Retry-After": "0"})
        return rightly(request)

    _, code, _ = asked(busy_once, query_budget_s=2.0)

    assert (requests, code) == (2, None)


def test_a_load_has_no_budget_and_waits() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def run() -> None:
        script = Script(always(429, retry_after="7"))
        provider = client(script, query_budget_s=1.0, patience=Patience(sleep=sleep))
        with pytest.raises(ProviderFailed):
            await provider.embed(["a"])

    asyncio.run(run())
    assert waits == [7.0, 7.0]


def test_a_query_does_not_wait_behind_loads() -> None:
    async def run() -> tuple[int, float]:
        is_open = asyncio.Event()

        async def answer(request: httpx.Request) -> httpx.Response:
            if len(json.loads(request.content)["input"]) > 1:
                await is_open.wait()
            return rightly(request)

        script = Script(answer)
        provider = client(script)
        loads = [
            asyncio.create_task(provider.embed(["a", "b"] * 8, Caps(texts=2)))
            for _ in range(4)
        ]
        await asyncio.sleep(0.05)
        under_way = len(script.requests)
        start = time.perf_counter()
        await provider.embed_query("what")
        seconds = time.perf_counter() - start
        is_open.set()
        for load in loads:
            assert (await load).shape == (16, DIMENSION)
        return under_way, seconds

    under_way, seconds = asyncio.run(run())
    assert under_way == 4
    assert seconds < 0.5


def test_a_load_is_cut_by_the_caller_s_caps() -> None:
    script = Script(well)
    texts = ["x" * 30] * 700

    async def run() -> None:
        await client(script).embed(texts, Caps(texts=300, tokens=2200))

    asyncio.run(run())
    # A token for three bytes and one more: 11 a text, so 200 of them.
    sizes = [len(json.loads(request.content)["input"]) for request in script.requests]
    assert sizes == [200, 200, 200, 100]


def test_one_failing_request_of_a_load_ends_the_others() -> None:
    ended = 0

    async def answer(request: httpx.Request) -> httpx.Response:
        nonlocal ended
        if "bad" in json.loads(request.content)["input"]:
            return httpx.Response(400)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended += 1
            raise
        raise AssertionError

    async def run() -> ProviderFailed:
        with pytest.raises(ProviderFailed) as caught:
            await client(Script(answer)).embed(["a", "b", "bad"], Caps(texts=1))
        return caught.value

    problem = asyncio.run(run())
    assert problem.code == "memcastle::embed::failed"
    assert problem.__context__ is None
    assert ended == 2


def as_base64(*numbers: float) -> str:
    return b64encode(np.array(numbers, "<f4").tobytes()).decode()


def with_embedding(embedding: object) -> Answering:
    async def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(
            200, json={"data": [{"index": 0, "embedding": embedding}]}
        )

    return answer


def test_base64_is_asked_for_when_told_so() -> None:
    script, code, _ = asked(with_embedding(as_base64(*VECTOR)), encoding="base64")

    assert code is None
    [request] = script.requests
    assert json.loads(request.content)["encoding_format"] == "base64"


def test_base64_and_numbers_give_the_same_vector() -> None:
    async def run(embedding: object) -> list[float]:
        provider = client(Script(with_embedding(embedding)), encoding="base64")
        vector: list[float] = (await provider.embed_query("a")).tolist()
        return vector

    # A service that does not know base64 answers numbers all the same.
    assert asyncio.run(run(VECTOR)) == VECTOR
    assert asyncio.run(run(as_base64(*VECTOR))) == VECTOR


@pytest.mark.parametrize(
    ("embedding", "code"),
    [
        ("not base64!", "failed"),
        (as_base64(*VECTOR)[:-1], "failed"),
        (b64encode(b"12345").decode(), "failed"),
        (as_base64(1.0, 2.0), "dimension_mismatch"),
        ("", "dimension_mismatch"),
        (as_base64(1.0, float("nan"), 1.0, 1.0), "not_finite"),
        (as_base64(1.0, float("inf"), 1.0, 1.0), "not_finite"),
    ],
)
def test_unusable_base64_is_refused(embedding: str, code: str) -> None:
    _, got, _ = asked(with_embedding(embedding), encoding="base64")

    assert got == code
