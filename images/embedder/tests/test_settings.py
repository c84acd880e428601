"""Variables are read once, and every complaint names the variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedder.errors import StartupError
from embedder.settings import Address, Settings, Upstream

KEY = "sk-canary-7f3a9"


def read(**variables: str) -> Settings:
    return Settings.from_environment(
        {f"EMBEDDER_{name}": value for name, value in variables.items()}
    )


def complaint(**variables: str) -> str:
    with pytest.raises(StartupError) as caught:
        read(**variables)
    return str(caught.value)


def test_nothing_set_serves_on_loopback() -> None:
    got = read()

    assert got.data == Address("127.0.0.1", 8766)
    assert got.control == Address("127.0.0.1", 8767)
    assert (got.latency_s, got.api_key, got.record, got.replay) == (
        0.0,
        None,
        None,
        None,
    )


def test_every_variable_is_read() -> None:
    got = read(
        BIND="0.0.0.0:1",
        CONTROL_BIND="[::1]:2",
        READY_FILE="ready",
        LATENCY_MS="12.5",
        CONCEPTS="words.json",
        API_KEY=KEY,
        UPSTREAM_URL="https://service.test/v1",
        UPSTREAM_API_KEY="other",
        RECORD="record.jsonl",
    )

    assert got == Settings(
        data=Address("0.0.0.0", 1),
        control=Address("::1", 2),
        ready_file=Path("ready"),
        latency_s=0.0125,
        concepts=Path("words.json"),
        api_key=KEY,
        upstream=Upstream("https://service.test/v1", "other"),
        record=Path("record.jsonl"),
    )


def test_a_key_in_a_file_wins(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")

    assert read(API_KEY="other", API_KEY_FILE=str(file)).api_key == KEY


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"BIND": "8766"}, "EMBEDDER_BIND"),
        ({"BIND": ":8766"}, "EMBEDDER_BIND"),
        ({"BIND": "host:x"}, "EMBEDDER_BIND"),
        ({"BIND": "host:²"}, "EMBEDDER_BIND"),
        ({"CONTROL_BIND": "host:65536"}, "EMBEDDER_CONTROL_BIND"),
        ({"LATENCY_MS": "-1"}, "EMBEDDER_LATENCY_MS"),
        ({"LATENCY_MS": "nan"}, "EMBEDDER_LATENCY_MS"),
        ({"LATENCY_MS": "60001"}, "EMBEDDER_LATENCY_MS"),
        ({"LATENCY_MS": "1 ms"}, "EMBEDDER_LATENCY_MS"),
        ({"API_KEY_FILE": "/does/not/exist"}, "EMBEDDER_API_KEY_FILE"),
        ({"RECORD": "a"}, "EMBEDDER_UPSTREAM_URL"),
        ({"UPSTREAM_URL": "http://a"}, "EMBEDDER_RECORD"),
        (
            {"RECORD": "a", "REPLAY": "b", "UPSTREAM_URL": "http://a"},
            "EMBEDDER_REPLAY",
        ),
    ],
)
def test_an_unusable_variable_is_named(variables: dict[str, str], name: str) -> None:
    assert name in complaint(**variables)


@pytest.mark.parametrize("key", [f"{KEY} x", f"{KEY}\nx", f"{KEY}é"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    assert KEY not in complaint(API_KEY=key)


def test_a_file_that_is_no_text_is_refused_unseen(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(KEY.encode() + b"\xff")

    with pytest.raises(StartupError) as caught:
        read(UPSTREAM_API_KEY_FILE=str(file))

    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


def test_no_repr_shows_a_key() -> None:
    settings = read(
        API_KEY=KEY, UPSTREAM_URL="http://a", UPSTREAM_API_KEY=KEY, RECORD="r"
    )

    assert KEY not in repr(settings)
