"""The palace at run time: its store, its memory, its clock, in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import asyncpg
import structlog

from palace.clock import Clock
from palace.errors import InvalidInput, StartupError, StoreUnavailable
from palace.memory import Memory, load
from palace.provider import EmbeddingProvider
from palace.settings import EmbeddingSettings, Settings
from palace.store.connect import (
    PalaceConnection,
    connect,
    dial,
    open_pool,
    store_errors,
)
from palace.store.schema import migrate
from palace.store.vectors import FRAGMENTS, VectorTable, open_tables
from palace.store.writer import Transaction, Writer

_LOG = structlog.get_logger(__name__)

_POOL_SIZE = 8
_ACQUIRE_TIMEOUT_S = 10.0
# How long a start waits for a Postgres that is itself still starting.
_START_PATIENCE_S = 30.0
_START_POLL_S = 0.1
# How often an idle daemon makes sure that it still holds its palace.
_WATCH_PERIOD_S = 5.0


class Palace:
    """Everything the routes work on.

    Args:
        settings: What the daemon was told.
        clock: Stamps validity; replaced in tests.
    """

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock = clock or Clock()
        self.profiles = {profile.name: profile for profile in settings.profiles}
        self.tables: dict[str, VectorTable] = {}
        self.fragment_vectors: VectorTable | None = None
        self.memory = Memory(list(self.profiles), settings.ranking)
        self._writer = Writer(lambda: dial(settings.database_url), self._reload)
        self._pool: asyncpg.Pool | None = None
        self._watch: asyncio.Task[None] | None = None
        self._last_write_s = 0.0
        self.provider = _provider(settings.embeddings)

    @property
    def provider_table(self) -> VectorTable | None:
        """The vectors of the profile that the daemon embeds for itself, if any."""
        inner = (t for t in self.tables.values() if not t.profile.external)
        return next(inner, None)

    @property
    def embeds(self) -> bool:
        """Whether the daemon can embed drawers by itself."""
        return self.provider is not None and self.provider_table is not None

    @property
    def n_without_vector(self) -> int:
        """How many drawers wait for a vector in the provider's profile."""
        table = self.provider_table
        if table is None:
            return 0
        drawers = self.memory.table
        return len(drawers) - drawers.n_embedded(table.profile.name)

    def outgrown_profiles(self) -> list[str]:
        """Return profiles too large to search exactly, when writes have paused."""
        idle_s = asyncio.get_running_loop().time() - self._last_write_s
        wait_s = self.settings.auto_index_after_s
        if wait_s == 0 or idle_s < wait_s:
            return []
        return [
            name
            for name, table in self.tables.items()
            if table.can_index
            and not table.has_index
            and self.memory.table.n_embedded(name) > self.settings.exact_limit
        ]

    async def open(self) -> None:
        """Migrate, take the palace and read it into memory.

        Raises:
            StartupError: Postgres does not answer, or the palace cannot be used.
        """
        await self._prepare()
        await self._writer.start()
        with store_errors():
            self._pool = await open_pool(self.settings.database_url, size=_POOL_SIZE)
        self._watch = asyncio.create_task(self._keep_palace())

    async def close(self) -> None:
        """Let go of the palace and of every connection."""
        if self._watch is not None:
            self._watch.cancel()
        if self._pool is not None:
            try:
                await asyncio.wait_for(self._pool.close(), 2.0)
            except TimeoutError:
                self._pool.terminate()
        await self._writer.close()
        if self.provider is not None:
            await self.provider.close()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[PalaceConnection]:
        """Lend a connection for reading, memory known to be right.

        Raises:
            StoreUnavailable: Postgres is away.
        """
        await self.trust_memory()
        if self._pool is None:
            raise StoreUnavailable("the daemon is not open")
        with store_errors():
            async with self._pool.acquire(timeout=_ACQUIRE_TIMEOUT_S) as connection:
                # The pool lends a proxy, which passes everything on.
                yield cast(PalaceConnection, connection)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """Lend the writing connection in a transaction; see `Writer.write`."""
        async with self._writer.write() as transaction:
            self._last_write_s = asyncio.get_running_loop().time()
            yield transaction

    async def trust_memory(self) -> None:
        """Read memory anew when a commit's outcome was left unknown."""
        if self._writer.suspect:
            await self._writer.refresh()

    def table_of(self, profile: str | None) -> VectorTable:
        """Return the vectors of a profile, the default one for None.

        Raises:
            InvalidInput: No such profile.
        """
        name = profile if profile is not None else self.settings.default_profile.name
        table = self.tables.get(name)
        if table is None:
            known = ", ".join(repr(known) for known in self.tables)
            raise InvalidInput("profile", f"{name!r} is not one of {known}")
        return table

    async def _prepare(self) -> None:
        connection = await self._first_connection()
        try:
            await migrate(connection, self.settings.database_url)
            self.tables = await open_tables(connection, self.settings.profiles)
            self.fragment_vectors = await self._open_fragment_vectors(connection)
        except asyncpg.PostgresError as problem:
            raise StartupError(f"The palace cannot be prepared: {problem}") from problem
        finally:
            await connection.close()

    async def _open_fragment_vectors(
        self, connection: asyncpg.Connection
    ) -> VectorTable | None:
        """Make or find the vectors that the provider gave the fragments."""
        drawers = self.provider_table
        if drawers is None:
            return None
        table = VectorTable(
            drawers.profile,
            drawers.number,
            FRAGMENTS,
            newest_first=self.settings.ranking.tie_order == "newest",
        )
        await table.create(connection)
        return table

    async def _first_connection(self) -> asyncpg.Connection:
        """Connect, waiting for a Postgres that is not up yet."""
        deadline = asyncio.get_running_loop().time() + _START_PATIENCE_S
        is_told = False
        while True:
            try:
                with store_errors():
                    return await connect(
                        self.settings.database_url, command_timeout_s=None
                    )
            except StoreUnavailable as problem:
                if asyncio.get_running_loop().time() > deadline:
                    raise StartupError(
                        f"Postgres did not answer in {_START_PATIENCE_S:g} s:"
                        f" {problem.message}. Check PALACE_DATABASE_URL."
                    ) from problem
                if not is_told:
                    _LOG.warning("waiting_for_postgres", reason=problem.message)
                is_told = True
                await asyncio.sleep(_START_POLL_S)
            except (asyncpg.PostgresError, ValueError) as problem:
                raise StartupError(
                    f"Postgres refused the connection: {problem}."
                    " Check PALACE_DATABASE_URL."
                ) from problem

    async def _reload(self, connection: asyncpg.Connection) -> None:
        memory = await load(
            connection,
            list(self.tables.values()),
            self.fragment_vectors,
            self.settings.ranking,
        )
        self.clock.not_before(memory.latest_us)
        self.memory = memory
        _LOG.info(
            "memory_loaded",
            drawers=len(memory.table),
            fragments=len(memory.fragments),
        )

    async def _keep_palace(self) -> None:
        """Take the palace back soon after a lost connection, even when idle."""
        while True:
            await asyncio.sleep(_WATCH_PERIOD_S)
            try:
                await self._writer.refresh()
            except StoreUnavailable as problem:
                _LOG.warning("palace_lost", reason=problem.message)


def _provider(settings: EmbeddingSettings | None) -> EmbeddingProvider | None:
    if settings is None:
        return None
    return EmbeddingProvider(
        url=settings.url,
        model=settings.model,
        dimension=settings.dimension,
        api_key=settings.api_key,
        timeout_s=settings.timeout_s,
        query_budget_s=settings.query_budget_s,
        encoding=settings.encoding,
    )
