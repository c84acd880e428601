"""A listener leaves nothing behind, whatever its application does."""

from __future__ import annotations

import asyncio

from embedder.answers import json_reply
from embedder.exchange import Exchange
from embedder.listener import Listener
from embedder.settings import Address

_REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def test_what_does_not_end_by_itself_is_ended() -> None:
    happened = []

    async def app(_: Exchange) -> None:
        happened.append("begun")
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            happened.append("ended")

    begun = asyncio.Event()

    async def run() -> None:
        listener = Listener(app, Address("127.0.0.1", 0))
        await listener.open()
        reader, writer = await asyncio.open_connection(*listener.address)
        writer.write(_REQUEST)
        await begun.wait()
        await listener.close(grace_s=0.05)
        # The connection was cut: no response, and no more to come.
        happened.append((await _rest(reader)).decode())
        writer.close()

    asyncio.run(run())
    assert happened == ["begun", "ended", ""]


def test_a_closed_listener_gives_its_port_back() -> None:
    async def app(exchange: Exchange) -> None:
        await exchange.send(json_reply({}))

    async def run() -> None:
        first = Listener(app, Address("127.0.0.1", 0))
        await first.open()
        await first.close(grace_s=0)
        second = Listener(app, first.address)
        await second.open()
        _, writer = await asyncio.open_connection(*first.address)
        writer.close()
        await second.close(grace_s=0)

    asyncio.run(run())


async def _rest(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
