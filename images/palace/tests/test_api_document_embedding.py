"""Putting documents in while the provider fails: nothing is stored, and why is said."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.providing import DIMENSION, Provider
from tests.running import RunningDaemon


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


def settings_for(url: str) -> dict[str, str]:
    return {
        "EMBEDDINGS_URL": url,
        "EMBEDDINGS_MODEL": "counting",
        "EMBEDDINGS_DIMENSION": str(DIMENSION),
        "EMBEDDINGS_TIMEOUT_S": "0.5",
        "EMBEDDINGS_API_KEY": "sesame-open",
        "EMBEDDINGS_BATCH_TEXTS": "8",
    }


@pytest.fixture(scope="module")
def daemon(
    database_url: str, tmp_path_factory: pytest.TempPathFactory, provider: Provider
) -> Iterator[RunningDaemon]:
    folder = tmp_path_factory.mktemp("daemon")
    with RunningDaemon.start(
        database_url, folder, **settings_for(provider.url)
    ) as daemon:
        yield daemon


@pytest.fixture(autouse=True)
def well_provider(provider: Provider) -> None:
    """Every test begins with a provider that works and was asked nothing."""
    provider.is_failing = False
    provider.failing_status = 400
    provider.retry_after = None
    provider.delay_s = 0.0
    provider.dimension = DIMENSION
    provider.batches.clear()


def put(daemon: RunningDaemon, wing: str, *texts: str) -> httpx.Response:
    documents = [
        {"wing": wing, "room": "r", "name": f"n{place}", "content": text}
        for place, text in enumerate(texts)
    ]
    return daemon.client.post("/api/documents/batch", json={"documents": documents})


def held(daemon: RunningDaemon) -> dict[str, Any]:
    counts = daemon.client.get("/api/status").json()["counts"]
    names = ("wings", "rooms", "documents", "fragments", "fragments_embedded")
    return {name: counts[name] for name in names}


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ({"is_failing": True}, 502, "failed"),
        ({"is_failing": True, "failing_status": 500}, 502, "failed"),
        (
            {"is_failing": True, "failing_status": 429, "retry_after": "0"},
            503,
            "rate_limited",
        ),
        ({"dimension": DIMENSION + 1}, 502, "dimension_mismatch"),
        ({"delay_s": 1.0}, 503, "timeout"),
    ],
)
def test_a_failing_provider_leaves_no_trace(
    daemon: RunningDaemon,
    provider: Provider,
    fault: dict[str, Any],
    status: int,
    code: str,
) -> None:
    before = held(daemon)
    for name, value in fault.items():
        setattr(provider, name, value)

    answer = put(daemon, f"new wing {code}", "a cat", "a dog")

    assert answer.status_code == status
    assert answer.json()["code"] == f"memcastle::embed::{code}"
    assert "Nothing was stored" in answer.json()["help"]
    assert held(daemon) == before


def test_a_provider_that_fails_halfway_leaves_no_trace(
    daemon: RunningDaemon, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(daemon)
    right = provider.answer

    def half(texts: list[str]) -> dict[str, object]:
        return right(texts[:1] if "cat 11" in texts else texts)

    monkeypatch.setattr(provider, "answer", half)

    answer = put(daemon, "halfway", *[f"cat {n}" for n in range(20)])

    assert answer.status_code == 502
    assert answer.json()["code"] == "memcastle::embed::failed"
    assert held(daemon) == before


def test_an_update_that_fails_leaves_the_old_text(
    daemon: RunningDaemon, provider: Provider
) -> None:
    (made,) = put(daemon, "update", "a cat").json()["documents"]
    path = f"/api/documents/{made['id']}"
    provider.is_failing = True

    answer = daemon.client.put(path, json={"content": "a dog"})

    assert answer.status_code == 502
    got = daemon.client.get(path).json()
    assert (got["content"], got["version"]) == ("a cat", 1)


def test_what_is_there_needs_no_provider(
    daemon: RunningDaemon, provider: Provider
) -> None:
    first = put(daemon, "there", "a cat", "a dog").json()["documents"]
    provider.is_failing = True

    second = put(daemon, "there", "a cat", "a dog").json()["documents"]

    assert second == [{**each, "created": False} for each in first]


def test_a_load_travels_in_batches_of_the_configured_size(
    daemon: RunningDaemon, provider: Provider
) -> None:
    texts = [f"cat {n}" for n in range(20)]
    put(daemon, "sizes", *texts)

    assert sorted(len(batch) for batch in provider.batches) == [4, 8, 8]
    assert sorted(text for batch in provider.batches for text in batch) == sorted(texts)


def test_one_load_is_embedded_while_another_waits(
    daemon: RunningDaemon, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provider holds the first load until it has been asked for the second."""
    both = threading.Barrier(2, timeout=10)
    right = provider.answer

    def meeting(texts: list[str]) -> dict[str, object]:
        both.wait()
        return right(texts)

    monkeypatch.setattr(provider, "answer", meeting)
    answers: list[int] = []
    loads = [
        threading.Thread(
            target=lambda wing=wing: answers.append(
                put(daemon, f"lane {wing}", "a cat").status_code
            )
        )
        for wing in range(2)
    ]
    for load in loads:
        load.start()
    for load in loads:
        load.join()

    assert answers == [200, 200]


def test_the_key_is_in_no_log(daemon: RunningDaemon, provider: Provider) -> None:
    provider.is_failing = True
    put(daemon, "secret", "a cat")

    assert "sesame-open" not in str(daemon.events())
