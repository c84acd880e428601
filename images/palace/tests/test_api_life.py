"""Start, stop, restart, and Postgres going away under a running daemon."""

from __future__ import annotations

import concurrent.futures
import http.client
import itertools
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from palace.migrations import HEAD
from tests.addresses import database_of, with_database
from tests.conftest import run_sql
from tests.running import RunningDaemon, axis, spawn

AWAY = "memcastle::store::unavailable"


def test_what_was_written_is_there_after_a_restart(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(database_url, folder) as daemon:
        old = daemon.create("restart one", wing="life", embedding=axis(0))["id"]
        new = daemon.supersede(old, "restart two")["replacement"]
        other = daemon.create("restart three", wing="life", embedding=axis(1))["id"]
        daemon.client.delete(f"/api/drawers/{daemon.create('restart four')['id']}")
        counts = daemon.client.get("/api/status").json()["counts"]

    with RunningDaemon.start(database_url, folder) as daemon:
        assert daemon.client.get("/api/status").json()["counts"] == counts
        assert set(daemon.found(text="restart")) == {new["id"], other}
        assert daemon.found(
            ranking="semantic", query_embedding=axis(0), filter={"temporal": "all"}
        ) == [old, other]
        # The clock goes on from what the palace holds.
        assert daemon.create("restart five")["valid_from"] > new["valid_from"]


def test_memory_after_many_writes_is_what_a_restart_reads(
    database_url: str, folder: Path
) -> None:
    words = ["kettle", "shed", "lamp", "river", "stone", "bread", "window", "paper"]
    dice = random.Random(11)

    def text() -> str:
        return " ".join(dice.choices(words, k=5)) + f" {dice.randrange(10**6)}"

    def write(daemon: RunningDaemon) -> None:
        mine: list[str] = []
        for _ in range(40):
            act = dice.random()
            if act < 0.5 or not mine:
                vector = axis(dice.randrange(6)) if dice.random() < 0.7 else None
                wing = dice.choice("ab")
                made = daemon.create(text(), wing=f"m{wing}", embedding=vector)
                mine.append(made["id"])
            elif act < 0.75:
                old = mine.pop(dice.randrange(len(mine)))
                mine.append(daemon.supersede(old, text())["replacement"]["id"])
            elif act < 0.85:
                daemon.client.delete(f"/api/drawers/{mine.pop()}")
            else:
                daemon.mention(dice.choice(mine), dice.choice(words), "thing")

    def answers(daemon: RunningDaemon) -> list[object]:
        return [
            daemon.search(
                text=f"{one} {other}", ranking=ranking, query_embedding=axis(3),
                expand=True, filter={"wing": wing, "temporal": time}, limit=50,
            ).json()
            for one, other in itertools.pairwise(words)
            for ranking in ("lexical", "semantic", "hybrid")
            for wing in ("ma", "mb")
            for time in ("current", "all")
        ]  # fmt: skip

    with RunningDaemon.start(database_url, folder) as daemon:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(write, [daemon] * 4))
        before = answers(daemon)
    with RunningDaemon.start(database_url, folder) as daemon:
        after = answers(daemon)

    assert any(before)
    assert after == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_with_0(
    database_url: str, folder: Path, number: int
) -> None:
    daemon = RunningDaemon.start(database_url, folder)

    assert daemon.stop(number) == 0
    assert daemon.events()[-1]["event"] == "stopped"


def test_a_signal_while_starting_ends_the_daemon_with_0(folder: Path) -> None:
    log = folder / "log"
    # Nothing listens there, so it goes on trying.
    process = spawn("postgresql://127.0.0.1:1/none", log)
    while "waiting_for_postgres" not in log.read_text():
        assert process.poll() is None, log.read_text()
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)

    assert process.wait(10) == 0, log.read_text()


def test_shutdown_is_answered_and_ends_the_daemon_with_0(
    database_url: str, folder: Path
) -> None:
    daemon = RunningDaemon.start(database_url, folder)
    answer = daemon.client.post("/api/shutdown")

    assert (answer.status_code, answer.json()) == (202, {"status": "stopping"})
    assert daemon.process.wait(15) == 0
    daemon.stop()


