"""The few requests a runtime needs to start and stop a daemon.

A plain connection each, past any proxy of the environment and without the client that
measures: what happens here is never part of a number.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
)
from threading import Event, Timer
from typing import NamedTuple
from urllib.parse import urlsplit

from harness.errors import UsageError

BODY_LIMIT_BYTES = 64 * 2**10
"""Of an answer's body no more is read: a health answer is one line."""


class Answer(NamedTuple):
    """What came back: the status code and the body, cut at `BODY_LIMIT_BYTES`."""

    status: int
    body: bytes


def normal_url(url: str) -> str:
    """Check a daemon's URL and take the slash off its end.

    Raises:
        UsageError: It is no http or https address of a host.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and parts.port != 0 and not (parts.query or parts.fragment)
        # A label that is empty or over 63 characters is known to no name server.
        host = (parts.hostname or "").encode("idna").decode("ascii")
        usable = usable and _is_plain(host) and _is_plain(parts.path)
    except ValueError:
        usable = False
    if not usable or parts.username is not None:
        raise UsageError(
            f"{url!r} is not a daemon's address.",
            where="--url",
            remedy="Write it as http://HOST:PORT; a token goes into HARNESS_TOKEN.",
        )
    return url.rstrip("/")


def _is_plain(text: str) -> bool:
    """Tell whether *text* can stand in a request's first line as it is."""
    return text.isascii() and text.isprintable() and " " not in text


def request(
    method: str, url: str, *, token: str | None = None, timeout_s: float
) -> Answer | None:
    """Send one request without a body; ``None`` when no whole answer came.

    Args:
        method: HTTP method.
        url: Whole address, path included.
        token: Bearer token to send along.
        timeout_s: Limit for connecting, and for all that comes after it.
    """
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout_s)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        connection.connect()
        with _hung_up_after(timeout_s, connection.sock):
            connection.request(method, parts.path or "/", headers=headers)
            return _whole(connection.getresponse())
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


@contextmanager
def _hung_up_after(timeout_s: float, connected: socket.socket) -> Iterator[None]:
    """End the connection from this side when the time is over.

    The socket's own time-out starts anew with every byte that trickles in.

    Raises:
        TimeoutError: The time was over, so that what was read is not to be believed.
    """
    is_over = Event()

    def hang_up() -> None:
        is_over.set()
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = Timer(timeout_s, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if is_over.is_set():
        raise TimeoutError


def _whole(response: HTTPResponse) -> Answer | None:
    """Read the body up to the limit; ``None`` where it ends before it should."""
    body = response.read(BODY_LIMIT_BYTES)
    is_short = bool(response.length) and len(body) < BODY_LIMIT_BYTES
    return None if is_short else Answer(response.status, body)


def health(url: str, *, timeout_s: float = 5.0) -> Answer | None:
    """Ask the daemon at *url* for its health; ``None`` when no whole answer came."""
    return request("GET", f"{url}/api/health", timeout_s=timeout_s)


def is_healthy(url: str, *, timeout_s: float = 5.0) -> bool:
    """Tell whether the daemon at *url* answers its health route with 200."""
    answer = health(url, timeout_s=timeout_s)
    return answer is not None and answer.status == 200
