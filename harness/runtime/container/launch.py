"""The one place that touches Testcontainers: start a container, hardened and labelled.

Testcontainers reads its settings while it is imported and finds its engine in the
environment. Both are arranged here, so that what runs does not depend on what else
somebody set up for it on this machine.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import docker
import docker.errors
from docker.models.containers import Container

from harness.errors import PrerequisiteError
from harness.runtime.container.hardening import (
    NETWORK_OPTIONS,
    Limits,
    Writable,
    read_only_file,
    restrictions,
)
from harness.runtime.container.session import Session
from harness.runtime.engine import Engine, engine_faults

LOOPBACK = "127.0.0.1"

IMPORT_SETTINGS: Mapping[str, str] = {
    # Inside a virtual machine or a container it would take the bridge's gateway for
    # the host, where a port published on loopback does not answer.
    "TESTCONTAINERS_HOST_OVERRIDE": LOOPBACK,
    "TESTCONTAINERS_CONNECTION_MODE": "docker_host",
    # An image is named by its digest here; a prefix would make another name of it.
    "TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX": "",
    # It would log in to a registry; whatever is needed is in the engine already.
    "DOCKER_AUTH_CONFIG": "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One container to start.

    Attributes:
        role: What it is for; its name in the network and part of its own name.
        image: Id of an image that is in the engine.
        user: ``uid:gid``, not root.
        limits: Its ceilings.
        writable: The only folders it may write to.
        environment: Variables; anybody who may use the engine can read them.
        files: Files here, and where it finds them; read-only.
        command: Arguments after the image's own entrypoint; the image's by default.
        publish: Ports of it to publish on loopback, and the ports here; 0 for any free
            one.
    """

    role: str
    image: str
    user: str
    limits: Limits
    writable: tuple[Writable, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)
    command: tuple[str, ...] | None = None
    publish: Mapping[int, int] = field(default_factory=dict)


class Launcher:
    """Starts containers of one session in one engine.

    Args:
        engine: Where.
        client: A client of it.
        session: Whose labels everything gets.
    """

    def __init__(
        self, engine: Engine, client: docker.DockerClient, session: Session
    ) -> None:
        self._engine = engine
        self._client = client
        self._session = session
        self._library = _testcontainers(client)
        self._network = session.name("network")

    def make_network(self) -> None:
        """Make the private network; containers started here join it."""
        with self._faults("making a network"):
            self._client.networks.create(
                self._network,
                driver="bridge",
                check_duplicate=True,
                options=dict(NETWORK_OPTIONS),
                # With Testcontainers' own, so that its reaper knows it where it runs.
                labels=self._library.labels.create_labels("", self._session.labels),
            )

    def start(self, spec: Spec) -> Container:
        """Start a container, and give the engine's handle of it.

        Raises:
            PrerequisiteError: Its image is not there, its port is taken, or the engine
                does not see this machine's files.
            EngineError: The engine failed.
        """
        with (
            _environment(self._engine.environment()),
            self._faults(f"starting {spec.role}"),
            _refusals(spec),
        ):
            # Asked first: a missing image would be looked for in a registry.
            self._client.images.get(spec.image)
            made = self._prepare(spec)
            try:
                made.start()
                return self._client.containers.get(made.get_container_id())
            finally:
                made.get_docker_client().client.close()

    # Testcontainers passes its arguments on unchecked, and so does its type.
    def _prepare(self, spec: Spec) -> Any:
        aliases = self._client.api.create_endpoint_config(aliases=[spec.role])
        made = self._library.container.DockerContainer(
            spec.image,
            docker_client_kw={"environment": self._engine.environment()},
            command=list(spec.command) if spec.command is not None else None,
            env=dict(spec.environment),
            name=self._session.name(spec.role),
        )
        # Not as arguments above: `network` there means an object of its own.
        made.with_kwargs(
            network=self._network,
            networking_config={self._network: aliases},
            labels=self._session.labels,
            mounts=[read_only_file(str(a), b) for a, b in spec.files.items()],
            **restrictions(spec.limits, spec.user),
        )
        if spec.publish:
            # Its own method knows no address, and would publish to the world.
            made.ports = {
                f"{inner}/tcp": (LOOPBACK, here or None)
                for inner, here in spec.publish.items()
            }
        made.tmpfs = {
            folder.path: folder.options(spec.user) for folder in spec.writable
        }
        return made

    def _faults(self, doing: str) -> AbstractContextManager[None]:
        return engine_faults(self._engine.endpoint, doing)


@contextmanager
def _refusals(spec: Spec) -> Iterator[None]:
    """Tell apart what an engine refuses for a reason a person can mend."""
    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise PrerequisiteError(
            f"the engine has no image {spec.image!r} for {spec.role}.",
            remedy="Run the same command again: it is fetched or built at the start.",
        ) from error
    except docker.errors.APIError as error:
        text = str(error.explanation or error)
        if "already allocated" in text or "address already in use" in text:
            wanted = " or ".join(str(here) for here in spec.publish.values())
            raise PrerequisiteError(
                f"the {spec.role} cannot listen on port {wanted} of {LOOPBACK}:"
                " it is taken.",
                remedy="Choose another port, or leave the option out for a free one.",
            ) from error
        if "bind source path does not exist" in text:
            raise PrerequisiteError(
                "the engine does not see this machine's files: it runs elsewhere.",
                remedy="Run beside the engine, or use --runtime embedded.",
            ) from error
        raise


@dataclass(frozen=True, slots=True)
class _Library:
    container: ModuleType
    labels: ModuleType


def _testcontainers(client: docker.DockerClient) -> _Library:
    """Import Testcontainers under our settings; its own reaper only if it is there."""
    with _environment(IMPORT_SETTINGS):
        # The import itself is what reads the settings.
        from testcontainers.core import container, labels  # noqa: PLC0415
        from testcontainers.core.config import (  # noqa: PLC0415
            ConnectionMode,
            testcontainers_config,
        )
    # Somebody may have imported it before us.
    testcontainers_config.tc_host_override = LOOPBACK
    testcontainers_config.connection_mode_override = ConnectionMode.docker_host
    testcontainers_config.hub_image_name_prefix = ""
    if not testcontainers_config.ryuk_disabled:
        testcontainers_config.ryuk_disabled = not _has(
            client, testcontainers_config.ryuk_image
        )
    return _Library(container, labels)


def _has(client: docker.DockerClient, image: str) -> bool:
    try:
        client.images.get(image)
    except docker.errors.ImageNotFound:
        return False
    return True


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables of our own process while the block runs."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
