"""One Postgres for all mutants, and for each a daemon on a database of its own.

Starting Postgres, and migrating a database, would take longer than measuring. So every
database is a copy of one that a sound daemon has migrated.
"""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Literal

import asyncpg

from harness.runtime.base import RunningDaemon
from harness.runtime.cluster import SUPERUSER
from harness.runtime.embedded import palace_setup
from harness.runtime.folders import run_folder
from harness.runtime.palace import DaemonSetup, PalaceProcess
from harness.runtime.postgres import PostgresServer
from tests.mutants.catalogue import HERE, Fault

_MIGRATED = "migrated"


def planted(fault: Fault | None) -> DaemonSetup:
    """Describe a release daemon with *fault* in it, or a sound one."""
    sound = palace_setup("release")
    if fault is None:
        return sound
    settings = {"PYTHONPATH": str(HERE), "MUTANT": fault.mutant}
    return replace(sound, module="plant", settings=settings)


class Stand:
    """Starts daemons over one Postgres; see `stand`."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self._postgres = postgres
        self._folder = folder
        self._numbers = count(1)

    def runtime(self, fault: Fault | None) -> "StandRuntime":
        """Return a runtime that starts the daemon with *fault*, or a sound one."""
        return StandRuntime(self, planted(fault))

    def make_database(self, name: str, template: str) -> str:
        """Make a database as a copy of *template*, and return its URL."""
        self._order(f'create database "{name}" template "{template}"')
        return self._postgres.url.replace("@/postgres?", f"@/{name}?")

    def drop_database(self, name: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self._order(f'drop database if exists "{name}" with (force)')

    def forget_durability(self) -> None:
        """Have commits not wait for the disk: nobody reads this data a second time."""
        self._order(f"alter role {SUPERUSER} set synchronous_commit to off")

    def next_place(self) -> tuple[str, Path]:
        """Draw a name that no other daemon of this stand has, and make its folder."""
        name = f"mutant_{next(self._numbers)}"
        folder = self._folder / name
        folder.mkdir()
        return name, folder

    def check(self) -> None:
        """Raise when Postgres is gone."""
        self._postgres.check()

    def _order(self, statement: str) -> None:
        async def order() -> None:
            connection = await asyncpg.connect(self._postgres.url)
            try:
                await connection.execute(statement)
            finally:
                await connection.close()

        asyncio.run(order())


@dataclass
class StandRuntime:
    """One daemon of a stand, on an empty palace; may be entered once."""

    stand: Stand
    setup: DaemonSetup
    template: str = _MIGRATED
    keeps: str | None = None
    """The name under which its database stays when it is gone."""

    def __post_init__(self) -> None:
        self._stack = ExitStack()

    @property
    def name(self) -> Literal["embedded"]:
        """Which runtime, as a report names it."""
        return "embedded"

    @property
    def reason(self) -> str:
        """Why this runtime."""
        return "one Postgres serves all mutants"

    def __enter__(self) -> RunningDaemon:
        """Copy the database, and start the daemon on it."""
        with ExitStack() as starting:
            name, folder = self.stand.next_place()
            database = self.keeps or name
            url = self.stand.make_database(database, self.template)
            if self.keeps is None:
                starting.callback(self.stand.drop_database, database)
            daemon = PalaceProcess(self.setup, url, folder)
            starting.callback(daemon.stop)
            self._stack = starting.pop_all()

        def check() -> None:
            self.stand.check()
            daemon.check()

        return RunningDaemon(url=daemon.url, token=daemon.token, check=check)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the daemon and remove its database."""
        self._stack.close()


@contextmanager
def stand() -> Iterator[Stand]:
    """Start the Postgres for the block, with a migrated database to copy from."""
    with run_folder() as folder:
        postgres = PostgresServer(folder)
        try:
            made = Stand(postgres, folder)
            made.forget_durability()
            with StandRuntime(made, planted(None), "template1", keeps=_MIGRATED):
                pass
            yield made
        finally:
            postgres.stop()
