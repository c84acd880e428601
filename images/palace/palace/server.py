"""Serving: bind, listen, say so, drain, and exit with 0 when asked to stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import structlog
import uvicorn

from palace import __version__
from palace.app import create_app
from palace.errors import StartupError
from palace.logs import set_up_logs
from palace.settings import Settings

_LOG = structlog.get_logger(__name__)

# How long requests under way get to finish once the daemon is asked to stop.
_DRAIN_S = 10
_BACKLOG = 2048
# What is in memory stays there, and a load makes it by the thousand: looking for cycles
# in it as often as usual costs a fifth of the load.
_GC_THRESHOLDS = (50_000, 20, 50)

EXIT_STARTUP = 1
"""The daemon could not start; its last log line says why."""


def serve(settings: Settings) -> int:
    """Run the daemon until it is asked to stop, and return its exit code."""
    set_up_logs(settings.log)
    try:
        listener = _listen(settings.host, settings.port)
    except OSError as problem:
        _LOG.error(
            "cannot_listen",
            host=settings.host,
            port=settings.port,
            reason=problem.strerror or str(problem),
            remedy="free the port, or set PALACE_BIND to another (port 0 picks one)",
        )
        return EXIT_STARTUP
    gc.set_threshold(*_GC_THRESHOLDS)
    runner = asyncio.Runner(
        debug=settings.build == "debug", loop_factory=_loop(settings)
    )
    with listener, runner:
        return runner.run(_serve(settings, listener))


async def _serve(settings: Settings, listener: socket.socket) -> int:
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        http="httptools",
        loop="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_DRAIN_S,
    )
    server = _Server(config, listener, settings.ready_file)
    app.state.stop = server.stop
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    try:
        async with app.router.lifespan_context(app):
            await server.serve(sockets=[listener])
    except StartupError as problem:
        _LOG.error("cannot_start", reason=str(problem))
        return EXIT_STARTUP
    except asyncio.CancelledError:
        # Nothing but a signal before the daemon listened cancels this task.
        _LOG.info("stopped_while_starting")
        return 0
    _LOG.info("stopped")
    return 0


class _Server(uvicorn.Server):
    """Uvicorn, saying when it listens and leaving with 0 after a signal.

    Uvicorn's own handling raises the signal again once it has drained, so that a
    daemon asked to stop would seem to have been killed.
    """

    def __init__(
        self, config: uvicorn.Config, listener: socket.socket, ready_file: Path | None
    ) -> None:
        super().__init__(config)
        self._listener = listener
        self._ready_file = ready_file
        self._task = asyncio.current_task()

    def stop(self) -> None:
        """Take no new requests, let those under way finish, and return.

        Asked again, or before it listens, it does not wait for anything.
        """
        self.force_exit = self.should_exit
        self.should_exit = True
        if not self.started and self._task is not None:
            self._task.cancel()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = self._listener.getsockname()[:2]
        _LOG.info("listening", host=host, port=port, version=__version__)
        if self._ready_file is not None:
            _write_ready(self._ready_file, host, port)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `_serve`, which handles them from the start on."""
        yield


def _loop(settings: Settings) -> type[asyncio.AbstractEventLoop] | None:
    """Return the fast event loop for a release, asyncio's own for a debug build."""
    if settings.build == "debug" or sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415  not there on Windows, not wanted when debugging

    loop: type[asyncio.AbstractEventLoop] = uvloop.Loop
    return loop


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address; port 0 lets the system pick."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named: asyncio turns Nagle's algorithm off only for sockets that
    # say TCP, and left on it holds each answer's body back for 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def _write_ready(path: Path, host: str, port: int) -> None:
    """Write where the daemon listens, whole or not at all."""
    facts = json.dumps({"host": host, "port": port, "pid": os.getpid()})
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(facts + "\n", encoding="utf-8")
    beside.replace(path)
