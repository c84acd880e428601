"""The clone's own images: the same twice, hardened, and what they say they are."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import docker
import pytest
from docker.models.containers import Container

from harness.runtime.engine import Engine
from harness.runtime.images.build import Builder
from harness.runtime.images.catalogue import Pins, read_pins
from harness.runtime.images.resolve import Resolved, Resolver
from harness.runtime.images.shelf import Shelf
from harness.runtime.images.store import Store

pytestmark = pytest.mark.docker

CLONE = Path(__file__).resolve().parents[2]
CACHE = CLONE / ".cache" / "images"
POSTGRES = ("postgres-17", "postgres-18")
PALACE = ("palace-debug", "palace-release")
IMAGES = (*POSTGRES, *PALACE, "embedder")

PASSWORD = "p'w $x\"y"
READY_TIMEOUT_S = 60

CONNECT = ["psql", "-h", "127.0.0.1", "-U", "postgres", "-Atc", "select 42"]

FACTS = """
import importlib.metadata as metadata, json, os, sys, palace
import asyncpg, fastapi, httptools, numpy, orjson, pgvector, structlog, uvicorn, uvloop
try:
    assert False
    assertions = False
except AssertionError:
    assertions = True
print(json.dumps({
    "debug_interpreter": hasattr(sys, "gettotalrefcount"),
    "dev_mode": sys.flags.dev_mode,
    "optimize": sys.flags.optimize,
    "assertions": assertions,
    "python": list(sys.version_info[:2]),
    "compiled": [
        os.path.exists(module.__cached__)
        for module in (palace, fastapi, json, asyncpg)
    ],
    "packages": sorted(d.name for d in metadata.distributions()),
}))
"""


@pytest.fixture(scope="module")
def pins(tmp_path_factory: pytest.TempPathFactory) -> Pins:
    """Copy what images are made of, so that an edit meanwhile reaches no test."""
    copy = tmp_path_factory.mktemp("clone")
    shutil.copy(CLONE / "requirements.lock", copy)
    tools = shutil.ignore_patterns(".*", "__pycache__")
    for folder in ("images", "harness/dataset"):
        shutil.copytree(CLONE / folder, copy / folder, ignore=tools)
    return read_pins(copy)


@pytest.fixture(scope="module")
def resolver(engine: Engine, pins: Pins) -> Iterator[Resolver]:
    with Resolver(pins, engine, cache=CACHE) as found:
        yield found


@pytest.fixture(scope="module")
def rebuilder(
    engine: Engine, pins: Pins, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Builder]:
    """A builder that has seen nothing before: no layer, no wheel."""
    shelf = Shelf(tmp_path_factory.mktemp("anew"))
    with Store(engine) as store:
        yield Builder(pins, shelf, store, notify=lambda _: None, anew=True)


@contextmanager
def running(
    client: docker.DockerClient,
    image: Resolved,
    environment: dict[str, str],
    command: list[str] | None = None,
) -> Iterator[Container]:
    """Run an image as the harness does: nothing writable but memory, no rights."""
    user, _, group = image.source.user.partition(":")
    container = client.containers.run(
        image.id,
        command,
        detach=True,
        environment=environment,
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        user=image.source.user,
        network_mode="none",
        pids_limit=200,
        tmpfs=dict.fromkeys(
            image.source.writable, f"size=256m,mode=0700,uid={user},gid={group}"
        ),
    )
    try:
        yield container
    finally:
        container.remove(force=True, v=True)


def inside(
    container: Container, command: list[str], password: str = ""
) -> tuple[int | None, str]:
    """Run a command in a running container; give its code and what it printed."""
    code, output = container.exec_run(command, environment={"PGPASSWORD": password})
    assert isinstance(output, bytes)
    return code, output.decode()


def sql(container: Container, user: str, database: str, query: str) -> str:
    """Ask until the server answers; a container that ended shows its log instead."""
    command = ["psql", "-U", user, "-d", database, "-Atc", query]
    deadline = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < deadline:
        container.reload()
        assert container.status == "running", container.logs().decode()
        code, output = inside(container, command)
        if code == 0:
            return output.strip()
        time.sleep(0.05)
    raise AssertionError(container.logs().decode())


@pytest.mark.parametrize("name", IMAGES)
def test_a_rebuild_from_nothing_gives_the_same_image(
    resolver: Resolver, rebuilder: Builder, name: str
) -> None:
    before = resolver.resolve(name)
    again = rebuilder.build(name)

    assert again.image.id == before.digest


def test_one_change_in_the_daemon_reaches_one_layer(
    engine: Engine, pins: Pins, tmp_path: Path
) -> None:
    changed = replace(pins, clone=tmp_path)
    shutil.copytree(pins.clone, tmp_path, dirs_exist_ok=True)
    (tmp_path / "images" / "palace" / "palace" / "more.py").write_text("MORE = 1\n")
    told: list[str] = []

    with Store(engine) as store:
        # Built, not resolved: an engine that has the image leaves no layers here.
        Builder(pins, Shelf(CACHE), store, lambda _: None).build("palace-release")
        builder = Builder(changed, Shelf(CACHE), store, told.append)
        built = builder.build("palace-release")

    assert told == ["palace-program: compiling Python"]
    assert built.made == ("palace-program",)


def test_a_second_start_needs_neither_tools_nor_time(
    resolver: Resolver,
    engine: Engine,
    pins: Pins,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name in IMAGES:
        resolver.resolve(name)
    monkeypatch.setenv("PATH", str(tmp_path))

    start = time.monotonic()
    with Resolver(pins, engine, cache=CACHE) as again:
        found = [again.resolve(name).origin for name in IMAGES]

    assert found == ["present"] * len(IMAGES)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("name", POSTGRES)
def test_postgres_honours_the_variables_of_the_official_image(
    resolver: Resolver, client: docker.DockerClient, name: str
) -> None:
    environment = {
        "POSTGRES_USER": "some body",
        "POSTGRES_PASSWORD": PASSWORD,
        "POSTGRES_DB": 'a "name"',
        "POSTGRES_INITDB_ARGS": "--data-checksums --wal-segsize=4",
    }
    image = resolver.resolve(name)
    with running(client, image, environment) as container:
        names = sql(
            container, "some body", 'a "name"', "select datname from pg_database"
        )
        major = sql(container, "some body", "postgres", "show server_version_num")[:2]
        wal = sql(container, "some body", "postgres", "show wal_segment_size")
        create = "create extension vector; select extversion from pg_extension"
        version = sql(container, "some body", 'a "name"', create).splitlines()[-1]
        folded = sql(container, "some body", "postgres", "select lower('CRÈME')")

    assert 'a "name"' in names.splitlines()
    assert int(major) == image.source.major
    assert wal == "4MB"
    assert version.startswith("0.8.")
    assert folded == "crème"


@pytest.mark.parametrize("name", POSTGRES)
def test_only_the_right_password_opens_postgres_over_the_network(
    resolver: Resolver, client: docker.DockerClient, name: str
) -> None:
    environment = {"POSTGRES_PASSWORD": PASSWORD}
    with running(client, resolver.resolve(name), environment) as container:
        sql(container, "postgres", "postgres", "select 1")
        right = inside(container, CONNECT, PASSWORD)
        wrong = inside(container, CONNECT, "other")
        processes = str(container.top(ps_args="-eo pid,args"))
        log = container.logs().decode()
        code, server = inside(container, ["cat", "/proc/1/environ"])

    assert right == (0, "42\n")
    assert wrong[0] != 0
    assert "password authentication failed" in wrong[1]
    assert code == 0
    assert [PASSWORD in text for text in (processes, log, server)] == [
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("name", POSTGRES)
def test_postgres_takes_its_password_from_a_file(
    resolver: Resolver, client: docker.DockerClient, name: str
) -> None:
    # A file that every image has; what counts is that its content is the password.
    environment = {"POSTGRES_PASSWORD_FILE": "/etc/debian_version"}
    with running(client, resolver.resolve(name), environment) as container:
        sql(container, "postgres", "postgres", "select 1")
        _, password = inside(container, ["cat", "/etc/debian_version"])
        answer = inside(container, CONNECT, password.strip())

    assert answer == (0, "42\n")


@pytest.mark.parametrize("name", POSTGRES)
@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "no password"),
        ({"POSTGRES_PASSWORD_FILE": "/gone"}, "cannot be read"),
        (
            {"POSTGRES_PASSWORD": "a", "POSTGRES_PASSWORD_FILE": "/etc/debian_version"},
            "are both set",
        ),
    ],
)
def test_postgres_without_one_clear_password_does_not_start(
    resolver: Resolver,
    client: docker.DockerClient,
    name: str,
    environment: dict[str, str],
    told: str,
) -> None:
    with running(client, resolver.resolve(name), environment) as container:
        code = container.wait(timeout=READY_TIMEOUT_S)["StatusCode"]
        log = container.logs().decode()

    assert code == 64
    assert told in log


@pytest.mark.parametrize("name", POSTGRES)
def test_postgres_stops_cleanly_when_asked(
    resolver: Resolver, client: docker.DockerClient, name: str
) -> None:
    environment = {"POSTGRES_PASSWORD": PASSWORD}
    with running(client, resolver.resolve(name), environment) as container:
        sql(container, "postgres", "postgres", "select 1")
        container.stop(timeout=20)
        code = container.wait()["StatusCode"]
        log = container.logs().decode()

    assert code == 0
    assert "database system is shut down" in log


def facts(client: docker.DockerClient, image: Resolved) -> dict[str, object]:
    """Ask the interpreter that the image starts what it is."""
    found = printed(client, image, FACTS)
    assert isinstance(found, dict)
    return found


def printed(client: docker.DockerClient, image: Resolved, script: str) -> object:
    """Run a script on the interpreter that the image starts; read what it printed."""
    words = list(image.source.entrypoint)
    interpreter = words[: words.index("-m")]
    output = client.containers.run(
        image.id,
        ["-c", script],
        entrypoint=interpreter,
        remove=True,
        read_only=True,
        cap_drop=["ALL"],
        network_mode="none",
        user=image.source.user,
    )
    return json.loads(output)


def test_debug_is_the_debug_interpreter_with_assertions(
    resolver: Resolver, client: docker.DockerClient
) -> None:
    found = facts(client, resolver.resolve("palace-debug"))

    assert found["debug_interpreter"] is True
    assert found["dev_mode"] is True
    assert found["assertions"] is True
    assert found["optimize"] == 0


def test_release_is_optimised_and_wholly_compiled(
    resolver: Resolver, client: docker.DockerClient
) -> None:
    found = facts(client, resolver.resolve("palace-release"))

    assert found["debug_interpreter"] is False
    assert found["dev_mode"] is False
    assert found["assertions"] is False
    assert found["optimize"] == 1
    assert found["compiled"] == [True, True, True, True]


def test_both_builds_have_the_same_packages(
    resolver: Resolver, client: docker.DockerClient
) -> None:
    debug, release = (facts(client, resolver.resolve(name)) for name in PALACE)

    assert debug["packages"] == release["packages"]
    assert debug["python"] == release["python"] == [3, 13]


@pytest.mark.parametrize("name", PALACE)
def test_the_daemon_starts_and_says_what_it_lacks(
    resolver: Resolver, client: docker.DockerClient, name: str
) -> None:
    with running(client, resolver.resolve(name), {}) as container:
        code = container.wait(timeout=READY_TIMEOUT_S)["StatusCode"]
        log = container.logs().decode()

    assert code != 0
    assert "PALACE_DATABASE_URL" in log


def test_the_embedder_and_its_models_are_compiled(
    resolver: Resolver, client: docker.DockerClient
) -> None:
    script = """
import json, os, embedder.server, harness.dataset.vectors.trigrams as models
modules = embedder.server, models
print(json.dumps([os.path.exists(module.__cached__) for module in modules]))
"""

    assert printed(client, resolver.resolve("embedder"), script) == [True, True]


def test_the_images_of_these_tests_are_those_of_the_catalogue(pins: Pins) -> None:
    assert set(IMAGES) == pins.catalogue.images.keys()
