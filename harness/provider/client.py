"""Send texts to an endpoint, more than once if need be, and check what comes back."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from harness.errors import PrerequisiteError
from harness.provider.answer import Unusable, Vectors, complaint_of, read_vectors
from harness.provider.counts import Tally
from harness.provider.credentials import DIMENSION, URL, Endpoint
from harness.provider.failures import (
    DimensionError,
    ProviderAnswerError,
    ProviderAwayError,
    ProviderRefusedError,
)
from harness.provider.options import EmbeddingOptions
from harness.provider.patience import Patience, TransientError, retry_after_s
from harness.provider.refusals import NotFiniteError, TooLargeError, failure

PROBE = "How long are your vectors?"
"""The text by which the dimension is found before anything else is done."""

ATTEMPTS_AT_FIRST = 4
CONNECT_TIMEOUT_S = 10.0
LONGEST_VECTOR = 100_000
_BYTES_PER_NUMBER = 64
_BYTES_BESIDE = 2**20
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}

Answered = NDArray[np.float32]


class EmbeddingsClient:
    """Ask one endpoint for vectors; all its methods run on one event loop.

    Args:
        endpoint: Whom to ask.
        options: How many requests at once, and how long each may take.
        tally: Counts what is sent.
        patience: When to try again and when to give up.
        transport: Stands in for the network in tests.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        options: EmbeddingOptions,
        tally: Tally,
        *,
        patience: Patience,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.where = endpoint.url
        self._endpoint = endpoint
        self._timeout_s = options.timeout_s
        self._tally = tally
        self._patience = patience
        self._slots = asyncio.Semaphore(options.in_flight)
        self._held_until_s = 0.0
        self._dimension: int | None = None
        self._asks_dimension = False
        self._http = _http(endpoint, options, transport)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def probe(self) -> Answered:
        """Embed one text, and keep its length as that of all further vectors.

        A model whose vectors have another length than was configured is asked to
        shorten them; the field for that is sent only then, as many endpoints refuse it.

        Raises:
            DimensionError: It has no vectors of the configured length.
            ProviderAwayError: It cannot be reached.
            ProviderRefusedError: It will not serve us.
            ProviderAnswerError: It answered what is no vector.
        """
        vector = await self._probed()
        wanted = self._endpoint.dimension
        if wanted is not None and len(vector) != wanted:
            natural = len(vector)
            self._asks_dimension = True
            try:
                vector = await self._probed()
            except (ProviderRefusedError, ProviderAnswerError):
                vector = vector[:0]
            if len(vector) != wanted:
                raise DimensionError(
                    f"{self._endpoint.model!r} has vectors of length {natural}, "
                    f"{DIMENSION} says {wanted}, and it does not shorten them to that.",
                    where=self.where,
                    remedy=f"Set {DIMENSION} to {natural}, or unset it.",
                )
        self._dimension = len(vector)
        return vector

    async def ask(
        self, texts: Sequence[str], patience: Patience | None = None
    ) -> Answered:
        """Return a row for each of *texts*, in their order; a row may not be finite.

        Rate limits, server errors, broken connections and time-outs are tried again.

        Args:
            texts: At least one, none blank.
            patience: Instead of the one that this client has.

        Raises:
            TooLargeError: The endpoint says that they are too many or too long.
            NotFiniteError: It failed on a vector that is not finite.
            ProviderAwayError: It did not serve the request, however often.
            ProviderRefusedError: It will not serve it.
            ProviderAnswerError: It answered what is no vector.
            DimensionError: Its vectors have another length than when it was probed.
        """
        body: dict[str, object] = {"model": self._endpoint.model, "input": texts}
        if self._asks_dimension:
            body["dimensions"] = self._endpoint.dimension
        patience = patience or self._patience
        retrying = patience.retrying(self._hold, self._sleep_to_retry)
        gave_up: str
        async with self._slots:
            content = orjson.dumps(body)
            try:
                answer: Vectors = await retrying(self._attempt, content, len(texts))
            except TransientError as error:
                gave_up = str(error)
            else:
                return self._of_the_right_length(answer)
        raise ProviderAwayError(
            f"the endpoint did not serve a request: {gave_up}; asked "
            f"{retrying.statistics['attempt_number']} times.",
            where=self.where,
            remedy=f"Is {URL} right, and does it serve now? What was embedded is kept "
            "in the cache, so the next start goes on from here.",
        )

    async def _probed(self) -> Answered:
        try:
            rows = await self.ask([PROBE], self._at_first())
        except (TooLargeError, NotFiniteError) as error:
            said = str(error)
        else:
            if np.isfinite(rows).all() and rows.any():
                vector: Answered = rows[0]
                return vector
            said = "it answered a vector that is not finite, or zero"
        raise ProviderAnswerError(
            f"{self._endpoint.model!r} cannot embed {PROBE!r}: {said}.",
            where=self.where,
            remedy="Is this an embedding model, and is it whole?",
        )

    def _at_first(self) -> Patience:
        """Wait less for an endpoint that never answered: its address may be wrong."""
        attempts = min(self._patience.attempts, ATTEMPTS_AT_FIRST)
        return replace(self._patience, attempts=attempts)

    def _of_the_right_length(self, answer: Vectors) -> Answered:
        rows = answer.rows
        if answer.tokens_billed is not None:
            billed = self._tally.now.tokens_billed or 0
            self._tally.now.tokens_billed = billed + answer.tokens_billed
        if self._dimension is not None and rows.shape[1] != self._dimension:
            raise DimensionError(
                f"{self._endpoint.model!r} answered vectors of length {rows.shape[1]}, "
                f"and of length {self._dimension} when it was probed.",
                where=self.where,
                remedy="Are several models behind one name there?",
            )
        return rows

    async def _attempt(self, content: bytes, n_texts: int) -> Vectors:
        pause_s = self._held_until_s - time.monotonic()
        if pause_s > 0:
            await self._sleep(pause_s)
        with self._tally.request():
            got = await self._exchange(content, n_texts)
        if isinstance(got, Exception):
            # Made below, raised here: no frame of this traceback holds an answer.
            raise got
        return got

    async def _exchange(self, content: bytes, n_texts: int) -> Vectors | Exception:
        """Send one request and take the whole answer; return what went wrong."""
        limit = n_texts * (self._dimension or LONGEST_VECTOR) * _BYTES_PER_NUMBER
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._http.stream(
                    "POST", f"{self.where}/embeddings", content=content
                ) as response,
            ):
                body = await _whole(response, limit + _BYTES_BESIDE)
        except (TimeoutError, httpx.TransportError) as error:
            return TransientError(self._broken(error))
        # Whatever else that library raises has the request, and the key, in its frames.
        except Exception as error:
            return self._unusable(f"something unreadable ({type(error).__name__})")
        if body is None:
            return self._unusable(f"more than {limit + _BYTES_BESIDE} bytes")
        if not response.is_success:
            return self._failure(response, body)
        vectors = read_vectors(body, n_texts)
        return (
            self._unusable(vectors.what) if isinstance(vectors, Unusable) else vectors
        )

    def _failure(self, response: httpx.Response, body: bytes) -> Exception:
        return failure(
            response.status_code,
            self._redacted(complaint_of(body)),
            retry_after_s(response.headers.get("Retry-After", "")),
            where=self.where,
        )

    def _broken(self, error: Exception) -> str:
        if isinstance(error, TimeoutError | httpx.TimeoutException):
            return f"it did not answer within {self._timeout_s:g} s"
        if isinstance(error, httpx.ConnectError):
            return f"it cannot be reached ({self._redacted(str(error))})"
        return f"the connection broke ({type(error).__name__})"

    def _redacted(self, words: str) -> str:
        key = self._endpoint.key
        return words if key is None else key.redact(words)

    def _unusable(self, what: str) -> ProviderAnswerError:
        return ProviderAnswerError(
            f"the endpoint answered {what} to POST /embeddings.",
            where=self.where,
            remedy=f"Is {URL} the base address of an OpenAI-compatible endpoint?",
        )

    def _hold(self, pause_s: float) -> None:
        until_s = time.monotonic() + pause_s
        self._held_until_s = max(self._held_until_s, until_s)

    async def _sleep_to_retry(self, pause_s: float) -> None:
        self._tally.now.retries += 1
        await self._sleep(pause_s)

    async def _sleep(self, pause_s: float) -> None:
        self._tally.now.waited_s += pause_s
        await self._patience.sleep(pause_s)


