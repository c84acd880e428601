"""The data port: embeddings as asked for, or as the fault has it."""

from __future__ import annotations

import asyncio
import hmac
from typing import Final

import structlog

from embedder.answers import Reply, embeddings, garbage, json_reply, refusal
from embedder.counts import Counts, Tally
from embedder.errors import SERVER_ERROR, Refused
from embedder.exchange import ClientGone, Exchange
from embedder.faults import Fault, Switch
from embedder.logs import brief
from embedder.sources import Source
from embedder.wire import Wanted, parse_request

_LOG = structlog.get_logger(__name__)

_EMBEDDINGS: Final = "/v1/embeddings"
_MODELS: Final = "/v1/models"
_METHODS: Final = {_EMBEDDINGS: "POST", _MODELS: "GET"}


class _Hung(Exception):
    """The connection must end without a response."""


class DataPort:
    """Answer requests for embeddings.

    Args:
        source: Where the vectors come from.
        switch: Which fault is on.
        tally: Where requests are counted.
        latency_s: Added to every answer; those of concurrent requests overlap.
        api_key: What clients must send as a bearer token; None: nothing.
    """

    def __init__(
        self,
        source: Source,
        switch: Switch,
        tally: Tally,
        *,
        latency_s: float,
        api_key: str | None,
    ) -> None:
        self._source = source
        self._switch = switch
        self._tally = tally
        self._latency_s = latency_s
        self._expected = None if api_key is None else f"Bearer {api_key}".encode()

    async def __call__(self, exchange: Exchange) -> None:
        """Answer one request, whatever it is."""
        if exchange.path == _EMBEDDINGS and exchange.method == "POST":
            await self._count(exchange)
            return
        try:
            reply = self._other(exchange)
        except Refused as problem:
            reply = refusal(problem)
        await exchange.send(reply)

    async def _count(self, exchange: Exchange) -> None:
        """Bring a request for embeddings to one of its three ends."""
        counts = self._tally.current
        counts.requests += 1
        try:
            reply = await self._reply(exchange, counts)
        except ClientGone:
            counts.abandoned += 1
        except _Hung:
            counts.cut += 1
            await exchange.cut()
        else:
            counts.end_answered(reply.status)
            await exchange.send(reply)

    async def _reply(self, exchange: Exchange, counts: Counts) -> Reply:
        try:
            self._authorise(exchange)
            wanted = parse_request(await exchange.body())
            fault, release = self._switch.meet()
            counts.inputs += len(wanted.texts)
            counts.by_fault[fault.kind] += 1
            await self._wait(exchange, fault, release)
            return await self._answer(wanted, fault)
        except Refused as problem:
            return refusal(problem)
        except (ClientGone, _Hung):
            raise
        except Exception as problem:  # so that a fault of ours is seen as one
            _LOG.error("failed", **brief(problem))
            return refusal(
                Refused(500, "The embedder failed; see its log.", kind=SERVER_ERROR)
            )

    async def _wait(
        self, exchange: Exchange, fault: Fault, release: asyncio.Event
    ) -> None:
        if fault.kind == "timeout":
            await exchange.pause(fault.delay_s or 0, release)
        if fault.kind in ("timeout", "refuse"):
            raise _Hung
        pause_s = self._latency_s + (fault.delay_s or 0)
        if pause_s:
            await exchange.pause(pause_s)

    async def _answer(self, wanted: Wanted, fault: Fault) -> Reply:
        match fault.kind:
            case "error":
                raise Refused(
                    500,
                    "The server had an error while processing your request.",
                    kind=SERVER_ERROR,
                )
            case "rate_limited":
                raise Refused(
                    429,
                    f"Rate limit reached; try again in {fault.retry_after_s} s.",
                    kind="requests",
                    code="rate_limit_exceeded",
                    retry_after_s=fault.retry_after_s,
                )
            case "garbage":
                return garbage()
        return embeddings(wanted, await self._source.vectors(wanted), fault)

    def _other(self, exchange: Exchange) -> Reply:
        self._authorise(exchange)
        method = _METHODS.get(exchange.path)
        if method is None:
            raise Refused(
                404,
                f"There is nothing at {exchange.path!r:.80}; embeddings are at"
                f" {_EMBEDDINGS}.",
                code="unknown_url",
            )
        if exchange.method != method:
            raise Refused(405, f"{exchange.path} takes {method} only.")
        names = self._source.models()
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "embedder"}
            for name in names
        ]
        return json_reply({"object": "list", "data": models})

    def _authorise(self, exchange: Exchange) -> None:
        if self._expected is None:
            return
        given = exchange.header(b"authorization") or b""
        # Takes as long whatever is given, so that time tells nothing of the key.
        if not hmac.compare_digest(given, self._expected):
            raise Refused(
                401, "The API key is missing or incorrect.", code="invalid_api_key"
            )
