"""Child processes that end when the harness does, whatever ends the harness.

On Linux the kernel ends them, even when the harness is killed with SIGKILL. Elsewhere,
and outside the main thread (the kernel watches the thread that started the child), a
small process of our own reads a pipe that closes when the harness is gone.
"""

import os
import pwd
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

GUARD = Path(__file__).with_name("guard.py")

PASSED_ON = ("PATH", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The only variables of ours a child sees: what finds programs and libraries."""

NOBODY = 65534


class Account(NamedTuple):
    """A user and group a child runs as, by number."""

    uid: int
    gid: int


def unprivileged_account() -> Account | None:
    """Find who runs what refuses to run as root; ``None`` where we are not root."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return Account(NOBODY, NOBODY)
    return Account(entry.pw_uid, entry.pw_gid)


def clean_environment(**extra: str) -> dict[str, str]:
    """Build a child's environment from nothing but the essentials and *extra*."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {"PATH": os.defpath, "LANG": "C.UTF-8"} | kept | extra


@dataclass(frozen=True)
class Program:
    """What to start, where and as whom.

    Attributes:
        name: How messages call it.
        command: Absolute path of the program and its arguments; no secrets, since
            every user of the machine can read them.
        folder: Working directory.
        log: File that takes its output, appended to.
        environment: All of its environment, see `clean_environment`.
        account: Who runs it; ``None`` for ourselves.
        death_signal: What it gets when the harness dies first.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    log: Path
    environment: Mapping[str, str] = field(default_factory=clean_environment)
    account: Account | None = None
    death_signal: signal.Signals = signal.SIGKILL


class ChildProcess:
    """One started program; stop it, or it is killed when the harness ends.

    Args:
        program: What to start.
        stdin: Text it reads; without one its input is empty.
        tied_by_pipe: Take the pipe even where the kernel could do the watching;
            by default it is taken where the kernel cannot.
    """

    def __init__(
        self,
        program: Program,
        *,
        stdin: str | None = None,
        tied_by_pipe: bool | None = None,
    ) -> None:
        self.program = program
        if tied_by_pipe is None:
            tied_by_pipe = not _kernel_can_watch()
        self._pipe: int | None = None
        inherited: tuple[int, ...] = ()
        tie = f"parent:{os.getpid()}"
        if tied_by_pipe:
            far_end, self._pipe = os.pipe()
            inherited = (far_end,)
            tie = f"pipe:{far_end}"
        try:
            with program.log.open("ab") as log:
                self._process = subprocess.Popen(
                    _guarded(program, tie),
                    cwd=program.folder,
                    env=program.environment,
                    stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    # Ctrl-C in a terminal reaches the whole group: these are to be
                    # stopped in order, by us.
                    start_new_session=True,
                    pass_fds=inherited,
                )
        finally:
            for descriptor in inherited:
                os.close(descriptor)
        if self._process.stdin is not None and stdin is not None:
            with suppress(BrokenPipeError), self._process.stdin as pipe:
                pipe.write(stdin.encode())

    @property
    def pid(self) -> int:
        """Process id: the program's, or its watcher's where a pipe ties it."""
        return self._process.pid

    def ending(self) -> str | None:
        """Say how the program ended, or ``None`` while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}"

    def last_lines(self, count: int = 15) -> str:
        """Read the end of the log, at most *count* lines; empty if there is none."""
        with suppress(OSError), self.program.log.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - 200 * count))
            lines = log.read().decode(errors="replace").splitlines()
            return "\n".join(lines[-count:])
        return ""

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end; true when it came within *timeout_s* seconds."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        self._close_pipe()
        return True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; nothing happens when the program has ended."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it at once and wait until it is gone."""
        if self._process.poll() is None:
            # The whole group, so that a watcher does not leave its charge behind.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._close_pipe()

    def _close_pipe(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None


def _kernel_can_watch() -> bool:
    return (
        sys.platform == "linux"
        and threading.current_thread() is threading.main_thread()
    )


def _guarded(program: Program, tie: str) -> list[str]:
    account = program.account
    uid, gid = ("-", "-") if account is None else (str(account.uid), str(account.gid))
    # -I and -S: nothing of the user's Python set-up, and a start of 10 ms.
    guard = [sys.executable, "-I", "-S", str(GUARD)]
    signal_number = str(int(program.death_signal))
    return [*guard, tie, signal_number, uid, gid, *program.command]
