"""Sends texts to the embedding provider, in batches, more than once if need be."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from palace.provider.answer import Answer
from palace.provider.batches import Caps, batches, check_texts
from palace.provider.failures import (
    FAILED,
    RATE_LIMITED,
    TIMEOUT,
    UNREACHABLE,
    ProviderFailed,
    Transient,
)
from palace.provider.patience import (
    FOR_LOADS,
    FOR_QUERIES,
    Deadline,
    Patience,
    retry_after_s,
)

# A number of a vector takes about 20 bytes as JSON; more than this is not an answer.
_MAX_BYTES_PER_NUMBER: Final = 64
_MAX_BYTES_BESIDE: Final = 1 << 20

# Enough to keep a service busy, too few to bring a small one down. Half of them are
# for loads at most, so that a query never waits behind a load for a connection.
_MAX_CONNECTIONS: Final = 8
_MAX_LOADING: Final = 4

_TOO_MANY_REQUESTS: Final = 429
_REQUEST_TIMEOUT: Final = 408

_CAPS: Final = Caps()


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
        query_budget_s: For a query as a whole, all attempts and pauses included.
        encoding: How vectors are asked for. Every service knows ``float``; ``base64``
            is a third of the bytes and a tenth of the parsing.
        transport: Replaces the network in tests.
        patience: When to try a load again and when to give up.
        query_patience: The same of a query, whose budget may end it sooner.

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
        query_budget_s: float = 2.0,
        encoding: Literal["float", "base64"] = "float",
        transport: httpx.AsyncBaseTransport | None = None,
        patience: Patience = FOR_LOADS,
        query_patience: Patience = FOR_QUERIES,
    ) -> None:
        base = _checked_url(url)
        self.model = model
        self.dimension = dimension
        self._endpoint = base.copy_with(path=base.path.rstrip("/") + "/embeddings")
        self._name = f"{base.scheme}://{base.netloc.decode('ascii')}{base.path}"
        self._timeout_s = timeout_s
        self._query_budget_s = query_budget_s
        self._is_base64 = encoding == "base64"
        self._patience = patience
        self._query_patience = query_patience
        self._loading = asyncio.Semaphore(_MAX_LOADING)
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

    async def embed(
        self, texts: Sequence[str], caps: Caps = _CAPS
    ) -> NDArray[np.float32]:
        """Return one vector for each of *texts*, one a row, in their order.

        Vectors come as the provider made them, not normalised. Long lists are sent in
        several requests, some of them at the same time; when one of those fails, so
        does the call.

        Raises:
            UnusableText: A text is blank or holds a lone surrogate.
            ProviderFailed: The provider is away, refused, or answered with something
                unusable. Rate limits, server errors and time-outs have been retried.
        """
        check_texts(texts)
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        try:
            async with asyncio.TaskGroup() as group:
                parts = [
                    group.create_task(self._load(batch))
                    for batch in batches(texts, caps)
                ]
        except BaseExceptionGroup as problems:
            failure = problems.exceptions[0]
        else:
            return np.concatenate([part.result() for part in parts])
        # Out here the group does not hang on as the context.
        raise failure

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query, within the budget that queries have.

        All attempts and pauses together keep it: when the provider asks for a longer
        pause than is left, the call fails at once.

        Raises:
            UnusableText: The text is blank or holds a lone surrogate.
            ProviderFailed: As for `embed`; ``timeout`` when the budget is used up by an
                attempt.
        """
        check_texts([text])
        deadline = Deadline(self._query_budget_s)
        vectors = await self._embed_batch([text], self._query_patience, deadline)
        vector: NDArray[np.float32] = vectors[0]
        return vector

    async def close(self) -> None:
        """Close the connections; a second time does nothing."""
        await self._client.aclose()

    async def _load(self, texts: Sequence[str]) -> NDArray[np.float32]:
        async with self._loading:
            return await self._embed_batch(texts, self._patience, Deadline(None))

    async def _embed_batch(
        self, texts: Sequence[str], patience: Patience, deadline: Deadline
    ) -> NDArray[np.float32]:
        request = {"model": self.model, "input": texts, "dimensions": self.dimension}
        if self._is_base64:
            request["encoding_format"] = "base64"
        retrying = patience.retrying(self._timeout_s, deadline)
        answer = Answer(
            self._name,
            await retrying(self._post, orjson.dumps(request), len(texts), deadline),
            takes_base64=self._is_base64,
        )
        return answer.vectors(len(texts), self.dimension)

    async def _post(self, body: bytes, n_texts: int, deadline: Deadline) -> bytes:
        """Make one attempt, and bring whatever happens down to our own exceptions."""
        limit = n_texts * self.dimension * _MAX_BYTES_PER_NUMBER + _MAX_BYTES_BESIDE
        limit_s = max(0.0, min(self._timeout_s, deadline.left_s))
        problem: ProviderFailed
        try:
            async with (
                asyncio.timeout(limit_s),
                self._client.stream("POST", self._endpoint, content=body) as response,
            ):
                self._check_status(response)
                return await self._read(response, limit)
        except (TimeoutError, httpx.TimeoutException):
            problem = Transient(
                TIMEOUT, f"{self._name} did not answer within {limit_s:.3g} s"
            )
        except httpx.TransportError as error:
            problem = Transient(
                UNREACHABLE, f"{self._name} cannot be reached ({type(error).__name__})"
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
        if status == _TOO_MANY_REQUESTS:
            raise Transient(RATE_LIMITED, message, retry_after_s(response.headers))
        if status == _REQUEST_TIMEOUT or response.is_server_error:
            raise Transient(FAILED, message, retry_after_s(response.headers))
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
