"""Put what a daemon says of itself into the report's words."""

from collections.abc import Iterator
from typing import Literal

from harness.daemon.wire import Scalar, Status
from harness.measure.target import Target
from harness.report.model import BuildFacts, DaemonFacts, Environment
from harness.runtime.base import RunningDaemon, Runtime
from harness.runtime.host import read_host

UNKNOWN: Literal["unknown"] = "unknown"


def daemon_facts(target: Target) -> DaemonFacts:
    """Name the daemon; one that says nothing of itself is unknown, not assumed."""
    status = target.status or Status()
    told = dict(status.build or {})
    name = told.pop("name", None)
    return DaemonFacts(
        name=status.name or UNKNOWN,
        version=status.version,
        build=BuildFacts(name=_build_name(name), evidence=told),
        features=tuple(sorted(target.features)),
    )


def _build_name(told: Scalar) -> Literal["debug", "release", "unknown"]:
    match told:
        case "debug":
            return "debug"
        case "release":
            return "release"
    return UNKNOWN


def environment_facts(
    target: Target, runtime: Runtime, running: RunningDaemon, *, vectors: str
) -> Environment:
    """Name what the daemon ran on, as far as it tells."""
    config = target.config
    embeddings = config.embeddings if config else None
    postgres = target.status.postgres if target.status else None
    return Environment(
        runtime=runtime.name,
        runtime_reason=runtime.reason,
        vectors=vectors,
        profile=target.profile,
        embedding_provider=(embeddings and embeddings.provider) or UNKNOWN,
        embedding_model=embeddings.model if embeddings else None,
        backend=(config and config.backend) or UNKNOWN,
        postgres=postgres.version if postgres else None,
        pgvector=postgres.pgvector if postgres else None,
        settings=dict(sorted(_settings(target.client.status()))),
        engine=running.engine,
        images=running.images,
        host=read_host(),
    )


def _settings(status: Status | None) -> Iterator[tuple[str, str]]:
    """List Postgres settings and index parameters as they are after seeding.

    A setting that holds a path says where this run lay, not how Postgres works.
    """
    if status is None:
        return
    postgres = status.postgres.settings if status.postgres else None
    for name, value in (postgres or {}).items():
        if not _written(value).startswith("/"):
            yield name, _written(value)
    for profile, parameters in (status.index or {}).items():
        for name, value in parameters.items():
            yield f"index.{profile}.{name}", _written(value)


def _written(value: Scalar) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value)
