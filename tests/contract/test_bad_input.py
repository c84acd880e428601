"""Bad input and faults, each as a person meets them: one message, one exit code.

Whatever happens, no report appears and an earlier one stays as it was.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from harness.errors import ExitCode
from tests.fakes import a_free_port, speaking

ROOT = Path(__file__).resolve().parents[2]
CORE = (ROOT / "datasets" / "core.json").read_bytes()
EARLIER = b"an earlier report\n"
PATIENCE_S = 60.0

pytestmark = pytest.mark.postgres

Words = list[str]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A place for the report, where an earlier one lies already."""
    path = tmp_path / "report.json"
    path.write_bytes(EARLIER)
    return path


def evaluate(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run ``harness eval`` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "harness", "eval", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def expect_refusal(
    done: "subprocess.CompletedProcess[str]", code: ExitCode, *parts: str
) -> None:
    """Check the exit code, and that the one message says what it must."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for part in parts:
        assert part in done.stderr


def changed(change: Callable[[dict[str, list[dict[str, object]]]], None]) -> bytes:
    """Return the bundled data set's file with one thing in it changed."""
    data = json.loads(CORE)
    change(data)
    return json.dumps(data).encode()


def _repeat_an_id(data: dict[str, list[dict[str, object]]]) -> None:
    data["documents"][1]["id"] = data["documents"][0]["id"]


def _judge_an_unknown_document(data: dict[str, list[dict[str, object]]]) -> None:
    data["queries"][0]["relevant"] = [{"doc": "nowhere", "grade": 2}]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "empty"),
        (CORE[: len(CORE) // 2], "line "),
        (CORE.replace(b"a", b"\xff", 1), "not UTF-8"),
        (b'{"name": "x"}', "documents"),
        (changed(_repeat_an_id), "documents[1].id"),
        (changed(_judge_an_unknown_document), "'nowhere'"),
    ],
    ids=["empty", "truncated", "not-utf-8", "wrong-shape", "repeated-id", "unknown"],
)
def test_data_file_that_cannot_be_measured_is_refused(
    content: bytes, part: str, out: Path, tmp_path: Path
) -> None:
    file = tmp_path / "data.json"
    file.write_bytes(content)

    done = evaluate("--dataset", file, "--out", out)

    expect_refusal(done, ExitCode.USAGE, "DatasetError", str(file), part)
    assert out.read_bytes() == EARLIER


def test_data_file_of_200_megabytes_is_refused_without_being_read(
    out: Path, tmp_path: Path
) -> None:
    file = tmp_path / "huge.json"
    with file.open("wb") as handle:
        handle.truncate(200 * 2**20)

    done = evaluate("--dataset", file, "--out", out)

    expect_refusal(done, ExitCode.USAGE, "209,715,200 bytes", "64 MiB")
    assert out.read_bytes() == EARLIER


def test_missing_data_file_is_named(out: Path, tmp_path: Path) -> None:
    done = evaluate("--dataset", tmp_path / "gone.json", "--out", out)

    expect_refusal(done, ExitCode.USAGE, "gone.json", "no such file")


def test_port_in_use_is_named(out: Path) -> None:
    with speaking(None) as url:
        port = url.rpartition(":")[2]
        # Embedded: an engine that is there for others would be refused before.
        done = evaluate("--runtime", "embedded", "--port", port, "--out", out)

    expect_refusal(done, ExitCode.UNAVAILABLE, f"port {port}")
    assert out.read_bytes() == EARLIER


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        (b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops", "500"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<html/>", "JSON"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "empty"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "no answer over HTTP"),
        (b"", "no answer over HTTP"),
    ],
    ids=["500", "garbage", "empty-answer", "no-http", "nothing"],
)
def test_daemon_that_breaks_the_contract_is_named(
    raw: bytes, part: str, out: Path
) -> None:
    with speaking(raw) as url:
        done = evaluate("--url", url, "--out", out)

    expect_refusal(done, ExitCode.UNAVAILABLE, "Daemon", url, part)
    assert out.read_bytes() == EARLIER


def test_address_where_nothing_listens_is_named(out: Path) -> None:
    url = f"http://127.0.0.1:{a_free_port()}"

    expect_refusal(evaluate("--url", url, "--out", out), ExitCode.UNAVAILABLE, url)


@contextmanager
def seeding(out: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start a long run and wait until it seeds; kill it if the test did not end it."""
    words = ["eval", "--runtime", "embedded", "--build", "release"]
    words += ["--scale", "100000", "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        # A phase is told when it is over: after this line, seeding is under way.
        assert process.stderr.readline().startswith("starting")
        time.sleep(0.5)
        yield process
    finally:
        process.kill()
        process.communicate()


def offspring(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    """List the processes below the harness."""
    return psutil.Process(process.pid).children(recursive=True)


def outlived(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Wait a little for processes to end; return those that did not."""
    return psutil.wait_procs(processes, timeout=5)[1]


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"]
)
def test_interruption_in_seeding_leaves_no_report_and_no_process(
    number: signal.Signals, out: Path
) -> None:
    with seeding(out) as process:
        started = offspring(process)
        process.send_signal(number)
        told = process.communicate(timeout=PATIENCE_S)[1]

        assert process.returncode == ExitCode.INTERRUPTED
        assert "no report was written" in told
        assert "Traceback" not in told
        assert started
        assert outlived(started) == []
    assert out.read_bytes() == EARLIER


def test_postgres_that_dies_in_mid_run_is_named(out: Path) -> None:
    with seeding(out) as process:
        started = offspring(process)
        server = next(child for child in started if child.name() == "postgres")
        os.kill(server.pid, signal.SIGKILL)
        told = process.communicate(timeout=PATIENCE_S)[1]

        assert process.returncode == ExitCode.UNAVAILABLE
        assert "DaemonDiedError: Postgres ended" in told
        assert outlived(started) == []
    assert out.read_bytes() == EARLIER


def test_daemon_that_dies_in_mid_run_is_named(out: Path) -> None:
    with seeding(out) as process:
        daemon = next(
            child for child in offspring(process) if "palace" in child.cmdline()
        )
        os.kill(daemon.pid, signal.SIGKILL)
        told = process.communicate(timeout=PATIENCE_S)[1]

        assert process.returncode == ExitCode.UNAVAILABLE
        assert "DaemonDiedError: the daemon ended" in told
    assert out.read_bytes() == EARLIER
