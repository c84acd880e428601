"""The control port: which fault is on, and what has been counted."""

from __future__ import annotations

import asyncio

import structlog

from embedder.answers import Reply, json_reply, refusal
from embedder.counts import Tally
from embedder.errors import Refused
from embedder.exchange import ClientGone, Exchange
from embedder.faults import Switch, parse_fault
from embedder.listener import Listener
from embedder.sources import Source
from embedder.wire import parse_json

_LOG = structlog.get_logger(__name__)


class ControlPort:
    """Answer the few requests by which a benchmark steers the data port.

    Args:
        data: The data port's listener, closed while connections are to be refused.
        source: Where the vectors come from.
        switch: Which fault is on.
        tally: What has been counted.
        latency_s: What every answer of the data port has added.
    """

    def __init__(
        self,
        data: Listener,
        source: Source,
        switch: Switch,
        tally: Tally,
        latency_s: float,
    ) -> None:
        self._data = data
        self._source = source
        self._switch = switch
        self._tally = tally
        self._latency_s = latency_s
        self._turning = asyncio.Lock()

    async def __call__(self, exchange: Exchange) -> None:
        """Answer one request, whatever it is."""
        try:
            reply = await self._reply(exchange)
        except Refused as problem:
            reply = refusal(problem)
        except ClientGone:
            return
        await exchange.send(reply)

    async def _reply(self, exchange: Exchange) -> Reply:
        match exchange.method, exchange.path:
            case "GET", "/control/health":
                return json_reply({"status": "ok"})
            case "GET", "/control/state":
                return json_reply(self._state())
            case "PUT", "/control/fault":
                return await self._turn(await exchange.body())
            case "POST", "/control/reset":
                self._tally.reset()
                return json_reply(self._state())
        raise Refused(
            404, f"There is no {exchange.method:.20} {exchange.path!r:.80} here."
        )

    async def _turn(self, body: bytes) -> Reply:
        fault = parse_fault(parse_json(body))
        # One after the other: the listener must end up as the last of them has it.
        async with self._turning:
            self._switch.turn(fault)
            if fault.kind == "refuse":
                await self._data.refuse()
            else:
                await self._data.open()
        _LOG.info("fault", **fault.shown())
        return json_reply({"fault": fault.shown()})

    def _state(self) -> dict[str, object]:
        return {
            "fault": self._switch.fault.shown(),
            **self._tally.current.shown(),
            "models": self._source.models(),
            "mode": self._source.mode,
            "latency_ms": self._latency_s * 1000,
        }
