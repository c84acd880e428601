"""Write one haystack into a wing, count it there, and take it away again.

Bodies are written before they are sent, by whoever has the time: the client that
waits for a daemon should have nothing else to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from harness.daemon.client import sendable
from harness.daemon.door import Door, encoded, path_of
from harness.daemon.timing import Instants
from harness.daemon.wire import CreatedDrawer, CreatedDrawers, Told, Wire
from harness.errors import DaemonError, DaemonProtocolError

FEATURE_SCOPED = "lexical.scoped"
"""Lexical statistics are those of the searched wing, whatever other wings hold."""
FEATURE_DELETE = "wings.delete"

_NOT_SPOKEN = {404, 405}


class _Room(Wire):
    drawers: Told[int] = None


_CREATED = TypeAdapter(CreatedDrawer)
_CREATED_MANY = TypeAdapter(CreatedDrawers)
_ROOMS = TypeAdapter(list[_Room])


class Document(NamedTuple):
    """One drawer of a haystack."""

    name: str
    """Its own in the room, so that the daemon keeps two of the same text."""
    text: str
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """One request that writes drawers, ready to be sent."""

    path: str
    body: bytes
    count: int
    """Drawers in it."""
    embedding: bytes | None = None
    """Body that attaches the drawer's vector, where that takes a second request."""


def batch_write(
    wing: str, room: str, documents: Sequence[Document], profile: str | None
) -> Write:
    """Prepare one request for many drawers, all or none of which are stored."""
    drawers = [
        {"wing": wing, "room": room, "name": each.name, "content": each.text}
        | _vector(each, profile)
        for each in documents
    ]
    body = encoded({"drawers": drawers})
    return Write(path_of("drawers", "batch"), body, len(drawers))


def single_write(
    wing: str, room: str, document: Document, profile: str | None
) -> Write:
    """Prepare one drawer, for a daemon that takes them one by one."""
    vector = _vector(document, profile)
    return Write(
        path=path_of("wings", wing, "rooms", room, "drawers"),
        body=encoded({"name": document.name, "content": document.text}),
        count=1,
        embedding=encoded(vector) if vector else None,
    )


def _vector(document: Document, profile: str | None) -> dict[str, object]:
    if document.vector is None:
        return {}
    embedding: dict[str, object] = {"embedding": sendable(document.vector)}
    return embedding if profile is None else embedding | {"profile": profile}


class HaystackClient:
    """The routes a haystack needs, through the door of a `DaemonClient`."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def write(self, write: Write) -> tuple[list[str], list[Instants]]:
        """Send one prepared request; return the drawers' ids in its order.

        Raises:
            DaemonProtocolError: Another number of drawers came back.
            DaemonError: A drawer was there already, so that this haystack is not alone.
        """
        reply = self._door.send("POST", write.path, write.body)
        if write.path.endswith("/batch"):
            created = self._door.take(reply, _CREATED_MANY).drawers
        else:
            created = [self._door.take(reply, _CREATED)]
        instants = [self._door.instants(reply)]
        if len(created) != write.count:
            raise DaemonProtocolError(
                f"{reply.call} answered {len(created)} drawers to {write.count}.",
                where=self._door.url,
            )
        if not all(each.created for each in created):
            raise DaemonError(
                f"{sum(not each.created for each in created)} of {write.count} drawers "
                "were there already.",
                where=self._door.url,
                remedy="Another run wrote into this palace: measure a fresh one.",
            )
        if write.embedding is not None:
            path = path_of("drawers", created[0].id, "embedding")
            attached = self._door.send("PUT", path, write.embedding)
            self._door.must_succeed(attached)
            instants.append(self._door.instants(attached))
        return [each.id for each in created], instants

    def count(self, wing: str) -> tuple[int | None, Instants]:
        """Count the drawers of a wing; ``None`` where the daemon does not tell."""
        reply = self._door.send("GET", path_of("wings", wing, "rooms"))
        counts: list[int | None] = [None]
        if reply.status not in _NOT_SPOKEN:
            counts = [each.drawers for each in self._door.take(reply, _ROOMS)]
        known = [each for each in counts if each is not None]
        total = sum(known) if len(known) == len(counts) else None
        return total, self._door.instants(reply)

    def delete(self, wing: str) -> Instants:
        """Delete a wing with everything in it."""
        reply = self._door.send("DELETE", path_of("wings", wing))
        self._door.must_succeed(reply)
        return self._door.instants(reply)
