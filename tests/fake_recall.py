"""A daemon that takes documents and facts, and the embedder beside it, both in memory.

The embedder counts and fails as it is told; the daemon embeds with it in process. What
a daemon could do wrong is switched on by attributes.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from harness.dataset.vectors.trigrams import DIMENSION, TrigramModel
from harness.measure.recall.material import Material, material
from harness.measure.recall.rows import LONG, MAIN, PARAPHRASE, SCRIPTS
from harness.runtime.base import RunningDaemon, RunningEmbedder
from tests.fake_palace import Answer, FakePalace, answer, refusal
from tests.fakes import served

Json = dict[str, Any]
Vector = NDArray[np.float32]

FEATURES = (
    "documents",
    "documents.batch",
    "fragments.search",
    "fragments.rank",
    "facts",
)
FRAGMENT = 1_750
STEP = 1_400
CODES = {
    "error": "memcastle::embed::failed",
    "refuse": "memcastle::embed::unreachable",
    "timeout": "memcastle::embed::timeout",
    "rate_limited": "memcastle::embed::rate_limited",
    "wrong_dimension": "memcastle::embed::dimension_mismatch",
    "nan": "memcastle::embed::not_finite",
    "garbage": "memcastle::embed::failed",
    "half": "memcastle::embed::failed",
}
"""Faults that leave no vector, and the code each of them must be told by."""


class EmbeddingError(Exception):
    """The fake embedder gave no vectors."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class FakeEmbedder:
    """Serves trigram vectors, counts, and shows the fault it is told to."""

    def __init__(self) -> None:
        self.fault: Json = {"kind": "ok"}
        self.faults: list[str] = []
        self.requests = 0
        self.inputs = 0
        self.model = TrigramModel()

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed as the daemon in this process asks for it."""
        kind = self.fault["kind"]
        if kind != "refuse":
            self.requests += 1
            self.inputs += len(texts)
        if kind in CODES:
            raise EmbeddingError(CODES[kind])
        return self.model.embed_all(texts)

    def handle(self, method: str, target: str, body: bytes) -> Answer:
        """Answer a request of the harness, on either port."""
        sent: Json = json.loads(body) if body else {}
        match method, target:
            case "PUT", "/control/fault":
                self.fault = sent
                self.faults.append(sent["kind"])
                return answer({})
            case "GET", "/control/state":
                return answer(
                    {
                        "fault": self.fault,
                        "requests": self.requests,
                        "inputs": self.inputs,
                        "answered": self.requests,
                        "by_status": {},
                    }
                )
            case "POST", "/v1/embeddings":
                rows = self.embed(sent["input"])
                return answer(
                    {
                        "data": [
                            {"index": place, "embedding": row.tolist()}
                            for place, row in enumerate(rows)
                        ]
                    }
                )
        return answer({"error": "no such route"}, 404)


@dataclass
class Piece:
    """One fragment."""

    document: str
    wing: str
    position: int
    text: str
    seq: int
    vector: Vector | None
    words: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.words = frozenset(words(self.text))


class FakeDocuments(FakePalace):
    """A daemon with documents and facts.

    Attributes:
        runs: Mode that is asked for, to the mode that runs without a word about it.
        embeds_for_show: Whether it embeds the query even where it then looks at words.
        caches: Whether it keeps the vectors of queries.
        opens: Whether it falls open; where not, a search fails with the embedder.
        confesses: Whether it says so when it falls open.
        finds_nothing_open: Whether it answers nothing once it fell open.
        lingers: Queries that it cannot embed once a fault is over.
        keeps_half: Whether a document that is refused leaves something behind.
        loses: Name of a document that is confirmed, and then not there.
        forgets_old_text: Whether an update or a delete removes what was there.
    """

    def __init__(
        self,
        embedder: FakeEmbedder | None = None,
        features: tuple[str, ...] = FEATURES,
    ) -> None:
        super().__init__(features=features)
        self.embedder = embedder
        self.documents: dict[str, Json] = {}
        self.pieces: list[Piece] = []
        self.facts: dict[str, Json] = {}
        self.runs: dict[str, str] = {}
        self.embeds_for_show = False
        self.caches = False
        self.opens = True
        self.confesses = True
        self.finds_nothing_open = False
        self.forgets_old_text = True
        self.lingers = 0
        self.keeps_half = False
        self.loses: str | None = None
        self._cache: dict[str, Vector] = {}
        self._seq = 0
        self._lingering = 0

    def _route(self, method: str, segments: list[str], body: Json) -> Answer:
        routes: Mapping[str, Callable[[str, list[str], Json], Answer | None]] = {
            "documents": self._document_route,
            "fragments": self._fragment_route,
            "facts": self._fact_route,
        }
        head, *rest = segments
        if head in routes:
            found = routes[head](method, rest, body)
            return found or answer({"error": "no such route"}, 404)
        return super()._route(method, segments, body)

    def _status(self) -> Json:
        status = super()._status()
        status["counts"] |= {
            "documents": len(self.documents),
            "fragments": len(self.pieces),
            "fragments_embedded": sum(p.vector is not None for p in self.pieces),
            "facts": len(self.facts),
        }
        return status

    def _config(self) -> Json:
        provider = "none" if self.embedder is None else "openai"
        return {
            **super()._config(),
            "embeddings": {"provider": provider, "model": None},
            "documents": {"preset": "recall", "vector_threshold": 0.1},
        }

    # --- documents

    def _document_route(self, method: str, rest: list[str], body: Json) -> Answer:
        match method, rest:
            case "POST", ["search"]:
                self.log.append(f"search {body['mode']}")
                return self._search(body)
            case "POST", ["batch"]:
                self.log.append("ingest")
                return self._add(body["documents"])
            case "POST", []:
                added = self._add([body])
                if added.status != 200:
                    return added
                return answer(json.loads(added.body)["documents"][0])
        document = self.documents.get(rest[0])
        if document is None:
            return refusal(404, "memcastle::documents::not_found", "no document")
        match method:
            case "PUT":
                self.log.append("update")
                self._drop(document["id"])
                document["content"] = body["content"]
                document["version"] += 1
                self._cut(document)
            case "DELETE":
                self.log.append("delete")
                self._drop(document["id"])
                del self.documents[document["id"]]
        return answer(document)

    def _add(self, entries: list[Json]) -> Answer:
        try:
            made = [self._added(entry) for entry in entries]
        except EmbeddingError as failure:
            if self.keeps_half:
                self.documents[f"half-{len(self.documents)}"] = {}
            return refusal(503, failure.code, "the provider failed")
        return answer({"documents": made})

    def _added(self, entry: Json) -> Json:
        identity = f"id-{entry['wing']}-{entry['name']}-{hash(entry['content'])}"
        if identity in self.documents:
            return {**self.documents[identity], "created": False}
        document = {**entry, "id": identity, "version": 1, "fragments": 0}
        self._cut(document)
        if entry["name"] != self.loses:
            self.documents[identity] = document
        return {**document, "created": True}

    def _cut(self, document: Json) -> None:
        text = document["content"]
        starts = range(0, max(1, len(text) - FRAGMENT + STEP), STEP)
        texts = [text[start : start + FRAGMENT] for start in starts]
        rows = None if self.embedder is None else self.embedder.embed(texts)
        for position, part in enumerate(texts):
            self._seq += 1
            row = None if rows is None or not rows[position].any() else rows[position]
            self.pieces.append(
                Piece(document["id"], document["wing"], position, part, self._seq, row)
            )
        document["fragments"] = len(texts)

    def _drop(self, identity: str) -> None:
        if self.forgets_old_text:
            self.pieces = [p for p in self.pieces if p.document != identity]

    # --- searches

    def _search(self, body: Json) -> Answer:
        asked: str = body["mode"]
        runs: str = self.runs.get(asked, asked)
        vector, code = None, None
        if runs != "keyword" or (self.embeds_for_show and asked != "keyword"):
            try:
                vector = self._embedded(body["query"])
            except EmbeddingError as failure:
                if not self.opens:
                    return refusal(503, failure.code, "the provider failed")
                code = failure.code
            if vector is not None and not vector.any():
                code = "memcastle::embed::zero_vector"
        if code is None:
            ranked = self._ranked(runs, body, vector)
            return self._found(asked, asked, None, ranked[: body["limit"]])
        ranked = [] if self.finds_nothing_open else self._ranked("keyword", body, None)
        effective, told = ("keyword", code) if self.confesses else (asked, None)
        return self._found(asked, effective, told, ranked[: body["limit"]])

    def _embedded(self, text: str) -> Vector:
        if self.embedder is None:
            raise EmbeddingError("memcastle::embed::unconfigured")
        if self.caches and text in self._cache:
            return self._cache[text]
        if self._lingering and self.embedder.fault["kind"] == "ok":
            self._lingering -= 1
            raise EmbeddingError(CODES["error"])
        try:
            self._cache[text] = self.embedder.embed([text])[0]
        except EmbeddingError:
            self._lingering = self.lingers
            raise
        return self._cache[text]

    def _ranked(
        self, mode: str, body: Json, vector: Vector | None
    ) -> list[tuple[Piece, float]]:
        pieces = self._scope(body)
        if mode == "keyword" or vector is None:
            return best(overlaps(pieces, words(body["query"])))
        near = [(p, c) for p, c in cosines(pieces, vector) if c >= 0.1]
        if mode == "vector":
            return best(near)
        asked = words(body["query"])
        return best([(p, 0.6 * c + 0.4 * share(p, asked)) for p, c in near])

    def _fragment_route(self, _method: str, rest: list[str], body: Json) -> Answer:
        if rest == ["search"]:
            self.log.append("search raw")
            vector = np.array(body["embedding"], np.float32)
            ranked = best(cosines(self._scope(body), vector))[: body["limit"]]
            return self._found("raw-vector", "raw-vector", None, ranked)
        self.log.append("rank")
        asked = words(body["query"])
        if body["stemming"]:
            ranked = [(p, stems(asked, p)) for p in self._scope(body)]
        else:
            ranked = overlaps(self._scope(body), asked)
        return self._found("rank", "rank", None, best([e for e in ranked if e[1] > 0]))

    def _scope(self, body: Json) -> list[Piece]:
        return [p for p in self.pieces if p.wing == body["wing"]]

    def _found(
        self,
        mode: str,
        effective: str,
        code: str | None,
        ranked: Sequence[tuple[Piece, float]],
    ) -> Answer:
        hits = [
            {
                "id": f"fragment-{piece.seq}",
                "document_id": piece.document,
                "score": score,
                "position": piece.position,
            }
            for piece, score in ranked
        ]
        degraded = code and {"from": mode, "to": "keyword", "code": code, "reason": "-"}
        body = {
            "mode": mode,
            "effective": effective,
            "degraded": degraded or None,
            "scanned": len(self.pieces),
            "cut": False,
            "timing": {"embed_ms": 2.0 if mode != "keyword" else None, "search_ms": 1},
            "hits": self.rewrite({"mode": mode}, hits),
        }
        return answer(body)

    # --- facts

    def _fact_route(self, _method: str, rest: list[str], body: Json) -> Answer:
        if rest == ["search"]:
            self.log.append("search facts")
            return answer({"facts": self._facts(body)[:12], "effective": "lexical"})
        self.log.append("facts")
        stored = []
        for fact in body["facts"]:
            identity = f"fact-id-{len(self.facts)}"
            self.facts[identity] = {**fact, "id": identity}
            stored.append({"id": identity})
        return answer({"facts": stored})

    def _facts(self, body: Json) -> list[Json]:
        asked = words(body["query"])
        found = []
        for fact in self.facts.values():
            told = frozenset(words(" ".join([fact["text"], *fact["keywords"]])))
            score = len(told & asked) * fact["confidence"] * fading(fact, body)
            if fact["wing"] == body["wing"] and score:
                found.append({"id": fact["id"], "kind": fact["kind"], "score": score})
        return sorted(found, key=lambda fact: -fact["score"])


def words(text: str) -> frozenset[str]:
    """Split into lower-case words of any script."""
    return frozenset(re.findall(r"[^\W_]+", text.lower()))


def share(piece: Piece, asked: frozenset[str]) -> float:
    """Say how many of the words that are asked for a piece has, from 0 to 1."""
    return len(piece.words & asked) / max(1, len(asked))


def stems(asked: frozenset[str], piece: Piece) -> float:
    """Count the beginnings of long words that a piece shares with the query."""
    ours, theirs = (
        {word[:6] for word in each if len(word) > 7} for each in (asked, piece.words)
    )
    return float(len(ours & theirs))


def overlaps(
    pieces: Sequence[Piece], asked: frozenset[str]
) -> list[tuple[Piece, float]]:
    """Score pieces by the words they share with the query; leave out the rest."""
    return [(p, share(p, asked)) for p in pieces if p.words & asked]


def cosines(pieces: Sequence[Piece], vector: Vector) -> list[tuple[Piece, float]]:
    """Score the pieces that have a vector by nearness."""
    return [(p, float(p.vector @ vector)) for p in pieces if p.vector is not None]


def best(scored: Sequence[tuple[Piece, float]]) -> list[tuple[Piece, float]]:
    """Order by score, the newest first of equals."""
    return sorted(scored, key=lambda each: (-each[1], -each[0].seq))


def fading(fact: Json, body: Json) -> float:
    """Say what is left of a fact of its age, from 0 to 1."""
    if fact["kind"] == "durable" or "now" not in body:
        return 1.0
    age = moment(body["now"]) - moment(fact["valid_at"])
    return math.exp(-age.total_seconds() / 86_400 / 14)


def moment(written: str) -> datetime:
    """Read an instant."""
    return datetime.fromisoformat(written)


@cache
def small_material() -> Material:
    """Make the smoke tier, its slices cut down to three queries and what they need.

    The corpus, the facts and the slices that change or are stemmed stay whole.
    """
    whole = material("smoke", "published")
    queries = {wing: asked[:3] for wing, asked in whole.queries.items()}
    slices = dict(whole.slices)
    for wing in (PARAPHRASE, SCRIPTS, LONG):
        judged = {name for query in queries[wing] for name in query.relevant}
        slices[wing] = tuple(
            document
            for place, document in enumerate(whole.slices[wing])
            if document.id in judged or place % 8 == 0
        )
    queries[MAIN] = whole.queries[MAIN]
    return replace(whole, slices=slices, queries=queries)


class FakeRecallRuntime:
    """A runtime whose daemon and embedder are fakes on loopback ports.

    Args:
        palace: The daemon.
        watched: Whether the harness may see the embedder.
        check: Raises what it knows to be gone.
    """

    name: Literal["live"] = "live"
    reason = "a fake"

    def __init__(
        self,
        palace: FakeDocuments,
        *,
        watched: bool = True,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.palace = palace
        self.watched = watched and palace.embedder is not None
        self.check = check
        self._stack = ExitStack()

    def __enter__(self) -> RunningDaemon:
        self.palace.log.append("start")
        url = self._stack.enter_context(served(self.palace))
        embedder = None
        if self.watched and self.palace.embedder is not None:
            control = self._stack.enter_context(served(self.palace.embedder))
            embedder = RunningEmbedder(
                f"{control}/v1", control, "trigram-384", DIMENSION
            )
        return RunningDaemon(url, None, self.check, embedder=embedder)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.palace.log.append("stop")
        self._stack.close()
