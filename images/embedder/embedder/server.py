"""Serving: bind both ports, say so, and be gone soon after a signal."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Final

import structlog
import uvloop

from embedder.control import ControlPort
from embedder.counts import Tally
from embedder.data import DataPort
from embedder.errors import StartupError
from embedder.faults import Switch
from embedder.listener import App, Listener
from embedder.logs import set_up_logs
from embedder.playback import Recorder, Replay
from embedder.recording import Recording
from embedder.settings import Address, Settings
from embedder.sources import Source, StandInModels, read_concepts
from embedder.upstream import UpstreamService

_LOG = structlog.get_logger(__name__)

# What is under way gets a second; a container that is stopped does not wait for ever.
_GRACE_S: Final = 1.0

EXIT_STARTUP = 1
"""The service could not start; its last log line says why."""


def serve(settings: Settings) -> int:
    """Run the service until it is asked to stop, and return its exit code."""
    set_up_logs()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            runner.run(_serve(settings))
        except StartupError as problem:
            _LOG.error("cannot_start", reason=str(problem))
            return EXIT_STARTUP
    _LOG.info("stopped")
    return 0


async def _serve(settings: Settings) -> None:
    asked_to_stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_stop.set)
    source = _source(settings)
    try:
        await _listen(settings, source, asked_to_stop)
    finally:
        await source.close()


async def _listen(
    settings: Settings, source: Source, asked_to_stop: asyncio.Event
) -> None:
    switch, tally = Switch(), Tally()
    data_port = DataPort(
        source,
        switch,
        tally,
        latency_s=settings.latency_s,
        api_key=settings.api_key,
    )
    data = _listener(data_port, settings.data, "EMBEDDER_BIND")
    control = _listener(
        ControlPort(data, source, switch, tally, settings.latency_s),
        settings.control,
        "EMBEDDER_CONTROL_BIND",
    )
    await data.open()
    await control.open()
    _LOG.info(
        "listening",
        host=data.address.host,
        port=data.address.port,
        control_port=control.address.port,
        mode=source.mode,
        models=source.models(),
    )
    if settings.ready_file is not None:
        _write_ready(settings.ready_file, data.address, control.address)
    await asked_to_stop.wait()
    await asyncio.gather(data.close(grace_s=_GRACE_S), control.close(grace_s=_GRACE_S))


def _source(settings: Settings) -> Source:
    if settings.replay is not None:
        return Replay(Recording.read(settings.replay))
    if settings.record is not None and settings.upstream is not None:
        upstream = UpstreamService(settings.upstream.url, settings.upstream.api_key)
        return Recorder(Recording.extend(settings.record), upstream)
    return StandInModels(read_concepts(settings.concepts) if settings.concepts else {})


def _listener(app: App, wanted: Address, variable: str) -> Listener:
    try:
        return Listener(app, wanted)
    except OSError as problem:
        raise StartupError(
            f"cannot listen on {variable}={wanted.host}:{wanted.port}:"
            f" {problem.strerror or problem}; free the port, or set another (port 0"
            " picks one)."
        ) from problem


def _write_ready(path: Path, data: Address, control: Address) -> None:
    """Write where the service listens, whole or not at all."""
    facts = {
        "host": data.host,
        "port": data.port,
        "control_port": control.port,
        "pid": os.getpid(),
    }
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(facts) + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as problem:
        raise StartupError(
            f"EMBEDDER_READY_FILE={str(path)!r} cannot be written: {problem.strerror}."
        ) from problem
