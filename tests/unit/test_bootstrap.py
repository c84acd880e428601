"""Setting up a clone: done once, redone when something changed, never half done."""

import ast
import fcntl
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness import bootstrap
from harness.bootstrap import (
    STAMP,
    Project,
    SetupError,
    Toolbox,
    missing_layers,
    set_up,
    tool_environment,
)

SCRIPT = Path(bootstrap.__file__)


class FakeTools(Toolbox):
    """Does what venv and pip would leave behind, and writes down what was asked.

    Attributes:
        calls: One line a command, shortened to its meaning and its project.
        broken: Commands whose line starts with one of these fail.
    """

    def __init__(self, *broken: str) -> None:
        super().__init__(lock=-1)
        self.calls: list[str] = []
        self.broken = broken

    def __call__(self, _lock: int) -> "FakeTools":
        return self

    def run(self, command: Sequence[object], log: Path) -> bool:
        words = [str(word) for word in command]
        name = log.stem.removeprefix("bootstrap-")
        line = f"{meaning(words)} {name}"
        self.calls.append(line)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"output of {line}\n")
        if line.startswith(self.broken):
            return False
        if line.startswith("venv"):
            python = Path(words[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.symlink_to(sys.executable)
        return True

    def of(self, project: str) -> list[str]:
        return [
            call.rpartition(" ")[0] for call in self.calls if call.endswith(project)
        ]


def meaning(words: list[str]) -> str:
    if "venv" in words:
        return "venv"
    if "--version" in words:
        return "outer pip?" if "--python" in words else "inner pip?"
    if "ensurepip" in words:
        return "ensurepip"
    if "-e" in words:
        return "link"
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(words)
    return f"install {Path(words[-1]).name}"


WHOLE = ["venv", "outer pip?", "install requirements.lock", "link"]
DEV = "install requirements-dev.lock"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with lock files of one package each."""
    root = tmp_path / "clone"
    for folder in (root, root / "images" / "palace"):
        folder.mkdir(parents=True)
        for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml"):
            (folder / name).write_text("package==1\n", encoding="ascii")
    return root


def calls_of(clone: Path, *layers: str) -> list[str]:
    """Set up again and tell what was run for the harness."""
    tools = FakeTools()
    set_up(clone, layers or ("base",), tools)
    return tools.of("harness")


def test_fresh_clone_gets_both_environments(clone: Path) -> None:
    tools = FakeTools()
    set_up(clone, ("base",), tools)
    assert tools.of("harness") == WHOLE
    assert tools.of("palace") == WHOLE


def test_second_time_runs_nothing_and_says_nothing(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls_of(clone)
    capsys.readouterr()
    assert calls_of(clone) == []
    assert capsys.readouterr() == ("", "")


def test_steps_are_told_on_stderr(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls_of(clone)
    out, err = capsys.readouterr()
    assert out == ""
    assert "set-up: harness: installing 1 packages from requirements.lock\n" in err
    assert "set-up: palace: installed in " in err


def test_development_adds_to_what_is_there(clone: Path) -> None:
    calls_of(clone)
    assert calls_of(clone, "base", "dev") == ["outer pip?", DEV]
    assert calls_of(clone, "base", "dev") == []
    assert calls_of(clone, "base") == []


def test_fresh_clone_for_development_gets_both_layers(clone: Path) -> None:
    assert calls_of(clone, "base", "dev") == [*WHOLE, DEV]


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_changed_file_means_a_rebuild(clone: Path, name: str) -> None:
    calls_of(clone)
    stale = clone / ".venv" / "stale"
    stale.touch()
    (clone / name).write_text("package==2\n", encoding="ascii")
    assert calls_of(clone) == WHOLE
    assert not stale.exists()


def test_changed_development_lock_is_installed_over(clone: Path) -> None:
    calls_of(clone, "base", "dev")
    (clone / "requirements-dev.lock").write_text("package==2\n", encoding="ascii")
    assert calls_of(clone) == []
    assert calls_of(clone, "base", "dev") == ["outer pip?", DEV]


def test_moved_clone_is_noticed(clone: Path) -> None:
    calls_of(clone)
    moved = clone.with_name("elsewhere")
    shutil.move(clone, moved)
    assert calls_of(moved) == WHOLE


def test_vanished_interpreter_is_noticed(clone: Path) -> None:
    calls_of(clone)
    python = clone / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/no/such/python")
    assert calls_of(clone) == WHOLE


def test_another_python_is_noticed(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls_of(clone)
    monkeypatch.setattr(sys, "version", "3.99.0")
    assert calls_of(clone) == WHOLE


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff"])
def test_unreadable_stamp_counts_as_nothing_installed(
    clone: Path, content: bytes
) -> None:
    calls_of(clone)
    (clone / ".venv" / STAMP).write_bytes(content)
    assert missing_layers(Project("harness", clone), ("base",)) == ["base"]


def test_failed_step_shows_its_output_and_is_redone_whole(clone: Path) -> None:
    with pytest.raises(SetupError) as caught:
        set_up(clone, ("base",), FakeTools("install requirements.lock harness"))
    text = str(caught.value)
    assert text.startswith("harness: `pip install -r requirements.lock` failed.")
    assert "  | output of install requirements.lock harness\n" in text
    assert text.endswith("Run the command again.")
    assert calls_of(clone) == WHOLE


def test_half_an_environment_is_redone(clone: Path) -> None:
    with pytest.raises(SetupError):
        set_up(clone, ("base",), FakeTools("link harness"))
    assert calls_of(clone) == WHOLE


def test_failing_development_layer_leaves_the_base_usable(clone: Path) -> None:
    calls_of(clone)
    with pytest.raises(SetupError):
        set_up(clone, ("base", "dev"), FakeTools(DEV))
    assert calls_of(clone) == []


def test_tampered_package_gets_its_own_advice(clone: Path) -> None:
    class Tampered(FakeTools):
        def run(self, command: Sequence[object], log: Path) -> bool:
            super().run(command, log)
            log.write_text("THESE PACKAGES DO NOT MATCH THE HASHES", encoding="ascii")
            return "install" not in command

    with pytest.raises(SetupError, match="do not work around it"):
        set_up(clone, ("base",), Tampered())


def test_without_a_pip_that_can_the_environment_gets_its_own(clone: Path) -> None:
    tools = FakeTools("outer pip?", "inner pip?")
    set_up(clone, ("base",), tools)
    calls = [call for call in tools.of("harness") if call != "outer pip?"]
    assert calls == [
        "venv",
        "inner pip?",
        "ensurepip",
        "install requirements.lock",
        "link",
    ]


def test_without_any_pip_it_says_what_is_missing(clone: Path) -> None:
    broken = ("outer pip?", "inner pip?", "ensurepip")
    with pytest.raises(SetupError, match="apt install python3-pip") as caught:
        set_up(clone, ("base",), FakeTools(*broken))
    assert "-m pip --python" in str(caught.value)


def test_missing_lock_file_is_named(clone: Path) -> None:
    (clone / "requirements.lock").unlink()
    with pytest.raises(SetupError, match=r"requirements\.lock is not there"):
        calls_of(clone)


def test_two_at_once_wait_for_each_other(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone / ".cache").mkdir()
    tools = FakeTools()
    with (clone / ".cache" / "bootstrap.lock").open("w", encoding="ascii") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        second = threading.Thread(target=set_up, args=(clone, ("base",), tools))
        second.start()
        second.join(0.2)
        assert second.is_alive()
        assert tools.calls == []
    second.join(10)
    assert tools.of("harness") == WHOLE
    assert "waiting for it" in capsys.readouterr().err


def test_programs_inherit_the_lock_and_a_clean_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/misleading")
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    script = "import os, sys; os.fstat(int(sys.argv[1])); print(os.environ)"
    log = tmp_path / "log"
    assert Toolbox(lock).run([sys.executable, "-c", script, lock], log)
    os.close(lock)
    output = log.read_text(encoding="utf-8")
    assert "'PIP_ROOT_USER_ACTION': 'ignore'" in output
    assert "misleading" not in output


def test_ended_toolbox_stops_what_runs_and_starts_nothing(tmp_path: Path) -> None:
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    tools = Toolbox(lock)
    results: list[bool] = []
    sleep = ("/bin/sh", "-c", "echo started; exec sleep 60")
    log = tmp_path / "log"
    worker = threading.Thread(target=lambda: results.append(tools.run(sleep, log)))
    worker.start()
    while not log.exists() or "\nstarted" not in log.read_text(encoding="ascii"):
        worker.join(0.01)
    tools.end()
    worker.join(10)
    os.close(lock)
    assert results == [False]
    assert not tools.run(sleep, log)


def test_users_pip_settings_stay_unless_they_mislead() -> None:
    ours = {"PIP_INDEX_URL": "kept", "PIP_TARGET": "dropped", "PIP_USER": "1"}
    got = tool_environment(ours)
    assert got["PIP_INDEX_URL"] == "kept"
    assert got["PIP_USER"] == "0"
    assert "PIP_TARGET" not in got


def test_older_pythons_can_read_the_file() -> None:
    """The oldest grammar that ast knows; what they then read is the first sentence."""
    text = SCRIPT.read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 7))
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert "__future__" not in [node.module for node in future]


def test_script_needs_nothing_but_the_standard_library(clone: Path) -> None:
    script = clone / "harness" / "bootstrap.py"
    script.parent.mkdir()
    shutil.copy(SCRIPT, script)
    (clone / "requirements.lock").unlink()
    ended = subprocess.run(
        [sys.executable, "-S", script],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 69
    assert ended.stdout == ""
    wanted = f"{clone / 'requirements.lock'} is not there: the clone is not whole.\n"
    assert ended.stderr == wanted
