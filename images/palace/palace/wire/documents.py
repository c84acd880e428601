"""Documents over the wire: what callers send, and what they get."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from palace.wire.answers import Answer
from palace.wire.requests import BATCH_MOST


class _Request(BaseModel):
    """Unknown fields are ignored, so that a newer client can speak to this daemon."""

    model_config = ConfigDict(frozen=True)


class CreateDocument(_Request):
    """A document to be stored, unless it is there already."""

    wing: str
    """The wing, by name or id; made on demand when named."""
    room: str
    """The room, by name or id; made on demand when named."""
    name: str
    """What it is called. The same text under another name is another document."""
    content: str
    """The text, of any length; it cannot be blank."""


class CreateDocuments(_Request):
    """Documents to be stored in one transaction, all or none."""

    documents: Annotated[list[CreateDocument], Field(max_length=BATCH_MOST)]
    """At most 500, in order of ingestion."""


class ReplaceDocument(_Request):
    """What a document says from now on."""

    content: str
    """The new text."""


class Document(Answer):
    """A document without its text; instants are RFC 3339, UTC, with microseconds."""

    id: str
    wing: str = Field(description="The wing's name.")
    room: str = Field(description="The room's name.")
    name: str
    fragments: int = Field(description="How many fragments its text is cut into.")
    version: int = Field(description="1, and one more with each update.")
    created_at: str
    updated_at: str


class IngestedDocument(Document):
    """A document that was sent."""

    created: bool = Field(description="False when it was there already.")


class IngestedDocuments(Answer):
    """The documents of a batch."""

    documents: list[IngestedDocument] = Field(description="In the order sent.")


class DocumentWithContent(Document):
    """A document and its text."""

    content: str


class Fragment(Answer):
    """A stretch of a document's text; neighbours overlap."""

    id: str
    position: int = Field(description="Its place among the document's, from 0.")
    start: int = Field(description="Where it begins in the text, in code points.")
    end: int = Field(description="Where it ends, excluded.")
    content: str = Field(description="The text from `start` to `end`.")
    embedded: bool = Field(description="Whether it has a vector.")


class Fragments(Answer):
    """What a document is cut into."""

    fragments: list[Fragment] = Field(description="In the order of the text.")
