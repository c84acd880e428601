"""The daemon's routes as methods, each answer checked before it is believed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Self

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from harness.daemon.door import Door, path_of
from harness.daemon.search import (
    HEADER_DEGRADED,
    HEADER_LEXICAL,
    HEADER_PLAN,
    HEADER_RANKING,
    SearchAnswer,
    SearchRequest,
)
from harness.daemon.timing import REAL_TIME, Instants, Time
from harness.daemon.wire import (
    Config,
    CreatedDrawer,
    CreatedDrawers,
    Drawer,
    Hit,
    Job,
    Status,
    Superseded,
    Versions,
)
from harness.errors import DaemonProtocolError, HarnessError

Vector = NDArray[np.float32]

_STATUS = TypeAdapter(Status)
_CONFIG = TypeAdapter(Config)
_CREATED = TypeAdapter(CreatedDrawer)
_CREATED_MANY = TypeAdapter(CreatedDrawers)
_DRAWER = TypeAdapter(Drawer)
_VERSIONS = TypeAdapter(Versions)
_SUPERSEDED = TypeAdapter(Superseded)
_HITS = TypeAdapter(tuple[Hit, ...])
_JOB = TypeAdapter(Job)
_JOBS = TypeAdapter(list[Job])
_WINGS = TypeAdapter(list[Mapping[str, object]])
_ANYTHING = TypeAdapter[object](object)

_NOT_SPOKEN = {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDrawer:
    """One drawer to write; nothing in it says whether a query is judged on it."""

    wing: str
    room: str
    content: str
    vector: Vector | None = None


class DaemonClient:
    """Talk to one daemon, one request at a time, over one kept connection.

    Every method raises `DaemonError` where the daemon fails and its subclass
    `DaemonProtocolError` where the answer is not what the contract says; nothing is
    retried. Arguments as for `Door`.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        timeout_s: float = 30.0,
        *,
        transport: httpx.BaseTransport | None = None,
        time: Time = REAL_TIME,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._door = Door(
            url,
            token,
            timeout_s=timeout_s,
            transport=transport,
            time=time,
            check=check,
        )

    @property
    def url(self) -> str:
        """The daemon's base URL, for messages."""
        return self._door.url

    @property
    def door(self) -> Door:
        """What requests leave by, for the clients of other routes to share."""
        return self._door

    @property
    def time(self) -> Time:
        """The clock every instant is read from."""
        return self._door.time

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._door.close()

    def health(self) -> Instants:
        """Call the cheapest route and return how long that took."""
        reply = self._door.send("GET", path_of("health"))
        self._door.take(reply, _ANYTHING)
        return self._door.instants(reply)

    def status(self) -> Status | None:
        """Ask what the daemon says of itself; ``None`` where it lacks the route."""
        reply = self._door.send("GET", path_of("status"))
        if reply.status in _NOT_SPOKEN:
            return None
        return self._door.take(reply, _STATUS)

    def config(self) -> Config | None:
        """Ask how the daemon is configured; ``None`` where it lacks the route."""
        reply = self._door.send("GET", path_of("config"))
        if reply.status in _NOT_SPOKEN:
            return None
        return self._door.take(reply, _CONFIG)

    def count_wings(self) -> int:
        """Count the wings of the palace; 0 means that it is empty."""
        reply = self._door.send("GET", path_of("wings"))
        return len(self._door.take(reply, _WINGS))

    def create_drawer(self, drawer: NewDrawer) -> tuple[CreatedDrawer, Instants]:
        """Write one drawer, without its vector: every daemon understands that."""
        reply = self._door.send(
            "POST",
            path_of("wings", drawer.wing, "rooms", drawer.room, "drawers"),
            {"content": drawer.content},
        )
        return self._door.take(reply, _CREATED), self._door.instants(reply)

    def create_drawers(
        self, drawers: Sequence[NewDrawer], *, profile: str | None
    ) -> tuple[list[CreatedDrawer], Instants]:
        """Write many drawers with their vectors, all or none, answers in order.

        Raises:
            DaemonProtocolError: Another number of drawers came back.
        """
        reply = self._door.send(
            "POST",
            path_of("drawers", "batch"),
            {"drawers": [_entry(drawer, profile) for drawer in drawers]},
        )
        created = self._door.take(reply, _CREATED_MANY).drawers
        if len(created) != len(drawers):
            raise DaemonProtocolError(
                f"{reply.call} answered {len(created)} drawers to {len(drawers)}.",
                where=self.url,
            )
        return created, self._door.instants(reply)

    def put_embedding(
        self, drawer_id: str, vector: Vector, *, profile: str | None
    ) -> Instants:
        """Attach a vector to a stored drawer."""
        body: dict[str, object] = {"embedding": sendable(vector)}
        if profile is not None:
            body["profile"] = profile
        reply = self._door.send("PUT", path_of("drawers", drawer_id, "embedding"), body)
        self._door.must_succeed(reply)
        return self._door.instants(reply)

    def mention(self, drawer_id: str, *, name: str, kind: str) -> None:
        """Link an entity to a stored drawer."""
        path = path_of("drawers", drawer_id, "mentions")
        reply = self._door.send("POST", path, {"name": name, "kind": kind})
        self._door.must_succeed(reply)

    def supersede(self, drawer_id: str, content: str) -> tuple[Drawer, Instants]:
        """Close a drawer and write its correction; return the new version."""
        path = path_of("drawers", drawer_id, "supersede")
        reply = self._door.send("POST", path, {"content": content})
        superseded = self._door.take(reply, _SUPERSEDED)
        return superseded.replacement, self._door.instants(reply)

    def get_drawer(self, drawer_id: str) -> Drawer | None:
        """Read one stored version; ``None`` where the daemon does not have it.

        A daemon without the route, MemCastle's for one, is asked for the version's
        history instead.
        """
        reply = self._door.send("GET", path_of("drawers", drawer_id))
        if reply.status not in _NOT_SPOKEN:
            return self._door.take(reply, _DRAWER)
        reply = self._door.send("GET", path_of("drawers", drawer_id, "history"))
        if reply.status in _NOT_SPOKEN:
            return None
        versions = self._door.take(reply, _VERSIONS).versions
        return next((each for each in versions if each.id == drawer_id), None)

    def search(
        self, request: SearchRequest, *, intended: float | None = None
    ) -> SearchAnswer:
        """Ask one search; *intended* is when it should have left, if not now."""
        if request.vector is not None:
            sendable(request.vector)
        reply = self._door.send(
            "POST", path_of("search"), request.body(), intended=intended
        )
        hits = self._door.take(reply, _HITS)
        return SearchAnswer(
            hits=hits,
            instants=self._door.instants(reply),
            ranking=reply.headers.get(HEADER_RANKING),
            degraded=reply.headers.get(HEADER_DEGRADED),
            plan=reply.headers.get(HEADER_PLAN),
            lexical=reply.headers.get(HEADER_LEXICAL),
        )

    def run_job(self, kind: str, **options: str) -> Job:
        """Submit a job; it runs after the answer, see `wait_for_job`."""
        body = {"type": kind, **options}
        return self._door.take(self._door.send("POST", path_of("jobs"), body), _JOB)

    def jobs(self) -> list[Job]:
        """List the daemon's jobs, newest first."""
        return self._door.take(self._door.send("GET", path_of("jobs")), _JOBS)

    def job(self, job_id: str) -> Job:
        """Ask how one job stands."""
        reply = self._door.send("GET", path_of("jobs", job_id))
        return self._door.take(reply, _JOB)

    def shutdown(self) -> None:
        """Ask the daemon to stop; it drains what it is serving first."""
        self._door.must_succeed(self._door.send("POST", path_of("shutdown")))


def sendable(vector: Vector) -> Vector:
    """Return *vector* if every number of it survives the way through JSON.

    JSON has no NaN: it would arrive as ``null``, or be refused far from its cause.

    Raises:
        HarnessError: The array is not one row of finite float32 numbers.
    """
    if vector.ndim != 1 or vector.dtype != np.float32 or not np.isfinite(vector).all():
        raise HarnessError(
            f"a vector of shape {vector.shape} and type {vector.dtype} is not one row "
            f"of finite float32 numbers."
        )
    return vector


def _entry(drawer: NewDrawer, profile: str | None) -> dict[str, object]:
    entry: dict[str, object] = {
        "wing": drawer.wing,
        "room": drawer.room,
        "content": drawer.content,
    }
    if drawer.vector is not None:
        entry["embedding"] = sendable(drawer.vector)
        if profile is not None:
            entry["profile"] = profile
    return entry
