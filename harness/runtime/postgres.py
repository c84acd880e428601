"""A private Postgres for one run: made, started, watched and stopped by the harness.

It listens on a socket in the run's own folder, never on the network, and lets in one
role with a password drawn for this run. As root, Postgres runs as ``nobody``.
"""

import os
import secrets
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from harness.errors import DaemonDiedError, HarnessError, PrerequisiteError
from harness.runtime.binaries import find_binaries, is_reachable, usable_binaries
from harness.runtime.cluster import SUPERUSER, forget_template, make_cluster
from harness.runtime.folders import run_folder
from harness.runtime.process import ChildProcess, Program, unprivileged_account

CLONE = Path(__file__).resolve().parents[2]
TEMPLATES = CLONE / ".cache" / "postgres"

PORT = 5432
"""Part of the socket's name only; nothing listens on a network port."""

LONGEST_SOCKET_PATH = 103
"""Bytes of a unix socket's path that every system takes (macOS; Linux takes 107)."""

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    # A benchmark's tables fit in here, so a run does not depend on the disk cache.
    "shared_buffers": "256MB",
    "maintenance_work_mem": "256MB",
    "work_mem": "16MB",
    "max_connections": "50",
    # No checkpoint in the middle of a measurement. fsync stays on: turning it off
    # makes starting no faster, and seeding would be measured without its commits.
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1h",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "log_checkpoints": "off",
}

ROOMY_SHM_BYTES = 512 * 2**20
START_LIMIT_S = 60.0
STOP_LIMIT_S = 15.0
POLL_S = 0.005

NO_ROOM = "Is the temporary folder's disk full? TMPDIR chooses another."


