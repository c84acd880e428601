"""What callers get, as models for the OpenAPI description.

Answers are built as plain dictionaries and written by orjson: nothing is validated on
the way out, and a test holds real answers to these models.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """What all answers have in common: nothing that is not described."""

    # Compiled when first used, which a daemon that serves never does.
    model_config = ConfigDict(extra="forbid", defer_build=True)


class ErrorBody(Answer):
    """What went wrong."""

    error: str = Field(description="What went wrong; for input it names the field.")
    code: str = Field(description="A stable code, such as `memcastle::input::invalid`.")
    help: str = Field(description="What to do about it.")


class Source(Answer):
    """Where a drawer came from."""

    kind: str
    uri: str | None
    agent: str | None


class Provenance(Answer):
    """Who asked for a drawer."""

    requested_by: str
    job_id: str | None


class Drawer(Answer):
    """One version of a drawer; instants are RFC 3339, UTC, with microseconds."""

    id: str
    room: str = Field(description="The room's id.")
    name: str | None
    content: str
    content_hash: str = Field(description="SHA-256 of the text's UTF-8 bytes, hex.")
    source: Source
    tags: list[str]
    embedding: None = Field(description="Always null: vectors are never sent back.")
    provenance: Provenance
    valid_from: str
    valid_to: str | None = Field(description="Null while it is current.")
    created_at: str
    updated_at: str
    supersedes: str | None = Field(
        default=None, description="The version before; absent on a first version."
    )
    superseded_by: str | None = Field(
        default=None, description="The version after; absent on a current one."
    )


class CreatedDrawer(Drawer):
    """A drawer, and whether it was made just now or was there already."""

    created: bool


class CreatedBatch(Answer):
    """The drawers of a batch, in its order."""

    drawers: list[CreatedDrawer]


class History(Answer):
    """Every version of a drawer, oldest first."""

    drawer: str = Field(description="The id that was asked for.")
    versions: list[Drawer]


class SimilaritySignals(Answer):
    """Why two drawers were linked."""

    same_hash: bool
    same_fingerprint: bool = Field(description="Equal once normalised.")
    similarity: float
    threshold: float


class Similar(Answer):
    """A link to a drawer that says the same or nearly the same."""

    drawer: str
    side: Literal["older", "newer"] = Field(description="When that drawer was made.")
    kind: Literal["exact", "normalized", "near"]
    similarity: float
    signals: SimilaritySignals
    created_at: str


class Duplicates(Answer):
    """What a drawer was linked to as alike."""

    drawer: str = Field(description="The id that was asked for.")
    similar: list[Similar]


class Signals(Answer):
    """Each leg's own score; a leg that did not find the drawer is absent."""

    lexical: float | None = None
    semantic: float | None = None
    graph: float | None = None


class SearchHit(Drawer):
    """A drawer that was found."""

    score: float = Field(description="What hits are ordered by, single precision.")
    signals: Signals | None = None
    via: list[str] | None = Field(
        default=None, description="Names of the entities an expanded hit shares."
    )


class Embedded(Answer):
    """The vector is stored."""

    embedded: Literal[True]


class SupersededDrawer(Answer):
    """The closed version, and what replaced it."""

    superseded: Drawer
    replacement: Drawer | None


class Wing(Answer):
    """A wing."""

    id: str
    name: str
    rooms: int
    drawers: int = Field(description="All versions.")
    created_at: str


class Room(Answer):
    """A room."""

    id: str
    wing: str = Field(description="The wing's id.")
    name: str
    drawers: int = Field(description="All versions.")
    created_at: str


class Entity(Answer):
    """Something drawers speak of."""

    id: str
    name: str
    kind: str
    properties: dict[str, Any]
    aliases: list[str]
    created_at: str
    updated_at: str


class Mention(Answer):
    """A link from a drawer to an entity."""

    drawer: str
    entity: Entity
    created: bool


class Relation(Answer):
    """An edge between two entities."""

    source: str
    target: str
    kind: str
    created: bool


class JobKind(Answer):
    """What a job does."""

    type: Literal["embed", "index"]
    wing: str | None
    profile: str | None


class JobProgress(Answer):
    """How far a job is."""

    current: int
    total: int | None
    message: str | None


class Job(Answer):
    """A job and how it stands."""

    id: str
    kind: JobKind
    status: Literal["queued", "running", "paused", "completed", "failed", "cancelled"]
    priority: Literal["normal", "background"]
    created_at: str
    started_at: str | None
    completed_at: str | None
    requested_by: str
    progress: JobProgress
    attempt: int
    recovery_attempts: int
    max_attempts: int
    checkpoint: None
    result: dict[str, Any] | None
    error: str | None
    lease_owner: None
    lease_expires_at: None
    pause_requested: bool
    cancel_requested: bool
