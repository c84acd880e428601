"""The real service is asked once, and nothing it does shows the key."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable

import httpx
import orjson
import pytest

from embedder.errors import Refused, StartupError
from embedder.upstream import UpstreamService
from embedder.wire import Wanted

KEY = "sk-canary-7f3a9"

Handler = Callable[[httpx.Request], httpx.Response]


def ask(handler: Handler, dimension: int | None = 2) -> list[list[float]]:
    async def run() -> list[list[float]]:
        service = UpstreamService(
            "http://service.test/v1/", KEY, httpx.MockTransport(handler)
        )
        try:
            wanted = Wanted("m", ["a", "b"], dimension, "base64")
            vectors: list[list[float]] = (await service.embed(wanted)).tolist()
            return vectors
        finally:
            await service.close()

    return asyncio.run(run())


def failure(handler: Handler, dimension: int | None = 2) -> Refused:
    with pytest.raises(Refused) as caught:
        ask(handler, dimension)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert "httpx" not in shown
    return caught.value


def items(*vectors: object) -> list[object]:
    return [{"index": place, "embedding": each} for place, each in enumerate(vectors)]


def answering(data: object) -> Handler:
    return lambda _: httpx.Response(200, content=orjson.dumps({"data": data}))


def test_the_question_is_the_protocols() -> None:
    requests = []

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return answering(items([1, 2], [3, 4.5]))(request)

    assert ask(handler) == [[1, 2], [3, 4.5]]
    [request] = requests
    assert str(request.url) == "http://service.test/v1/embeddings"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert orjson.loads(request.content) == {
        "model": "m",
        "input": ["a", "b"],
        "dimensions": 2,
    }


def test_dimensions_are_not_named_when_nobody_named_them() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        assert "dimensions" not in orjson.loads(request.content)
        return answering(items([1], [2]))(request)

    assert ask(handler, dimension=None) == [[1], [2]]


def test_order_is_restored_by_index() -> None:
    assert ask(answering(items([1, 2], [3, 4])[::-1])) == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        [],
        items([1, 2]),
        items([1, 2], [3]),
        items([], []),
        items([1, 2], [3, None]),
        items([1, 2], [3, True]),
        items([1, 2], ["3", "4"]),
        items([1, 2], [3, 1e39]),
        items([1, 2], "AAAA"),
        [1, 2],
        [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [3, 4]}],
        [{"index": 0, "embedding": [1, 2]}, {"index": True, "embedding": [3, 4]}],
        [{"index": 0, "embedding": [1, 2]}, {"index": 2, "embedding": [3, 4]}],
    ],
)
def test_an_unusable_answer_is_a_bad_gateway(data: object) -> None:
    problem = failure(answering(data))

    assert (problem.status, problem.code) == (502, "upstream_unusable")


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, content=f"<p>{KEY}"),
        httpx.Response(200, content=b'{"data": [NaN]}'),
        httpx.Response(204),
        httpx.Response(302, headers={"Location": "http://elsewhere.test"}),
    ],
)
def test_what_is_no_answer_is_a_bad_gateway(response: httpx.Response) -> None:
    problem = failure(lambda _: response)

    assert (problem.status, problem.code) == (502, "upstream_unusable")


def test_another_length_than_asked_for_is_a_bad_gateway() -> None:
    problem = failure(answering(items([1, 2, 3], [4, 5, 6])))

    assert (problem.status, problem.code) == (502, "upstream_unusable")
    assert "3 numbers where 2" in problem.message


def test_an_error_is_passed_on_without_the_key() -> None:
    error = {
        "message": f"Incorrect API key provided: {KEY}.",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_api_key",
    }

    problem = failure(lambda _: httpx.Response(401, json={"error": error}))

    assert (problem.status, problem.kind, problem.param, problem.code) == (
        401,
        "invalid_request_error",
        None,
        "invalid_api_key",
    )
    assert problem.message == "Incorrect API key provided: [key]."


def test_a_rate_limit_is_passed_on_and_not_tried_again() -> None:
    requests = []

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(429, headers={"Retry-After": "3"}, content=b"later")

    problem = failure(handler)

    assert (problem.status, problem.retry_after_s, len(requests)) == (429, 3, 1)


@pytest.mark.parametrize(
    ("problem", "status", "code"),
    [
        (httpx.ConnectError("x"), 502, "upstream_unreachable"),
        (httpx.RemoteProtocolError("x"), 502, "upstream_unreachable"),
        (httpx.ReadTimeout("x"), 504, "upstream_timeout"),
    ],
)
def test_a_service_that_is_away_is_a_bad_gateway(
    problem: httpx.HTTPError, status: int, code: str
) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        raise problem

    got = failure(handler)

    assert (got.status, got.code) == (status, code)


@pytest.mark.parametrize(
    "url", ["service.test", "ftp://service.test", "http://", f"http://a:{KEY}@b.test"]
)
def test_an_unusable_address_is_refused_unseen(url: str) -> None:
    with pytest.raises(StartupError) as caught:
        UpstreamService(url, None)

    assert KEY not in str(caught.value)
