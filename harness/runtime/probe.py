"""The few requests a runtime needs to start and stop a daemon.

A plain connection each, past any proxy of the environment and without the client that
measures: what happens here is never part of a number.
"""

from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

from harness.errors import UsageError


class Answer(NamedTuple):
    """What came back: the status code and the body."""

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
    except ValueError:
        usable = False
    if not usable or parts.username is not None:
        raise UsageError(
            f"{url!r} is not a daemon's address.",
            where="--url",
            remedy="Write it as http://HOST:PORT; a token goes into HARNESS_TOKEN.",
        )
    return url.rstrip("/")


def request(
    method: str, url: str, *, token: str | None = None, timeout_s: float
) -> Answer | None:
    """Send one request without a body; ``None`` when no whole answer came.

    Args:
        method: HTTP method.
        url: Whole address, path included.
        token: Bearer token to send along.
        timeout_s: Limit for connecting and for each read.
    """
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout_s)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        connection.request(method, parts.path or "/", headers=headers)
        response = connection.getresponse()
        return Answer(response.status, response.read())
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def health(url: str, *, timeout_s: float = 5.0) -> Answer | None:
    """Ask the daemon at *url* for its health; ``None`` when no whole answer came."""
    return request("GET", f"{url}/api/health", timeout_s=timeout_s)


def is_healthy(url: str, *, timeout_s: float = 5.0) -> bool:
    """Tell whether the daemon at *url* answers its health route with 200."""
    answer = health(url, timeout_s=timeout_s)
    return answer is not None and answer.status == 200