def test_requests_under_way_are_finished_before_the_end(
    database_url: str, folder: Path
) -> None:
    daemon = RunningDaemon.start(database_url, folder)
    drawers = [
        {"wing": "drain", "room": "r", "content": f"d {n}", "embedding": axis(n)}
        for n in range(400)
    ]
    connection = http.client.HTTPConnection(daemon.url.removeprefix("http://"))
    # Returns when all is sent, long before it can have been answered.
    connection.request("POST", "/api/drawers/batch", json.dumps({"drawers": drawers}))
    code = daemon.stop()
    answer = connection.getresponse()
    made = json.loads(answer.read())["drawers"]
    connection.close()

    assert (code, answer.status, len(made)) == (0, 200, 400)


def test_a_second_daemon_is_refused_and_the_first_goes_on(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(database_url, folder) as daemon:
        second = spawn(database_url, folder / "second.log")

        assert second.wait(30) == 1
        assert "another daemon holds this palace" in (folder / "second.log").read_text()
        daemon.create("still mine", wing="second")


def test_a_port_in_use_is_named(database_url: str, folder: Path) -> None:
    with RunningDaemon.start(database_url, folder) as daemon:
        port = daemon.url.rpartition(":")[2]
        second = spawn(database_url, folder / "second.log", BIND=f"127.0.0.1:{port}")

        assert second.wait(30) == 1
        assert f'"port": {port}' in (folder / "second.log").read_text()


def test_a_profile_of_another_dimension_is_refused(
    database_url: str, folder: Path
) -> None:
    RunningDaemon.start(
        database_url, folder, PROFILES='[{"name": "grown", "dimension": 3}]'
    ).stop()

    second = spawn(
        database_url, folder / "log", PROFILES='[{"name": "grown", "dimension": 4}]'
    )

    assert second.wait(30) == 1
    assert "'grown'" in (folder / "log").read_text()


def test_a_newer_schema_is_refused(
    server_url: str, database_url: str, folder: Path
) -> None:
    del server_url
    RunningDaemon.start(database_url, folder).stop()
    run_sql(database_url, "update alembic_version set version_num = '9999'")
    try:
        process = spawn(database_url, folder / "log")

        assert process.wait(30) == 1
        assert "newer" in (folder / "log").read_text()
    finally:
        run_sql(database_url, f"update alembic_version set version_num = '{HEAD}'")


def test_a_database_that_is_not_there_is_refused(server_url: str, folder: Path) -> None:
    nowhere = with_database(server_url, "no_such_database_here")
    process = spawn(nowhere, folder / "log")

    assert process.wait(30) == 1
    assert "no_such_database_here" in (folder / "log").read_text()


def test_wrong_usage_exits_with_64(folder: Path) -> None:
    process = spawn("", folder / "log")

    assert process.wait(30) == 64
    assert "PALACE_DATABASE_URL is not set" in (folder / "log").read_text()
    unknown = subprocess.run(
        [sys.executable, "-m", "palace", "dance"],
        cwd=Path(__file__).parent.parent, capture_output=True, check=False,
    )  # fmt: skip
    assert unknown.returncode == 64


def test_the_palace_survives_postgres_going_away(
    server_url: str, database_url: str, folder: Path
) -> None:
    name = database_of(database_url)
    with RunningDaemon.start(database_url, folder) as daemon:
        drawer = daemon.create("outlives the outage", wing="outage", embedding=axis(2))
        run_sql(
            server_url,
            f"alter database {name} allow_connections false",
            "select pg_terminate_backend(pid) from pg_stat_activity"
            f" where datname = '{name}'",
        )
        try:
            began = time.monotonic()
            refused = [
                daemon.client.post("/api/search", json={"text": "outlives"}),
                daemon.client.post(
                    "/api/wings/w/rooms/r/drawers", json={"content": "lost"}
                ),
                daemon.client.get(f"/api/drawers/{drawer['id']}"),
                daemon.client.post(
                    f"/api/drawers/{drawer['id']}/supersede", json={"content": "x"}
                ),
                daemon.client.get("/api/status"),
            ]
            took_s = time.monotonic() - began
            health = daemon.client.get("/api/health")
        finally:
            run_sql(server_url, f"alter database {name} allow_connections true")

        assert [(a.status_code, a.json()["code"]) for a in refused] == [(503, AWAY)] * 5
        assert took_s < 5
        assert health.status_code == 200
        assert daemon.found(text="outlives") == [drawer["id"]]
        later = daemon.create("outlives it too", wing="outage")["id"]
        assert set(daemon.found(text="outlives")) == {drawer["id"], later}
        assert daemon.found(
            ranking="semantic", query_embedding=axis(2), filter={"wing": "outage"}
        ) == [drawer["id"]]


def test_what_another_daemon_wrote_meanwhile_is_seen(
    server_url: str, database_url: str, folder: Path
) -> None:
    name = database_of(database_url)
    (folder / "two").mkdir()
    with RunningDaemon.start(database_url, folder) as first:
        first.create("mine", wing="turns")
        first.process.send_signal(signal.SIGSTOP)
        try:
            run_sql(
                server_url,
                "select pg_terminate_backend(pid) from pg_stat_activity"
                f" where datname = '{name}'",
            )
            with RunningDaemon.start(database_url, folder / "two") as second:
                theirs = second.create("theirs", wing="turns")["id"]
        finally:
            first.process.send_signal(signal.SIGCONT)

        ours = first.create("mine again", wing="turns")["id"]

        assert first.found(text="theirs") == [theirs]
        assert ours in first.found(text="mine again")


@pytest.mark.parametrize(
    ("flags", "build", "wanted"),
    [
        (
            (),
            "release",
            {"name": "release", "loop": "uvloop", "asyncio_debug": False,
             "dev_mode": False, "assertions": True, "optimize": 0},
        ),
        (
            ("-O",),
            "release",
            {"name": "release", "loop": "uvloop", "asyncio_debug": False,
             "dev_mode": False, "assertions": False, "optimize": 1},
        ),
        (
            ("-X", "dev"),
            "debug",
            {"name": "debug", "loop": "asyncio", "asyncio_debug": True,
             "dev_mode": True, "assertions": True, "optimize": 0},
        ),
    ],
)  # fmt: skip
def test_the_build_is_what_the_interpreter_is(
    database_url: str,
    folder: Path,
    flags: tuple[str, ...],
    build: str,
    wanted: dict[str, object],
) -> None:
    daemon = RunningDaemon.start(database_url, folder, flags=flags, BUILD=build)
    with daemon:
        got = daemon.client.get("/api/status").json()["build"]
        daemon.create(f"written by {flags} {build}")

    assert {name: got[name] for name in wanted} == wanted
    assert got["debug_interpreter"] is hasattr(sys, "gettotalrefcount")


def test_a_token_is_wanted_everywhere_but_at_health(
    database_url: str, folder: Path
) -> None:
    with RunningDaemon.start(database_url, folder, TOKEN="sesame") as daemon:
        tried = {
            header: daemon.client.get(
                "/api/status", headers={"authorization": header} if header else {}
            ).status_code
            for header in (
                "",
                "Bearer wrong",
                "sesame",
                "Basic sesame",
                "Bearer sesame",
            )
        }
        refused = daemon.client.get("/api/status")
        health = daemon.client.get("/api/health")
        config = daemon.client.get(
            "/api/config", headers={"authorization": "bearer sesame"}
        )

    assert list(tried.values()) == [401, 401, 401, 401, 200]
    assert refused.json()["code"] == "memcastle::auth::unauthorized"
    assert refused.headers["www-authenticate"] == "Bearer"
    assert health.status_code == 200
    assert config.json()["auth_enabled"] is True
    assert "sesame" not in config.text + str(daemon.events())