def _http(
    endpoint: Endpoint,
    options: EmbeddingOptions,
    transport: httpx.AsyncBaseTransport | None,
) -> httpx.AsyncClient:
    try:
        return httpx.AsyncClient(
            # The key is not among the headers, so no frame of a constructor holds it.
            auth=None if endpoint.key is None else endpoint.key.bearer(),
            headers={"Content-Type": "application/json"},
            timeout=httpx.Timeout(options.timeout_s, connect=CONNECT_TIMEOUT_S),
            limits=httpx.Limits(max_connections=options.in_flight),
            transport=transport,
            # A proxy of the environment has no way to this machine's own loopback.
            trust_env=httpx.URL(endpoint.url).host not in _LOOPBACK,
        )
    except (OSError, ValueError, ImportError, httpx.InvalidURL) as error:
        # A proxy's address may hold a password, so only the kind is said.
        kind = type(error).__name__
    raise PrerequisiteError(
        f"no request can be made with this environment's settings ({kind}).",
        where=endpoint.url,
        remedy="Look at SSL_CERT_FILE, SSL_CERT_DIR and the proxy variables.",
    )


async def _whole(response: httpx.Response, limit: int) -> bytes | None:
    """Read an answer to its end; None where it is longer than any right one."""
    received = bytearray()
    async for chunk in response.aiter_bytes():
        received += chunk
        if len(received) > limit:
            return None
    return bytes(received)
