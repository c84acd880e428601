"""It says when it listens, why it cannot start, and is gone soon after a signal."""

from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.serving import RunningEmbedder, spawn


def events(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "embedder.log").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_the_ready_file_says_where_it_listens(tmp_path: Path) -> None:
    with RunningEmbedder.start(tmp_path) as embedder:
        assert embedder.facts.keys() == {"host", "port", "control_port", "pid"}
        assert embedder.facts["pid"] == embedder.process.pid
        assert embedder.facts["port"] != embedder.facts["control_port"]
        assert embedder.state()["mode"] == "serve"
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "embedder.log",
        "ready.json",
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_nothing_wrong(tmp_path: Path, number: int) -> None:
    embedder = RunningEmbedder.start(tmp_path)
    embedder.embed("a")

    assert embedder.stop(number) == 0
    assert [event["event"] for event in events(tmp_path)] == ["listening", "stopped"]


@pytest.mark.parametrize("kind", ["timeout", "slow"])
def test_hanging_requests_do_not_hold_it_up(tmp_path: Path, kind: str) -> None:
    embedder = RunningEmbedder.start(tmp_path)
    embedder.turn(kind, delay_s=300)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(embedder.ask) for _ in range(4)]
        embedder.wait_for(open=4)
        began = time.monotonic()
        code = embedder.stop()
        elapsed_s = time.monotonic() - began
        got = {each.result() for each in asked}

    assert (code, elapsed_s < 2) == (0, True)
    assert got <= {"RemoteProtocolError", "ReadError"}
    assert [event["event"] for event in events(tmp_path)] == [
        "listening",
        "fault",
        "stopped",
    ]


def test_a_request_under_way_is_answered_before_it_ends(tmp_path: Path) -> None:
    embedder = RunningEmbedder.start(tmp_path)
    embedder.turn("slow", delay_s=0.4)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asked = pool.submit(embedder.ask)
        embedder.wait_for(open=1)
        embedder.stop()

        assert asked.result() == 200


def test_idle_connections_do_not_hold_it_up(tmp_path: Path) -> None:
    embedder = RunningEmbedder.start(tmp_path)
    with socket.create_connection(embedder.address):
        began = time.monotonic()
        embedder.stop()

        assert time.monotonic() - began < 1


def test_it_can_be_ended_while_it_refuses(tmp_path: Path) -> None:
    embedder = RunningEmbedder.start(tmp_path)
    embedder.turn("refuse")

    assert embedder.stop() == 0


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        process = spawn(tmp_path, CONTROL_BIND=f"127.0.0.1:{port}")

        assert process.wait(10) == 1

    [event] = events(tmp_path)
    assert event["event"] == "cannot_start"
    assert f"EMBEDDER_CONTROL_BIND=127.0.0.1:{port}" in str(event["reason"])


def test_an_unusable_setting_ends_it_before_it_starts(tmp_path: Path) -> None:
    process = spawn(tmp_path, BIND="nowhere")

    assert process.wait(10) == 64
    assert "EMBEDDER_BIND='nowhere'" in (tmp_path / "embedder.log").read_text()


@pytest.mark.parametrize("content", ["[]", "no json", '{"cat": 7}'])
def test_concepts_that_are_none_end_it_before_it_starts(
    tmp_path: Path, content: str
) -> None:
    file = tmp_path / "words.json"
    file.write_text(content)

    assert spawn(tmp_path, CONCEPTS=str(file)).wait(10) == 1
    assert "EMBEDDER_CONCEPTS" in str(events(tmp_path)[0]["reason"])


def test_a_ready_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "ready.json"

    assert spawn(tmp_path, READY_FILE=str(missing)).wait(10) == 1
    assert "EMBEDDER_READY_FILE" in str(events(tmp_path)[-1]["reason"])


def test_missing_models_are_named(tmp_path: Path) -> None:
    process = spawn(tmp_path, python_path=os.devnull)

    assert process.wait(10) == 64
    assert "PYTHONPATH" in (tmp_path / "embedder.log").read_text()
