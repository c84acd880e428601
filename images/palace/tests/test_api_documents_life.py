"""Documents across restarts and kills: memory is what Postgres holds, always."""

from __future__ import annotations

import concurrent.futures
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import run_sql
from tests.providing import DIMENSION, Provider
from tests.running import RunningDaemon

WORDS = ["cat", "dog", "tea", "car", "kettle", "river", "stone", "window"]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


def settings_for(url: str) -> dict[str, str]:
    return {
        "EMBEDDINGS_URL": url,
        "EMBEDDINGS_MODEL": "counting",
        "EMBEDDINGS_DIMENSION": str(DIMENSION),
        # Short, so that documents have several fragments.
        "RANKING": '{"chunk_tokens": 20, "chunk_overlap_tokens": 5}',
    }


def put(daemon: RunningDaemon, wing: str, *texts: str) -> list[str]:
    documents = [
        {"wing": wing, "room": "r", "name": f"n{place}", "content": text}
        for place, text in enumerate(texts)
    ]
    answer = daemon.client.post("/api/documents/batch", json={"documents": documents})
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()["documents"]]


def answers(daemon: RunningDaemon) -> list[Any]:
    """Return the counts, and what every kind of search finds, without its timing."""
    counts = daemon.client.get("/api/status").json()["counts"]
    # Drawers get theirs in the background.
    del counts["vectors"]
    found: list[Any] = [counts]
    for word in WORDS:
        for wing in ("ma", "mb"):
            for mode in ("keyword", "vector", "hybrid"):
                got = daemon.client.post(
                    "/api/documents/search",
                    json={"query": word, "mode": mode, "wing": wing, "limit": 40},
                ).json()
                got.pop("timing")
                found.append(got)
    return found


def test_memory_after_many_writes_is_what_a_restart_reads(
    database_url: str, folder: Path, provider: Provider
) -> None:
    dice = random.Random(17)

    def text() -> str:
        return " ".join(dice.choices(WORDS, k=dice.randrange(4, 60)))

    def write(daemon: RunningDaemon) -> None:
        mine: list[str] = []
        for _ in range(25):
            act = dice.random()
            if act < 0.5 or not mine:
                mine += put(daemon, f"m{dice.choice('ab')}", text(), text())
            elif act < 0.75:
                path = f"/api/documents/{dice.choice(mine)}"
                answer = daemon.client.put(path, json={"content": text()})
                assert answer.status_code == 200
            elif act < 0.85:
                gone = mine.pop(dice.randrange(len(mine)))
                assert daemon.client.delete(f"/api/documents/{gone}").is_success
            else:
                daemon.create(text(), wing="ma")

    settings = settings_for(provider.url)
    with RunningDaemon.start(database_url, folder, **settings) as daemon:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(write, [daemon] * 4))
        before = answers(daemon)
    with RunningDaemon.start(database_url, folder, **settings) as daemon:
        after = answers(daemon)
        # The clock goes on from what the palace holds.
        path = "/api/wings/ma/rooms/r/documents"
        last = max(each["updated_at"] for each in daemon.client.get(path).json())
        assert daemon.now() > last

    assert before[0]["fragments"] > before[0]["documents"] > 0
    assert any(got["hits"] for got in before[1:])
    assert after == before


def test_a_kill_in_the_middle_of_loads_leaves_whole_batches(
    database_url: str, folder: Path, provider: Provider
) -> None:
    settings = settings_for(provider.url)
    daemon = RunningDaemon.start(database_url, folder, **settings)
    done: list[str] = []

    def load(lane: int) -> None:
        for turn in range(1000):
            wing = f"kill {lane} {turn}"
            try:
                put(daemon, wing, *[f"cat {n}" for n in range(40)])
            except httpx.HTTPError:
                return
            done.append(wing)

    lanes = [threading.Thread(target=load, args=(lane,)) for lane in range(3)]
    for lane in lanes:
        lane.start()
    give_up = time.monotonic() + 60
    while len(done) < 6:
        assert time.monotonic() < give_up, f"only {len(done)} loads were accepted"
        time.sleep(0.005)
    daemon.process.send_signal(signal.SIGKILL)
    for lane in lanes:
        lane.join()
    assert daemon.stop() == -signal.SIGKILL

    with RunningDaemon.start(database_url, folder, **settings) as daemon:
        wings = [wing["name"] for wing in daemon.client.get("/api/wings").json()]
        killed = [wing for wing in wings if wing.startswith("kill")]
        # What was answered is there; what was not is there whole or not at all.
        assert set(done) <= set(killed)
        for wing in killed:
            path = f"/api/wings/{wing}/rooms/r/documents"
            assert len(daemon.client.get(path).json()) == 40
            found = daemon.client.post(
                "/api/documents/search",
                json={"query": "cat", "mode": "keyword", "wing": wing, "limit": 100},
            )
            assert len(found.json()["hits"]) == 40
        # Sent again, as a client does that got no answer.
        again = put(daemon, killed[-1], *[f"cat {n}" for n in range(40)])
        assert len(set(again)) == 40
        counts = daemon.client.get("/api/status").json()["counts"]
        assert counts["fragments"] == counts["fragments_embedded"]


def test_nothing_is_left_of_what_was_deleted(
    database_url: str, folder: Path, provider: Provider
) -> None:
    with RunningDaemon.start(
        database_url, folder, **settings_for(provider.url)
    ) as daemon:
        (made,) = put(daemon, "gone", "cat " * 100)
        daemon.client.put(f"/api/documents/{made}", json={"content": "dog " * 90})
        daemon.client.delete(f"/api/documents/{made}")
    # One that is deleted by hand takes what hangs on it along as well.
    run_sql(
        database_url,
        "delete from documents where seq % 2 = 0",
        """
        do $$ begin
            assert (select count(*) from fragments) > 0;
            assert not exists (
                select from fragments where document not in (select seq from documents)
            );
            assert (select array_agg(seq order by seq) from fragments)
                = (select array_agg(seq order by seq) from fragment_vectors_2);
        end $$
        """,
    )


def test_a_palace_from_before_documents_gets_their_tables(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(database_url, folder) as daemon:
        drawer = daemon.create("an old drawer", wing="old")["id"]
    run_sql(
        database_url,
        "drop table documents, fragments, facts cascade",
        "drop function delete_fragments_of_documents",
        "drop table fragment_vectors_2",
        "update alembic_version set version_num = '0001'",
    )

    with RunningDaemon.start(database_url, folder) as daemon:
        assert daemon.found(text="old", filter={"wing": "old"}) == [drawer]
        put(daemon, "old", "a document")
        assert daemon.client.get("/api/status").json()["counts"]["documents"] == 1


def test_nothing_listens_at_the_provider(database_url: str, folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with RunningDaemon.start(database_url, folder, **settings_for(url)) as daemon:
        answer = daemon.client.post(
            "/api/documents",
            json={"wing": "nobody", "room": "r", "name": "n", "content": "a cat"},
        )

        assert answer.status_code == 503
        assert answer.json()["code"] == "memcastle::embed::unreachable"
        assert "retry-after" in answer.headers


def test_without_a_provider_documents_are_stored_without_vectors(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(database_url, folder) as daemon:
        (made,) = put(daemon, "plain", "a cat")

        path = f"/api/documents/{made}/fragments"
        cut = daemon.client.get(path).json()["fragments"]
        assert [each["embedded"] for each in cut] == [False]
