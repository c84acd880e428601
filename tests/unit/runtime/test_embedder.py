"""The embedder's process: what it is told, and that its end is noticed.

The embedder here is a few lines that speak the one route a runtime needs.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from harness.errors import DaemonDiedError, ExitCode, PrerequisiteError
from harness.runtime.embedder import (
    EmbedderProcess,
    EmbedderSetup,
    EmbedderWish,
    embedder_setup,
    require_embedder,
)
from tests.waiting import keep_calling

EMBEDDER = """
import json, os, signal, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Answering(BaseHTTPRequestHandler):
    def do_GET(self):
        body = {"environment": dict(os.environ), "folder": os.getcwd()}
        self.wfile.write(b"HTTP/1.0 200 OK\\r\\n\\r\\n" + json.dumps(body).encode())

    def log_message(self, *arguments):
        pass

mode = os.environ.get("EMBEDDER_FAKE_MODE")
if mode == "dies":
    sys.exit("the models are missing")
if mode == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
control = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
ready = os.environ["EMBEDDER_READY_FILE"]
facts = {"host": "127.0.0.1", "port": 7, "pid": os.getpid()}
facts["control_port"] = control.server_port
with open(ready + "~", "w") as file:
    json.dump(facts, file)
os.rename(ready + "~", ready)
control.serve_forever(0.01)
"""

WISH = EmbedderWish(model="trigram-384", dimension=384)


@pytest.fixture
def setup(tmp_path: Path) -> EmbedderSetup:
    folder = tmp_path / "embedder"
    folder.mkdir()
    (folder / "fake.py").write_text(EMBEDDER, encoding="ascii")
    return EmbedderSetup(WISH, Path(sys.executable), folder, tmp_path, module="fake")


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


@pytest.fixture
def process(setup: EmbedderSetup, run_folder: Path) -> Iterator[EmbedderProcess]:
    found = EmbedderProcess(setup, run_folder)
    yield found
    found.stop()


def told_by(process: EmbedderProcess) -> dict[str, Any]:
    host = process.running.control_url.removeprefix("http://")
    connection = HTTPConnection(host, timeout=5)
    connection.request("GET", "/control/state")
    told: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return told


def test_addresses_are_the_announced_ports(process: EmbedderProcess) -> None:
    running = process.running

    assert running.url == "http://127.0.0.1:7/v1"
    assert running.control_url.startswith("http://127.0.0.1:")
    assert (running.model, running.dimension) == ("trigram-384", 384)


def test_environment_is_clean_and_leads_to_the_models(
    setup: EmbedderSetup, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDER_UPSTREAM_API_KEY", "ours")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.chdir(setup.folder)
    wish = replace(
        WISH,
        settings={"EMBEDDER_LATENCY_MS": "5"},
        files={"EMBEDDER_CONCEPTS": Path("fake.py")},
    )
    process = EmbedderProcess(replace(setup, wish=wish), run_folder)
    told = told_by(process)
    process.stop()

    environment = told["environment"]
    assert "EMBEDDER_UPSTREAM_API_KEY" not in environment
    assert environment["PYTHONPATH"] == str(setup.clone)
    assert told["folder"] == str(setup.folder)
    assert environment["EMBEDDER_BIND"] == "127.0.0.1:0"
    assert environment["EMBEDDER_CONTROL_BIND"] == "127.0.0.1:0"
    assert environment["EMBEDDER_LATENCY_MS"] == "5"
    # It runs in another folder: a path from ours would lead it astray.
    assert environment["EMBEDDER_CONCEPTS"] == str(setup.folder / "fake.py")


def test_embedder_that_ends_at_once_is_noticed_at_once_with_its_words(
    setup: EmbedderSetup, run_folder: Path
) -> None:
    wish = replace(WISH, settings={"EMBEDDER_FAKE_MODE": "dies"})
    began = time.monotonic()
    with pytest.raises(DaemonDiedError) as caught:
        EmbedderProcess(replace(setup, wish=wish), run_folder)

    assert time.monotonic() - began < 10
    assert "the embedder ended before it was ready (exit code 1)" in caught.value.what
    assert "the models are missing" in caught.value.what


def test_killed_embedder_is_named_by_the_check(process: EmbedderProcess) -> None:
    process.check()
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(DaemonDiedError, match=r"^the embedder .*SIGKILL"):
        keep_calling(process.check)


def test_embedder_that_will_not_end_is_killed_and_complained_of(
    setup: EmbedderSetup,
    run_folder: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("harness.runtime.embedder.TERMINATE_LIMIT_S", 0.2)
    wish = replace(WISH, settings={"EMBEDDER_FAKE_MODE": "deaf"})
    process = EmbedderProcess(replace(setup, wish=wish), run_folder)
    process.stop()

    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
    assert "the embedder did not end" in caplog.text


def test_the_clones_embedder_runs_on_the_daemons_environment(tmp_path: Path) -> None:
    found = embedder_setup(WISH, clone=tmp_path)

    assert found.python == tmp_path / "images/palace/.venv/bin/python"
    assert found.folder == tmp_path / "images/embedder"
    assert (found.clone, found.module) == (tmp_path, "embedder")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"python": Path("/no/python")}, "no interpreter '/no/python'"),
        ({"folder": Path("/no/folder")}, "folder '/no/folder' is not there"),
        (
            {"wish": replace(WISH, files={"EMBEDDER_REPLAY": Path("/no/file")})},
            "'/no/file' is no file that can be read",
        ),
    ],
)
def test_what_is_missing_is_told_before_anything_starts(
    setup: EmbedderSetup, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(PrerequisiteError, match=told) as caught:
        require_embedder(replace(setup, **changes))

    assert caught.value.exit_code == ExitCode.UNAVAILABLE
    assert caught.value.remedy


def test_the_daemon_is_told_address_model_and_dimension() -> None:
    assert WISH.told_daemon("http://embedder:8081/v1") == {
        "PALACE_EMBEDDINGS_URL": "http://embedder:8081/v1",
        "PALACE_EMBEDDINGS_MODEL": "trigram-384",
        "PALACE_EMBEDDINGS_DIMENSION": "384",
    }
