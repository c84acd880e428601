"""Wings removed whole."""

from __future__ import annotations

import httpx

from tests.running import RunningDaemon, axis


def counts_of(daemon: RunningDaemon) -> dict[str, object]:
    counts: dict[str, object] = daemon.client.get("/api/status").json()["counts"]
    return counts


def search_of(daemon: RunningDaemon, wing: str) -> list[tuple[str, float]]:
    found = daemon.search(text="kettle river", ranking="lexical", filter={"wing": wing})
    return [(hit["content"], hit["score"]) for hit in found.json()]


def ingest(daemon: RunningDaemon, wing: str) -> httpx.Response:
    return daemon.client.post(
        "/api/documents",
        json={
            "wing": wing,
            "room": "papers",
            "name": "one",
            "content": "a kettle by the river",
        },
    )


def test_a_removed_wing_takes_all_that_was_in_it(daemon: RunningDaemon) -> None:
    before = counts_of(daemon)
    daemon.create("kettle one", wing="doomed", embedding=axis(0))
    assert ingest(daemon, "doomed").status_code == 200
    daemon.client.post(
        "/api/facts",
        json={
            "facts": [
                {
                    "wing": "doomed",
                    "room": "papers",
                    "kind": "durable",
                    "text": "likes tea",
                    "category": "identity",
                }
            ]
        },
    )

    answer = daemon.client.delete("/api/wings/doomed")

    assert (answer.status_code, answer.content) == (204, b"")
    assert counts_of(daemon) == before
    assert search_of(daemon, "doomed") == []
    assert daemon.client.get("/api/wings/doomed/rooms").status_code == 404


def test_a_wing_can_come_back_after_it_was_removed(daemon: RunningDaemon) -> None:
    daemon.create("kettle one", wing="again")
    daemon.client.delete("/api/wings/again")
    daemon.create("river two", wing="again")
    assert [content for content, _ in search_of(daemon, "again")] == ["river two"]
    daemon.client.delete("/api/wings/again")


def test_other_wings_stay_as_they_were(daemon: RunningDaemon) -> None:
    daemon.create("kettle kept", wing="kept")
    daemon.create("kettle gone", wing="gone")
    daemon.client.delete("/api/wings/gone")
    assert [content for content, _ in search_of(daemon, "kept")] == ["kettle kept"]
    daemon.client.delete("/api/wings/kept")


def test_an_unknown_wing_is_not_found(daemon: RunningDaemon) -> None:
    answer = daemon.client.delete("/api/wings/nowhere")
    assert answer.status_code == 404
    assert "nowhere" in answer.json()["error"]
