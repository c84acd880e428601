"""The shapes of documents, fragments and facts on the wire.

As in `wire`: what a measurement rests on (ids, scores, which mode really ran) is
checked strictly, and what only explains it counts as not told where it has another
shape.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, Strict

from harness.daemon.wire import Id, Told, Wire

FEATURE_DOCUMENTS = "documents"
FEATURE_DOCUMENTS_BATCH = "documents.batch"
FEATURE_FRAGMENTS_SEARCH = "fragments.search"
FEATURE_FRAGMENTS_RANK = "fragments.rank"
FEATURE_FACTS = "facts"

Whole = Annotated[int, Strict(), Field(ge=0)]
Number = Annotated[float, Strict()]
Yes = Annotated[bool, Strict()]
Code = Annotated[str, Field(min_length=1, max_length=512)]
"""A word of the contract's own, such as a mode or an error code."""


class StoredDocument(Wire):
    """One document as the daemon holds it."""

    id: Id
    name: str
    wing: Told[str] = None
    room: Told[str] = None
    fragments: Whole
    """How many pieces its text was cut into."""
    version: Annotated[int, Strict(), Field(ge=1)]
    """1 when it is new, one more with each update."""
    created_at: Told[str] = None
    content: str | None = None
    """Only where one document was asked for."""


class AddedDocument(StoredDocument):
    """The answer to an ingested document."""

    created: Yes
    """False where this very text lay under this name already; *id* is then that one."""


class AddedDocuments(Wire):
    """The answer to a batch, in the order of the request."""

    documents: list[AddedDocument]


class Fragment(Wire):
    """One piece of a document."""

    id: Id
    position: Whole
    """Its place among the document's pieces, from 0."""
    start: Whole
    """Where it begins in the document's text, in characters."""
    end: Whole
    """Where it ends; the next piece may begin before."""
    content: str
    embedded: Yes
    """Whether it has a vector; without one only its words are found."""


class Fragments(Wire):
    """All pieces of one document, in order."""

    fragments: list[Fragment]


class Degradation(Wire):
    """That another mode ran than the one asked for, and why."""

    asked: Told[str] = Field(default=None, alias="from")
    ran: Told[str] = Field(default=None, alias="to")
    code: Code
    """Stable, for comparing; ``memcastle::embed::timeout`` for example."""
    reason: Told[str] = None
    """For a person."""


class FragmentHit(Wire):
    """One fragment that was found."""

    id: Id
    document_id: Id
    score: Number
    name: Told[str] = None
    wing: Told[str] = None
    room: Told[str] = None
    position: Told[int] = None
    content: Told[str] = None


class Timing(Wire):
    """Where the daemon says that a search spent its time, in milliseconds."""

    embed_ms: Told[Number] = None
    """Waiting for the query's vector; ``None`` where none was asked for."""
    search_ms: Told[Number] = None


class FoundFragments(Wire):
    """The answer to a search, whatever its mode."""

    mode: Code
    effective: Code
    degraded: Degradation | None
    """No default: an answer that leaves it out hides what it promised to tell."""
    hits: tuple[FragmentHit, ...]
    scanned: Told[Annotated[int, Strict()]] = None
    cut: Told[Yes] = None
    timing: Timing = Timing()


class StoredFact(Wire):
    """One fact as the daemon holds it; more fields may follow."""

    id: Id


class StoredFacts(Wire):
    """The answer to facts, in the order of the request."""

    facts: list[StoredFact]


class FactHit(Wire):
    """One fact that was found."""

    id: Id
    kind: Code
    score: Number
    text: Told[str] = None
    category: Told[str] = None
    relevance: Told[Number] = None
    """How well its words match, from 0 to 1."""
    prior: Told[Number] = None
    """What it is worth before the query: confidence times age."""


class FoundFacts(Wire):
    """The answer to a search for facts."""

    facts: tuple[FactHit, ...]
    effective: Told[str] = None
    scanned: Told[Annotated[int, Strict()]] = None
    cut: Told[Yes] = None


class DocumentCounts(Wire):
    """How much a palace holds beside its drawers; ``None`` where it does not tell."""

    documents: Told[int] = None
    fragments: Told[int] = None
    fragments_embedded: Told[int] = None
    facts: Told[int] = None


class CountsOfStatus(Wire):
    """The part of a daemon's status that counts documents."""

    counts: Told[DocumentCounts] = None


class ConstantsOfConfig(Wire):
    """The part of a daemon's configuration that fixes how documents are ranked."""

    documents: Told[Mapping[str, object]] = None
