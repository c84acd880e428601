"""A port that can be closed, so that connections are refused, and opened again."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from typing import Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from embedder.exchange import Exchange, Message, Receive, Send
from embedder.settings import Address

App = Callable[[Exchange], Awaitable[None]]

_BACKLOG: Final = 2048
# Longer than clients keep an idle connection: one that is used just as it is closed
# would look like a fault that nobody asked for.
_KEEP_ALIVE_S: Final = 75
_TICK_S: Final = 0.01


class Listener:
    """Serve an application on one address.

    Uvicorn's protocol is used without its server, which neither stops listening for a
    while nor gives up its port within a second.

    Args:
        app: What answers a request; it must not raise.
        wanted: Where to listen.

    Raises:
        OSError: The address is taken, or is none of this machine's.
    """

    def __init__(self, app: App, wanted: Address) -> None:
        self._app = app
        self._state = ServerState()
        self._config = uvicorn.Config(
            self._run,
            http="httptools",
            ws="none",
            loop="none",
            interface="asgi3",
            lifespan="off",
            access_log=False,
            log_config=None,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
        )
        self._config.load()
        self._bound: socket.socket | None = _bound(wanted)
        host, port = self._bound.getsockname()[:2]
        self._address = Address(host, port)
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> Address:
        """Where it listens, the port that was picked included."""
        return self._address

    @property
    def is_open(self) -> bool:
        """Whether connections are accepted."""
        return self._server is not None

    async def open(self) -> None:
        """Accept connections; while it does so already, this does nothing."""
        if self._server is not None:
            return
        listener = self._bound or _bound(self._address)
        self._bound = None
        self._server = await asyncio.get_running_loop().create_server(
            self._protocol, sock=listener, backlog=_BACKLOG
        )

    async def refuse(self) -> None:
        """Turn new connections away, and end those that are there.

        A request under way still gets its answer. The port stays ours: a socket that
        is bound to it and does not listen keeps everybody else from taking it.
        """
        await self._stop_listening()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._bound is None:
            self._bound = _bound(self._address)

    async def close(self, *, grace_s: float) -> None:
        """Stop for good: requests under way get so many seconds, then they are cut."""
        await self._stop_listening()
        if self._bound is not None:
            self._bound.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        await self._until_idle(grace_s)
        for connection in list(self._state.connections):
            connection.transport.abort()
        # What waited for its client sees it gone and ends; the rest is told to.
        await self._until_idle(_TICK_S)
        for task in list(self._state.tasks):
            task.cancel()
        await self._until_idle(_TICK_S)

    async def _run(self, scope: Message, receive: Receive, send: Send) -> None:
        def abort() -> None:
            # The protocol keeps the transport to itself; an address has one connection.
            for connection in list(self._state.connections):
                assert isinstance(connection, HttpToolsProtocol)
                if connection.client == scope["client"]:
                    connection.transport.abort()

        # Only stopping cancels, when nobody is left to be answered.
        with contextlib.suppress(asyncio.CancelledError):
            await self._app(Exchange(scope, receive, send, abort))

    async def _until_idle(self, patience_s: float) -> None:
        for _ in range(round(patience_s / _TICK_S)):
            if not self._state.connections and not self._state.tasks:
                return
            await asyncio.sleep(_TICK_S)

    async def _stop_listening(self) -> None:
        if self._server is None:
            return
        sockets = self._server.sockets
        self._server.close()
        self._server = None
        # The event loop closes them on its next turns, and only then is the port free.
        while any(each.fileno() != -1 for each in sockets):  # noqa: ASYNC110  none tells
            await asyncio.sleep(0)

    def _protocol(self) -> HttpToolsProtocol:
        return HttpToolsProtocol(self._config, self._state, app_state={})


def _bound(address: Address) -> socket.socket:
    """Return a socket bound to the address, which does not listen yet."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # With the protocol named: asyncio turns Nagle's algorithm off only for sockets that
    # say TCP, and left on it holds each answer's body back for 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # Connections of before may still be winding down on this port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener
