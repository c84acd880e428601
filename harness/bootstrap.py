"""Make the two Python environments of a clone, from the lock files, once.

    python3 harness/bootstrap.py [--dev]

Runs before anything is installed, so: standard library only, started by path, and no
import of the package it lies in. Ends at once and silently when nothing is to be done.
Needs Python 3.11 and some pip; nothing outside the clone is written but pip's cache.

Every other Python must still be able to read this file, to be told what is wanted.
"""

import argparse
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

OLDEST = (3, 11)
UNAVAILABLE = 69
INTERRUPTED = 130

if sys.version_info < OLDEST or os.name != "posix":
    sys.stderr.write(
        f"The harness needs Python 3.11 or newer on Linux or macOS; {sys.executable}"
        f" is {platform.python_version()} on {platform.system()}.\n"
    )
    sys.exit(UNAVAILABLE)

import fcntl  # noqa: E402 - only where the check above has passed

STAMP = ".bootstrap.json"
LAST_LINES = 15

PIP_SETTINGS = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    # A user's own settings that make no sense inside an environment of the clone.
    "PIP_REQUIRE_VIRTUALENV": "0",
    "PIP_REQUIRE_HASHES": "0",
    "PIP_USER": "0",
}
MISLEADING = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_CONSTRAINT", "PIP_PYTHON")
MISLEADING_PYTHON = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__")

REMEDIES = (
    (
        "DO NOT MATCH THE HASHES",
        "What was downloaded is not what was locked: do not work around it.",
    ),
    ("metadata-generation-failed", "The clone is not whole, or its project is broken."),
    ("No space left", "Make room on the disk and run the same command again."),
    (
        "",
        "Can the package index be reached (`pip config list`)? Run the command again.",
    ),
)
"""What to do, by a sign in pip's output; the last serves when none is seen."""

NO_PIP = """No pip was found that can fill an environment:
  {tried}
  On Debian or Ubuntu `apt install python3-pip` puts one there; elsewhere try
  `{python} -m ensurepip`. Then run the same command again."""


class SetupError(Exception):
    """An environment cannot be made; the text says why and what to do."""


class Project(NamedTuple):
    """One Python project of the clone and the environment it gets."""

    name: str
    folder: Path

    @property
    def environment(self) -> Path:
        """Folder of its virtual environment."""
        return self.folder / ".venv"

    @property
    def python(self) -> Path:
        """Interpreter inside the environment."""
        return self.environment / "bin" / "python"

    def lock(self, layer: str) -> Path:
        """Lock file of a layer, ``base`` or ``dev``."""
        suffix = "" if layer == "base" else f"-{layer}"
        return self.folder / f"requirements{suffix}.lock"


class Toolbox:
    """Run programs, keep their output in a log, and end them when we are told to end.

    Args:
        lock: Descriptor of the lock that guards the clone. Programs inherit it, so
            that one which outlives us keeps a second set-up waiting.
    """

    def __init__(self, lock: int) -> None:
        self._lock = lock
        self._running: set[subprocess.Popen[bytes]] = set()
        self._guard = threading.Lock()
        self._ended = False

    def run(self, command: Sequence[object], log: Path) -> bool:
        """Run a command with its output appended to *log*; true when it exited 0."""
        with log.open("ab") as output:
            output.write(("$ " + " ".join(map(str, command)) + "\n").encode())
            output.flush()
            with self._guard:
                if self._ended:
                    return False
                process = self._start(command, output)
        try:
            return process.wait() == 0
        finally:
            with self._guard:
                self._running.discard(process)

    def end(self) -> None:
        """Stop what runs and start nothing more."""
        with self._guard:
            self._ended = True
            for process in self._running:
                process.terminate()

    def _start(
        self, command: Sequence[object], output: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=tool_environment(os.environ),
            pass_fds=(self._lock,),
        )
        self._running.add(process)
        return process


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, do what is missing, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="bootstrap.py", description="Make the environments of this clone."
    )
    parser.add_argument(
        "--dev", action="store_true", help="with what the tests and checks need"
    )
    layers = ("base", "dev") if parser.parse_args(arguments).dev else ("base",)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        set_up(Path(__file__).resolve().parent.parent, layers)
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return UNAVAILABLE
    except OSError as error:
        sys.stderr.write(f"Setting up failed: {error}.\n")
        return UNAVAILABLE
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; the same command goes on from here.\n")
        return INTERRUPTED
    return 0


