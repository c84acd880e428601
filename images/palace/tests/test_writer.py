"""What the writing connection does when Postgres goes away at the worst moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from palace.errors import StartupError, StoreUnavailable
from palace.store.writer import Writer


class FakePostgres:
    """A palace that counts who took it, and notes what happens to it in order."""

    def __init__(self) -> None:
        self.generation = 0
        self.is_locked = False
        self.is_down = False
        self.fails_commit = False
        # Generations whose connection fails at the first statement.
        self.dead: list[int] = []
        self.log: list[str] = []

    async def dial(self) -> Any:
        if self.is_down:
            raise ConnectionRefusedError("refused")
        self.log.append("dial")
        return FakeConnection(self)

    async def reload(self, _: object) -> None:
        self.log.append("reload")


class FakeConnection:
    def __init__(self, postgres: FakePostgres) -> None:
        self._postgres = postgres
        self._is_closed = False

    def is_closed(self) -> bool:
        return self._is_closed

    def terminate(self) -> None:
        self._is_closed = True

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109  asyncpg's name
        del timeout
        self._is_closed = True

    async def fetchval(self, statement: str, *_: object) -> object:
        if "advisory" in statement:
            return not self._postgres.is_locked
        self._postgres.generation += 1
        return self._postgres.generation

    def transaction(self) -> FakeTransaction:
        return FakeTransaction(self, self._postgres)


class FakeTransaction:
    def __init__(self, connection: FakeConnection, postgres: FakePostgres) -> None:
        self._connection = connection
        self._postgres = postgres

    async def start(self) -> None:
        if self._postgres.generation in self._postgres.dead:
            self._postgres.dead.remove(self._postgres.generation)
            raise asyncpg.InternalClientError("cannot switch to state 15")

    async def commit(self) -> None:
        if self._postgres.fails_commit:
            self._postgres.fails_commit = False
            self._connection.terminate()
            raise asyncpg.ConnectionDoesNotExistError("closed in mid-operation")
        self._postgres.log.append("commit")

    async def rollback(self) -> None:
        self._postgres.log.append("rollback")

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None: ...


def run(work: Coroutine[object, object, None]) -> None:
    asyncio.run(work)


@asynccontextmanager
async def started(postgres: FakePostgres) -> AsyncIterator[Writer]:
    writer = Writer(postgres.dial, postgres.reload)
    await writer.start()
    postgres.log.clear()
    yield writer


async def broken_write(writer: Writer, postgres: FakePostgres) -> None:
    async with writer.write() as write:
        write.after_commit(lambda: postgres.log.append("apply"))
        raise KeyError


def test_memory_is_read_once_at_the_start_and_follows_each_commit() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        writer = Writer(postgres.dial, postgres.reload)
        await writer.start()
        async with writer.write() as write:
            write.after_commit(lambda: postgres.log.append("apply"))
            postgres.log.append("body")

        assert postgres.log == ["dial", "reload", "body", "commit", "apply"]

    run(work())


def test_a_write_that_fails_is_rolled_back_and_memory_stays() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:
            with pytest.raises(KeyError):
                await broken_write(writer, postgres)

            assert postgres.log == ["rollback"]
            assert not writer.suspect

    run(work())


def test_after_a_commit_of_unknown_outcome_memory_is_read_anew() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:
            postgres.fails_commit = True
            with pytest.raises(StoreUnavailable):
                async with writer.write() as write:
                    write.after_commit(lambda: postgres.log.append("apply"))

            assert writer.suspect
            await writer.refresh()
            assert postgres.log == ["dial", "reload"]
            assert not writer.suspect

    run(work())


def test_memory_that_cannot_follow_a_commit_is_read_anew() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:
            with pytest.raises(ZeroDivisionError):
                async with writer.write() as write:
                    write.after_commit(lambda: postgres.log.append(str(1 // 0)))

            await writer.refresh()
            assert postgres.log == ["commit", "reload"]

    run(work())


def test_a_lost_connection_is_replaced_without_reading_memory_anew() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:
            async with writer.write() as write:
                held = write.connection
            held.terminate()

            await writer.refresh()

            assert postgres.log == ["commit", "dial"]

    run(work())


def test_a_connection_that_proves_dead_is_replaced_within_the_write() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:
            postgres.dead.append(1)

            async with writer.write():
                postgres.log.append("body")

            assert postgres.log == ["dial", "body", "commit"]

    run(work())


def test_after_another_daemon_s_turn_memory_is_read_anew() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:
            async with writer.write() as write:
                held = write.connection
            held.terminate()
            postgres.generation += 1

            await writer.refresh()

            assert postgres.log == ["commit", "dial", "reload"]

    run(work())


def test_while_postgres_is_away_every_write_says_so() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:
            async with writer.write() as write:
                held = write.connection
            held.terminate()
            postgres.is_down = True
            for _ in range(2):
                with pytest.raises(StoreUnavailable, match="refused"):
                    async with writer.write():
                        raise AssertionError("nothing may be written")
            postgres.is_down = False

            async with writer.write():
                postgres.log.append("body")

            assert postgres.log == ["commit", "dial", "body", "commit"]

    run(work())


def test_a_palace_that_another_daemon_holds_is_refused() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        postgres.is_locked = True
        with pytest.raises(StartupError, match="another daemon"):
            await Writer(postgres.dial, postgres.reload).start()

    run(work())


def test_writes_take_turns() -> None:
    async def work() -> None:
        postgres = FakePostgres()
        async with started(postgres) as writer:

            async def write(name: str) -> None:
                async with writer.write():
                    postgres.log.append(f"{name} begins")
                    await asyncio.sleep(0)
                    postgres.log.append(f"{name} ends")

            await asyncio.gather(write("a"), write("b"))

            assert postgres.log == [
                "a begins", "a ends", "commit", "b begins", "b ends", "commit",
            ]  # fmt: skip

    run(work())
