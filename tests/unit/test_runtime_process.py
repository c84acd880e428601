"""Child processes: logged, described, and never left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness.runtime.process import (
    ChildProcess,
    Program,
    clean_environment,
    unprivileged_account,
)

SHELL = "/bin/sh"


def a_program(tmp_path: Path, script: str) -> Program:
    return Program("a test", (SHELL, "-c", script), tmp_path, tmp_path / "log")


def is_running(pid: int) -> bool:
    """Tell whether a process still does anything; a zombie does not."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


def wait_until_gone(pid: int, limit_s: float) -> bool:
    give_up = time.monotonic() + limit_s
    while is_running(pid):
        if time.monotonic() > give_up:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("tied_by_pipe", [False, True])
def test_ending_is_described(tmp_path: Path, tied_by_pipe: bool) -> None:
    if not tied_by_pipe and sys.platform != "linux":
        pytest.skip("only Linux' kernel ends children")
    child = ChildProcess(a_program(tmp_path, "exit 3"), tied_by_pipe=tied_by_pipe)
    assert child.wait(10)
    assert child.ending() == "exit code 3"


def test_killed_child_is_described_by_its_signal(tmp_path: Path) -> None:
    child = ChildProcess(a_program(tmp_path, "exec sleep 60"))
    assert child.ending() is None
    child.kill()
    assert child.ending() == "killed by SIGKILL"


def test_output_of_both_kinds_is_kept_and_its_end_shown(tmp_path: Path) -> None:
    script = "for i in 1 2 3; do echo line $i; done; echo last >&2"
    child = ChildProcess(a_program(tmp_path, script))
    assert child.wait(10)
    assert child.last_lines(2) == "line 3\nlast"


def test_child_reads_the_given_text(tmp_path: Path) -> None:
    child = ChildProcess(a_program(tmp_path, "cat"), stdin="a secret\n")
    assert child.wait(10)
    assert child.last_lines() == "a secret"


@pytest.mark.parametrize("tied_by_pipe", [False, True])
def test_missing_program_says_so_in_its_log(tmp_path: Path, tied_by_pipe: bool) -> None:
    program = Program("a test", ("/no/such/program",), tmp_path, tmp_path / "log")
    child = ChildProcess(program, tied_by_pipe=tied_by_pipe)
    assert child.wait(10)
    assert child.ending() == "exit code 127"
    assert child.last_lines() == "/no/such/program: No such file or directory"


def test_environment_is_built_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALACE_TOKEN", "leaked")
    monkeypatch.setenv("PYTHONPATH", "/leaked")
    program = Program(
        "a test",
        (SHELL, "-c", "env"),
        tmp_path,
        tmp_path / "log",
        environment=clean_environment(WANTED="yes"),
    )
    child = ChildProcess(program)
    assert child.wait(10)
    assert "WANTED=yes" in child.last_lines()
    assert "leaked" not in child.last_lines()


@pytest.mark.parametrize("tied_by_pipe", [False, True])
def test_signal_reaches_the_program(tmp_path: Path, tied_by_pipe: bool) -> None:
    script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.02; done"
    child = ChildProcess(a_program(tmp_path, script), tied_by_pipe=tied_by_pipe)
    while child.last_lines() != "ready":
        time.sleep(0.01)
    child.signal(signal.SIGTERM)
    assert child.wait(10)
    assert child.ending() == "exit code 9"


@pytest.mark.parametrize("tied_by_pipe", [False, True])
def test_kill_leaves_no_program_behind(tmp_path: Path, tied_by_pipe: bool) -> None:
    child = ChildProcess(
        a_program(tmp_path, "echo $$; exec sleep 60"), tied_by_pipe=tied_by_pipe
    )
    while not child.last_lines():
        time.sleep(0.01)
    child.kill()
    assert wait_until_gone(int(child.last_lines()), 2)


PARENT = """
import sys, time
from pathlib import Path
from harness.runtime.process import ChildProcess, Program
folder = Path(sys.argv[1])
command = ("/bin/sh", "-c", "echo $$; exec sleep 60")
program = Program("a test", command, folder, folder / "log")
child = ChildProcess(program, tied_by_pipe=sys.argv[2] == "True")
while not child.last_lines():
    time.sleep(0.01)
print(child.last_lines(), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("tied_by_pipe", [False, True])
def test_child_dies_with_a_parent_that_is_killed(
    tmp_path: Path, tied_by_pipe: bool
) -> None:
    if not tied_by_pipe and sys.platform != "linux":
        pytest.skip("only Linux' kernel ends children")
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path), str(tied_by_pipe)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    with parent.stdout:
        child = int(parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    parent.wait()
    assert wait_until_gone(child, 2)


def test_child_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    children: list[ChildProcess] = []
    program = a_program(tmp_path, "exec sleep 60")
    starter = threading.Thread(target=lambda: children.append(ChildProcess(program)))
    starter.start()
    starter.join()
    time.sleep(0.1)
    still_running = children[0].ending() is None
    children[0].kill()
    assert still_running


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("tied_by_pipe", [False, True])
def test_root_runs_the_program_as_somebody_else_and_nothing_more(
    tmp_path: Path, tied_by_pipe: bool
) -> None:
    account = unprivileged_account()
    assert account is not None
    program = Program(
        "a test",
        (SHELL, "-c", "id -u; id -g; id -G"),
        Path("/"),
        tmp_path / "log",
        account=account,
    )
    child = ChildProcess(program, tied_by_pipe=tied_by_pipe)
    assert child.wait(10)
    wanted = f"{account.uid}\n{account.gid}\n{account.gid}"
    assert child.last_lines() == wanted