def set_up(
    root: Path, layers: Sequence[str], toolbox: Callable[[int], Toolbox] = Toolbox
) -> None:
    """Bring every environment of the clone at *root* up to its lock files.

    Args:
        root: Folder of the clone, without links in its path.
        layers: ``base`` alone, or ``base`` and ``dev``.
        toolbox: Makes what runs programs, from the descriptor of the clone's lock.

    Raises:
        SetupError: Something is missing or failed; nothing is marked as done.
    """
    projects = (
        Project("harness", root),
        Project("palace", root / "images" / "palace"),
    )
    # Who finds everything done neither waits nor writes.
    if not any(missing_layers(project, layers) for project in projects):
        return
    cache = root / ".cache"
    cache.mkdir(exist_ok=True)
    with only_one(cache / "bootstrap.lock") as lock:
        waiting = [each for each in projects if missing_layers(each, layers)]
        tools = toolbox(lock)
        with ThreadPoolExecutor(max(len(waiting), 1)) as pool:
            jobs = [
                pool.submit(make_environment, project, layers, tools, cache)
                for project in waiting
            ]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                tools.end()
                raise


def make_environment(
    project: Project, layers: Sequence[str], tools: Toolbox, cache: Path
) -> None:
    """Make one environment, or add the layers it lacks.

    Args:
        project: What to make it for.
        layers: All that are wanted.
        tools: What runs programs.
        cache: Existing folder for the log.

    Raises:
        SetupError: A step failed; its last lines are in the text.
    """
    log = cache / f"bootstrap-{project.name}.log"
    log.write_bytes(b"")
    missing = missing_layers(project, layers)
    # Over an old base a rebuild, so that nothing stays that the lock file dropped.
    if "base" in missing:
        make_empty(project, tools, log)
        missing = list(layers)
    pip = find_pip(project, tools, log)
    for layer in missing:
        before = fingerprint(project, layer)  # what is installed, should it change
        install(project, layer, pip, tools, log)
        write_stamp(project, layer, before)


def missing_layers(project: Project, layers: Sequence[str]) -> list[str]:
    """Name the wanted layers that are not installed as the clone now wants them.

    A moved clone, another Python, a vanished interpreter and a changed lock file all
    show here; an environment that cannot be read counts as not there.

    Raises:
        SetupError: A lock file of the clone is not there.
    """
    wanted = {each: fingerprint(project, each) for each in ("base", *layers)}
    try:
        stamp = json.loads((project.environment / STAMP).read_bytes())
        usable = project.python.exists()  # false where the link's target is gone
    except (OSError, ValueError):
        return list(layers)
    if not usable or not isinstance(stamp, dict):
        return list(layers)
    if stamp.get("base") != wanted["base"]:
        return list(layers)
    return [each for each in layers if stamp.get(each) != wanted[each]]


def fingerprint(project: Project, layer: str) -> str:
    """Sum up everything that decides what a layer of an environment holds.

    Raises:
        SetupError: A file of the clone is not there.
    """
    files = [project.lock(layer)]
    if layer == "base":
        files.append(project.folder / "pyproject.toml")
    parts = [str(project.environment), base_python(), sys.version, platform.machine()]
    digest = hashlib.sha256("\n".join(parts).encode())
    for path in files:
        try:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        except FileNotFoundError:
            raise SetupError(f"{path} is not there: the clone is not whole.") from None
    return digest.hexdigest()


