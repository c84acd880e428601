"""Remove what carries a session's labels: this one's at its end, dead ones' at a start.

Whatever is already on its way out, or was taken by another sweep at the same moment,
is no fault: what counts is that it is gone.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import docker
import docker.errors

from harness.errors import PrerequisiteError
from harness.runtime.container.session import OWNER_LABEL, SESSION_LABEL, owner_of

QUIET_S = 0.3
"""An engine finishes a request whose sender is gone within this time, then again."""

PATIENCE_S = 20.0
RETRY_S = 0.05

GONE = 404
BUSY = (403, 409, 500)
"""In use, or being removed already: a network's last guest needs a moment to leave."""


class Found(NamedTuple):
    """One object in the engine."""

    kind: str
    id: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did.

    Attributes:
        removed: Kinds of what was removed (``container``, ``network``, ``volume``).
        kept: Objects of ours whose owner cannot be judged from this machine.
    """

    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def sweep_dead(client: docker.DockerClient) -> Swept:
    """Remove what dead sessions left behind, and nothing that a living one owns.

    Raises:
        PrerequisiteError: Something does not go away.
    """
    swept = Swept()
    for found in objects(client, OWNER_LABEL):
        owner = owner_of(found.labels)
        life = owner.life() if owner else "unknown"
        if life == "dead":
            _remove(client, found)
            swept.removed.append(found.kind)
        elif life == "unknown":
            swept.kept.append(f"{found.kind} {found.id[:12]}")
    return swept


def sweep_session(
    client: docker.DockerClient, session: str, *, until_quiet: bool = False
) -> Swept:
    """Remove everything of one session.

    Args:
        client: The engine.
        session: The session's id.
        until_quiet: Look again until nothing has appeared for a while: after an
            interruption the engine may still be making what was asked for.

    Raises:
        PrerequisiteError: Something does not go away.
    """
    swept = Swept()
    empty = 0
    while empty < 2:
        present = list(objects(client, f"{SESSION_LABEL}={session}"))
        for found in present:
            _remove(client, found)
            swept.removed.append(found.kind)
        if not until_quiet:
            return swept
        empty = 0 if present else empty + 1
        time.sleep(QUIET_S)
    return swept


def objects(client: docker.DockerClient, label: str) -> Iterator[Found]:
    """List what carries *label*, in the order in which it can be removed."""
    wanted = {"label": [label]}
    for entry in client.api.containers(all=True, filters=wanted):
        yield Found("container", entry["Id"], entry.get("Labels") or {})
    for entry in client.api.networks(filters=wanted):
        yield Found("network", entry["Id"], entry.get("Labels") or {})
    for entry in client.api.volumes(filters=wanted).get("Volumes") or ():
        yield Found("volume", entry["Name"], entry.get("Labels") or {})


def _remove(client: docker.DockerClient, found: Found) -> None:
    removers: dict[str, Callable[[], object]] = {
        "container": lambda: client.api.remove_container(found.id, force=True, v=True),
        "network": lambda: client.api.remove_network(found.id),
        "volume": lambda: client.api.remove_volume(found.id, force=True),
    }
    remove = removers[found.kind]
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            remove()
        except docker.errors.APIError as error:
            status = error.response.status_code if error.response is not None else 0
            if status == GONE:
                return
            if status not in BUSY or time.monotonic() > give_up:
                raise PrerequisiteError(
                    f"the {found.kind} {found.id[:12]} cannot be removed:"
                    f" {error.explanation}.",
                    remedy=f"Remove it by hand: `docker {found.kind} rm -f"
                    f" {found.id[:12]}`.",
                ) from error
            time.sleep(RETRY_S)
        else:
            if found.kind != "container":
                return
            # Once more: the answer "no such container" is the proof that it is gone.
