"""What callers send, as models that say which field is wrong."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
)

Number = Annotated[float, Strict()]
"""A JSON number; a string that looks like one is refused."""

Finite = Annotated[float, Strict(), Field(allow_inf_nan=False)]
"""A JSON number that is not NaN or infinite."""

_DIGITS = re.compile(r"-?[0-9]+")


def _plain(text: object) -> object:
    """Refuse the spellings Python has for whole numbers and nobody else."""
    if isinstance(text, str) and _DIGITS.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a whole number in plain digits")
    return text


PLAIN = BeforeValidator(_plain)
"""For whole numbers of a query string: no `1_0`, no white space, no `+`."""

BATCH_MOST = 500
"""How many drawers one batch holds at most."""


class _Request(BaseModel):
    """Unknown fields are ignored, so that a newer client can speak to this daemon."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)


class CreateDrawer(_Request):
    """A drawer to be made in the room of the path."""

    content: str
    """The text; it cannot be blank."""
    name: str | None = None
    """Its name, its own among the current drawers of the room."""
    requested_by: str = "http"
    """Who asked for it."""
    embedding: list[Finite] | None = None
    """Its vector in *profile*."""
    profile: str | None = None
    """The vector's profile; the default one when absent."""


class BatchDrawer(CreateDrawer):
    """A drawer of a batch, with the place it goes to."""

    wing: str
    """The wing, by name or id; made on demand when named."""
    room: str
    """The room, by name or id; made on demand when named."""


class CreateBatch(_Request):
    """Drawers to be made in one transaction, all or none."""

    drawers: Annotated[list[BatchDrawer], Field(max_length=BATCH_MOST)]
    """At most 500, in order of ingestion."""


class PutEmbedding(_Request):
    """A vector for a drawer, in place of the one it had."""

    embedding: list[Finite]
    """As many numbers as the profile has dimensions."""
    profile: str | None = None
    """The vector's profile; the default one when absent."""


class Supersede(_Request):
    """What a drawer says from this moment on; without a text it is only closed."""

    content: str | None = None
    """The new text."""
    tags: list[str] | None = None
    """The replacement's tags; the old ones when absent."""
    requested_by: str = "http"
    """Who asked for it."""


class CreateMention(_Request):
    """An entity that a drawer speaks of."""

    name: str
    """What it is called there; spellings converge."""
    kind: str
    """What kind of thing it is; `other` when not known."""


class CreateRelation(_Request):
    """An edge from the entity of the path to another."""

    to: str
    """The other entity's id."""
    kind: str = "relates_to"
    """What the edge says; expansion follows `relates_to`."""


class CreateJob(_Request):
    """A job to be run in the background."""

    type: Literal["embed", "index"]
    """`embed` drawers without a vector, or `index` a profile's vectors."""
    wing: str | None = None
    """Embed the drawers of this wing only."""
    profile: str | None = None
    """The profile to index; the default one when absent."""


class Between(_Request):
    """A window of time."""

    from_: Annotated[str, Field(alias="from")]
    """Its begin, RFC 3339 with an offset."""
    until: str
    """Its end, excluded."""


class TemporalBetween(_Request):
    """Versions valid at some moment of a window."""

    # Two times are a contradiction, and to ignore one of them a wrong answer.
    model_config = ConfigDict(extra="forbid")

    between: Between
    """The window."""


class TemporalAsOf(_Request):
    """Versions valid at one instant."""

    model_config = ConfigDict(extra="forbid")

    as_of: str
    """The instant, RFC 3339 with an offset."""


Temporal = Literal["current", "all"] | TemporalAsOf | TemporalBetween


class SearchFilter(_Request):
    """What a search is narrowed by; applied inside every leg, before ranking."""

    wing: str | None = None
    """The wing's name."""
    room: str | None = None
    """The room's name, in any wing unless one is given."""
    tags: list[str] = Field(default_factory=list)
    """Tags a drawer must have, every one of them."""
    source_kind: str | None = None
    """Where it came from."""
    temporal: Temporal = "current"
    """When it was valid."""


class Search(_Request):
    """A search; every field may be left out."""

    text: Annotated[str, Field(validation_alias=AliasChoices("text", "query"))] = ""
    """What to look for."""
    ranking: Literal["auto", "lexical", "semantic", "hybrid"] = "auto"
    """How to rank; `auto` is hybrid where a vector can be had, else lexical."""
    limit: Annotated[int, Field(ge=0, strict=True)] = 0
    """How many direct hits; 0 is 10, and more than 200 is 200."""
    filter: SearchFilter | None = None
    """What to narrow by; `null` is the same as none."""
    expand: bool = False
    """Whether to append drawers that share entities with the hits."""
    query_embedding: list[Number] | None = None
    """The query's vector; not looked at by ranking `lexical`."""
    profile: str | None = None
    """The vector's profile; the default one when absent."""


class SearchParameters(_Request):
    """The same search as a query string; the three ways to give a time exclude."""

    q: str | None = None
    """What to look for."""
    query: str | None = None
    """The same as `q`."""
    limit: Annotated[int, Field(ge=0), PLAIN] = 0
    """How many direct hits; 0 is 10, and more than 200 is 200."""
    wing: str | None = None
    """The wing's name."""
    room: str | None = None
    """The room's name, in any wing unless one is given."""
    ranking: Literal["auto", "lexical", "semantic", "hybrid"] = "auto"
    """How to rank."""
    tags: list[str] = []
    """Tags a drawer must have; repeat the parameter, or separate by commas."""
    source_kind: str | None = None
    """Where it came from."""
    as_of: str | None = None
    """Versions valid at this instant (RFC 3339) or at the begin of this day."""
    from_: Annotated[str | None, Field(alias="from")] = None
    """Versions valid at some moment from here; `until` goes with it."""
    until: str | None = None
    """The end of that window, excluded."""
    include_historical: bool = False
    """Every version."""
    expand: bool = False
    """Whether to append drawers that share entities with the hits."""
