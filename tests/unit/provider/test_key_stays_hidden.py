"""A planted key is looked for in everything that a run may print, log or keep."""

import logging
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx
import pytest

from harness.errors import HarnessError
from harness.provider.credentials import ApiKey, read_endpoint
from harness.provider.embedder import EndpointEmbedder
from tests.fake_endpoint import (
    Answer,
    FakeEndpoint,
    an_embedder,
    refusal,
    vectors,
)

KEY = "sk-canary-4711-do-not-show"
"""Never a local of a test: its frames are in the tracebacks that are searched."""
HELD = ApiKey(KEY)


def shown(call: Callable[[], object]) -> str:
    """Return the traceback of what *call* raises, with the locals of every frame."""
    try:
        call()
    except Exception as error:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        return "".join(told.format(chain=True)) + repr(error) + str(vars(error))
    raise AssertionError("nothing was raised")


def echoing(status: int) -> httpx.Response:
    """Answer as an endpoint does that repeats the key it was given."""
    return refusal(status, f"Incorrect API key provided: {KEY}", x_echo=KEY)


FAILURES: dict[str, Callable[[], Answer]] = {
    "refused": lambda: echoing(401),
    "forbidden": lambda: echoing(403),
    "missing": lambda: echoing(404),
    "bad request": lambda: echoing(400),
    "rate limit": lambda: echoing(429),
    "server error": lambda: echoing(500),
    "redirect": lambda: httpx.Response(301, headers={"Location": f"http://x/{KEY}"}),
    "too large": lambda: refusal(413, KEY),
    "no NaN": lambda: refusal(500, f"unsupported value: NaN {KEY}"),
    "garbage": lambda: httpx.Response(200, text=f"<html>{KEY}</html>"),
    "no list": lambda: httpx.Response(200, json={"data": KEY}),
    "wrong count": lambda: vectors([[1.0], [KEY]]),
    "not numbers": lambda: vectors([[KEY]]),
    "not finite": lambda: vectors([[float("nan")]]),
    "unreachable": lambda: httpx.ConnectError(f"cannot send {KEY}"),
    "broken": lambda: httpx.RemoteProtocolError(KEY),
    "silent": lambda: httpx.ReadTimeout(KEY),
    "bug in the library": lambda: ValueError(f"Illegal header value 'Bearer {KEY}'"),
    "not decodable": lambda: httpx.Response(
        200, content=KEY.encode(), headers={"Content-Encoding": "gzip"}
    ),
}


def test_the_search_would_find_a_key() -> None:
    def leaking() -> None:
        headers = [("Authorization", f"Bearer {KEY}")]
        raise ValueError(len(headers))

    assert KEY in shown(leaking)


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("when", ["probed", "asked"])
def test_no_failure_shows_the_key(
    kind: str, when: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    def failing() -> None:
        endpoint = FakeEndpoint(
            lambda _texts: (
                FAILURES[kind]()
                if when == "probed" or len(endpoint.asked) > 1
                else None
            )
        )
        with an_embedder(endpoint, key=HELD) as embedder:
            embedder.embed_documents(["a text", "another one"])

    text = shown(failing)
    assert KEY not in text
    assert KEY not in caplog.text
    assert "harness/provider" in text


def test_no_bad_setting_shows_the_key(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n{KEY}")
    good = {
        "EVAL_EMBEDDINGS_URL": "https://host/v1",
        "EVAL_EMBEDDINGS_MODEL": "m",
        "EVAL_EMBEDDINGS_API_KEY": KEY,
    }
    bad = [
        {"EVAL_EMBEDDINGS_MODEL": ""},
        {"EVAL_EMBEDDINGS_URL": f"https://{KEY}@host/v1"},
        {"EVAL_EMBEDDINGS_URL": f"https://host/v1?api-key={KEY}"},
        {"EVAL_EMBEDDINGS_DIMENSION": "x"},
        {"EVAL_EMBEDDINGS_API_KEY": f"{KEY} {KEY}"},
        {"EVAL_EMBEDDINGS_API_KEY": f"{KEY}\xe9"},
        {"EVAL_EMBEDDINGS_API_KEY_FILE": str(tmp_path / "missing")},
        {
            "EVAL_EMBEDDINGS_API_KEY": "",
            "EVAL_EMBEDDINGS_API_KEY_FILE": str(tmp_path / "key"),
        },
    ]
    texts = [shown(partial(read_endpoint, good | more)) for more in bad]
    # The frame that called is the test's, which knows the key.
    ours = [text[text.index("harness/provider") :] for text in texts]
    assert [KEY in text for text in ours] == [False] * len(bad)


def test_bad_certificates_do_not_show_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))

    def failing() -> None:
        endpoint = read_endpoint(
            {
                "EVAL_EMBEDDINGS_URL": "https://host/v1",
                "EVAL_EMBEDDINGS_MODEL": "m",
                "EVAL_EMBEDDINGS_API_KEY": KEY,
            }
        )
        assert endpoint is not None
        EndpointEmbedder(endpoint)

    text = shown(failing)
    assert "SSL_CERT_FILE" in text
    assert KEY not in text


def test_breaking_off_does_not_show_the_key() -> None:
    def breaking_off() -> None:
        endpoint = FakeEndpoint()
        with an_embedder(endpoint, key=HELD) as embedder:
            endpoint.latency_s = 60
            future = embedder.submit(["a text"])
            while len(endpoint.asked) < 2:
                pass
            embedder.close()
            try:
                future.result()
            except BaseException as error:
                raise HarnessError("broken off") from error

    assert KEY not in shown(breaking_off)


def test_key_is_sent_as_a_bearer_token() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint, key=HELD) as embedder:
        assert KEY not in repr(embedder) + repr(vars(embedder))
    assert endpoint.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_nothing_is_sent_for_one() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint):
        pass
    assert "Authorization" not in endpoint.requests[0].headers


def test_key_is_not_sent_on_to_where_a_redirect_points() -> None:
    endpoint = FakeEndpoint(
        lambda _texts: httpx.Response(308, headers={"Location": "http://other/v1"})
    )
    assert "308" in shown(lambda: an_embedder(endpoint, key=HELD))
    assert len(endpoint.requests) == 1
