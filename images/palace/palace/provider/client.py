"""Sends texts to the embedding provider, in batches, more than once if need be."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

import httpx
import numpy as np
import orjson
import structlog
from numpy.typing import NDArray
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    stop_after_delay,
)

from palace.provider.answer import Answer
from palace.provider.failures import (
    FAILED,
    ProviderFailed,
    Transient,
    UnusableText,
)

_LOG = structlog.get_logger(__name__)

# Services cap a request by its inputs and by the tokens of all of them together, and
# answer 400 above that; both are far below what any of them is known to refuse.
_MAX_TEXTS: Final = 16
_MAX_TOKENS: Final = 32_000

# About one token for three bytes: too many for English, about right for Chinese.
_BYTES_PER_TOKEN: Final = 3

# A number of a vector takes about 20 bytes as JSON; more than this is not an answer.
_MAX_BYTES_PER_NUMBER: Final = 64
_MAX_BYTES_BESIDE: Final = 1 << 20

# Enough to keep a service busy, too few to bring a small one down.
_MAX_CONNECTIONS: Final = 8

_TOO_MANY_REQUESTS: Final = 429
_REQUEST_TIMEOUT: Final = 408


class Patience(NamedTuple):
    """How long to go on with a provider that is busy, down or slow."""

    attempts: int = 3
    """Requests at most, the first one included."""
    first_wait_s: float = 0.25
    """Pause after the first failure; doubles with each further one."""
    longest_wait_s: float = 20.0
    """No pause is longer, whatever ``Retry-After`` asks for."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """How to wait; replaced in tests."""


class EmbeddingProvider:
    """Embed texts through ``POST {url}/embeddings``.

    One object serves any number of concurrent calls on one event loop.

    Args:
        url: Base address, as in ``https://host/v1``. It may be shown, so it must hold
            no credentials.
        model: The service's name for the model.
        dimension: Length that every vector must have; also asked for.
        api_key: Sent as a bearer token when given.
        timeout_s: For one attempt as a whole. No further attempt is made once a request
            has taken twice that.
        transport: Replaces the network in tests.
        patience: When to try again and when to give up.

    Raises:
        ValueError: The address is not http or https or holds credentials, or the key
            cannot stand in a header.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        url: str,
        model: str,
        dimension: int,
        api_key: str | None = None,
        timeout_s: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
        patience: Patience | None = None,
    ) -> None:
        base = _checked_url(url)
        self.model = model
        self.dimension = dimension
        self._endpoint = base.copy_with(path=base.path.rstrip("/") + "/embeddings")
        self._name = f"{base.scheme}://{base.netloc.decode('ascii')}{base.path}"
        self._timeout_s = timeout_s
        self._patience = patience or Patience()
        self._client = httpx.AsyncClient(
            headers=_headers(api_key),
            timeout=timeout_s,
            limits=httpx.Limits(max_connections=_MAX_CONNECTIONS),
            transport=transport,
            # A proxy of the environment has no way to this machine's own loopback.
            trust_env=base.host not in ("localhost", "127.0.0.1", "::1"),
        )

    def __repr__(self) -> str:
        return f"EmbeddingProvider({self._name!r}, {self.model!r}, {self.dimension})"

    async def embed(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return one vector for each of *texts*, in their order.

        Vectors come as the provider made them, not normalised. Long lists are sent in
        several requests, one after the other; when one of those fails, so does the
        call.

        Raises:
            UnusableText: A text is blank or holds a lone surrogate.
            ProviderFailed: The provider is away, refused, or answered with something
                unusable. Rate limits, server errors and time-outs have been retried.
        """
        for place, text in enumerate(texts):
            _check_text(place, text)
        vectors: list[NDArray[np.float32]] = []
        for batch in _batches(texts):
            vectors.extend(await self._embed_batch(batch))
        return vectors

    async def close(self) -> None:
        """Close the connections; a second time does nothing."""
        await self._client.aclose()

    async def _embed_batch(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        body = orjson.dumps(
            {"model": self.model, "input": texts, "dimensions": self.dimension}
        )
        patience = self._patience
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(Transient),
            stop=stop_after_attempt(patience.attempts)
            | stop_after_delay(2 * self._timeout_s),
            wait=self._pause_s,
            sleep=patience.sleep,
            before_sleep=self._log_retry,
            reraise=True,
        )
        answer = Answer(self._name, await retrying(self._post, body, len(texts)))
        return answer.vectors(len(texts), self.dimension)

    async def _post(self, body: bytes, n_texts: int) -> bytes:
        """Make one attempt, and bring whatever happens down to our own exceptions."""
        limit = n_texts * self.dimension * _MAX_BYTES_PER_NUMBER + _MAX_BYTES_BESIDE
        problem: ProviderFailed
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._client.stream("POST", self._endpoint, content=body) as response,
            ):
                self._check_status(response)
                return await self._read(response, limit)
        except (TimeoutError, httpx.TimeoutException):
            problem = Transient(
                f"{self._name} did not answer within {self._timeout_s:g} s"
            )
        except httpx.TransportError as error:
            problem = Transient(
                f"{self._name} cannot be reached ({type(error).__name__})"
            )
        except httpx.HTTPError as error:
            problem = ProviderFailed(
                FAILED,
                f"{self._name} answered something unreadable ({type(error).__name__})",
            )
        # Out here the exception of the HTTP library is not kept as the context.
        raise problem

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if response.is_success:
            return
        message = f"{self._name} answered {status}"
        if status in (_TOO_MANY_REQUESTS, _REQUEST_TIMEOUT) or response.is_server_error:
            raise Transient(message, _retry_after_s(response.headers))
        raise ProviderFailed(FAILED, message)

    async def _read(self, response: httpx.Response, limit: int) -> bytes:
        received = bytearray()
        async for chunk in response.aiter_bytes():
            received += chunk
            if len(received) > limit:
                raise ProviderFailed(
                    FAILED, f"{self._name} answered more than {limit} bytes"
                )
        return bytes(received)

    def _pause_s(self, state: RetryCallState) -> float:
        problem = state.outcome.exception() if state.outcome else None
        wanted = problem.retry_after_s if isinstance(problem, Transient) else None
        if wanted is None:
            doublings: int = state.attempt_number - 1
            wanted = self._patience.first_wait_s * 2**doublings
        return min(wanted, self._patience.longest_wait_s)

    def _log_retry(self, state: RetryCallState) -> None:
        problem = state.outcome.exception() if state.outcome else None
        _LOG.warning(
            "embeddings_retry",
            reason=str(problem),
            attempt=state.attempt_number,
            wait_s=state.upcoming_sleep,
        )


def _checked_url(url: str) -> httpx.URL:
    try:
        base = httpx.URL(url)
    except httpx.InvalidURL:
        base = httpx.URL("")
    if base.scheme not in ("http", "https") or not base.host:
        raise ValueError("the embeddings address is not an http:// or https:// URL")
    if base.userinfo:
        raise ValueError(
            "the embeddings address holds credentials, which logs would show;"
            " set the embeddings key instead"
        )
    return base


def _headers(api_key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json"}
    if api_key is not None:
        # Checked here, because the HTTP library would show a bad value in its error.
        if not (api_key.isascii() and api_key.isprintable()) or " " in api_key:
            raise ValueError("the embeddings key has a character no header can carry")
        headers["Authorization"] = f"Bearer {api_key}"
    return headers


def _check_text(place: int, text: str) -> None:
    if not text.strip():
        raise UnusableText(place, "it is blank")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UnusableText(place, "it holds a lone surrogate") from None


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut *texts* into runs that keep both caps; a huge text travels alone."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        weight = len(text.encode()) // _BYTES_PER_TOKEN + 1
        if batch and (len(batch) == _MAX_TEXTS or tokens + weight > _MAX_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += weight
    if batch:
        yield batch


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """Read ``Retry-After``, seconds or an HTTP date; None when absent or unreadable."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
