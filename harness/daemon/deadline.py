"""A transport for httpx under which a whole request has one time limit.

httpx's own time-outs start anew with every byte, so an answer whose head comes a byte
a second is waited for almost without end. Here each wait at the socket gets what is
left of the request's time. That costs a look at the clock a read, and no thread.
"""

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx

_PIECE = 1 << 16
"""Bytes of a request written with one look at the clock."""
_FAULTS = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)


class Deadline:
    """How long the request under way may still take.

    Args:
        timeout_s: Seconds a whole request may take.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._end = 0.0

    def start(self) -> None:
        """Begin a request: from now on its time runs."""
        self._end = time.monotonic() + self._timeout_s

    def left(self, kind: type[httpcore.TimeoutException], most: float | None) -> float:
        """Return the seconds left, above 0 and not over *most*.

        Raises:
            TimeoutException: None are left; of *kind*, which says what was waited for.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise kind("the time for the whole request is over")
        return left if most is None else min(left, most)


class DeadlineTransport(httpx.BaseTransport):
    """Send requests one after another over one kept connection, each in its time.

    Args:
        timeout_s: Most seconds a request may take, from its start to its last byte.
        ssl_context: For an address of ``https:``.
    """

    def __init__(
        self, timeout_s: float, *, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        self._deadline = Deadline(timeout_s)
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context,
            max_connections=1,
            max_keepalive_connections=1,
            keepalive_expiry=None,
            network_backend=_Backend(self._deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send *request* and return its answer once the head is there."""
        self._deadline.start()
        url = request.url
        assert isinstance(request.stream, httpx.SyncByteStream)
        with _as_httpx():
            answer = self._pool.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(
                        scheme=url.raw_scheme,
                        host=url.raw_host,
                        port=url.port,
                        target=url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close the kept connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@contextmanager
def _as_httpx() -> Iterator[None]:
    """Raise what httpcore raises as the error of the same name that httpx has."""
    try:
        yield
    except _FAULTS as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error


class _Backend(httpcore.SyncBackend):
    """Open connections whose every wait ends with the request's time."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect within what is left of the request's time."""
        left = self._deadline.left(httpcore.ConnectTimeout, timeout)
        stream = super().connect_tcp(host, port, left, local_address, socket_options)
        return _Stream(stream, self._deadline)


class _Stream(httpcore.NetworkStream):
    """A connection whose every wait ends with the request's time."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._deadline.left(httpcore.ReadTimeout, timeout)
        return self._stream.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for begin in range(0, len(buffer), _PIECE):
            left = self._deadline.left(httpcore.WriteTimeout, timeout)
            self._stream.write(buffer[begin : begin + _PIECE], left)

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(httpcore.ConnectTimeout, timeout)
        return _Stream(
            self._stream.start_tls(ssl_context, server_hostname, left), self._deadline
        )

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
