"""Write documents and facts in a known order, and know them again by their ids.

The daemon gets names, texts and the place they go to; which query is judged on what
stays here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from harness.daemon.documents import (
    BATCH_LIMIT,
    DocumentsClient,
    NewDocument,
    NewFact,
)
from harness.daemon.documents_wire import AddedDocument
from harness.dataset.recall.model import FactDocument, RecallDocument
from harness.errors import DaemonError, DaemonProtocolError, PrerequisiteError
from harness.measure.passes import Names
from harness.measure.progress import Advance
from harness.measure.recall.ways import ROOM


@dataclass(slots=True)
class Library:
    """Everything that was written, and how to find it again.

    Args:
        client: The daemon.
        url: Its address, for messages.
    """

    client: DocumentsClient
    url: str
    document_of: dict[str, str] = field(default_factory=dict)
    """The daemon's id of a document or fact to ours."""
    id_of: dict[tuple[str, str], str] = field(default_factory=dict)
    """Wing and our id to the daemon's id."""
    wing_of: dict[str, str] = field(default_factory=dict)
    """The daemon's id to the wing it was written to."""
    deleted: set[str] = field(default_factory=set)
    """The daemon's ids of what was removed again."""
    fragments: int = 0
    """Pieces that the daemon says all documents were cut into."""
    names: Names = field(init=False)
    """Names hits, those nobody wrote included."""

    def __post_init__(self) -> None:
        self.names = Names(self.document_of)

    def write(
        self, wing: str, documents: Sequence[RecallDocument], advance: Advance
    ) -> float:
        """Write documents in their order; return the seconds the requests took.

        One request is under way at a time: the order of ingestion decides equal
        scores, and two requests at once have no order between them. A daemon is free
        to work on the documents of one request side by side.

        Raises:
            DaemonError: A write failed. What was written before it stays.
            PrerequisiteError: A document was there before.
        """
        spent_s = 0.0
        for batch in _batches(documents):
            added, instants = self.client.add_documents(
                [new_document(wing, document) for document in batch]
            )
            spent_s += instants.service_s
            for document, stored in zip(batch, added, strict=True):
                self._register(wing, document, stored)
            advance(len(batch))
        return spent_s

    def write_facts(self, wing: str, facts: Sequence[FactDocument]) -> None:
        """Write facts in their order.

        Raises:
            DaemonError: The write failed.
        """
        stored, _ = self.client.add_facts([_new_fact(wing, fact) for fact in facts])
        for fact, told in zip(facts, stored, strict=True):
            self._keep(wing, fact.id, told.id)

    def repeat(self, wing: str, documents: Sequence[RecallDocument]) -> None:
        """Write documents whose texts are there already, under their names or others.

        Only an id that is not known yet becomes a document's: where a name and text
        that are there get a second id, its hits are nobody's.

        Raises:
            DaemonError: The write failed.
        """
        added, _ = self.client.add_documents(
            [new_document(wing, document) for document in documents]
        )
        for document, stored in zip(documents, added, strict=True):
            known = (wing, document.id) in self.id_of or stored.id in self.document_of
            if not known:
                self._keep(wing, document.id, stored.id)

    def update(self, wing: str, document: RecallDocument) -> None:
        """Give a stored document another text.

        Raises:
            DaemonError: The daemon refused.
        """
        self.client.update(self.id_of[wing, document.id], document.text)

    def delete(self, wing: str, ours: str) -> None:
        """Remove a stored document; its name is kept, to know it should it come back.

        Raises:
            DaemonError: The daemon refused.
        """
        theirs = self.id_of[wing, ours]
        self.client.delete(theirs)
        self.deleted.add(theirs)

    def held(self, wing: str) -> int:
        """Count what a wing holds now."""
        return sum(
            where == wing and theirs not in self.deleted
            for theirs, where in self.wing_of.items()
        )

    def read_back(self, wing: str, document: RecallDocument) -> None:
        """Hold a stored document against what was written.

        Raises:
            DaemonError: It is missing, or its text is another one. A judged document
                that is not stored would read as a miss of the search.
        """
        stored = self.client.document(self.id_of[wing, document.id])
        if stored is None or stored.content != document.text:
            found = "the daemon does not have it" if stored is None else "it changed"
            raise DaemonError(
                f"document {document.id!r} was written and confirmed, but {found}.",
                where=self.url,
                remedy="The daemon lost or changed what it confirmed; see its log.",
            )

    def _register(
        self, wing: str, document: RecallDocument, stored: AddedDocument
    ) -> None:
        if not stored.created:
            raise PrerequisiteError(
                f"wing {wing!r} held document {document.id!r} before, ingested in "
                "another order than this run's.",
                where=self.url,
                remedy="Measure a palace that does not hold this corpus already.",
            )
        self.fragments += stored.fragments
        self._keep(wing, document.id, stored.id)

    def _keep(self, wing: str, ours: str, theirs: str) -> None:
        earlier = self.document_of.get(theirs)
        if earlier is not None:
            raise DaemonProtocolError(
                f"the daemon gave {ours!r} the id of {earlier!r} and calls it new.",
                where=self.url,
            )
        self.document_of[theirs] = ours
        self.id_of[wing, ours] = theirs
        self.wing_of[theirs] = wing


def new_document(wing: str, document: RecallDocument) -> NewDocument:
    """Place a document in the only room of a wing, under its own name."""
    return NewDocument(wing=wing, room=ROOM, name=document.name, content=document.text)


def _new_fact(wing: str, fact: FactDocument) -> NewFact:
    return NewFact(
        wing=wing,
        room=ROOM,
        kind=fact.kind,
        text=fact.text,
        category=fact.category,
        confidence=fact.confidence,
        keywords=fact.keywords,
        valid_at=fact.valid_at,
    )


def _batches(documents: Sequence[RecallDocument]) -> Iterator[list[RecallDocument]]:
    remaining = iter(documents)
    while batch := list(islice(remaining, BATCH_LIMIT)):
        yield batch
