"""Searches over fragments and facts on the wire: what is sent, and what comes back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from palace.wire.answers import Answer
from palace.wire.requests import Finite, Number

HITS_MOST = 10_000
"""The highest limit that can be asked for."""

Limit = Annotated[int, Field(ge=1, le=HITS_MOST, strict=True)]
Switch = Annotated[bool, Strict()]
AskedMode = Literal["hybrid", "vector", "keyword"]


class _Request(BaseModel):
    """Unknown fields are ignored, so that a newer client can speak to this daemon."""

    model_config = ConfigDict(frozen=True)


class SearchDocuments(_Request):
    """A search over the fragments of documents."""

    query: str
    """What to look for; a blank one finds nothing."""
    mode: AskedMode = "hybrid"
    """How to rank: by vector, by keywords, or by both."""
    wing: str | None = None
    """The wing's name."""
    room: str | None = None
    """The room's name, in any wing unless one is given."""
    limit: Limit | None = None
    """How many hits; the configured number when absent. Vector and hybrid search give
    no more than their pools hold, and `cut` tells when that is less than asked for."""
    threshold: Finite | None = None
    """The least cosine, in place of the configured one; keywords have no cosine."""


class SearchFragments(_Request):
    """A search by the caller's own vector."""

    embedding: list[Number]
    """As many numbers as the provider's vectors have."""
    wing: str | None = None
    """The wing's name."""
    room: str | None = None
    """The room's name, in any wing unless one is given."""
    limit: Limit | None = None
    """How many hits; the configured number when absent."""
    threshold: Finite | None = None
    """The least cosine; any when absent."""


class RankFragments(_Request):
    """A ranking of fragments by their words alone."""

    query: str
    """What to look for; a blank one finds nothing."""
    wing: str | None = None
    """The wing's name."""
    room: str | None = None
    """The room's name, in any wing unless one is given."""
    ranker: Literal["search", "document"] = "search"
    """`search` leaves out stop words and short words, `document` takes all."""
    stemming: Switch | None = None
    """Whether English words count by their stems; the ranker's own way when absent."""
    limit: Limit | None = None
    """How many hits; all that share a word with the query when absent."""


class SearchFacts(_Request):
    """A question that facts of one room may answer."""

    query: str
    """The question; without a word to look for it calls up nothing."""
    wing: str
    """The wing, by name or id."""
    room: str
    """The room, by name or id."""
    now: str | None = None
    """What the age of facts is counted to, RFC 3339; this moment when absent."""
    limit: Limit | None = None
    """How many facts; all that are called up when absent."""


class Degraded(Answer):
    """That another mode ran than the one asked for."""

    from_: Literal["hybrid", "vector"] = Field(
        alias="from", description="The mode asked for."
    )
    to: Literal["keyword"] = Field(description="The mode that ran.")
    code: str = Field(
        description="Stable: `memcastle::embed::` and unreachable, timeout,"
        " rate_limited, failed, dimension_mismatch, not_finite, zero_vector or"
        " unconfigured."
    )
    reason: str = Field(description="For a person.")


class Timing(Answer):
    """Where the time went, in milliseconds."""

    embed_ms: float | None = Field(
        description="Waiting for the query's vector; null where none was asked for."
    )
    search_ms: float = Field(description="Ranking and fetching.")


class FragmentHit(Answer):
    """A fragment that was found."""

    id: str
    document_id: str
    name: str = Field(description="The document's name.")
    wing: str
    room: str
    position: int = Field(description="Its place in the document, from 0.")
    score: float = Field(
        description="The cosine in a search by vector, else at most 1 for the best."
    )
    content: str


class FoundFragments(Answer):
    """Fragments, best first; equal scores by ingestion, as configured."""

    mode: Literal["hybrid", "vector", "keyword", "raw-vector", "rank"] = Field(
        description="The mode asked for."
    )
    effective: Literal["hybrid", "vector", "keyword", "raw-vector", "rank"] = Field(
        description="The mode that ran."
    )
    degraded: Degraded | None = Field(description="Null where the asked mode ran.")
    scanned: int = Field(description="How many fragments were ranked by their words.")
    cut: bool = Field(
        description="Whether a configured limit (`keyword_scan` or a pool) left out"
        " fragments that this search asked for."
    )
    timing: Timing
    hits: list[FragmentHit]


class RecalledFact(Answer):
    """A fact that was called up."""

    id: str
    text: str
    kind: Literal["durable", "current"]
    category: str
    score: float = Field(description="Relevance times prior.")
    relevance: float = Field(description="How well its words match, 0 to 1.")
    prior: float = Field(description="Its confidence, faded by age if current, 0 to 1.")


class RecalledFacts(Answer):
    """Facts, durable ones first, each kind best first."""

    facts: list[RecalledFact]
    mode: Literal["lexical"] = Field(description="Facts are found by words alone.")
    effective: Literal["lexical"]
    degraded: None = Field(description="There is no lesser mode to fall open to.")
    scanned: int = Field(description="How many facts of the room were considered.")
    cut: bool = Field(description="Whether `facts_scan` left facts of the room out.")