class PostgresServer:
    """A running Postgres in a run folder.

    Args:
        folder: The run's folder; the data, the socket and the log go into it.
        cache: Where to keep what ``initdb`` makes; ``None`` to make it each time.

    Raises:
        PrerequisiteError: Postgres is not there or does not start on this machine.
    """

    def __init__(self, folder: Path, *, cache: Path | None = TEMPLATES) -> None:
        self._account = unprivileged_account()
        self._data = folder / "data"
        self._log = folder / "postgres.log"
        self._socket = folder / "socket"
        self._password = secrets.token_urlsafe(24)
        self._open_folder(folder)
        self._binaries = usable_binaries(find_binaries(), self._account, folder)
        self._make_cluster(cache)
        self._process = self._start()
        try:
            self._wait_until_ready()
        except BaseException:
            self._process.kill()
            raise

    @property
    def url(self) -> str:
        """Connection URL with the password; asyncpg, psycopg and libpq all take it.

        The port is named because ``PGPORT`` in a caller's environment would else win.
        """
        host = quote(str(self._socket))
        return (
            f"postgresql://{SUPERUSER}:{self._password}@/postgres"
            f"?host={host}&port={PORT}"
        )

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    def check(self) -> None:
        """Raise `DaemonDiedError` with the last log lines if the server has ended."""
        ending = self._process.ending()
        if ending is not None:
            raise DaemonDiedError(
                f"Postgres ended while it was needed ({ending}). Its last lines:\n"
                f"{self._process.last_lines()}",
                remedy="Run the same command again; look at `dmesg` if it was killed.",
            )

    def stop(self) -> None:
        """End the server; kill it when that takes too long or is interrupted.

        At once, without the last checkpoint: nobody will read the data again, and
        after a large seeding it would be written out for nothing.
        """
        try:
            self._process.signal(signal.SIGQUIT)
            self._process.wait(STOP_LIMIT_S)
        finally:
            self._process.kill()

    def _open_folder(self, folder: Path) -> None:
        if len(os.fsencode(self._socket / f".s.PGSQL.{PORT}")) > LONGEST_SOCKET_PATH:
            raise PrerequisiteError(
                f"{str(folder)!r} is too long a path for a socket.",
                remedy="Set TMPDIR to a shorter one, for example `TMPDIR=/tmp`.",
            )
        self._socket.mkdir(mode=0o700)
        if self._account is None:
            return
        try:
            folder.chmod(0o711)
            # Who calls and who serves are two users here: the password is the lock.
            self._socket.chmod(0o755)
            os.chown(self._socket, *self._account)
        except OSError as error:
            raise PrerequisiteError(
                f"root here cannot give files to uid {self._account.uid}, and Postgres"
                f" refuses to run as root: {error.strerror}.",
                remedy="Run as an ordinary user.",
            ) from error
        if not is_reachable(folder, self._account):
            raise PrerequisiteError(
                f"{str(folder)!r} cannot be reached by uid {self._account.uid}, and"
                " Postgres refuses to run as root.",
                remedy="Set TMPDIR to a folder open to all, for example `TMPDIR=/tmp`.",
            )

    def _make_cluster(self, cache: Path | None) -> None:
        from_template = make_cluster(self._data, self._binaries, self._account, cache)
        try:
            self._set_password()
        except PrerequisiteError:
            if not from_template:
                raise
            forget_template(self._binaries, cache)
            shutil.rmtree(self._data)
            make_cluster(self._data, self._binaries, self._account, cache=None)
            self._set_password()
        access = self._data / "pg_hba.conf"
        access.write_text("local all all scram-sha-256\n", encoding="ascii")

    def _set_password(self) -> None:
        """Give the role its password before anybody can connect."""
        single = ChildProcess(
            self._program("--single", "-F", "-D", str(self._data), "postgres"),
            stdin=f"ALTER ROLE {SUPERUSER} PASSWORD '{self._password}'\n",
        )
        try:
            single.wait(START_LIMIT_S)
        finally:
            single.kill()
        if single.ending() != "exit code 0":
            raise self._cannot_start(single)

    def _start(self) -> ChildProcess:
        settings = dict(SETTINGS)
        settings["unix_socket_directories"] = str(self._socket)
        settings["unix_socket_permissions"] = (
            "0700" if self._account is None else "0777"
        )
        if not _has_roomy_shm():
            settings["dynamic_shared_memory_type"] = "mmap"
        options = [f"--{name}={value}" for name, value in settings.items()]
        return ChildProcess(
            self._program("-D", str(self._data), "-p", str(PORT), *options)
        )

    def _program(self, *arguments: str) -> Program:
        return Program(
            "Postgres",
            (str(self._binaries / "postgres"), *arguments),
            folder=self._data,
            log=self._log,
            account=self._account,
            # Immediate: whoever would want a tidy shutdown is dead.
            death_signal=signal.SIGQUIT,
        )

    def _wait_until_ready(self) -> None:
        status = self._data / "postmaster.pid"
        give_up = time.monotonic() + START_LIMIT_S
        while time.monotonic() < give_up:
            if self._process.ending() is not None:
                raise self._cannot_start(self._process)
            if _says_ready(status):
                return
            time.sleep(POLL_S)
        raise self._cannot_start(self._process)

    def _cannot_start(self, process: ChildProcess) -> HarnessError:
        ending = process.ending() or f"not ready within {START_LIMIT_S:.0f} s"
        return PrerequisiteError(
            f"Postgres did not start ({ending}). Its last lines:\n"
            f"{process.last_lines()}",
            where=str(self._binaries),
            remedy=NO_ROOM,
        )


@contextmanager
def embedded_postgres(*, cache: Path | None = TEMPLATES) -> Iterator[str]:
    """Run a Postgres for as long as the block lasts; yields its connection URL.

    Args:
        cache: Where to keep what ``initdb`` makes; ``None`` to make it each time.

    Raises:
        PrerequisiteError: Postgres is not there or does not start on this machine.
    """
    with run_folder() as folder:
        server = PostgresServer(folder, cache=cache)
        try:
            yield server.url
        finally:
            server.stop()


def _says_ready(status_file: Path) -> bool:
    """Read the server's own word, its status file's eighth line, as pg_ctl does."""
    try:
        lines = status_file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return len(lines) >= 8 and lines[7].strip() == "ready"


def _has_roomy_shm() -> bool:
    """Tell whether parallel index builds fit; a container's default of 64 MB fails."""
    try:
        facts = os.statvfs("/dev/shm")
    except OSError:
        return True  # not Linux: Postgres does not go there
    return facts.f_bavail * facts.f_frsize >= ROOMY_SHM_BYTES
