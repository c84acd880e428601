"""What the daemon is told at start: `PALACE_*` variables, read once and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from palace.documents.constants import (
    DEFAULT_PRESET,
    RECALL,
    RankingConstants,
    read_constants,
)
from palace.errors import StartupError

_PROFILE_NAME = r"^[a-z0-9][a-z0-9_.-]{0,62}$"
# pgvector stores at most 16,000 dimensions in a `vector`.
_MAX_DIMENSION = 16_000
# A day.
_MAX_SECONDS = 86_400


class Profile(BaseModel):
    """A named vector space; only vectors of one profile are ever compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=_PROFILE_NAME)
    """What callers send as `profile`."""
    dimension: int = Field(ge=1, le=_MAX_DIMENSION)
    """How many components each vector has."""
    metric: Literal["cosine"] = "cosine"
    """How vectors are compared."""
    external: bool = True
    """Whether only callers supply vectors; the daemon never embeds for it."""
    default: bool = False
    """Whether it serves requests that name no profile."""


STANDIN = Profile(name="standin", dimension=768, default=True)
PROVIDER_PROFILE = "provider"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Where the embedding provider is; the key appears in no repr and no log."""

    url: str
    model: str
    dimension: int
    timeout_s: float = 30.0
    """For one attempt."""
    query_budget_s: float = 2.0
    """For a query as a whole, all attempts and pauses included."""
    batch_texts: int = 256
    """How many fragments of documents one request carries at most."""
    encoding: Literal["float", "base64"] = "float"
    """How vectors are asked for."""
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the daemon can be told."""

    database_url: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = field(default=None, repr=False)
    profiles: tuple[Profile, ...] = (STANDIN,)
    embeddings: EmbeddingSettings | None = None
    ranking_preset: str = DEFAULT_PRESET
    ranking: RankingConstants = RECALL
    lexical_statistics: Literal["palace", "scope"] = "palace"
    """Which drawers BM25 counts words in: all there are, or those a filter leaves."""
    exact_limit: int = 10_000
    auto_index_after_s: int = 30
    log: Literal["json", "text"] = "json"
    build: Literal["debug", "release"] = "release"
    ready_file: Path | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the settings from `PALACE_*` variables.

        Raises:
            StartupError: A variable is missing or unusable; the message names it.
        """
        read = _Reader(environment)
        host, port = read.bind("BIND", "127.0.0.1:8765")
        embeddings = _embeddings(read)
        preset, overrides = read.text("RANKING_PRESET"), read.text("RANKING")
        ready_file = read.text("READY_FILE")
        return cls(
            database_url=read.required_secret("DATABASE_URL"),
            host=host,
            port=port,
            token=read.secret("TOKEN"),
            profiles=_profiles(read, embeddings),
            embeddings=embeddings,
            ranking_preset=preset or DEFAULT_PRESET,
            ranking=read_constants(preset, overrides),
            lexical_statistics=(
                "scope"
                if read.choice("LEXICAL_STATISTICS", ("palace", "scope")) == "scope"
                else "palace"
            ),
            exact_limit=read.whole("EXACT_LIMIT", 10_000, least=0),
            auto_index_after_s=read.whole("AUTO_INDEX_AFTER_S", 30, least=0),
            log="text" if read.choice("LOG", ("json", "text")) == "text" else "json",
            build=(
                "debug"
                if read.choice("BUILD", ("release", "debug")) == "debug"
                else "release"
            ),
            ready_file=Path(ready_file) if ready_file else None,
        )

    @property
    def default_profile(self) -> Profile:
        """The profile that serves requests which name none."""
        return next(profile for profile in self.profiles if profile.default)


class _Reader:
    """Typed access to the variables; every complaint names the variable."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def text(self, name: str) -> str | None:
        value = self._environment.get(f"PALACE_{name}", "").strip()
        return value or None

    def required(self, name: str) -> str:
        value = self.text(name)
        if value is None:
            raise StartupError(f"PALACE_{name} is not set; the daemon cannot start.")
        return value

    def secret(self, name: str) -> str | None:
        path = self.text(f"{name}_FILE")
        if path is None:
            return self.text(name)
        try:
            value = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as problem:
            raise StartupError(
                f"PALACE_{name}_FILE={path!r} cannot be read: {problem}"
            ) from problem
        if not value:
            raise StartupError(f"PALACE_{name}_FILE={path!r} is empty.")
        return value

    def required_secret(self, name: str) -> str:
        value = self.secret(name)
        if value is None:
            raise StartupError(
                f"PALACE_{name} is not set, nor is PALACE_{name}_FILE; the daemon"
                " cannot start."
            )
        return value

    def choice(self, name: str, allowed: tuple[str, ...]) -> str:
        value = self.text(name) or allowed[0]
        if value not in allowed:
            wanted = " or ".join(allowed)
            raise StartupError(f"PALACE_{name}={value!r} is not {wanted}.")
        return value

    def whole(self, name: str, default: int, *, least: int) -> int:
        value = self.text(name)
        if value is None:
            return default
        if not (value.isascii() and value.isdigit()) or int(value) < least:
            raise StartupError(
                f"PALACE_{name}={value!r} is not a whole number of at least {least}."
            )
        return int(value)

    def seconds(self, name: str, default: float) -> float:
        value = self.text(name)
        if value is None:
            return default
        try:
            seconds = float(value)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < _MAX_SECONDS:
            raise StartupError(f"PALACE_{name}={value!r} is not a number of seconds.")
        return seconds

    def bind(self, name: str, default: str) -> tuple[str, int]:
        value = self.text(name) or default
        host, _, port = value.rpartition(":")
        if not host or not port.isdigit() or int(port) > 65_535:
            raise StartupError(f"PALACE_{name}={value!r} is not host:port.")
        return host.strip("[]"), int(port)


