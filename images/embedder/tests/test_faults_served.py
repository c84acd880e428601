"""Each fault as a client sees it, what is counted, and how it ends."""

from __future__ import annotations

import base64
import concurrent.futures
import json
import math
import socket
import time
from collections import Counter
from pathlib import Path

import httpx
import numpy as np
import pytest

from tests.serving import MODEL, RunningEmbedder

TEXTS = ["one", "two", "three"]


def ask_many(embedder: RunningEmbedder, n_requests: int) -> list[int | str]:
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda _: embedder.ask(), range(n_requests)))


def test_an_error_is_a_500_in_the_protocols_shape(embedder: RunningEmbedder) -> None:
    embedder.turn("error")

    answer = embedder.post(TEXTS)

    assert answer.status_code == 500
    assert answer.json()["error"]["type"] == "server_error"


def test_a_rate_limit_says_when_to_come_again(embedder: RunningEmbedder) -> None:
    embedder.turn("rate_limited", retry_after_s=7)

    answer = embedder.post(TEXTS)

    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
    assert answer.json()["error"]["code"] == "rate_limit_exceeded"


def test_garbage_is_a_success_that_is_no_json(embedder: RunningEmbedder) -> None:
    embedder.turn("garbage")

    answer = embedder.post(TEXTS)

    assert answer.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        answer.json()


def test_half_answers_the_first_half(embedder: RunningEmbedder) -> None:
    whole = embedder.embed(["a", "b", "c", "d", "e"])
    embedder.turn("half")

    assert embedder.embed(["a", "b", "c", "d", "e"]) == whole[:2]
    assert embedder.embed(["a"]) == []


def test_a_wrong_dimension_is_half_the_right_one(embedder: RunningEmbedder) -> None:
    embedder.turn("wrong_dimension")

    assert [len(vector) for vector in embedder.embed(TEXTS)] == [192] * 3


def test_nan_is_written_as_many_servers_write_it(embedder: RunningEmbedder) -> None:
    [_, second] = embedder.embed(["a", "b"])
    embedder.turn("nan")

    answer = embedder.post(["a", "b"])

    assert answer.text.count("[NaN,") == 2
    # Python's parser takes it, though it is no JSON.
    vector = json.loads(answer.content)["data"][1]["embedding"]
    assert math.isnan(vector[0])
    assert vector[1:] == second[1:]


def test_nan_can_be_null(embedder: RunningEmbedder) -> None:
    embedder.turn("nan", spelling="null")

    answer = embedder.post(TEXTS)

    assert "NaN" not in answer.text
    assert [item["embedding"][0] for item in answer.json()["data"]] == [None] * 3


def test_nan_in_base64_is_the_number_itself(embedder: RunningEmbedder) -> None:
    embedder.turn("nan")
    [item] = embedder.post("a", encoding_format="base64").json()["data"]

    vector = np.frombuffer(base64.b64decode(item["embedding"]), "<f4")

    assert np.isnan(vector).tolist() == [True] + [False] * 383


def test_slow_is_right_after_the_delay(embedder: RunningEmbedder) -> None:
    whole = embedder.embed(TEXTS)
    embedder.turn("slow", delay_s=0.3)

    answer = embedder.post(TEXTS)

    assert answer.elapsed.total_seconds() >= 0.3
    assert [item["embedding"] for item in answer.json()["data"]] == whole


def test_slow_requests_wait_beside_each_other(embedder: RunningEmbedder) -> None:
    embedder.turn("slow", delay_s=0.3)
    began = time.monotonic()

    assert ask_many(embedder, 8) == [200] * 8
    # One after the other they would take 2.4 s.
    assert time.monotonic() - began < 1.5


def test_a_timeout_never_answers(embedder: RunningEmbedder) -> None:
    embedder.turn("timeout")

    assert embedder.ask(timeout_s=0.3) == "ReadTimeout"
    embedder.wait_for(open=0, abandoned=1, answered=0)


def test_a_timeout_ends_at_its_cap(embedder: RunningEmbedder) -> None:
    embedder.turn("timeout", delay_s=0.2)
    began = time.monotonic()

    assert embedder.ask() in ("RemoteProtocolError", "ReadError")
    assert 0.2 <= time.monotonic() - began < 2
    embedder.wait_for(open=0, cut=1)


def test_a_switch_lets_go_of_those_that_hang(embedder: RunningEmbedder) -> None:
    embedder.turn("timeout")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(embedder.ask) for _ in range(4)]
        embedder.wait_for(open=4)
        embedder.turn("ok")
        got = {each.result() for each in asked}

    assert got <= {"RemoteProtocolError", "ReadError"}
    embedder.wait_for(open=0, cut=4)
    assert embedder.ask() == 200


def test_refused_connections_are_refused_by_the_system(
    embedder: RunningEmbedder,
) -> None:
    embedder.turn("refuse")

    assert embedder.ask() == "ConnectError"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(embedder.address)
    assert embedder.state()["requests"] == 0


