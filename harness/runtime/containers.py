"""Postgres and the reference daemon in two hardened containers of one private network.

Only the daemon's port is published, on loopback. Whatever this makes in the engine
carries the session's labels, and is found by them when it ends: also what was being
made while it was interrupted. A run that is killed is swept by a small process of its
own, and should that be killed too, by the next start.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal

import docker

from harness.report.model import Caution, ImageFacts, Phase
from harness.runtime.base import Reading, RunningDaemon
from harness.runtime.container.box import Box
from harness.runtime.container.clearing import cleared
from harness.runtime.container.credentials import Credentials, SecretFiles
from harness.runtime.container.launch import LOOPBACK, Launcher
from harness.runtime.container.readiness import await_daemon
from harness.runtime.container.resources import reader
from harness.runtime.container.session import Session
from harness.runtime.container.specs import (
    DAEMON,
    DAEMON_PORT,
    POSTGRES,
    Secrets,
    Shares,
    daemon_spec,
    data_folder,
    postgres_spec,
)
from harness.runtime.container.sweep import Swept, sweep_dead
from harness.runtime.engine import Engine, engine_faults
from harness.runtime.folders import run_folder
from harness.runtime.images.resolve import Resolved
from harness.runtime.palace import Build

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSetup:
    """What to run where.

    Attributes:
        engine: A container engine on this machine.
        postgres: Image of the database, present in the engine.
        daemon: Image of the daemon, present in the engine.
        build: Which build the daemon's image is.
        port: Port on loopback, 0 for any free one.
        settings: Variables for the daemon beyond what the harness sets. Everybody who
            may use the engine can read them: no secrets.
        session: Whose labels everything gets. Give its labels to the resolver of the
            images too, so that a build which is killed is swept with the rest.
    """

    engine: Engine
    postgres: Resolved
    daemon: Resolved
    build: Build
    port: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    session: Session = field(default_factory=Session.begin)


class ContainersRuntime:
    """Run Postgres and the daemon in containers, and leave nothing of them behind.

    Args:
        setup: What to run where.
        reason: Why this runtime was taken, for the report.
    """

    def __init__(
        self, setup: ContainerSetup, *, reason: str = "forced by an option"
    ) -> None:
        self._setup = setup
        self._reason = reason
        self._stack = ExitStack()

    @property
    def name(self) -> Literal["containers"]:
        """Which runtime, as the report names it."""
        return "containers"

    @property
    def reason(self) -> str:
        """Why this runtime."""
        return self._reason

    def __enter__(self) -> RunningDaemon:
        """Sweep what dead runs left, start both containers, wait until they answer.

        Raises:
            PrerequisiteError: The engine lacks something, or Postgres does not start.
            DaemonDiedError: The daemon ended before it answered.
            DaemonNotReadyError: The daemon did not answer within a minute.
        """
        with ExitStack() as starting:
            running = self._start(starting)
            self._stack = starting.pop_all()
        return running

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove both containers, their network and the run's folder."""
        self._stack.__exit__(kind, error, trace)

    def _start(self, stack: ExitStack) -> RunningDaemon:
        engine, began = self._setup.engine, time.monotonic()
        client = stack.enter_context(closing(engine.client()))
        _sweep(engine, client)
        folder = stack.enter_context(run_folder())
        stack.enter_context(cleared(engine, client, self._setup.session))
        secrets = Secrets(Credentials(), SecretFiles(folder))
        postgres, daemon = self._launch(client, secrets)
        url = f"http://{LOOPBACK}:{daemon.port(DAEMON_PORT)}"
        await_daemon(daemon, postgres, url)
        secrets.files.remove()
        took = Phase(name="containers", seconds=time.monotonic() - began)

        def check() -> None:
            postgres.check()
            daemon.check()

        images = (self._setup.postgres, self._setup.daemon)
        fetched = sum(image.seconds for image in images)
        return RunningDaemon(
            url=url,
            token=secrets.values.token,
            check=check,
            images=tuple(ImageFacts(name=i.name, digest=i.digest) for i in images),
            phases=(Phase(name="images", seconds=fetched), took),
            cautions=tuple(_cautions(images)),
            engine=f"{engine.product} {engine.version}",
            usage=self._usage(postgres, daemon),
        )

    def _launch(self, client: docker.DockerClient, secrets: Secrets) -> tuple[Box, Box]:
        """Start both side by side: the daemon itself waits for its Postgres."""
        setup = self._setup
        endpoint, redact = setup.engine.endpoint, secrets.values.redact
        with engine_faults(endpoint, "asking what its machine has"):
            shares = Shares.of(client)
        launcher = Launcher(setup.engine, client, setup.session)
        launcher.make_network()
        postgres = launcher.start(
            postgres_spec(setup.postgres, secrets=secrets, limits=shares.postgres)
        )
        daemon = launcher.start(
            daemon_spec(
                setup.daemon,
                setup.build,
                secrets=secrets,
                limits=shares.daemon,
                port=setup.port,
                settings=setup.settings,
            )
        )
        return (
            Box("Postgres", postgres, endpoint, redact),
            Box("the daemon", daemon, endpoint, redact),
        )

    def _usage(self, postgres: Box, daemon: Box) -> Callable[[], dict[str, Reading]]:
        readers = {
            DAEMON: reader(daemon, None),
            POSTGRES: reader(postgres, data_folder(self._setup.postgres)),
        }
        return lambda: {part: read() for part, read in readers.items()}


def sweep(engine: Engine) -> Swept:
    """Remove from *engine* what killed runs left, and nothing of a living one.

    Raises:
        PrerequisiteError: Something does not go away.
    """
    with closing(engine.client()) as client:
        return _sweep(engine, client)


def _sweep(engine: Engine, client: docker.DockerClient) -> Swept:
    with engine_faults(engine.endpoint, "sweeping what killed runs left"):
        swept = sweep_dead(client)
    if swept.removed:
        log.info("removed what a killed run left: %s", ", ".join(swept.removed))
    return swept


def _cautions(images: tuple[Resolved, ...]) -> Iterator[Caution]:
    for image in images:
        for text in image.cautions:
            yield Caution(
                code="image-not-locked",
                text=f"{image.name}: {text}",
                remedy="Review what changed, then run `just images --lock`.",
            )