def write_stamp(project: Project, layer: str, installed: str) -> None:
    """Record the fingerprint of a layer that is wholly installed."""
    stamp = project.environment / STAMP
    try:
        known = json.loads(stamp.read_bytes())
    except (OSError, ValueError):
        known = {}
    known[layer] = installed
    unnamed = stamp.with_suffix(".new")
    unnamed.write_text(json.dumps(known), encoding="ascii")
    unnamed.replace(stamp)


def make_empty(project: Project, tools: Toolbox, log: Path) -> None:
    """Make an environment with an interpreter and nothing else."""
    say(project, f"making {project.environment}")
    if project.environment.is_symlink():
        project.environment.unlink()
    elif project.environment.exists():
        shutil.rmtree(project.environment)
    # Without pip: Debian leaves the part of venv out that would put it in.
    command = (base_python(), "-m", "venv", "--without-pip", project.environment)
    if not tools.run(command, log):
        raise failed(project, "python -m venv", log)


def find_pip(project: Project, tools: Toolbox, log: Path) -> list[str]:
    """Find a pip that can fill the environment, or put one into it.

    Raises:
        SetupError: There is none.
    """
    inside = [str(project.python), "-m", "pip"]
    outside = [[base_python(), "-m", "pip"]]
    outside += [[name] for name in ("pip3", "pip") if shutil.which(name)]
    # pip learnt to work on another interpreter's environment in 22.3.
    candidates = [[*pip, "--python", str(project.python)] for pip in outside]
    for pip in candidates:
        if tools.run([*pip, "--version"], log):
            return pip
    own = [str(project.python), "-m", "ensurepip", "--default-pip"]
    if tools.run([*inside, "--version"], log) or tools.run(own, log):
        return inside
    tried = "\n  ".join(" ".join(pip) for pip in [*candidates, own])
    raise SetupError(NO_PIP.format(tried=tried, python=base_python()))


def install(
    project: Project, layer: str, pip: Sequence[str], tools: Toolbox, log: Path
) -> None:
    """Install one layer, and after the base the project itself as a link to it."""
    lock = project.lock(layer)
    count = sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())
    say(project, f"installing {count} packages from {lock.name}")
    began = time.monotonic()
    # A source package would run its own build, with whatever it downloads.
    strict = ("--require-hashes", "--no-deps", "--only-binary=:all:")
    if not tools.run([*pip, "install", *strict, "-r", lock], log):
        raise failed(project, f"pip install -r {lock.name}", log)
    if layer == "base":
        link = ("--no-deps", "--no-build-isolation", "-e", project.folder)
        if not tools.run([*pip, "install", *link], log):
            raise failed(project, "pip install -e .", log)
    say(project, f"installed in {time.monotonic() - began:.1f} s")


def failed(project: Project, step: str, log: Path) -> SetupError:
    """Describe a failed step with the end of its output, and what to do about it."""
    output = log.read_text(encoding="utf-8", errors="replace")
    shown = "\n".join(f"  | {line}" for line in output.splitlines()[-LAST_LINES:])
    remedy = next(advice for sign, advice in REMEDIES if sign in output)
    text = f"{project.name}: `{step}` failed. The end of {log}:\n{shown}\n  {remedy}"
    return SetupError(text)


def base_python() -> str:
    """Path of the interpreter itself, also when started from an environment of it."""
    started = getattr(sys, "_base_executable", None) or sys.executable
    return os.path.realpath(started)


def tool_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Build the environment of venv and pip: the caller's, less what misleads them."""
    dropped = (*MISLEADING, *MISLEADING_PYTHON)
    kept = {name: value for name, value in ours.items() if name not in dropped}
    return kept | PIP_SETTINGS


@contextmanager
def only_one(path: Path) -> Iterator[int]:
    """Hold a lock on *path* while the block runs; yields its descriptor."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write("set-up: another one is running here; waiting for it\n")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        with suppress(OSError):
            os.close(descriptor)


def say(project: Project, text: str) -> None:
    """Tell the person who waits what is being done."""
    sys.stderr.write(f"set-up: {project.name}: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
