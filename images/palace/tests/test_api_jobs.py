"""Embedding by a provider: background jobs, and falling open when it fails."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.providing import DIMENSION, Provider
from tests.running import RunningDaemon


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def embedding_daemon(
    database_url: str, provider: Provider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDaemon]:
    with RunningDaemon.start(
        database_url,
        tmp_path_factory.mktemp("daemon"),
        EMBEDDINGS_URL=provider.url,
        EMBEDDINGS_MODEL="counting",
        EMBEDDINGS_DIMENSION=str(DIMENSION),
        EMBEDDINGS_API_KEY="sesame-open",
    ) as daemon:
        yield daemon


@pytest.fixture(autouse=True)
def well_provider(provider: Provider) -> None:
    """Every test begins with a provider that works."""
    provider.is_failing = False
    provider.failing_status = 400
    provider.retry_after = None
    provider.dimension = DIMENSION


def settled(daemon: RunningDaemon) -> list[dict[str, Any]]:
    """Wait until no job is under way and return them all, newest first."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        jobs: list[dict[str, Any]] = daemon.client.get("/api/jobs").json()
        waiting = [j for j in jobs if j["status"] in ("queued", "running", "paused")]
        if jobs and not waiting:
            return jobs
        time.sleep(0.02)
    raise AssertionError(f"jobs are still under way: {waiting}")


def embedded(daemon: RunningDaemon) -> int:
    vectors = daemon.client.get("/api/status").json()["counts"]["vectors"]
    return int(vectors["provider"])


def n_failed(daemon: RunningDaemon) -> int:
    return len(daemon.client.get("/api/jobs", params={"status": "failed"}).json())


def wait_for_failed(daemon: RunningDaemon, wanted: int) -> None:
    deadline = time.monotonic() + 20
    while n_failed(daemon) < wanted:
        assert time.monotonic() < deadline, n_failed(daemon)
        time.sleep(0.02)


def wait_for_embedded(daemon: RunningDaemon, wanted: int) -> None:
    deadline = time.monotonic() + 20
    while embedded(daemon) < wanted:
        assert time.monotonic() < deadline, embedded(daemon)
        time.sleep(0.02)


def test_drawers_are_embedded_in_the_background_oldest_first(
    embedding_daemon: RunningDaemon, provider: Provider
) -> None:
    texts = [f"cat number {n}" for n in range(40)]
    drawers = [{"wing": "bg", "room": "r", "content": text} for text in texts]
    embedding_daemon.client.post("/api/drawers/batch", json={"drawers": drawers})

    wait_for_embedded(embedding_daemon, 40)

    sent = [text for batch in provider.batches for text in batch]
    assert sent == texts
    assert max(len(batch) for batch in provider.batches) == 16
    assert settled(embedding_daemon)[0]["priority"] == "background"


def test_a_query_without_a_vector_is_embedded(embedding_daemon: RunningDaemon) -> None:
    have = embedded(embedding_daemon)
    cat = embedding_daemon.create("the cat slept", wing="ask")["id"]
    dog = embedding_daemon.create("the dog ran", wing="ask")["id"]
    wait_for_embedded(embedding_daemon, have + 2)

    for ranking, effective in (("semantic", "semantic"), ("auto", "hybrid")):
        got = embedding_daemon.search(
            text="dog", ranking=ranking, filter={"wing": "ask"}
        )
        assert [hit["id"] for hit in got.json()] == [dog, cat]
        assert got.headers["x-palace-ranking"] == effective
        assert "x-palace-degraded" not in got.headers


def test_auto_falls_open_and_says_so_and_others_fail(
    embedding_daemon: RunningDaemon, provider: Provider
) -> None:
    provider.is_failing = True

    auto = embedding_daemon.search(text="cat", ranking="auto", filter={"wing": "bg"})
    named = embedding_daemon.client.post(
        "/api/search", json={"text": "cat", "ranking": "hybrid"}
    )

    assert len(auto.json()) == 10
    assert auto.headers["x-palace-ranking"] == "lexical"
    assert auto.headers["x-palace-degraded"] == "memcastle::embed::failed"
    assert (named.status_code, named.json()["code"]) == (
        502,
        "memcastle::embed::failed",
    )


