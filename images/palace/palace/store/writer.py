"""The one connection that writes, and that holds the palace.

All writes go through it one after another, so ingestion order is commit order and
what is in memory follows the commits exactly. It also holds the palace's advisory
lock: when the connection breaks the lock is gone, and nothing is written before a
new connection holds it again. A second daemon on the same palace is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg
import structlog

from palace.errors import StartupError, StoreUnavailable
from palace.store.connect import BROKEN, store_errors
from palace.store.schema import PALACE_LOCK

_LOG = structlog.get_logger(__name__)

# What follows the palace's lock while an old session of ours is still dying.
_LOCK_PATIENCE_S = 2.0
_LOCK_POLL_S = 0.05


class Transaction:
    """An open write: statements run on `connection`, memory changes after commit."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self._after: list[Callable[[], None]] = []

    def after_commit(self, apply: Callable[[], None]) -> None:
        """Run *apply* once the commit is certain, before anyone else writes."""
        self._after.append(apply)

    def apply(self) -> None:
        """Run what was registered, in order."""
        for change in self._after:
            change()


class Writer:
    """Serialises writes over a connection that holds the palace's lock.

    Args:
        dial: Opens a connection that can send vectors.
        reload: Called with the connection when memory may not be what Postgres
            holds: at the start, after another daemon's turn, after a commit whose
            outcome is unknown.
    """

    def __init__(
        self,
        dial: Callable[[], Awaitable[asyncpg.Connection]],
        reload: Callable[[asyncpg.Connection], Awaitable[None]],
    ) -> None:
        self._dial = dial
        self._reload = reload
        self._turn = asyncio.Lock()
        self._connection: asyncpg.Connection | None = None
        self._generation: int | None = None
        self._suspect = True

    @property
    def suspect(self) -> bool:
        """Whether what is in memory may differ from what Postgres holds."""
        return self._suspect

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """Open a transaction, commit it, then let memory follow.

        Raises:
            StoreUnavailable: Postgres is away. Whether a commit arrived may be
                unknown then; memory is read anew before it is used again.
        """
        async with self._turn:
            with store_errors():
                connection, transaction = await self._begin()
                write = Transaction(connection)
                try:
                    yield write
                except BaseException:
                    await self._roll_back(connection, transaction)
                    raise
                # Until memory has followed, nobody may believe it.
                self._suspect = True
                await transaction.commit()
                write.apply()
                self._suspect = False

    async def refresh(self) -> None:
        """Hold the lock and have memory as Postgres has it, or raise.

        Raises:
            StoreUnavailable: Postgres is away, or another daemon holds the palace.
        """
        async with self._turn:
            with store_errors():
                await self._ready()

    async def start(self) -> None:
        """Take the palace for the first time.

        Raises:
            StartupError: Another daemon holds it.
        """
        try:
            await self.refresh()
        except StoreUnavailable as problem:
            raise StartupError(problem.message) from problem

    async def close(self) -> None:
        """Give the palace back."""
        async with self._turn:
            if self._connection is not None:
                await self._connection.close(timeout=2.0)
                self._connection = None

    async def _begin(
        self,
    ) -> tuple[asyncpg.Connection, asyncpg.transaction.Transaction]:
        """Open a transaction, on a new connection when the old one proves dead."""
        connection = await self._ready()
        try:
            transaction = connection.transaction()
            await transaction.start()
        except BROKEN:
            # Postgres ended it while it was idle; nothing of this write was sent yet.
            connection.terminate()
            connection = await self._ready()
            transaction = connection.transaction()
            await transaction.start()
        return connection, transaction

    async def _roll_back(
        self,
        connection: asyncpg.Connection,
        transaction: asyncpg.transaction.Transaction,
    ) -> None:
        try:
            await transaction.rollback()
        except BROKEN:
            # Nothing was committed: Postgres rolls back what a connection leaves open.
            connection.terminate()

    async def _ready(self) -> asyncpg.Connection:
        """Return a live connection that holds the lock, memory known to be right."""
        if self._connection is None or self._connection.is_closed():
            self._connection = None
            self._connection = await self._take_palace()
        if self._suspect:
            await self._reload(self._connection)
            self._suspect = False
        return self._connection

    async def _take_palace(self) -> asyncpg.Connection:
        connection = await self._dial()
        try:
            await self._lock(connection)
            async with connection.transaction():
                generation: int = await connection.fetchval(
                    "update palace set generation = generation + 1 returning generation"
                )
        except BaseException:
            connection.terminate()
            raise
        if self._generation is None or generation != self._generation + 1:
            self._suspect = True
        self._generation = generation
        _LOG.info("palace_taken", generation=generation, reload=self._suspect)
        return connection

    async def _lock(self, connection: asyncpg.Connection) -> None:
        """Take the palace's lock, waiting a little for a session that is dying."""
        deadline = asyncio.get_running_loop().time() + _LOCK_PATIENCE_S
        while not await connection.fetchval(
            "select pg_try_advisory_lock($1)", PALACE_LOCK
        ):
            if asyncio.get_running_loop().time() > deadline:
                raise StoreUnavailable("another daemon holds this palace")
            await asyncio.sleep(_LOCK_POLL_S)
