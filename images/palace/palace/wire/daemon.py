"""What the daemon says of itself, as models for the OpenAPI description."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from palace.wire.answers import Answer


class Health(Answer):
    """The daemon answers."""

    status: Literal["ok"]


class Stopping(Answer):
    """The daemon finishes what is under way and exits."""

    status: Literal["stopping"]


class ProfileFacts(Answer):
    """A configured vector profile."""

    name: str
    dimension: int
    metric: Literal["cosine"]
    external: bool
    default: bool


class Embeddings(Answer):
    """Where embeddings come from."""

    provider: Literal["none", "http"]
    model: str | None


class Cutting(Answer):
    """How documents are cut into fragments."""

    tokens: int
    overlap_tokens: int
    characters_per_token: float
    characters: int = Field(description="How long a fragment is at most.")
    overlap_characters: int = Field(description="What neighbours share at most.")


class DocumentRanking(Answer):
    """Every constant that documents and facts are ranked by, by its name."""

    model_config = ConfigDict(extra="allow")

    preset: str = Field(description="What the constants are, but for the overrides.")
    chunk: Cutting


class Config(Answer):
    """How the daemon is configured; secrets are left out."""

    backend: Literal["postgres"]
    embeddings: Embeddings
    profiles: list[ProfileFacts]
    bind_addr: str
    palace_path: None
    location: None
    auth_enabled: bool
    web: bool
    assets: None
    jobs: dict[str, int]
    extraction: None
    mining: None
    lexical_statistics: Literal["palace", "scope"]
    exact_limit: int
    auto_index_after_s: int
    documents: DocumentRanking


class Counts(Answer):
    """What the palace holds."""

    wings: int
    rooms: int
    drawers: int = Field(description="All versions.")
    current: int = Field(description="Drawers valid now.")
    entities: int
    mentions: int
    documents: int
    fragments: int = Field(description="Stretches that documents are cut into.")
    fragments_embedded: int = Field(description="Fragments with a vector.")
    facts: int
    vectors: dict[str, int] = Field(description="Drawers' vectors, by profile.")


class Build(Answer):
    """What the interpreter says of itself, whatever was asked for."""

    name: Literal["debug", "release"]
    python: str
    implementation: str
    debug_interpreter: bool
    dev_mode: bool
    asyncio_debug: bool
    assertions: bool
    optimize: int
    loop: str


class PostgresFacts(Answer):
    """What Postgres says of itself."""

    version: str
    pgvector: str
    settings: dict[str, str]


class IndexFacts(Answer):
    """How a profile is searched."""

    rows: int
    hnsw: bool
    m: int
    ef_construction: int
    ef_search: int


class Status(Answer):
    """Everything a client may want to know of the daemon."""

    name: Literal["palace"]
    version: str
    ready: bool
    now: str = Field(description="The clock that stamps validity, RFC 3339, UTC.")
    counts: Counts
    features: list[str]
    build: Build
    postgres: PostgresFacts
    index: dict[str, IndexFacts]
