"""One way to open a connection, and what counts as Postgres being away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import pgvector.asyncpg

from palace.errors import StoreUnavailable

CONNECT_TIMEOUT_S = 3.0
COMMAND_TIMEOUT_S = 30.0

# Statements are prepared once a connection and planned anew at each use: planning
# costs tens of microseconds, while a generic plan made when a table was small would
# scan it whole long after it has grown. Compiling plans never pays for queries that
# take milliseconds.
_SESSION = {
    "application_name": "palace",
    "jit": "off",
    "plan_cache_mode": "force_custom_plan",
    "timezone": "UTC",
}

# What Postgres or its connection says when it is away, starting, stopping or full. A
# wrong argument of ours is none of these, and stays a fault of the daemon.
BROKEN = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # What the driver makes of a connection that Postgres ended while it was idle, when
    # the farewell has been read and the end of the stream has not.
    asyncpg.InternalClientError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
    asyncpg.DiskFullError,
    asyncpg.OutOfMemoryError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.ObjectNotInPrerequisiteStateError,
)


class PalaceConnection(asyncpg.Connection):
    """A connection that remembers the HNSW search breadth it is set to."""

    __slots__ = ("_ef_search",)

    async def use_ef_search(self, breadth: int) -> None:
        """Set `hnsw.ef_search` for the statements that follow."""
        if getattr(self, "_ef_search", None) != breadth:
            # Strict order keeps a filtered index search from coming back short.
            await self.execute(
                f"set hnsw.ef_search = {breadth:d};"
                " set hnsw.iterative_scan = strict_order"
            )
            self._ef_search = breadth


async def connect(
    url: str, *, command_timeout_s: float | None = COMMAND_TIMEOUT_S
) -> PalaceConnection:
    """Open one connection, without the vector codec: the type may not be there yet."""
    return await asyncpg.connect(
        url,
        timeout=CONNECT_TIMEOUT_S,
        command_timeout=command_timeout_s,
        connection_class=PalaceConnection,
        server_settings=_SESSION,
        max_cached_statement_lifetime=0,
    )


async def dial(url: str) -> PalaceConnection:
    """Open one connection that can send vectors."""
    connection = await connect(url)
    try:
        await prepare_connection(connection)
    except BaseException:
        connection.terminate()
        raise
    return connection


async def prepare_connection(connection: asyncpg.Connection) -> None:
    """Teach a connection to send vectors in pgvector's binary form."""
    await pgvector.asyncpg.register_vector(connection)


async def open_pool(url: str, *, size: int) -> asyncpg.Pool:
    """Open the pool that reads use; it replaces connections that Postgres dropped."""
    return await asyncpg.create_pool(
        url,
        min_size=1,
        max_size=size,
        max_inactive_connection_lifetime=0,
        timeout=CONNECT_TIMEOUT_S,
        command_timeout=COMMAND_TIMEOUT_S,
        connection_class=PalaceConnection,
        server_settings=_SESSION,
        max_cached_statement_lifetime=0,
        init=prepare_connection,
        reset=_keep_as_is,
    )


async def _keep_as_is(connection: asyncpg.Connection) -> None:
    """Leave a returned connection alone: no statement here changes its session."""


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn the many ways of Postgres being away into `StoreUnavailable`."""
    try:
        yield
    except BROKEN as problem:
        reason = str(problem) or type(problem).__name__
        raise StoreUnavailable(reason) from problem