def test_refusing_ends_connections_that_are_there(embedder: RunningEmbedder) -> None:
    embedder.embed("a")
    embedder.turn("refuse")

    # The client has a connection still, finds it closed, and makes another.
    with pytest.raises(httpx.TransportError):
        embedder.post("a")


def test_the_same_port_opens_again(embedder: RunningEmbedder) -> None:
    for _ in range(20):
        embedder.turn("refuse")
        assert embedder.ask() == "ConnectError"
        embedder.turn("ok")
        assert embedder.ask() == 200


def test_a_port_that_refuses_is_kept_from_others(tmp_path: Path) -> None:
    # One that nobody has connected to: what is left of a connection keeps a port too.
    with RunningEmbedder.start(tmp_path) as embedder:
        embedder.turn("refuse")

        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(embedder.address)


def test_refusing_twice_and_opening_twice_does_no_harm(
    embedder: RunningEmbedder,
) -> None:
    for kind in ("refuse", "refuse", "ok", "ok"):
        embedder.turn(kind)

    assert embedder.ask() == 200


def test_another_fault_opens_a_port_that_refused(embedder: RunningEmbedder) -> None:
    embedder.turn("refuse")
    embedder.turn("error")

    assert embedder.ask() == 500


def test_a_request_under_way_gets_its_answer_when_refusing_begins(
    embedder: RunningEmbedder,
) -> None:
    embedder.turn("slow", delay_s=0.5)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asked = pool.submit(embedder.ask)
        embedder.wait_for(open=1)
        embedder.turn("refuse")

        assert asked.result() == 200


@pytest.mark.parametrize("kind", ["error", "rate_limited", "garbage", "half", "nan"])
def test_a_fault_is_over_when_it_is_switched_off(
    embedder: RunningEmbedder, kind: str
) -> None:
    whole = embedder.embed(TEXTS)
    embedder.turn(kind)
    embedder.post(TEXTS)
    embedder.turn("ok")

    assert embedder.embed(TEXTS) == whole


def test_a_counted_fault_meets_exactly_so_many(embedder: RunningEmbedder) -> None:
    embedder.turn("error", times=37)

    got = Counter(ask_many(embedder, 100))

    assert got == {500: 37, 200: 63}
    assert embedder.state()["by_fault"] == {"error": 37, "ok": 63}
    assert embedder.state()["fault"]["kind"] == "ok"


def test_a_wrong_request_uses_up_no_fault(embedder: RunningEmbedder) -> None:
    embedder.turn("error", times=1)
    wrong = embedder.post("a", model="", dimensions=0).status_code

    assert (wrong, embedder.ask(), embedder.ask()) == (400, 500, 200)


def test_counts_are_exact_among_many(embedder: RunningEmbedder) -> None:
    ask_many(embedder, 200)
    for body in ({"model": MODEL, "input": []}, {"model": "none", "input": "a"}):
        embedder.data.post("/embeddings", json=body)

    state = embedder.state()
    counted = {
        name: state[name]
        for name in ("requests", "inputs", "answered", "abandoned", "cut", "open")
    }
    # The empty list is no input; the text for a model that is not there is one.
    assert counted == {
        "requests": 202,
        "inputs": 601,
        "answered": 202,
        "abandoned": 0,
        "cut": 0,
        "open": 0,
    }
    assert state["by_status"] == {"200": 200, "400": 1, "404": 1}
    assert state["by_fault"] == {"ok": 201}


def test_a_request_that_outlives_a_reset_is_not_counted_after_it(
    embedder: RunningEmbedder,
) -> None:
    embedder.turn("slow", delay_s=0.4)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asked = pool.submit(embedder.ask)
        embedder.wait_for(open=1)
        embedder.reset()
        assert asked.result() == 200

    state = embedder.state()
    assert (state["requests"], state["answered"], state["open"]) == (0, 0, 0)


def test_a_reset_leaves_the_fault_on(embedder: RunningEmbedder) -> None:
    embedder.turn("error")
    embedder.reset()

    assert embedder.state()["fault"]["kind"] == "error"


def test_the_control_port_answers_whatever_the_fault(embedder: RunningEmbedder) -> None:
    for kind in ("timeout", "refuse", "error"):
        embedder.turn(kind)

        assert embedder.control.get("/health").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("PUT", "/fault", b'{"kind": "odd"}', 400),
        ("PUT", "/fault", b"no json", 400),
        ("PUT", "/fault", b"", 400),
        ("POST", "/fault", b'{"kind": "ok"}', 404),
        ("GET", "/nothing", b"", 404),
        ("GET", "/reset", b"", 404),
    ],
)
def test_a_wrong_control_request_changes_nothing(
    embedder: RunningEmbedder, method: str, path: str, content: bytes, status: int
) -> None:
    embedder.turn("slow", delay_s=0)
    answer = embedder.control.request(method, path, content=content)

    assert answer.status_code == status
    assert answer.json()["error"].keys() == {"message", "type", "param", "code"}
    assert embedder.state()["fault"]["kind"] == "slow"
