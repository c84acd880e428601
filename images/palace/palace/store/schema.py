"""Bring the schema up to date at start, and cheaply find that it already is."""

from __future__ import annotations

from pathlib import Path

import asyncpg

from palace.errors import StartupError
from palace.migrations import HEAD

# Any constant will do, as long as every daemon uses the same two.
MIGRATION_LOCK = 0x70616C_01
PALACE_LOCK = 0x70616C_02


async def migrate(connection: asyncpg.Connection, url: str) -> None:
    """Run the migrations that are missing, one daemon at a time.

    Raises:
        StartupError: The schema is newer than this daemon, or pgvector is missing.
    """
    if await _revision(connection) == HEAD:
        return
    await connection.execute("select pg_advisory_lock($1)", MIGRATION_LOCK)
    try:
        revision = await _revision(connection)
        if revision != HEAD:
            _refuse_unknown(revision)
            await _upgrade(url)
    finally:
        await connection.execute("select pg_advisory_unlock($1)", MIGRATION_LOCK)


async def _revision(connection: asyncpg.Connection) -> str | None:
    """Return the revision the database is at, or None for an empty one."""
    if await connection.fetchval("select to_regclass('alembic_version')") is None:
        return None
    revision: str | None = await connection.fetchval(
        "select version_num from alembic_version"
    )
    return revision


def _refuse_unknown(revision: str | None) -> None:
    if revision is not None and revision > HEAD:
        raise StartupError(
            f"The database is at schema {revision!r}, newer than {HEAD!r}, the newest"
            " this daemon knows. Start a newer daemon, or use another database."
        )


async def _upgrade(url: str) -> None:
    """Run Alembic; imported here because a start with nothing to do skips it."""
    from alembic import command  # noqa: PLC0415  the import costs 300 ms
    from alembic.config import Config  # noqa: PLC0415
    from sqlalchemy import Connection  # noqa: PLC0415
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent.parent / "migrations")
    )

    def upgrade(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    async def dial() -> asyncpg.Connection:
        return await asyncpg.connect(url)

    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=dial, poolclass=NullPool
    )
    try:
        async with engine.begin() as connection:
            await connection.run_sync(upgrade)
    except DBAPIError as problem:
        raise StartupError(
            f"The schema cannot be brought to {HEAD!r}: {problem.orig}."
            " The database needs pgvector, and the role the right to create it."
        ) from problem
    finally:
        await engine.dispose()
