"""Exact or by index: what each scope gets, and that exact is never approximate."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from tests.running import RunningDaemon

DIMENSION = 16
N = 600


@pytest.fixture(scope="module")
def daemon(
    database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDaemon]:
    with RunningDaemon.start(
        database_url,
        tmp_path_factory.mktemp("daemon"),
        EXACT_LIMIT="100",
        PROFILES=f'[{{"name": "small", "dimension": {DIMENSION}}},'
        ' {"name": "wide", "dimension": 2100}]',
    ) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def vectors(daemon: RunningDaemon) -> np.ndarray:
    """600 vectors, in order of ingestion: 60 in each of 10 rooms."""
    made = np.random.default_rng(7).standard_normal((N, DIMENSION))
    for start in range(0, N, 300):
        drawers = [
            {
                "wing": "w", "room": f"r{n % 10}", "content": f"drawer {n}",
                "embedding": made[n].tolist(),
            }
            for n in range(start, start + 300)
        ]  # fmt: skip
        answer = daemon.client.post("/api/drawers/batch", json={"drawers": drawers})
        assert answer.status_code == 200
    return made


def nearest(vectors: np.ndarray, query: np.ndarray, rows: list[int]) -> list[str]:
    """The texts of the ten nearest rows, worked out by numpy."""
    chosen = vectors[rows]
    cosine = chosen @ query / np.linalg.norm(chosen, axis=1)
    best = np.argsort(-cosine, kind="stable")[:10]
    return [f"drawer {rows[place]}" for place in best]


def found(
    daemon: RunningDaemon, query: np.ndarray, **scope: object
) -> tuple[list[str], str]:
    answer = daemon.search(
        ranking="semantic", query_embedding=query.tolist(), filter=scope
    )
    contents = [hit["content"] for hit in answer.json()]
    return contents, answer.headers["x-palace-plan"]


def build_index(daemon: RunningDaemon, **job: str) -> dict[str, object]:
    made = daemon.client.post("/api/jobs", json={"type": "index", **job}).json()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        state: dict[str, object] = daemon.client.get(f"/api/jobs/{made['id']}").json()
        if state["status"] in ("completed", "failed"):
            return state
        time.sleep(0.02)
    raise AssertionError(f"the index was not built: {state}")


def test_every_scope_is_exact_without_and_small_ones_with_an_index(
    daemon: RunningDaemon, vectors: np.ndarray
) -> None:
    query = np.random.default_rng(8).standard_normal(DIMENSION)
    everything = list(range(N))
    room = list(range(3, N, 10))

    assert found(daemon, query) == (
        nearest(vectors, query, everything), "exact;rows=600",
    )  # fmt: skip

    assert build_index(daemon)["status"] == "completed"

    assert found(daemon, query)[1] == "index;rows=600"
    assert found(daemon, query, room="r3") == (
        nearest(vectors, query, room), "exact;rows=60",
    )  # fmt: skip
    assert daemon.client.get("/api/status").json()["index"]["small"]["hnsw"] is True


def test_a_large_scope_that_is_no_large_share_stays_exact(
    daemon: RunningDaemon, vectors: np.ndarray
) -> None:
    query = np.random.default_rng(9).standard_normal(DIMENSION)
    before = daemon.now()
    for n in range(360):
        # Closed one by one, so that two fifths of the profile are current.
        (drawer,) = daemon.client.post(
            "/api/search",
            json={"text": f"drawer {n}", "limit": 1, "ranking": "lexical"},
        ).json()
        assert drawer["content"] == f"drawer {n}"
        daemon.supersede(drawer["id"], None)

    now = found(daemon, query)
    then = found(daemon, query, temporal={"as_of": before})

    assert now == (nearest(vectors, query, list(range(360, N))), "exact;rows=240")
    assert then[1] == "index;rows=600"


def test_an_index_search_within_a_scope_leaves_nothing_wanted_out(
    daemon: RunningDaemon, vectors: np.ndarray
) -> None:
    query = np.random.default_rng(10).standard_normal(DIMENSION)
    for n in range(20):
        daemon.create(f"late {n}", wing="late", embedding=vectors[n].tolist())

    contents, plan = found(daemon, query, wing="w", temporal="all")

    assert plan == "index;rows=600"
    assert len(contents) == 10
    assert not [content for content in contents if content.startswith("late")]
    # 600 rows and a breadth of 400 or more: the graph finds nearly all there is.
    wanted = nearest(vectors, query, list(range(N)))
    assert len(set(contents) & set(wanted)) >= 9


def test_a_profile_too_wide_for_an_index_says_so(daemon: RunningDaemon) -> None:
    job = build_index(daemon, profile="wide")

    assert job["status"] == "failed"
    assert "2000" in str(job["error"])


def test_profiles_are_never_compared(
    daemon: RunningDaemon, vectors: np.ndarray
) -> None:
    del vectors
    wide = [1.0] + [0.0] * 2099
    drawer = daemon.create("wide one", wing="wide", embedding=wide, profile="wide")

    got = daemon.found(ranking="semantic", query_embedding=wide, profile="wide")
    mixed = daemon.client.post(
        "/api/search",
        json={"ranking": "semantic", "query_embedding": wide, "profile": "small"},
    )

    assert got == [drawer["id"]]
    assert mixed.status_code == 400
    assert mixed.json()["error"].startswith("invalid query_embedding: ")


def test_an_index_of_an_unknown_profile_is_refused(daemon: RunningDaemon) -> None:
    answer = daemon.client.post("/api/jobs", json={"type": "index", "profile": "nope"})

    assert answer.status_code == 400
    assert answer.json()["error"].startswith("invalid profile: ")
