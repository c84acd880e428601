"""A wing by itself: removed for good, and counted without its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import RunningDaemon

SCOPED = {"LEXICAL_STATISTICS": "scope"}


def scores_in(daemon: RunningDaemon, wing: str) -> list[tuple[str, float]]:
    found = daemon.search(text="kettle river", ranking="lexical", filter={"wing": wing})
    return [(hit["content"], hit["score"]) for hit in found.json()]


def test_a_removed_wing_stays_away_after_a_restart(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(database_url, folder) as daemon:
        daemon.create("kettle", wing="doomed")
        daemon.client.delete("/api/wings/doomed")
        counts = daemon.client.get("/api/status").json()["counts"]

    with RunningDaemon.start(database_url, folder) as daemon:
        assert daemon.client.get("/api/status").json()["counts"] == counts
        assert daemon.client.get("/api/wings").json() == []


@pytest.mark.parametrize(("settings", "moves"), [({}, True), (SCOPED, False)])
def test_words_of_another_wing_move_scores_only_without_scoped_statistics(
    database_url: str, folder: Path, settings: dict[str, str], *, moves: bool
) -> None:
    with RunningDaemon.start(database_url, folder, **settings) as daemon:
        spoken = daemon.client.get("/api/status").json()["features"]
        assert ("lexical.scoped" in spoken) is not moves
        for text in ("kettle and river", "kettle alone", "something else"):
            daemon.create(text, wing="mine")
        alone = scores_in(daemon, "mine")
        for text in ("river river", "a much longer text about a river and a bank"):
            daemon.create(text, wing="theirs")
        beside = scores_in(daemon, "mine")
        for wing in ("mine", "theirs"):
            daemon.client.delete(f"/api/wings/{wing}")

    assert len(alone) == 1
    assert (beside != alone) is moves
