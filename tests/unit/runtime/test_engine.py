"""What is said of an engine that is there, and of one that cannot be used."""

import json
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import ClassVar

import docker.errors
import pytest
import requests

from harness.errors import ExitCode
from harness.runtime.endpoints import Endpoint
from harness.runtime.engine import (
    Engine,
    EngineError,
    discover,
    engine_faults,
    probe,
)

VERSION: dict[str, object] = {
    "Version": "20.10.24",
    "ApiVersion": "1.41",
    "MinAPIVersion": "1.12",
    "Arch": "amd64",
    "Components": [{"Name": "Engine"}],
}
INFO: dict[str, object] = {
    "DockerRootDir": "/var/lib/docker",
    "SecurityOptions": ["name=rootless"],
}


class _Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True


@contextmanager
def an_engine(folder: Path, version: dict[str, object]) -> Iterator[Endpoint]:
    """Serve the two answers by which an engine introduces itself."""

    class Answers(BaseHTTPRequestHandler):
        answers: ClassVar = {"version": version, "info": INFO}

        def do_GET(self) -> None:
            body = json.dumps(self.answers[self.path.rpartition("/")[2]]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def address_string(self) -> str:
            return "a socket"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            pass

    with _Server(str(folder / "engine.sock"), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield Endpoint(f"unix://{folder}/engine.sock", "a test", chosen=True)
        finally:
            server.shutdown()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path: a socket's may have 107 characters."""
    found = Path(tempfile.mkdtemp(prefix="e"))
    yield found
    shutil.rmtree(found)


def test_an_engine_that_answers_tells_who_it_is(folder: Path) -> None:
    with an_engine(folder, VERSION) as endpoint:
        engine = probe(endpoint)

    assert (engine.product, engine.version, engine.api) == (
        "docker",
        "20.10.24",
        (1, 41),
    )
    assert (engine.architecture, engine.rootless) == ("amd64", True)
    assert str(engine) == "rootless docker 20.10.24 (API 1.41) at a test"


def test_podman_is_told_from_docker(folder: Path) -> None:
    podman = {**VERSION, "Components": [{"Name": "Podman Engine"}]}
    with an_engine(folder, podman) as endpoint:
        assert probe(endpoint).product == "podman"


def test_an_engine_that_is_too_old_is_told_with_both_versions(folder: Path) -> None:
    old = {**VERSION, "ApiVersion": "1.40"}
    with an_engine(folder, old) as endpoint, pytest.raises(EngineError) as caught:
        probe(endpoint)

    assert caught.value.trouble == "old"
    assert "1.40" in caught.value.what
    assert "1.41" in caught.value.what
    assert caught.value.exit_code == ExitCode.UNAVAILABLE


def test_an_engine_that_never_answers_is_left_in_time(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(folder / "silent.sock"))
        silent.listen()
        start = time.monotonic()
        with pytest.raises(EngineError) as caught:
            probe(Endpoint(f"unix://{folder}/silent.sock", "a test"), timeout_s=1)

    assert caught.value.trouble == "silent"
    assert time.monotonic() - start < 5


def test_a_socket_that_nobody_listens_at_is_told(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(folder / "gone.sock"))

    with pytest.raises(EngineError, match="cannot be reached") as caught:
        probe(Endpoint(f"unix://{folder}/gone.sock", "a test"))
    assert caught.value.trouble == "broken"


def test_no_socket_at_all_is_absence(folder: Path) -> None:
    with pytest.raises(EngineError) as caught:
        probe(Endpoint(f"unix://{folder}/nowhere.sock", "a test"))

    assert caught.value.trouble == "absent"


@contextmanager
def somebody_without_rights() -> Iterator[None]:
    """Be an ordinary user for a while: root may open every socket."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_socket_that_may_not_be_opened_is_told(folder: Path) -> None:
    folder.chmod(0o755)
    with an_engine(folder, VERSION) as endpoint:
        (folder / "engine.sock").chmod(0)
        with somebody_without_rights(), pytest.raises(EngineError) as caught:
            probe(endpoint)

    assert caught.value.trouble == "forbidden"
    assert "usermod" in caught.value.remedy


def test_a_refused_connection_for_lack_of_rights_says_so(folder: Path) -> None:
    endpoint = Endpoint(f"unix://{folder}/x.sock", "a test")
    denied = requests.ConnectionError("('Connection aborted.', PermissionError(13))")

    with (
        pytest.raises(EngineError, match="may not talk") as caught,
        engine_faults(endpoint, "asking"),
    ):
        raise docker.errors.DockerException(f"Error while fetching: {denied}")
    assert caught.value.trouble == "forbidden"


def test_a_chosen_engine_that_fails_is_not_replaced(folder: Path) -> None:
    with pytest.raises(EngineError, match="no socket there"):
        discover({"DOCKER_HOST": f"unix://{folder}/nowhere.sock"}, folder)


def test_a_chosen_engine_is_found(folder: Path) -> None:
    with an_engine(folder, VERSION) as endpoint:
        engine = discover({"DOCKER_HOST": endpoint.url}, folder)

    assert engine.endpoint.source == "DOCKER_HOST"
    assert engine.environment() == {"DOCKER_HOST": endpoint.url}


def test_a_full_disk_is_told_as_such(folder: Path) -> None:
    endpoint = Endpoint(f"unix://{folder}/x.sock", "a test")
    full = "write /var/lib/docker/tmp: no space left on device"

    with (
        pytest.raises(EngineError) as caught,
        engine_faults(endpoint, "loading an image"),
    ):
        raise docker.errors.APIError("500", explanation=full)
    assert caught.value.trouble == "full"
    assert "docker system prune" in caught.value.remedy


def test_too_little_room_is_refused_before_the_work(folder: Path) -> None:
    engine = Engine(
        Endpoint("unix:///x.sock", "a test"),
        "docker",
        "1",
        (1, 41),
        "amd64",
        str(folder),
        rootless=False,
    )

    engine.require_room(1)
    with pytest.raises(EngineError, match="are free"):
        engine.require_room(1 << 60)


def test_what_does_not_exist_is_an_answer_and_no_fault(folder: Path) -> None:
    endpoint = Endpoint(f"unix://{folder}/x.sock", "a test")

    with (
        pytest.raises(docker.errors.NotFound),
        engine_faults(endpoint, "looking"),
    ):
        raise docker.errors.ImageNotFound("none")
