"""Starting runs of the containers, and counting what they leave in the engine."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import docker

from harness.runtime.container.session import SESSION_LABEL, Session, owner_of
from harness.runtime.container.specs import ContainerEmbedder
from harness.runtime.container.sweep import objects
from harness.runtime.containers import ContainerSetup
from harness.runtime.embedder import EmbedderWish
from harness.runtime.engine import Engine
from harness.runtime.images.catalogue import read_pins
from harness.runtime.images.resolve import Resolver
from harness.runtime.palace import Build


class Thing(NamedTuple):
    """One object in the engine, with a name that says whose it may be."""

    kind: str
    id: str
    name: str


CLONE = Path(__file__).resolve().parents[2]


def a_setup(
    engine: Engine, build: Build, wish: EmbedderWish | None = None
) -> ContainerSetup:
    """Get the clone's own images into the engine, building them where needed."""
    session = Session.begin()
    with Resolver(read_pins(CLONE), engine, labels=session.labels) as resolver:
        return ContainerSetup(
            engine=engine,
            postgres=resolver.resolve("postgres-18"),
            daemon=resolver.resolve(f"palace-{build}"),
            build=build,
            embedder=ContainerEmbedder(resolver.resolve("embedder"), wish)
            if wish
            else None,
            session=session,
        )


def ours(client: docker.DockerClient, session: Session) -> list[str]:
    """List the kinds of what a session has in the engine."""
    label = f"{SESSION_LABEL}={session.id}"
    return [found.kind for found in objects(client, label)]


def everything(client: docker.DockerClient) -> set[Thing]:
    """List all there is in the engine but what a harness beside these tests owns."""
    containers = client.api.containers(all=True)
    networks = client.api.networks()
    volumes = client.api.volumes().get("Volumes") or []
    found = [
        *((Thing("container", c["Id"], ",".join(c["Names"])), c) for c in containers),
        *((Thing("network", n["Id"], n["Name"]), n) for n in networks),
        *((Thing("volume", v["Name"], v["Mountpoint"]), v) for v in volumes),
    ]
    return {thing for thing, facts in found if not _others(facts.get("Labels") or {})}


def _others(labels: Mapping[str, str]) -> bool:
    owner = owner_of(labels)
    if owner is None or owner.life() == "dead":
        return False
    parent = subprocess.run(
        ["ps", "-o", "ppid=", "-p", str(owner.pid)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    return str(os.getpid()) not in (str(owner.pid), parent)
