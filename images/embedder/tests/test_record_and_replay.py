"""A real service's answers outlive it: recorded through one embedder, then replayed."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.serving import RunningEmbedder

UPSTREAM_KEY = "sk-upstream-canary-41c8"
OWN_KEY = "sk-own-canary-9d27"
TEXTS = ["one secret", "two", "three"]


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[RunningEmbedder]:
    """A service that wants a key."""
    folder = tmp_path / "upstream"
    folder.mkdir()
    with RunningEmbedder.start(folder, API_KEY=UPSTREAM_KEY) as service:
        yield service


def recorder(
    folder: Path, url: str, *, key: str = UPSTREAM_KEY, **settings: str
) -> RunningEmbedder:
    return RunningEmbedder.start(
        folder,
        UPSTREAM_URL=url,
        UPSTREAM_API_KEY=key,
        RECORD=str(folder / "record.jsonl"),
        **settings,
    )


def replayer(folder: Path) -> RunningEmbedder:
    return RunningEmbedder.start(folder, REPLAY=str(folder / "record.jsonl"))


@pytest.mark.parametrize("dimension", [None, 384])
def test_a_replay_is_the_same_without_the_service(
    tmp_path: Path, upstream: RunningEmbedder, dimension: int | None
) -> None:
    with recorder(tmp_path, upstream.url) as embedder:
        first = embedder.post(TEXTS, dimensions=dimension)
        again = embedder.post(TEXTS[::-1], dimensions=dimension)
        assert embedder.state()["mode"] == "record"
    assert upstream.state()["inputs"] == 3
    upstream.stop()

    with replayer(tmp_path) as embedder:
        replayed = embedder.post(TEXTS, dimensions=dimension)
        backwards = embedder.post(TEXTS[::-1], dimensions=dimension)
        state = embedder.state()

    assert first.status_code == 200
    assert replayed.content == first.content
    assert backwards.content == again.content
    assert (state["mode"], state["models"]) == ("replay", ["trigram-384"])


def test_recording_goes_on_where_it_was_left(
    tmp_path: Path, upstream: RunningEmbedder
) -> None:
    with recorder(tmp_path, upstream.url) as embedder:
        embedder.embed(TEXTS[:2])
    with recorder(tmp_path, upstream.url) as embedder:
        embedder.embed(TEXTS)

    assert upstream.state()["inputs"] == 3
    assert len((tmp_path / "record.jsonl").read_text().splitlines()) == 3


def test_a_kill_loses_nothing_that_was_answered(
    tmp_path: Path, upstream: RunningEmbedder
) -> None:
    embedder = recorder(tmp_path, upstream.url)
    whole = embedder.embed(TEXTS)
    embedder.stop(signal.SIGKILL)

    with replayer(tmp_path) as replay:
        assert replay.embed(TEXTS) == whole


def test_a_missing_text_is_named_by_its_hash(
    tmp_path: Path, upstream: RunningEmbedder
) -> None:
    with recorder(tmp_path, upstream.url) as embedder:
        embedder.embed(TEXTS[:1])
    with replayer(tmp_path) as embedder:
        answer = embedder.post(TEXTS)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (404, "not_recorded")
    assert sha256(TEXTS[1].encode()).hexdigest() in error["message"]
    assert "(and 1 more)" in error["message"]


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("error", 500, None),
        ("rate_limited", 429, "rate_limit_exceeded"),
        ("refuse", 502, "upstream_unreachable"),
        ("garbage", 502, "upstream_unusable"),
        ("half", 502, "upstream_unusable"),
        ("nan", 502, "upstream_unusable"),
        ("wrong_dimension", 502, "upstream_unusable"),
    ],
)
def test_an_upstreams_fault_is_passed_on_and_not_kept(
    tmp_path: Path, upstream: RunningEmbedder, kind: str, status: int, code: str | None
) -> None:
    with recorder(tmp_path, upstream.url) as embedder:
        upstream.turn(kind)
        answer = embedder.post(TEXTS, dimensions=384)
        upstream.turn("ok")
        recovered = embedder.post(TEXTS, dimensions=384).status_code

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.headers.get("Retry-After") == ("1" if status == 429 else None)
    assert recovered == 200


def test_a_fault_of_ours_plays_on_a_replay(
    tmp_path: Path, upstream: RunningEmbedder
) -> None:
    with recorder(tmp_path, upstream.url) as embedder:
        whole = embedder.embed(TEXTS)
    with replayer(tmp_path) as embedder:
        embedder.turn("half")
        assert embedder.embed(TEXTS) == whole[:1]


def test_a_recording_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "record.jsonl").write_text("no line of ours\n{}\n")
    with pytest.raises(AssertionError, match=r"record\.jsonl:1: "):
        replayer(tmp_path)


class _Telltale(BaseHTTPRequestHandler):
    """Refuses, and repeats the key it was given."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        words = f"wrong key: {self.headers['authorization']}"
        body = json.dumps({"error": {"message": words, "type": words}}).encode()
        self.send_response(401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def test_no_key_and_no_text_is_in_a_file_a_log_or_an_answer(
    tmp_path: Path, upstream: RunningEmbedder
) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Telltale)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    clients: list[dict[str, str]] = [
        {"Authorization": f"Bearer {OWN_KEY}"},
        {"Authorization": f"Bearer {UPSTREAM_KEY}"},
        {},
    ]
    statuses = []
    body = {"model": "trigram-384", "input": TEXTS}
    seen = ""
    try:
        # A service that answers, one that tells the key, and one that is not there.
        telltale = f"http://127.0.0.1:{server.server_port}"
        for url in (upstream.url, telltale, "http://127.0.0.1:9"):
            with recorder(tmp_path, url, API_KEY=OWN_KEY) as embedder:
                for headers in clients:
                    answer = embedder.data.post(
                        "/embeddings", json=body, headers=headers
                    )
                    statuses.append(answer.status_code)
                    seen += f"{answer.text} {answer.headers}"
                seen += embedder.control.get("/state").text
            body["input"] = [*TEXTS, f"unknown to {url}"]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    files = {path.name: path for path in tmp_path.rglob("*") if path.is_file()}
    seen += "".join(path.read_text() for path in files.values())

    assert {"record.jsonl", "embedder.log"} <= files.keys()
    assert statuses == [200, 401, 401, 401, 401, 401, 502, 401, 401]
    for secret in (UPSTREAM_KEY, OWN_KEY, TEXTS[0]):
        assert secret not in seen


def test_an_upstream_that_hangs_does_not_hold_up_the_end(
    tmp_path: Path, upstream: RunningEmbedder
) -> None:
    upstream.turn("timeout")
    embedder = recorder(tmp_path, upstream.url)
    with pytest.raises(httpx.ReadTimeout):
        embedder.data.post(
            "/embeddings", json={"model": "trigram-384", "input": "a"}, timeout=0.2
        )

    began = time.monotonic()
    assert embedder.stop() == 0
    assert time.monotonic() - began < 2
    events = (tmp_path / "embedder.log").read_text().splitlines()
    assert [json.loads(line)["event"] for line in events] == ["listening", "stopped"]
