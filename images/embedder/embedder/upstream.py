"""Asks the real service, once, and tells what it answered without telling the key.

No exception of the HTTP library gets out, since those hold the request and with it the
key, and where the service repeats the key in an error, it is taken out.
"""

from __future__ import annotations

from typing import Final

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from embedder.errors import SERVER_ERROR, Refused, StartupError
from embedder.wire import Wanted

_TIMEOUT_S: Final = 60.0
# 2,048 vectors of 4,096 numbers with 20 digits each, and some.
_MAX_ANSWER: Final = 256 << 20
_MAX_WORDS: Final = 500


class UpstreamService:
    """A service that speaks the protocol, asked through ``POST {url}/embeddings``.

    Nothing is tried again: whoever records must see what the service does.

    Args:
        url: Base address, as in ``https://host/v1``, without credentials.
        api_key: Sent as a bearer token when given; fit for a header.
        transport: Replaces the network in tests.

    Raises:
        StartupError: The address is not http or https or holds credentials.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        base = _checked(url)
        self._endpoint = base.copy_with(path=base.path.rstrip("/") + "/embeddings")
        self._api_key = api_key
        headers = {"Content-Type": "application/json"}
        if api_key is not None:
            headers["Authorization"] = f"Bearer {api_key}"
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=_TIMEOUT_S,
            transport=transport,
            # A proxy of the environment has no way to this machine's own loopback.
            trust_env=base.host not in ("localhost", "127.0.0.1", "::1"),
        )

    async def embed(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return one row a text, in order, all of them finite.

        Raises:
            Refused: With the service's own status where it answered an error, 504 where
                it answered too late, 502 where it cannot be reached or understood.
        """
        question: dict[str, object] = {"model": wanted.model, "input": wanted.texts}
        if wanted.dimension is not None:
            question["dimensions"] = wanted.dimension
        status, headers, body = await self._post(orjson.dumps(question))
        if status >= 400:
            raise self._passed_on(status, headers, body)
        rows = _rows(body, len(wanted.texts)) if status == 200 else None
        if rows is None:
            raise _failed(
                502,
                "upstream_unusable",
                f"The upstream answered {status}, but not a vector of finite numbers"
                " for each text.",
            )
        if wanted.dimension not in (None, rows.shape[1]):
            raise _failed(
                502,
                "upstream_unusable",
                f"The upstream answered {rows.shape[1]} numbers where"
                f" {wanted.dimension} were asked for; leave `dimensions` out if the"
                " model has one length only.",
            )
        return rows

    async def close(self) -> None:
        """Close the connections; a second time does nothing."""
        await self._client.aclose()

    async def _post(self, question: bytes) -> tuple[int, httpx.Headers, bytes]:
        """Bring whatever happens on the way down to our own exceptions."""
        try:
            async with self._client.stream(
                "POST", self._endpoint, content=question
            ) as response:
                received = bytearray()
                async for chunk in response.aiter_bytes():
                    received += chunk
                    if len(received) > _MAX_ANSWER:
                        break
                else:
                    return response.status_code, response.headers, bytes(received)
            problem = f"The upstream answered more than {_MAX_ANSWER:,} bytes."
            failed = _failed(502, "upstream_unusable", problem)
        except httpx.TimeoutException:
            problem = f"The upstream was silent for {_TIMEOUT_S:g} s."
            failed = _failed(504, "upstream_timeout", problem)
        except httpx.HTTPError as error:
            problem = f"The upstream cannot be reached ({type(error).__name__})."
            failed = _failed(502, "upstream_unreachable", problem)
        # Out here the exception of the HTTP library is not kept as the context.
        raise failed

    def _passed_on(self, status: int, headers: httpx.Headers, body: bytes) -> Refused:
        error = _error_of(body)
        after = headers.get("Retry-After", "").strip()
        is_number = after.isascii() and after.isdigit()
        return Refused(
            status,
            self._clean(error.get("message")) or f"The upstream answered {status}.",
            kind=self._clean(error.get("type")) or "upstream_error",
            param=self._clean(error.get("param")),
            code=self._clean(error.get("code")),
            retry_after_s=int(after) if is_number else None,
        )

    def _clean(self, words: object) -> str | None:
        if not isinstance(words, str):
            return None
        if self._api_key is not None:
            words = words.replace(self._api_key, "[key]")
        return words[:_MAX_WORDS]


def _checked(url: str) -> httpx.URL:
    try:
        base = httpx.URL(url)
    except httpx.InvalidURL:
        base = httpx.URL("")
    if base.scheme not in ("http", "https") or not base.host:
        raise StartupError("EMBEDDER_UPSTREAM_URL is not an http:// or https:// URL.")
    if base.userinfo:
        raise StartupError(
            "EMBEDDER_UPSTREAM_URL holds credentials; set EMBEDDER_UPSTREAM_API_KEY"
            " instead."
        )
    return base


def _failed(status: int, code: str, message: str) -> Refused:
    return Refused(status, message, kind=SERVER_ERROR, code=code)


def _error_of(body: bytes) -> dict[str, object]:
    answer = _json(body)
    error = answer.get("error") if isinstance(answer, dict) else None
    return error if isinstance(error, dict) else {}


def _rows(body: bytes, n_texts: int) -> NDArray[np.float32] | None:
    """Return the vectors of an answer in order; None when it is not as it should be."""
    answer = _json(body)
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or len(items) != n_texts:
        return None
    by_place: dict[int, list[float]] = {}
    for item in items:
        place = item.get("index") if isinstance(item, dict) else None
        numbers = item.get("embedding") if isinstance(item, dict) else None
        # True would pass for 1.
        if type(place) is not int or not isinstance(numbers, list) or not numbers:
            return None
        if not all(type(number) in (int, float) for number in numbers):
            return None
        by_place[place] = numbers
    rows = [by_place.get(place, []) for place in range(n_texts)]
    if not rows[0] or len({len(row) for row in rows}) != 1:
        return None
    # What is finite as sent can be too large for single precision.
    with np.errstate(over="ignore"):
        vectors = np.array(rows, np.float64).astype(np.float32)
    return vectors if np.isfinite(vectors).all() else None


def _json(body: bytes) -> object:
    # Does not raise itself: the body may repeat the key, and what fails here would
    # carry that along in its frame.
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return value
