"""The daemon's documents and facts as methods: in, out, found by mode.

Goes through the door of a `DaemonClient`, so that both share one connection and one
way of naming what went wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal

from pydantic import TypeAdapter

from harness.daemon.client import Vector, sendable
from harness.daemon.documents_wire import (
    AddedDocument,
    AddedDocuments,
    ConstantsOfConfig,
    CountsOfStatus,
    DocumentCounts,
    FoundFacts,
    FoundFragments,
    Fragment,
    Fragments,
    StoredDocument,
    StoredFact,
    StoredFacts,
)
from harness.daemon.door import Door, Reply, path_of
from harness.daemon.retrieval import DocumentMode, FactsAnswer, ModeAnswer, Ranker
from harness.daemon.timing import Instants
from harness.errors import DaemonProtocolError

FactKind = Literal["durable", "current"]

BATCH_LIMIT = 500
"""Most documents that the contract takes in one request."""

_ADDED = TypeAdapter(AddedDocument)
_ADDED_MANY = TypeAdapter(AddedDocuments)
_DOCUMENT = TypeAdapter(StoredDocument)
_FRAGMENTS = TypeAdapter(Fragments)
_FOUND = TypeAdapter(FoundFragments)
_FACTS = TypeAdapter(StoredFacts)
_FOUND_FACTS = TypeAdapter(FoundFacts)
_COUNTS = TypeAdapter(CountsOfStatus)
_CONSTANTS = TypeAdapter(ConstantsOfConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """One document to ingest; nothing in it says whether a query is judged on it."""

    wing: str
    room: str
    name: str
    content: str

    def body(self) -> dict[str, object]:
        """Build the JSON body."""
        return {
            "wing": self.wing,
            "room": self.room,
            "name": self.name,
            "content": self.content,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """One fact to store; what is ``None`` is left to the daemon."""

    wing: str
    room: str
    kind: FactKind
    text: str
    category: str
    confidence: float | None = None
    """From 0 to 1."""
    keywords: tuple[str, ...] = ()
    fields: Mapping[str, object] = field(default_factory=dict)
    """More about it, in any JSON shape; its words are searched too."""
    valid_at: str | None = None
    """RFC 3339; a *current* fact ages from here."""

    def body(self) -> dict[str, object]:
        """Build the JSON body."""
        body: dict[str, object] = {
            "wing": self.wing,
            "room": self.room,
            "kind": self.kind,
            "text": self.text,
            "category": self.category,
            "keywords": self.keywords,
            "fields": self.fields,
        }
        return body | _given(confidence=self.confidence, valid_at=self.valid_at)


class DocumentsClient:
    """Talk to one daemon about documents, fragments and facts.

    Every method raises `DaemonError` where the daemon fails and its subclass
    `DaemonProtocolError` where the answer is not what the contract says; nothing is
    retried. A wing or room of ``None`` means everywhere.

    Args:
        door: The door of a `DaemonClient`, which also closes it.
    """

    def __init__(self, door: Door) -> None:
        self._door = door

    def add(self, document: NewDocument) -> tuple[AddedDocument, Instants]:
        """Ingest one document; the same one twice is stored once."""
        reply = self._door.send("POST", path_of("documents"), document.body())
        return self._door.take(reply, _ADDED), self._door.instants(reply)

    def add_documents(
        self, batch: Sequence[NewDocument]
    ) -> tuple[list[AddedDocument], Instants]:
        """Ingest up to `BATCH_LIMIT` documents, all or none, answers in order.

        Raises:
            DaemonProtocolError: Other documents came back, or in another order: their
                ids would be judged as somebody else's.
        """
        body = {"documents": [document.body() for document in batch]}
        reply = self._door.send("POST", path_of("documents", "batch"), body)
        added = self._door.take(reply, _ADDED_MANY).documents
        self._check_order(reply, added, batch)
        return added, self._door.instants(reply)

    def update(self, document_id: str, content: str) -> tuple[StoredDocument, Instants]:
        """Give a document another text; it keeps its id and its name."""
        path = path_of("documents", document_id)
        reply = self._door.send("PUT", path, {"content": content})
        return self._door.take(reply, _DOCUMENT), self._door.instants(reply)

    def delete(self, document_id: str) -> Instants:
        """Remove a document with all its fragments."""
        reply = self._door.send("DELETE", path_of("documents", document_id))
        self._door.must_succeed(reply)
        return self._door.instants(reply)

    def document(self, document_id: str) -> StoredDocument | None:
        """Read one document with its text; ``None`` where it is not there."""
        reply = self._door.send("GET", path_of("documents", document_id))
        if reply.status == HTTPStatus.NOT_FOUND:
            return None
        return self._door.take(reply, _DOCUMENT)

    def fragments(self, document_id: str) -> list[Fragment]:
        """List the pieces of a document, in the order of its text."""
        reply = self._door.send("GET", path_of("documents", document_id, "fragments"))
        return self._door.take(reply, _FRAGMENTS).fragments

    def search(
        self,
        query: str,
        *,
        mode: DocumentMode,
        wing: str | None = None,
        room: str | None = None,
        limit: int | None = None,
        threshold: float | None = None,
    ) -> ModeAnswer:
        """Find fragments; limit and threshold are the daemon's own where missing."""
        body = {"query": query, "mode": mode}
        more = _given(wing=wing, room=room, limit=limit, threshold=threshold)
        return self._found(path_of("documents", "search"), body | more)

    def search_vector(
        self,
        embedding: Vector,
        *,
        wing: str | None = None,
        room: str | None = None,
        limit: int | None = None,
        threshold: float | None = None,
    ) -> ModeAnswer:
        """Find the fragments nearest to a vector of ours; no words are looked at."""
        body: dict[str, object] = {"embedding": sendable(embedding)}
        more = _given(wing=wing, room=room, limit=limit, threshold=threshold)
        return self._found(path_of("fragments", "search"), body | more)

    def rank(
        self,
        query: str,
        *,
        ranker: Ranker = "search",
        stemming: bool | None = None,
        wing: str | None = None,
        room: str | None = None,
        limit: int | None = None,
    ) -> ModeAnswer:
        """Rank fragments by words alone, all that match where *limit* is missing.

        Args:
            query: What is looked for.
            ranker: Which of the daemon's two keyword rankers.
            stemming: Whether words are cut to their stems; the ranker's own way where
                missing.
            wing: Only fragments of this wing.
            room: Only fragments of this room.
            limit: Most hits.
        """
        body = {"query": query, "ranker": ranker, "limit": limit}
        more = _given(stemming=stemming, wing=wing, room=room)
        return self._found(path_of("fragments", "rank"), body | more)

    def add_facts(self, facts: Sequence[NewFact]) -> tuple[list[StoredFact], Instants]:
        """Store facts; the ids come in the order of *facts*.

        Raises:
            DaemonProtocolError: Another number of facts came back.
        """
        body = {"facts": [fact.body() for fact in facts]}
        reply = self._door.send("POST", path_of("facts"), body)
        stored = self._door.take(reply, _FACTS).facts
        if len(stored) != len(facts):
            raise DaemonProtocolError(
                f"{reply.call} answered {len(stored)} facts to {len(facts)}.",
                where=self._door.url,
            )
        return stored, self._door.instants(reply)

    def delete_fact(self, fact_id: str) -> None:
        """Remove a fact."""
        self._door.must_succeed(self._door.send("DELETE", path_of("facts", fact_id)))

    def search_facts(
        self,
        query: str,
        *,
        wing: str,
        room: str,
        now: str | None = None,
        limit: int | None = None,
    ) -> FactsAnswer:
        """Find facts by words, confidence and age.

        Args:
            query: What is looked for.
            wing: Only facts of this wing.
            room: Only facts of this room.
            now: RFC 3339, from which age is counted; the daemon's clock where missing.
            limit: Most facts; the daemon's own where missing.
        """
        body = {"query": query, "wing": wing, "room": room}
        more = _given(now=now, limit=limit)
        reply = self._door.send("POST", path_of("facts", "search"), body | more)
        found = self._door.take(reply, _FOUND_FACTS)
        return FactsAnswer(
            facts=found.facts,
            effective=found.effective,
            scanned=found.scanned,
            cut=found.cut,
            instants=self._door.instants(reply),
        )

    def counts(self) -> DocumentCounts:
        """Ask how much the daemon holds; what it does not count is ``None``."""
        reply = self._door.send("GET", path_of("status"))
        return self._door.take(reply, _COUNTS).counts or DocumentCounts()

    def constants(self) -> Mapping[str, object] | None:
        """Ask which constants its ranking rests on; ``None`` where it does not tell."""
        reply = self._door.send("GET", path_of("config"))
        return self._door.take(reply, _CONSTANTS).documents

    def _found(self, path: str, body: Mapping[str, object]) -> ModeAnswer:
        reply = self._door.send("POST", path, body)
        found = self._door.take(reply, _FOUND)
        return ModeAnswer(
            hits=found.hits,
            mode=found.mode,
            effective=found.effective,
            degradation=found.degraded,
            scanned=found.scanned,
            cut=found.cut,
            embed_ms=found.timing.embed_ms,
            search_ms=found.timing.search_ms,
            instants=self._door.instants(reply),
        )

    def _check_order(
        self, reply: Reply, added: Sequence[AddedDocument], batch: Sequence[NewDocument]
    ) -> None:
        if len(added) != len(batch):
            raise DaemonProtocolError(
                f"{reply.call} answered {len(added)} documents to {len(batch)}.",
                where=self._door.url,
            )
        for place, (found, wanted) in enumerate(zip(added, batch, strict=True)):
            if found.name != wanted.name:
                raise DaemonProtocolError(
                    f"{reply.call} answered in another order: documents.{place}.name "
                    f"is {found.name!r}, wanted {wanted.name!r}.",
                    where=self._door.url,
                )


def _given(**fields: object) -> dict[str, object]:
    """Leave out what is ``None``: the daemon has a default of its own for it."""
    return {name: value for name, value in fields.items() if value is not None}
