"""What stands in for a daemon, the network and the clock in tests of the harness."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from socketserver import StreamRequestHandler, ThreadingTCPServer
from types import TracebackType
from typing import Literal, Protocol

import httpx

from harness.daemon.timing import DONE, FIRST_BYTE, SENT, Instants, Time
from harness.runtime.base import RunningDaemon
from tests.fake_palace import Answer, FakePalace


class FakeTime:
    """Clocks that stand still until somebody waits or a request is under way."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.pauses: list[float] = []
        self.time = Time(clock=self._clock, pause=self._pause, utc=self._utc)

    def advance(self, seconds: float) -> None:
        """Let time go by."""
        self.seconds += seconds

    def _clock(self) -> float:
        return self.seconds

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.advance(seconds)

    def _utc(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)


def an_instant(at: float = 100.0) -> Instants:
    """Make a request that took no time."""
    return Instants(intended=at, sent=at, first_byte=at, done=at, returned=at)


class Handling(Protocol):
    """A fake that answers requests."""

    def handle(self, method: str, target: str, body: bytes) -> Answer:
        """Answer one request."""


def transport(
    palace: Handling,
    time: FakeTime | None = None,
    *,
    first_byte_s: float = 0.002,
    body_s: float = 0.001,
) -> httpx.MockTransport:
    """Put a fake behind httpx, telling of the steps of a request as httpcore does."""
    moving = time or FakeTime()

    def handle(request: httpx.Request) -> httpx.Response:
        tell = request.extensions["trace"]
        tell(SENT, {})
        moving.advance(first_byte_s)
        reply = palace.handle(
            request.method, request.url.raw_path.decode(), request.read()
        )
        tell(FIRST_BYTE, {})
        moving.advance(body_s)
        tell(DONE, {})
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body)

    return httpx.MockTransport(handle)


@contextmanager
def served(palace: Handling) -> Iterator[str]:
    """Serve a fake on a loopback port; yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            reply = palace.handle(self.command, self.path, self.rfile.read(length))
            head = [f"HTTP/1.1 {reply.status} -", f"Content-Length: {len(reply.body)}"]
            head += [f"{name}: {value}" for name, value in reply.headers.items()]
            # One write, so that no packet waits for the other's acknowledgement.
            self.wfile.write("\r\n".join([*head, "", ""]).encode() + reply.body)

        do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - names http.server calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class FakeRuntime:
    """A runtime whose daemon is a fake on a loopback port."""

    name: Literal["live"] = "live"
    reason = "a fake"

    def __init__(
        self, palace: FakePalace, check: Callable[[], None] = lambda: None
    ) -> None:
        self.palace = palace
        self.check = check
        self._served = served(palace)

    def __enter__(self) -> RunningDaemon:
        self.palace.log.append("start")
        return RunningDaemon(self._served.__enter__(), None, self.check)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.palace.log.append("stop")
        self._served.__exit__(kind, error, trace)


@contextmanager
def speaking(raw: bytes | None, *, pause_s: float = 0.0) -> Iterator[str]:
    """Listen on a loopback port and answer every request with *raw*, then hang up.

    Args:
        raw: Bytes on the wire, HTTP or not; ``None`` never answers and never hangs up.
        pause_s: Wait that long after each byte, where above 0.
    """
    over = threading.Event()

    def drip(to: BufferedIOBase, raw: bytes) -> None:
        with suppress(OSError):  # whoever asked has hung up
            for byte in raw:
                to.write(bytes([byte]))
                if over.wait(pause_s):
                    return

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            if raw is None:
                over.wait(10)
            elif pause_s:
                drip(self.wfile, raw)
            else:
                self.wfile.write(raw)

    server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def a_free_port() -> int:
    """Return a port nobody listens on right now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
