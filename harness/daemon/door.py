"""One request out, one checked answer in: all that a request can meet is named here.

Requests go one after another over one kept connection. Nothing is ever repeated: a
second try of a write could store it twice, and one inside a timed section would hide
the fault it met.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

import httpx
import orjson
from pydantic import TypeAdapter, ValidationError

from harness.daemon import faults
from harness.daemon.deadline import DeadlineTransport
from harness.daemon.timing import REAL_TIME, Instants, Time, WireTrace
from harness.errors import UsageError

T = TypeVar("T")

CONNECT_TIMEOUT_S = 5.0
ANSWER_LIMIT_BYTES = 64 * 2**20
DYING_S = 0.2
"""How long a process may take from closing its sockets to being seen as ended."""


def path_of(*segments: str) -> str:
    """Join path segments, each percent-encoded whole, under ``/api``.

    A wing may be called ``..`` or hold a slash; neither may reach another route.

    >>> path_of("wings", "a/b", "rooms")
    '/api/wings/a%2Fb/rooms'
    """
    encoded = (quote(segment, safe="") for segment in segments)
    return "/api/" + "/".join(
        part.replace(".", "%2E") if part in {".", ".."} else part for part in encoded
    )


def encoded(body: object) -> bytes:
    """Write a request's body as JSON; bytes are taken to be that already."""
    if isinstance(body, bytes):
        return body
    return orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer as it came, any status."""

    call: str
    """Method and path, for messages."""
    status: int
    headers: httpx.Headers
    body: bytes
    intended: float
    trace: WireTrace

    @property
    def is_success(self) -> bool:
        """Whether the status is one of the 200s."""
        return 200 <= self.status < 300


class Door:
    """Send requests to one daemon and name every way they can fail.

    Args:
        url: The daemon's base URL, without a path.
        token: Sent as a bearer token; never part of a message.
        timeout_s: Most seconds a request may take, from its start to its last byte.
        transport: Stands in for the network in tests.
        time: The clock every instant is read from.
        check: Called first when a request fails; raises what it knows to be the cause,
            such as a daemon or database process that ended.

    Raises:
        UsageError: The address or the token cannot be used in a request.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout_s: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        time: Time = REAL_TIME,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.url = _usable(url)
        self.time = time
        self._timeout_s = timeout_s
        self._check = check
        self._client = httpx.Client(
            base_url=self.url,
            headers=_headers(token),
            # The transport has a limit for the whole request.
            timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
            transport=_transport(self.url, timeout_s)
            if transport is None
            else transport,
            # A proxy named in the environment is not between us and a daemon here.
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the kept connection."""
        self._client.close()

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        intended: float | None = None,
    ) -> Reply:
        """Send one request and take the whole answer, whatever its status.

        Args:
            method: HTTP method.
            path: Encoded path, see `path_of`; may carry a query string.
            body: Sent as JSON; numpy arrays of numbers are written as lists. Bytes are
                JSON that was written before, and sent as they are.
            intended: When the request should have left; now, where missing.

        Raises:
            DaemonError: No whole answer came.
        """
        started = self.time.clock()
        trace = WireTrace(self.time.clock)
        call = f"{method} {faults.shortened(path)}"
        content = None if body is None else encoded(body)
        try:
            request = self._client.build_request(
                method,
                path,
                content=content,
                headers=None if body is None else {"Content-Type": "application/json"},
                extensions={"trace": trace},
            )
            response, answered = self._exchange(request, call, started=started)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            # Of what a daemon says, only an encoding or an id can lead here.
            raise faults.unreadable(call, error, where=self.url) from error
        return Reply(
            call=call,
            status=response.status_code,
            headers=response.headers,
            body=answered,
            intended=started if intended is None else intended,
            trace=trace,
        )

    def _exchange(
        self, request: httpx.Request, call: str, *, started: float
    ) -> tuple[httpx.Response, bytes]:
        try:
            response = self._client.send(request, stream=True)
            try:
                return response, self._read(response, call, started=started)
            finally:
                response.close()
        except httpx.TimeoutException as error:
            self.blame_the_dead()
            raise faults.too_slow(call, self._timeout_s, where=self.url) from error
        except httpx.ConnectError as error:
            self.blame_the_dead()
            raise faults.unreachable(call, error, where=self.url) from error
        except httpx.TransportError as error:
            self.blame_the_dead()
            raise faults.cut_off(call, error, where=self.url) from error

    def _read(self, response: httpx.Response, call: str, *, started: float) -> bytes:
        """Read to the end, but neither for ever nor without bound."""
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if size > ANSWER_LIMIT_BYTES:
                raise faults.too_large(call, ANSWER_LIMIT_BYTES, where=self.url)
            if self.time.clock() - started > self._timeout_s:
                raise faults.too_slow(call, self._timeout_s, where=self.url)
        return b"".join(chunks)

    def take(self, reply: Reply, shape: TypeAdapter[T]) -> T:
        """Decode the answer of a call that must have succeeded.

        Raises:
            DaemonError: The status is 500 or above, or the token was refused.
            DaemonProtocolError: Another status, no JSON, or JSON of another shape.
        """
        self.must_succeed(reply)
        try:
            return shape.validate_python(orjson.loads(reply.body))
        except orjson.JSONDecodeError as error:
            raise faults.not_json(
                reply.call, reply.status, reply.body, where=self.url
            ) from error
        except ValidationError as error:
            raise faults.wrong_shape(reply.call, error, where=self.url) from error

    def must_succeed(self, reply: Reply) -> None:
        """Refuse an answer that is not a success; its body is not looked at.

        Raises:
            DaemonError: The status is 500 or above, or the token was refused.
            DaemonProtocolError: Any other status outside the 200s.
        """
        if reply.is_success:
            return
        if reply.status >= 500:
            self.blame_the_dead()
        raise faults.refused(reply.call, reply.status, reply.body, where=self.url)

    def instants(self, reply: Reply) -> Instants:
        """Close the stopwatch of *reply*: its caller has what it asked for."""
        return reply.trace.instants(intended=reply.intended, returned=self.time.clock())

    def blame_the_dead(self) -> None:
        """Let a process that ended explain a failed request, if one did."""
        self._check()
        self.time.pause(DYING_S)
        self._check()


def _transport(url: str, timeout_s: float) -> DeadlineTransport:
    # Loading certificates takes longer than a search; plain HTTP has none.
    secured = url.startswith("https:")
    context = httpx.create_ssl_context(trust_env=False) if secured else None
    return DeadlineTransport(timeout_s, ssl_context=context)


def _usable(url: str) -> str:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise faults.unusable_url(url) from error
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise faults.unusable_url(url)
    return url.rstrip("/")


def _headers(token: str | None) -> dict[str, str]:
    # Decompressing would be our work inside the round trip.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    if token is not None:
        if not (token.isascii() and token.isprintable() and token):
            raise UsageError(
                "the daemon's token holds characters a header cannot carry.",
                remedy="Give it without line ends or accents.",
            )
        headers["Authorization"] = f"Bearer {token}"
    return headers
