"""Searches of daemons that were told something else, or have no provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.providing import DIMENSION, Provider
from tests.running import RunningDaemon


def put(daemon: RunningDaemon, wing: str, *texts: str) -> None:
    for number, text in enumerate(texts):
        answer = daemon.client.post(
            "/api/documents",
            json={"wing": wing, "room": "r", "name": f"n{number}", "content": text},
        )
        assert answer.status_code == 200, answer.text


def ask(daemon: RunningDaemon, path: str = "documents/search", **fields: object) -> Any:
    answer = daemon.client.post(f"/api/{path}", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(answer: Any) -> list[str]:
    return [hit["name"] for hit in answer["hits"]]


def test_without_a_provider_every_mode_is_keyword_and_says_why(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(database_url, folder) as daemon:
        put(daemon, "alone", "cat", "dog")

        for mode in ("vector", "hybrid"):
            got = ask(daemon, query="cat", mode=mode, wing="alone")
            assert names(got) == ["n0"]
            assert got["effective"] == "keyword"
            assert got["degraded"]["code"] == "memcastle::embed::unconfigured"
            assert got["timing"]["embed_ms"] is None
        raw = daemon.client.post("/api/fragments/search", json={"embedding": [1.0]})
        assert raw.status_code == 400
        assert raw.json()["code"] == "memcastle::search::semantic_unavailable"


def test_a_provider_that_is_not_there_costs_no_more_than_the_budget(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(
        database_url,
        folder,
        # Discards what is sent to it, on most machines nobody listens.
        EMBEDDINGS_URL="http://127.0.0.1:9/v1",
        EMBEDDINGS_MODEL="m",
        EMBEDDINGS_DIMENSION="4",
        EMBEDDINGS_QUERY_BUDGET_S="0.5",
    ) as daemon:
        got = ask(daemon, query="cat", mode="vector", wing="alone")

        assert got["degraded"]["code"] == "memcastle::embed::unreachable"
        assert got["effective"] == "keyword"
        assert 0 < got["timing"]["embed_ms"] < 1000


def test_a_cut_scan_is_told_and_a_rank_is_never_cut(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(
        database_url, folder, RANKING='{"keyword_scan": 2}'
    ) as daemon:
        put(daemon, "scanned", "cat", "cat", "cat")

        for mode in ("keyword", "vector"):
            got = ask(daemon, query="cat", mode=mode, wing="scanned")
            assert names(got) == ["n2", "n1"]
            assert (got["scanned"], got["cut"]) == (2, True)
        rank = ask(daemon, "fragments/rank", query="cat", wing="scanned")
        assert names(rank) == ["n2", "n1", "n0"]
        assert (rank["scanned"], rank["cut"]) == (3, False)


def test_the_oldest_comes_first_if_so_configured(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(
        database_url, folder, RANKING='{"tie_order": "oldest"}'
    ) as daemon:
        put(daemon, "tied", "cat", "cat", "cat")

        got = ask(daemon, query="cat", mode="keyword", wing="tied")

        assert names(got) == ["n0", "n1", "n2"]


def test_a_ranking_is_the_same_after_a_restart(database_url: str, folder: Path) -> None:
    question = {"query": "cat dog", "mode": "keyword", "wing": "kept"}
    with RunningDaemon.start(database_url, folder) as daemon:
        put(daemon, "kept", "cat dog", "dog dog cat", "cat", "tea", "cat dog")
        before = ask(daemon, **question)

    with RunningDaemon.start(database_url, folder) as daemon:
        assert ask(daemon, **question)["hits"] == before["hits"]


def test_a_profile_of_another_length_than_the_provider_is_told(
    database_url: str, folder: Path
) -> None:
    short = {"name": "short", "dimension": 3, "external": False}
    with (
        Provider() as provider,
        RunningDaemon.start(
            database_url,
            folder,
            EMBEDDINGS_URL=provider.url,
            EMBEDDINGS_MODEL="m",
            EMBEDDINGS_DIMENSION=str(DIMENSION),
            PROFILES=json.dumps([short]),
        ) as daemon,
    ):
        got = ask(daemon, query="cat", mode="vector", wing="nowhere")

        assert got["degraded"]["code"] == "memcastle::embed::dimension_mismatch"
