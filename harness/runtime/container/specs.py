"""What the containers of a run are told: settings, limits, files, folders."""

from collections.abc import Mapping
from dataclasses import dataclass

import docker

from harness.errors import PrerequisiteError
from harness.runtime.container.credentials import (
    DATABASE,
    DATABASE_FILE,
    PASSWORD_FILE,
    ROLE,
    TOKEN_FILE,
    Credentials,
    SecretFiles,
)
from harness.runtime.container.hardening import (
    MIB,
    Limits,
    Writable,
    daemon_limits,
    embedder_limits,
    postgres_limits,
)
from harness.runtime.container.launch import Spec
from harness.runtime.embedder import EmbedderWish
from harness.runtime.images.resolve import Resolved
from harness.runtime.palace import BUILD_ENVIRONMENT, Build
from harness.runtime.postgres import SETTINGS

POSTGRES = "postgres"
DAEMON = "daemon"
EMBEDDER = "embedder"

POSTGRES_PORT = 5432
DAEMON_PORT = 8080
EMBEDDER_PORT = 8081
EMBEDDER_CONTROL_PORT = 8082

LENT_FOLDER = "/run/lent"
"""Where the embedder finds files of ours."""

SMALL_BYTES = 64 * MIB
WAL_LIMIT_MIB = 4096


@dataclass(frozen=True, slots=True)
class Shares:
    """How the engine's machine is shared out."""

    postgres: Limits
    daemon: Limits
    embedder: Limits

    @classmethod
    def of(cls, client: docker.DockerClient) -> "Shares":
        """Ask the engine what its machine has, and divide it."""
        facts = client.info()
        memory, cpus = int(facts["MemTotal"]), int(facts["NCPU"])
        return cls(
            postgres_limits(memory, cpus),
            daemon_limits(memory, cpus),
            embedder_limits(memory, cpus),
        )


@dataclass(frozen=True, slots=True)
class ContainerEmbedder:
    """An embedder to start beside the daemon.

    Attributes:
        image: Its image, present in the engine.
        wish: Which model, and how it is set up.
    """

    image: Resolved
    wish: EmbedderWish

    @property
    def told_daemon(self) -> Mapping[str, str]:
        """Variables that tell the daemon of it, by its name in their network."""
        return self.wish.told_daemon(f"http://{EMBEDDER}:{EMBEDDER_PORT}/v1")


@dataclass(frozen=True, slots=True)
class Secrets:
    """A run's credentials, and the files they are handed over in."""

    values: Credentials
    files: SecretFiles


def postgres_spec(image: Resolved, *, secrets: Secrets, limits: Limits) -> Spec:
    """Describe the database's container; it keeps its data in memory."""
    password = secrets.files.put("postgres-password", secrets.values.password)
    data_bytes = limits.memory_bytes * 3 // 4
    settings = {
        **SETTINGS,
        # As large as the embedded runtime's, where the data folder has the room.
        "max_wal_size": f"{min(WAL_LIMIT_MIB, data_bytes // 4 // MIB)}MB",
    }
    # Says that nobody listens on a network; in here the daemon comes from one.
    del settings["listen_addresses"]
    return Spec(
        role=POSTGRES,
        image=image.id,
        user=image.source.user,
        limits=limits,
        writable=_writable(image, {data_folder(image): data_bytes}),
        environment={
            "POSTGRES_USER": ROLE,
            "POSTGRES_DB": DATABASE,
            "POSTGRES_PASSWORD_FILE": PASSWORD_FILE,
        },
        files={password: PASSWORD_FILE},
        command=(
            "postgres",
            *(f"--{name}={value}" for name, value in settings.items()),
        ),
    )


def daemon_spec(
    image: Resolved,
    build: Build,
    *,
    secrets: Secrets,
    limits: Limits,
    port: int,
    settings: Mapping[str, str],
) -> Spec:
    """Describe the daemon's container; its port is published."""
    address = secrets.values.database_url(POSTGRES, POSTGRES_PORT)
    database = secrets.files.put("database-url", address)
    token = secrets.files.put("token", secrets.values.token)
    return Spec(
        role=DAEMON,
        image=image.id,
        user=image.source.user,
        limits=limits,
        writable=_writable(image, {}),
        environment={
            **BUILD_ENVIRONMENT[build],
            "PALACE_DATABASE_URL_FILE": DATABASE_FILE,
            "PALACE_TOKEN_FILE": TOKEN_FILE,
            "PALACE_BIND": f"0.0.0.0:{DAEMON_PORT}",
            "PALACE_BUILD": build,
            # Indexes are built when we ask, never in the middle of a measurement.
            "PALACE_AUTO_INDEX_AFTER_S": "0",
            **settings,
        },
        files={database: DATABASE_FILE, token: TOKEN_FILE},
        publish={DAEMON_PORT: port},
    )


def embedder_spec(
    embedder: ContainerEmbedder, *, files: SecretFiles, limits: Limits
) -> Spec:
    """Describe the embedder's container.

    Both of its ports are published: one to ask it what the daemon asked of it, one to
    measure it by itself.
    """
    image, wish = embedder.image, embedder.wish
    lent = {name: f"{LENT_FOLDER}/{name}" for name in wish.files}
    return Spec(
        role=EMBEDDER,
        image=image.id,
        user=image.source.user,
        limits=limits,
        writable=_writable(image, {}),
        environment={
            "EMBEDDER_BIND": f"0.0.0.0:{EMBEDDER_PORT}",
            "EMBEDDER_CONTROL_BIND": f"0.0.0.0:{EMBEDDER_CONTROL_PORT}",
            **wish.settings,
            **lent,
        },
        files={files.copy(name, wish.files[name]): lent[name] for name in lent},
        publish={EMBEDDER_PORT: 0, EMBEDDER_CONTROL_PORT: 0},
    )


def data_folder(image: Resolved) -> str:
    """Find the writable folder that the database's data lies in.

    Raises:
        PrerequisiteError: The image names none.
    """
    data = image.source.environment.get("PGDATA", "")
    for path in image.source.writable:
        if data == path or data.startswith(f"{path}/"):
            return path
    raise PrerequisiteError(
        f"the image {image.name} has no writable folder for its data {data!r}.",
        where="images/images.toml",
        remedy="Name the folder of PGDATA, or one above it, among `writable`.",
    )


def _writable(image: Resolved, sizes: Mapping[str, int]) -> tuple[Writable, ...]:
    return tuple(
        Writable(path, sizes.get(path, SMALL_BYTES)) for path in image.source.writable
    )
