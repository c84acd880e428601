"""One request and its response, over the little of ASGI that is needed here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from embedder.answers import Reply
from embedder.errors import Refused

# The protocol's own types: what a message holds depends on its "type".
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# 2,048 texts of 16 kB.
_MAX_BODY: Final = 32 << 20
# How much more is read, and thrown away, so that the client gets to see the refusal.
_MAX_DISCARDED: Final = 256 << 20
_BODY_S: Final = 30.0


class ClientGone(Exception):
    """The client closed the connection before it had its answer."""


class Exchange:
    """A request to be answered once.

    Args:
        scope: What is known of the request: method, path, headers.
        receive: Waits for a part of the body, or for the client's leaving.
        send: Sends a part of the response.
        abort: Closes the connection, whatever state it is in.
    """

    def __init__(
        self,
        scope: Message,
        receive: Receive,
        send: Send,
        abort: Callable[[], None],
    ) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]
        self._receive = receive
        self._send = send
        self._abort = abort

    def header(self, name: bytes) -> bytes | None:
        """Return the first value of a header, named in lower case."""
        for each, value in self._headers:
            if each == name:
                return value
        return None

    async def body(self) -> bytes:
        """Return the whole body.

        Raises:
            ClientGone: Before all of it had come.
            Refused: It is too large (413) or takes too long (408).
        """
        try:
            async with asyncio.timeout(_BODY_S):
                return await self._read()
        except TimeoutError:
            raise Refused(
                408, f"The body did not arrive within {_BODY_S:g} s."
            ) from None

    async def send(self, reply: Reply) -> None:
        """Send the response; when the client is gone, nothing happens."""
        headers = [
            (b"content-type", reply.content_type),
            (b"content-length", b"%d" % len(reply.body)),
            *reply.headers,
        ]
        if reply.status in (408, 413):
            # The rest of the body may be on its way still.
            headers.append((b"connection", b"close"))
        await self._send(
            {
                "type": "http.response.start",
                "status": reply.status,
                "headers": headers,
            }
        )
        await self._send({"type": "http.response.body", "body": reply.body})

    async def pause(self, seconds: float, until: asyncio.Event | None = None) -> None:
        """Wait for *seconds* or the event, whichever comes first.

        The body must have been read.

        Raises:
            ClientGone: The client did not wait.
        """
        gone = asyncio.ensure_future(self._gone())
        waiting: set[asyncio.Future[Any]] = {gone}
        if until is not None:
            waiting.add(asyncio.ensure_future(until.wait()))
        try:
            await asyncio.wait(
                waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if gone.done():
                raise ClientGone
        finally:
            for each in waiting:
                each.cancel()

    async def cut(self) -> None:
        """Close the connection without a response."""
        self._abort()
        await self._gone()

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _read(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            part: bytes = message["body"]
            size += len(part)
            if size <= _MAX_BODY:
                parts.append(part)
            else:
                parts.clear()
            if not message["more_body"] or size > _MAX_DISCARDED:
                break
        if size > _MAX_BODY:
            raise Refused(
                413, f"The body has more than {_MAX_BODY:,} bytes; send fewer texts."
            )
        return b"".join(parts)
