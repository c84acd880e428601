"""What a recall tier is made of, as frozen values, and how it is identified."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

Tier = Literal["smoke", "1k", "10k"]

SLICES_VERSION = 1
"""Version of our own slices: raise it with any change, as figures then change too."""

DOCUMENT_NAME = "{id}.txt"
"""Name a document is stored under, made from its id."""

CUTOFF = 5
"""The cut-off that relevance is dealt out for: no query has more relevant documents."""


@dataclass(frozen=True, slots=True)
class RecallDocument:
    """A text that is written whole; the daemon cuts it into fragments."""

    id: str
    text: str

    @property
    def name(self) -> str:
        """The name it is stored under; no two documents of a wing share one."""
        return DOCUMENT_NAME.format(id=self.id)


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A question, and the documents that answer it, all equally well."""

    id: str
    text: str
    relevant: tuple[str, ...]
    """Ids of documents (for facts: of facts); one to five of them, none twice."""
    category: str
    """Groups queries of one slice in a report."""
    absent: tuple[str, ...] = ()
    """Documents that would answer it best, had they not been changed or deleted.

    A deleted one must not come back at all. A changed one must not come back from a
    keyword search, and not among the first five of any other.
    """


@dataclass(frozen=True, slots=True)
class RecallCorpus:
    """The main corpus of one tier, in the order it is to be written."""

    tier: Tier
    seed: int
    topics: int
    documents: tuple[RecallDocument, ...]
    queries: tuple[RecallQuery, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """A small corpus of its own, for one thing the main corpus cannot show."""

    name: str
    documents: tuple[RecallDocument, ...]
    """In the order they are to be written."""
    queries: tuple[RecallQuery, ...]


@dataclass(frozen=True, slots=True)
class FactDocument:
    """A fact about the user, written as the daemon's own fact store takes it."""

    id: str
    text: str
    kind: Literal["durable", "current"]
    category: str
    keywords: tuple[str, ...]
    confidence: float
    """0 to 1."""
    answers: str | None
    """The query it is relevant to; ``None`` for a distractor."""
    valid_at: str | None = None
    """RFC 3339; ``None`` means the moment it is written."""


@dataclass(frozen=True, slots=True)
class FactSlice:
    """Facts of a wing of their own, and the moment at which they are asked for."""

    name: str
    now: str
    """RFC 3339, after every fact's `valid_at`: to be sent along with each query."""
    facts: tuple[FactDocument, ...]
    """In the order they are to be written."""
    queries: tuple[RecallQuery, ...]


class Identified(Protocol):
    """Anything with an id and a text: documents, queries and facts."""

    @property
    def id(self) -> str:
        """Unique among its kind."""

    @property
    def text(self) -> str:
        """What is written or asked."""


def digest(items: Iterable[Identified]) -> str:
    r"""Identify *items*, their order included, by the SHA-256 of their ids and texts.

    Hashed are the lines ``id<TAB>text``, joined by a newline, without a last one. A
    text may hold newlines itself, so this tells items apart only while ids are fixed.

    >>> digest([RecallDocument("a", "one")]) == hashlib.sha256(b"a\tone").hexdigest()
    True
    """
    lines = "\n".join(f"{item.id}\t{item.text}" for item in items)
    return hashlib.sha256(lines.encode()).hexdigest()
