"""Facts over the wire: what callers send, and what they get."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from palace.wire.answers import Answer
from palace.wire.requests import BATCH_MOST


class _Request(BaseModel):
    """Unknown fields are ignored, so that a newer client can speak to this daemon."""

    model_config = ConfigDict(frozen=True)


class CreateFact(_Request):
    """A fact to be stored."""

    wing: str
    """The wing, by name or id; made on demand when named."""
    room: str
    """The room, by name or id; made on demand when named."""
    kind: Literal["durable", "current"]
    """Whether it lasts, or loses weight with age."""
    text: str
    """What it says; it cannot be blank."""
    category: str
    """What it is about, such as `identity`."""
    confidence: Annotated[float, Strict(), Field(ge=0, le=1)] | None = None
    """How sure it is; the ranking has its own value for those that do not say."""
    keywords: list[str] = Field(default_factory=list)
    """Words it is also found by."""
    fields: dict[str, Any] = Field(default_factory=dict)
    """Whatever else there is to say; its values are searched too."""
    valid_at: str | None = None
    """When it became true, RFC 3339; when it is stored, unless given."""


class CreateFacts(_Request):
    """Facts to be stored in one transaction, all or none."""

    facts: Annotated[list[CreateFact], Field(max_length=BATCH_MOST)]
    """At most 500, in order of ingestion."""


class Fact(Answer):
    """A stored fact; instants are RFC 3339, UTC, with microseconds."""

    id: str
    wing: str = Field(description="The wing's name.")
    room: str = Field(description="The room's name.")
    kind: Literal["durable", "current"]
    text: str
    category: str
    confidence: float | None = Field(description="Null when it came without one.")
    keywords: list[str]
    fields: dict[str, Any]
    valid_at: str | None = Field(description="Null when it came without one.")
    created_at: str


class Facts(Answer):
    """The facts of one request."""

    facts: list[Fact] = Field(description="In the order sent.")
