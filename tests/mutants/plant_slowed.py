"""The reference daemon, made slower by a share of its own search time.

Runs in the daemon's environment, as ``python -m plant_slowed`` in place of ``python -m
palace``; ``SLOWED_BY`` is the share, such as 0.2. The time is spent computing, as a
slower ranking would: sleeping would let the other side have the processor.
"""

import os
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from palace.__main__ import main
from palace.gate import Gate

SHARE = float(os.environ.get("SLOWED_BY", "0"))

Message = MutableMapping[str, Any]  # ASGI's own words
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_call = Gate.__call__


async def _slowed(gate: Gate, scope: Message, receive: Receive, send: Send) -> None:
    """Hold a search's answer back until its share has passed as well."""
    began = time.perf_counter()

    async def late(message: Message) -> None:
        if message["type"] == "http.response.start":
            until = time.perf_counter() + SHARE * (time.perf_counter() - began)
            while time.perf_counter() < until:
                pass
        await send(message)

    is_search = scope.get("path") == "/api/search"
    await _call(gate, scope, receive, late if is_search else send)


if __name__ == "__main__":
    setattr(Gate, "__call__", _slowed)  # noqa: B010 - a method is replaced on purpose
    sys.exit(main([]))
