"""The shapes on the wire, tolerant of every field the harness does not read.

What a measurement rests on (ids, scores, validity) is checked strictly. What a
daemon says of itself is taken where it has the shape known here and counts as not
told where it has another: MemCastle's own status report, for one, is a different one.
"""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

T = TypeVar("T")

FEATURE_BATCH = "drawers.batch"
FEATURE_INDEX_JOB = "jobs.index"


def _or_untold(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    try:
        return handler(value)
    except ValidationError:
        return None


Told = Annotated[T | None, WrapValidator(_or_untold)]
"""A fact of the daemon's own: ``None`` where it is missing or has another shape."""

Id = Annotated[str, Field(min_length=1, max_length=512)]
"""What the daemon calls something; it goes into paths, so it cannot be a novel."""

Scalar = str | int | float | bool | None


class Wire(BaseModel):
    """Base of every shape: frozen, and deaf to fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class ErrorBody(Wire):
    """Why a daemon refused."""

    error: Told[str] = None
    code: Told[str] = None
    help: Told[str] = None


class Drawer(Wire):
    """One stored version of a drawer."""

    id: Id
    content: str | None = None
    wing: Told[str] = None
    room: Told[str] = None
    """A name or a UUID, as the daemon likes."""
    valid_from: str | None = None
    valid_to: str | None = None


class CreatedDrawer(Drawer):
    """The answer to a create call."""

    created: Annotated[bool, Strict()]
    """False where the room already held this very text; *id* is then that drawer's."""


class CreatedDrawers(Wire):
    """The answer to a batch of create calls, in the order of the request."""

    drawers: list[CreatedDrawer]


class Superseded(Wire):
    """The answer to a correction."""

    replacement: Drawer


class Versions(Wire):
    """Every version of one drawer, oldest first."""

    versions: list[Drawer]


class Hit(Wire):
    """One entry of a search answer."""

    id: Id
    score: Annotated[float, Strict()] | None = None
    signals: Mapping[str, float | None] | None = None
    via: list[str] | None = None

    @property
    def is_expanded(self) -> bool:
        """Whether the entity graph alone brought this hit, not the query."""
        signals = self.signals or {}
        told = {name for name, value in signals.items() if value is not None}
        if told & {"lexical", "semantic"}:
            return False
        return "graph" in told or bool(self.via)


class Counts(Wire):
    """How much a palace holds; every figure where the daemon tells it."""

    wings: Told[int] = None
    drawers: Told[int] = None
    """Every version, closed ones included."""
    current: Told[int] = None
    """Versions that are valid."""
    mentions: Told[int] = None
    vectors: Told[Mapping[str, int]] = None
    """Vectors by profile."""


class PostgresFacts(Wire):
    """The database under a daemon."""

    version: Told[str] = None
    pgvector: Told[str] = None
    settings: Told[Mapping[str, Scalar]] = None


class Status(Wire):
    """What a daemon says of itself."""

    name: Told[str] = None
    version: Told[str] = None
    now: Told[str] = None
    """The clock that stamps validity, RFC 3339 in UTC."""
    counts: Told[Counts] = None
    features: Told[tuple[str, ...]] = None
    build: Told[Mapping[str, Scalar]] = None
    postgres: Told[PostgresFacts] = None
    index: Told[Mapping[str, Mapping[str, Scalar]]] = None


class EmbeddingsFacts(Wire):
    """Which provider a daemon embeds with."""

    provider: Told[str] = None
    model: Told[str] = None


class Profile(Wire):
    """One vector space of a palace."""

    name: str
    dimension: int
    metric: str = "cosine"
    external: bool = False
    """Whether only callers attach vectors and the daemon never embeds."""
    default: bool = False


class Config(Wire):
    """How a daemon is configured."""

    backend: Told[str] = None
    embeddings: Told[EmbeddingsFacts] = None
    profiles: Told[tuple[Profile, ...]] = None


class Job(Wire):
    """One piece of work the daemon does after answering."""

    id: Id
    status: str
    error: Told[str] = None

    @property
    def is_over(self) -> bool:
        """Whether the job ended, well or not."""
        return self.status not in {"queued", "running", "paused"}
