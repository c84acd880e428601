"""A fake embeddings endpoint, in memory, that notes what reaches it."""

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
from numpy.typing import NDArray

from harness.provider.credentials import ApiKey, Endpoint
from harness.provider.embedder import EndpointEmbedder
from harness.provider.options import EmbeddingOptions
from harness.provider.patience import Patience

URL = "http://endpoint:1/v1"
MODEL = "model-4"

Answer = httpx.Response | Exception | None
"""None: the right one."""


def vector_of(text: str, dimension: int = 4) -> list[float]:
    """Give each text a vector of its own: never zero, always the same."""
    number = float(sum(text.encode()) % 9973)
    return [math.cos(number + place) for place in range(dimension)]


def row_of(text: str, dimension: int = 4) -> NDArray[np.float32]:
    return np.array(vector_of(text, dimension), np.float32)


def refusal(status: int, message: str = "no", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"error": {"message": message}}, headers=named)


@dataclass
class FakeEndpoint:
    """Answer as the protocol has it, but for what *meet* makes of a request.

    Attributes:
        meet: Given the texts of a request, its answer.
        asked: The texts of each request, in the order in which they came.
    """

    meet: Callable[[Sequence[str]], Answer] = lambda _texts: None
    dimension: int = 4
    shortens: bool = False
    latency_s: float = 0.0
    asked: list[list[str]] = field(default_factory=list)
    requests: list[httpx.Request] = field(default_factory=list)
    most_at_once: int = 0
    _at_once: int = 0

    @property
    def sent(self) -> list[list[str]]:
        """The texts of each request after the probe's."""
        return self.asked[1:]

    async def handle(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        texts = body["input"]
        self.requests.append(request)
        self.asked.append(texts)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            self._at_once -= 1
        answer = self.meet(texts)
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            return answer
        dimension = body.get("dimensions") if self.shortens else None
        return vectors([vector_of(text, dimension or self.dimension) for text in texts])


def vectors(rows: Sequence[object]) -> httpx.Response:
    """Answer *rows*, the last one first, as endpoints may."""
    data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
    body = {"data": data[::-1], "usage": {"prompt_tokens": len(rows)}}
    return httpx.Response(200, content=json.dumps(body))


@dataclass
class Pauses:
    """Waits no time, and notes for how long it was asked to."""

    asked: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)


def an_embedder(
    endpoint: FakeEndpoint,
    *,
    dimension: int | None = None,
    key: ApiKey | None = None,
    cache: Path | None = None,
    options: EmbeddingOptions | None = None,
    patience: Patience | None = None,
    advance: Callable[[int], None] = lambda _texts: None,
) -> EndpointEmbedder:
    return EndpointEmbedder(
        Endpoint(
            url=URL,
            model=MODEL,
            dimension=dimension,
            key=key,
        ),
        options,
        cache=cache,
        advance=advance,
        patience=patience or Patience(sleep=Pauses().sleep),
        transport=httpx.MockTransport(endpoint.handle),
    )