def test_a_provider_that_wants_a_long_pause_is_not_waited_for(
    embedding_daemon: RunningDaemon, provider: Provider
) -> None:
    provider.is_failing = True
    provider.failing_status = 429
    provider.retry_after = "60"
    start = time.monotonic()

    auto = embedding_daemon.search(text="cat", ranking="auto", filter={"wing": "bg"})
    named = embedding_daemon.client.post(
        "/api/search", json={"text": "cat", "ranking": "semantic"}
    )

    assert time.monotonic() - start < 2
    assert auto.headers["x-palace-degraded"] == "memcastle::embed::rate_limited"
    assert (named.status_code, named.json()["code"]) == (
        503,
        "memcastle::embed::rate_limited",
    )


def test_another_length_of_vector_is_told_apart(
    embedding_daemon: RunningDaemon, provider: Provider
) -> None:
    provider.dimension = DIMENSION + 1

    answer = embedding_daemon.client.post(
        "/api/search", json={"text": "cat", "ranking": "semantic"}
    )

    assert (answer.status_code, answer.json()["code"]) == (
        502,
        "memcastle::embed::dimension_mismatch",
    )


def test_the_caller_s_profile_is_never_embedded_for(
    embedding_daemon: RunningDaemon,
) -> None:
    answer = embedding_daemon.client.post(
        "/api/search",
        json={"text": "cat", "ranking": "semantic", "profile": "standin"},
    )

    assert (answer.status_code, answer.json()["code"]) == (
        400,
        "memcastle::search::semantic_unavailable",
    )


def test_a_blank_query_cannot_be_embedded(embedding_daemon: RunningDaemon) -> None:
    answer = embedding_daemon.client.post(
        "/api/search", json={"text": "  ", "ranking": "semantic"}
    )

    assert (answer.status_code, answer.json()["code"]) == (
        400,
        "memcastle::search::semantic_unavailable",
    )


def test_a_job_is_tried_three_times_and_then_given_up(
    embedding_daemon: RunningDaemon, provider: Provider
) -> None:
    settled(embedding_daemon)
    provider.is_failing = True
    embedding_daemon.create("never embedded", wing="sad")

    job = embedding_daemon.client.post("/api/jobs", json={"type": "embed"}).json()
    settled(embedding_daemon)

    got = embedding_daemon.client.get(f"/api/jobs/{job['id']}").json()
    assert (job["status"], job["kind"]["type"]) == ("queued", "embed")
    assert (got["status"], got["attempt"], got["max_attempts"]) == ("failed", 3, 3)
    assert got["error"]


def test_a_job_of_one_wing_leaves_the_others(
    embedding_daemon: RunningDaemon, provider: Provider
) -> None:
    settled(embedding_daemon)
    provider.is_failing = True
    have, failed = embedded(embedding_daemon), n_failed(embedding_daemon)
    embedding_daemon.create("cat here", wing="mine")
    embedding_daemon.create("cat there", wing="theirs")
    wait_for_failed(embedding_daemon, failed + 1)
    provider.is_failing = False
    missing = {"sad": 1, "theirs": 1}

    job = embedding_daemon.client.post(
        "/api/jobs", json={"type": "embed", "wing": "mine"}
    ).json()
    settled(embedding_daemon)

    got = embedding_daemon.client.get(f"/api/jobs/{job['id']}").json()
    drawers = embedding_daemon.client.get("/api/status").json()["counts"]["drawers"]
    assert (got["status"], got["result"]) == ("completed", {"embedded": 1})
    assert embedded(embedding_daemon) == have + 1 == drawers - sum(missing.values())


def test_an_unknown_wing_has_no_job(embedding_daemon: RunningDaemon) -> None:
    answer = embedding_daemon.client.post(
        "/api/jobs", json={"type": "embed", "wing": "nowhere"}
    )

    assert (answer.status_code, answer.json()["code"]) == (
        404,
        "memcastle::palace::wing_not_found",
    )


def test_jobs_are_listed_newest_first_and_by_status(
    embedding_daemon: RunningDaemon,
) -> None:
    jobs = settled(embedding_daemon)
    failed = embedding_daemon.client.get(
        "/api/jobs", params={"status": "failed"}
    ).json()

    times = [job["created_at"] for job in jobs]
    assert times == sorted(times, reverse=True)
    assert {job["status"] for job in failed} == {"failed"}


def test_a_key_is_in_no_answer_and_no_log(embedding_daemon: RunningDaemon) -> None:
    config = embedding_daemon.client.get("/api/config")

    assert config.json()["embeddings"] == {"provider": "http", "model": "counting"}
    assert "sesame-open" not in config.text
    assert "sesame-open" not in str(embedding_daemon.events())
