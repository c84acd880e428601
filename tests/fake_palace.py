"""A memory daemon that is a few dictionaries.

It speaks the drawers part of the contract, keeps every request it was sent, and logs
its phases, so that a test can ask what happened, and in which order.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.fake_search import StoredDrawer, fused, lexical, passes, semantic

Json = dict[str, Any]
FEATURES = ("drawers", "drawers.batch", "mentions", "supersede", "jobs.index")
STANDIN = {
    "name": "standin",
    "dimension": 768,
    "metric": "cosine",
    "external": True,
    "default": True,
}


@dataclass(frozen=True)
class Sent:
    """One request the fake was sent."""

    method: str
    path: str
    body: bytes

    @property
    def json(self) -> Json:
        """The body, decoded."""
        decoded: Json = json.loads(self.body)
        return decoded


@dataclass(frozen=True)
class Answer:
    """One answer of the fake."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)


def answer(body: object, status: int = 200, **headers: str) -> Answer:
    """Make an answer whose body is JSON."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(body).encode(), names)


def refusal(status: int, code: str, message: str) -> Answer:
    """Make an error answer of the contract."""
    return answer({"error": message, "code": code, "help": None}, status)


class FakePalace:
    """An in-memory daemon.

    Set `rewrite` to change the hits of every search before they are sent, and
    `faults` to answer a method and path with something else; a fault may be a function
    that is asked each time and may return ``None`` to let the request through.
    """

    def __init__(
        self,
        *,
        features: tuple[str, ...] | None = FEATURES,
        profiles: tuple[Json, ...] = (STANDIN,),
        tells_time: bool = True,
        has_status: bool = True,
        reads_drawers: bool = True,
        counts_rooms: bool = True,
    ) -> None:
        self.features = features
        self.profiles = profiles
        self.tells_time = tells_time
        self.has_status = has_status
        self.reads_drawers = reads_drawers
        self.counts_rooms = counts_rooms
        self.drawers: dict[str, StoredDrawer] = {}
        self.requests: list[Sent] = []
        self.log: list[str] = []
        self.plan = "exact"
        self.build: Json = {"name": "release", "assertions": False}
        self.rewrite: Callable[[Json, list[Json]], list[Json]] = lambda _, hits: hits
        self.faults: dict[tuple[str, str], Answer | Callable[[], Answer | None]] = {}
        self._stamps = 0
        self._stored = 0

    def handle(self, method: str, target: str, body: bytes) -> Answer:
        """Answer one request."""
        path = urlsplit(target).path
        self.requests.append(Sent(method, path, body))
        fault = self.faults.get((method, path))
        answered = fault() if callable(fault) else fault
        if answered is not None:
            return answered
        segments = [unquote(part) for part in path.removeprefix("/api/").split("/")]
        return self._route(method, segments, json.loads(body) if body else {})

    def sent(self, method: str, path_end: str) -> list[Sent]:
        """List the requests of one kind, in order."""
        return [
            each
            for each in self.requests
            if each.method == method and each.path.endswith(path_end)
        ]

    def _route(self, method: str, segments: list[str], body: Json) -> Answer:
        head, *rest = segments
        routes: Mapping[str, Callable[[str, list[str], Json], Answer | None]] = {
            "health": lambda *_: answer({"status": "ok"}),
            "status": lambda *_: answer(self._status()) if self.has_status else None,
            "config": lambda *_: answer(self._config()),
            "wings": self._wing_route,
            "drawers": self._drawer_route,
            "jobs": self._job_route,
            "search": lambda _method, _rest, body: self._search(body),
        }
        found = routes[head](method, rest, body) if head in routes else None
        return found or answer({"error": "no such route"}, 404)

    def _wing_route(self, method: str, rest: list[str], body: Json) -> Answer | None:
        match rest:
            case []:
                wings = {drawer.wing for drawer in self.drawers.values()}
                return answer([{"name": wing} for wing in sorted(wings)])
            case [wing] if method == "DELETE":
                self.log.append("delete wing")
                kept = {
                    i: each for i, each in self.drawers.items() if each.wing != wing
                }
                self.drawers = kept
                return Answer(204, b"")
            case [wing, "rooms"]:
                return self._rooms(wing)
            case [wing, "rooms", room, "drawers"]:
                self.log.append("create")
                return self._created(wing, room, body["content"], name=body.get("name"))
        return None

    def _rooms(self, wing: str) -> Answer | None:
        if not self.counts_rooms:
            return None
        rooms = Counter(
            each.room for each in self.drawers.values() if each.wing == wing
        )
        return answer(
            [{"name": room, "drawers": count} for room, count in rooms.items()]
        )

    def _job_route(self, method: str, rest: list[str], body: Json) -> Answer:
        if method == "POST":
            self.log.append(f"job {body['type']}")
            return answer({"id": "job-1", "status": "queued"})
        return answer({"id": rest[0], "status": "completed"})

    def _drawer_route(self, method: str, rest: list[str], body: Json) -> Answer | None:
        if rest == ["batch"]:
            if "drawers.batch" not in self._features():
                return None
            self.log.append("create batch")
            return self._batch(body["drawers"])
        drawer = self.drawers.get(rest[0])
        if drawer is None:
            return refusal(404, "memcastle::palace::drawer_not_found", "no drawer")
        if method == "GET":
            return self._read(drawer, rest[1:])
        return self._write(drawer, rest[1:], body)

    def _read(self, drawer: StoredDrawer, rest: list[str]) -> Answer | None:
        self.log.append("read")
        if rest == ["history"]:
            return answer({"versions": [drawer.shown()]})
        return answer(drawer.shown()) if self.reads_drawers else None

    def _write(
        self, drawer: StoredDrawer, rest: list[str], body: Json
    ) -> Answer | None:
        match rest:
            case ["embedding"]:
                self.log.append("embed")
                drawer.vector = body["embedding"]
                return answer({"embedded": True})
            case ["mentions"]:
                self.log.append("mention")
                drawer.entities.add(body["name"])
                return answer({"created": True}, 201)
            case ["supersede"]:
                self.log.append("supersede")
                return self._supersede(drawer, body["content"])
        return None

    def _features(self) -> tuple[str, ...]:
        return self.features or ()

    def _status(self) -> Json:
        self.log.append("status")
        open_drawers = [each for each in self.drawers.values() if not each.valid_to]
        status: Json = {"name": "fake", "version": "1", "build": self.build}
        if self.features is None:
            return {**status, "counts": {"drawers": "many"}}
        vectors = sum(drawer.vector is not None for drawer in self.drawers.values())
        status["features"] = list(self.features)
        status["counts"] = {
            "wings": 0,
            "drawers": len(self.drawers),
            "current": len(open_drawers),
            "vectors": {"standin": vectors},
        }
        status["postgres"] = {
            "version": "18.1",
            "pgvector": "0.8.1",
            "settings": {"shared_buffers": "128MB", "data_directory": "/tmp/x"},
        }
        status["index"] = {"standin": {"rows": vectors, "hnsw": False}}
        if self.tells_time:
            status["now"] = self.stamp()
        return status

    def _config(self) -> Json:
        return {
            "backend": "postgres",
            "embeddings": {"provider": "none", "model": None},
            "profiles": list(self.profiles),
        }

    def stamp(self) -> str:
        """Take the next microsecond of the daemon's clock.

        A daemon that tells its clock has one of its own; any other stamps with the
        machine's, which the harness is left to share.
        """
        self._stamps += 1
        start = datetime(2026, 1, 1, tzinfo=UTC)
        moment = start + timedelta(microseconds=self._stamps)
        if not (self.tells_time and self.has_status):
            moment = datetime.now(UTC)
        return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")

    def add(self, wing: str, room: str, content: str) -> StoredDrawer:
        """Store a drawer behind the back of the routes."""
        stamp = self.stamp()
        drawer = StoredDrawer(f"uuid-{self._stored}", wing, room, content, stamp)
        self._stored += 1
        self.drawers[drawer.id] = drawer
        return drawer

    def _created(
        self,
        wing: str,
        room: str,
        content: str,
        vector: Sequence[float] | None = None,
        name: str | None = None,
    ) -> Answer:
        for drawer in self.drawers.values():
            place = (drawer.wing, drawer.room, drawer.content, drawer.name)
            if place == (wing, room, content, name) and drawer.valid_to is None:
                return answer({**drawer.shown(), "created": False})
        drawer = self.add(wing, room, content)
        drawer.vector, drawer.name = vector, name
        return answer({**drawer.shown(), "created": True}, 201)

    def _batch(self, entries: list[Json]) -> Answer:
        made = [
            self._created(
                each["wing"],
                each["room"],
                each["content"],
                each.get("embedding"),
                each.get("name"),
            )
            for each in entries
        ]
        return answer({"drawers": [json.loads(each.body) for each in made]})

    def _supersede(self, drawer: StoredDrawer, content: str) -> Answer:
        replacement = self.add(drawer.wing, drawer.room, content)
        drawer.valid_to = replacement.valid_from
        return answer(
            {"superseded": drawer.shown(), "replacement": replacement.shown()}
        )

    def _search(self, body: Json) -> Answer:
        self.log.append(f"search {body['ranking']}")
        candidates = [
            drawer for drawer in self.drawers.values() if passes(drawer, body["filter"])
        ]
        limit = body["limit"]
        words = lexical(candidates, body["text"])
        vectors = semantic(candidates, body["query_embedding"])
        match body["ranking"]:
            case "lexical":
                ranked = [(i, s, {"lexical": s}) for i, s in words]
            case "semantic":
                ranked = [(i, s, {"semantic": s}) for i, s in vectors]
            case _:
                ranked = fused(words[:20], vectors[:20])
        hits: list[Json] = [
            {**self.drawers[drawer_id].shown(), "score": score, "signals": signals}
            for drawer_id, score, signals in ranked[:limit]
        ]
        if body["expand"]:
            hits += self._related(candidates, [hit["id"] for hit in hits])[:limit]
        plan = "none" if body["ranking"] == "lexical" else self.plan
        return answer(
            self.rewrite(body, hits),
            X_Palace_Ranking=body["ranking"],
            X_Palace_Plan=f"{plan};rows={len(candidates)}",
        )

    def _related(
        self, candidates: Sequence[StoredDrawer], seeds: Sequence[str]
    ) -> list[Json]:
        entities = set().union(*(self.drawers[seed].entities for seed in seeds))
        shared = [
            (drawer, sorted(drawer.entities & entities))
            for drawer in candidates
            if drawer.id not in seeds and drawer.entities & entities
        ]
        shared.sort(key=lambda each: (-len(each[1]), each[0].id))
        return [
            {
                **drawer.shown(),
                "score": float(len(names)),
                "signals": {"graph": float(len(names))},
                "via": names,
            }
            for drawer, names in shared
        ]
