"""What the two containers of a run are told: settings, limits, files, folders."""

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
    postgres_limits,
)
from harness.runtime.container.launch import Spec
from harness.runtime.images.resolve import Resolved
from harness.runtime.palace import BUILD_ENVIRONMENT, Build
from harness.runtime.postgres import SETTINGS

POSTGRES = "postgres"
DAEMON = "daemon"

POSTGRES_PORT = 5432
DAEMON_PORT = 8080

SMALL_BYTES = 64 * MIB
WAL_LIMIT_MIB = 4096


@dataclass(frozen=True, slots=True)
class Shares:
    """How the engine's machine is shared out."""

    postgres: Limits
    daemon: Limits

    @classmethod
    def of(cls, client: docker.DockerClient) -> "Shares":
        """Ask the engine what its machine has, and divide it."""
        facts = client.info()
        memory, cpus = int(facts["MemTotal"]), int(facts["NCPU"])
        return cls(postgres_limits(memory, cpus), daemon_limits(memory, cpus))


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
    """Describe the daemon's container, the only one with a published port."""
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
        publish=DAEMON_PORT,
        host_port=port,
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
