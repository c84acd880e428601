"""A fresh database and a running daemon for each module that asks for one."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from tests.addresses import with_database
from tests.running import RunningDaemon

_VARIABLE = "PALACE_TEST_DATABASE_URL"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "server_url" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.postgres)


def pytest_report_header() -> str:
    server = os.environ.get(_VARIABLE)
    return f"postgres: {'given' if server else f'none, {_VARIABLE} is not set'}"


@pytest.fixture(scope="session")
def server_url() -> str:
    """Where databases can be made."""
    url = os.environ.get(_VARIABLE)
    if not url:
        pytest.fail(
            f"{_VARIABLE} is not set. Give the URL of a Postgres with pgvector on which"
            " databases can be made, or leave these tests out with -m 'not postgres'."
        )
    return url


@pytest.fixture(scope="module")
def database_url(server_url: str) -> Iterator[str]:
    """An empty database of the module's own."""
    name = f"palace_test_{uuid.uuid4().hex}"
    run_sql(server_url, f"create database {name}")
    try:
        yield with_database(server_url, name)
    finally:
        run_sql(server_url, f"drop database {name} with (force)")


@pytest.fixture(scope="module")
def daemon(
    database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDaemon]:
    """A daemon over the module's database, stopped when the module is done."""
    with RunningDaemon.start(database_url, tmp_path_factory.mktemp("daemon")) as daemon:
        yield daemon


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A place for a daemon's files, for tests that start their own."""
    return tmp_path


def run_sql(url: str, *statements: str) -> None:
    """Run statements, each on its own, over a short connection."""

    async def run() -> None:
        connection = await asyncpg.connect(url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())