def _embeddings(read: _Reader) -> EmbeddingSettings | None:
    url = read.text("EMBEDDINGS_URL")
    if url is None:
        return None
    encoding = read.choice("EMBEDDINGS_ENCODING", ("float", "base64"))
    return EmbeddingSettings(
        url=url.rstrip("/"),
        model=read.required("EMBEDDINGS_MODEL"),
        dimension=read.whole("EMBEDDINGS_DIMENSION", 768, least=1),
        timeout_s=read.seconds("EMBEDDINGS_TIMEOUT_S", 30.0),
        query_budget_s=read.seconds("EMBEDDINGS_QUERY_BUDGET_S", 2.0),
        batch_texts=read.whole("EMBEDDINGS_BATCH_TEXTS", 256, least=1),
        encoding="base64" if encoding == "base64" else "float",
        api_key=read.secret("EMBEDDINGS_API_KEY"),
    )


def _profiles(
    read: _Reader, embeddings: EmbeddingSettings | None
) -> tuple[Profile, ...]:
    """Return the configured profiles, exactly one of them the default."""
    value = read.text("PROFILES")
    profiles = [STANDIN]
    if value is not None:
        try:
            profiles = TypeAdapter(list[Profile]).validate_json(value)
        except ValidationError as problem:
            raise StartupError(f"PALACE_PROFILES is unusable: {problem}") from problem
    if embeddings is not None and all(p.name != PROVIDER_PROFILE for p in profiles):
        profiles.append(
            Profile(
                name=PROVIDER_PROFILE, dimension=embeddings.dimension, external=False
            )
        )
    names = [profile.name for profile in profiles]
    if len(set(names)) != len(names):
        raise StartupError(f"PALACE_PROFILES names a profile twice: {names!r}.")
    defaults = [profile.name for profile in profiles if profile.default]
    if len(defaults) > 1:
        raise StartupError(f"PALACE_PROFILES has more than one default: {defaults!r}.")
    if not profiles:
        raise StartupError("PALACE_PROFILES is empty; at least one profile is needed.")
    if not defaults:
        profiles[0] = profiles[0].model_copy(update={"default": True})
    return tuple(profiles)
