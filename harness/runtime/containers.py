"""Postgres, the reference daemon and its embedder, each in a hardened container.

They share one private network. Only the ports of the daemon and of the embedder are
published, on loopback. Whatever this makes in the engine carries the session's labels,
and is found by them when it ends: also what was being made while it was interrupted. A
run that is killed is swept by a small process of its own, and should that be killed
too, by the next start.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, NamedTuple

import docker

from harness.report.model import Caution, ImageFacts, Phase
from harness.runtime.base import Reading, RunningDaemon, RunningEmbedder
from harness.runtime.container.box import Box
from harness.runtime.container.clearing import cleared
from harness.runtime.container.credentials import Credentials, SecretFiles
from harness.runtime.container.launch import LOOPBACK, Launcher
from harness.runtime.container.readiness import await_daemon, await_embedder
from harness.runtime.container.resources import reader
from harness.runtime.container.session import Session
from harness.runtime.container.specs import (
    DAEMON,
    DAEMON_PORT,
    EMBEDDER,
    EMBEDDER_CONTROL_PORT,
    EMBEDDER_PORT,
    POSTGRES,
    ContainerEmbedder,
    Secrets,
    Shares,
    daemon_spec,
    data_folder,
    embedder_spec,
    postgres_spec,
)
from harness.runtime.container.sweep import Swept, sweep_dead
from harness.runtime.embedder import require_files
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
        embedder: What the daemon embeds with; without one it is told of none.
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
    embedder: ContainerEmbedder | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    session: Session = field(default_factory=Session.begin)

    @property
    def images(self) -> tuple[Resolved, ...]:
        """All images that are run."""
        more = () if self.embedder is None else (self.embedder.image,)
        return (self.postgres, self.daemon, *more)


class _Boxes(NamedTuple):
    """The containers of a run."""

    postgres: Box
    daemon: Box
    embedder: Box | None

    def check(self) -> None:
        """Raise `DaemonDiedError` if one of them has ended."""
        self.postgres.check()
        if self.embedder is not None:
            self.embedder.check()
        self.daemon.check()


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
    def setup(self) -> ContainerSetup:
        """What is run where."""
        return self._setup

    @property
    def name(self) -> Literal["containers"]:
        """Which runtime, as the report names it."""
        return "containers"

    @property
    def reason(self) -> str:
        """Why this runtime."""
        return self._reason

    def __enter__(self) -> RunningDaemon:
        """Sweep what dead runs left, start the containers, wait until they answer.

        Raises:
            PrerequisiteError: The engine lacks something, or Postgres does not start.
            DaemonDiedError: The daemon or the embedder ended before it answered.
            DaemonNotReadyError: One of them did not answer within a minute.
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
        """Remove the containers, their network and the run's folder."""
        self._stack.__exit__(kind, error, trace)

    def _start(self, stack: ExitStack) -> RunningDaemon:
        setup, began = self._setup, time.monotonic()
        engine = setup.engine
        if setup.embedder is not None:
            require_files(setup.embedder.wish)
        client = stack.enter_context(closing(engine.client()))
        _sweep(engine, client)
        folder = stack.enter_context(run_folder())
        stack.enter_context(cleared(engine, client, setup.session))
        secrets = Secrets(Credentials(), SecretFiles(folder))
        boxes = self._launch(client, secrets)
        url = f"http://{LOOPBACK}:{boxes.daemon.port(DAEMON_PORT)}"
        embedder = self._awaited_embedder(boxes)
        await_daemon(boxes.daemon, boxes.postgres, url)
        secrets.files.remove()
        took = Phase(name="containers", seconds=time.monotonic() - began)
        fetched = sum(image.seconds for image in setup.images)
        return RunningDaemon(
            url=url,
            token=secrets.values.token,
            check=boxes.check,
            images=tuple(
                ImageFacts(name=image.name, digest=image.digest)
                for image in setup.images
            ),
            phases=(Phase(name="images", seconds=fetched), took),
            cautions=tuple(_cautions(setup.images)),
            engine=f"{engine.product} {engine.version}",
            usage=self._usage(boxes),
            embedder=embedder,
        )

    def _awaited_embedder(self, boxes: _Boxes) -> RunningEmbedder | None:
        if self._setup.embedder is None or boxes.embedder is None:
            return None
        wish, box = self._setup.embedder.wish, boxes.embedder
        control_url = f"http://{LOOPBACK}:{box.port(EMBEDDER_CONTROL_PORT)}"
        await_embedder(box, control_url)
        return RunningEmbedder(
            url=f"http://{LOOPBACK}:{box.port(EMBEDDER_PORT)}/v1",
            control_url=control_url,
            model=wish.model,
            dimension=wish.dimension,
        )

    def _launch(self, client: docker.DockerClient, secrets: Secrets) -> _Boxes:
        """Start all side by side: the daemon itself waits for its Postgres."""
        setup = self._setup
        endpoint, redact = setup.engine.endpoint, secrets.values.redact
        with engine_faults(endpoint, "asking what its machine has"):
            shares = Shares.of(client)
        launcher = Launcher(setup.engine, client, setup.session)
        launcher.make_network()
        postgres = launcher.start(
            postgres_spec(setup.postgres, secrets=secrets, limits=shares.postgres)
        )
        embedder = None
        told: Mapping[str, str] = {}
        if setup.embedder is not None:
            told = setup.embedder.told_daemon
            started = launcher.start(
                embedder_spec(
                    setup.embedder, files=secrets.files, limits=shares.embedder
                )
            )
            embedder = Box("the embedder", started, endpoint, redact)
        daemon = launcher.start(
            daemon_spec(
                setup.daemon,
                setup.build,
                secrets=secrets,
                limits=shares.daemon,
                port=setup.port,
                settings={**told, **setup.settings},
            )
        )
        return _Boxes(
            Box("Postgres", postgres, endpoint, redact),
            Box("the daemon", daemon, endpoint, redact),
            embedder,
        )

    def _usage(self, boxes: _Boxes) -> Callable[[], dict[str, Reading]]:
        readers = {
            DAEMON: reader(boxes.daemon, None),
            POSTGRES: reader(boxes.postgres, data_folder(self._setup.postgres)),
        }
        if boxes.embedder is not None:
            readers[EMBEDDER] = reader(boxes.embedder, None)
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
