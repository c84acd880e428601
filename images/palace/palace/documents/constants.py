"""Every number that decides how documents and facts are cut and ranked, in one place.

The preset `recall` holds the values behind the published figures of recall-bench, with
one exception: it cuts no scan. There, keyword search reads only the newest 1,000
fragments, so whatever is older cannot be found by its words at all.
"""

from __future__ import annotations

from dataclasses import asdict
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from palace.errors import StartupError

DEFAULT_PRESET: Final = "recall"
"""The preset that serves where none is named."""

_Count = Annotated[int, Field(ge=1)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Cosine = Annotated[float, Field(ge=-1, le=1)]

# Words that say too little to be searched for, as recall-bench's chat ranker has them.
_STOP_WORDS: Final = (
    *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "he"),
    *("in", "is", "it", "its", "of", "on", "that", "the", "to", "was", "were"),
    *("will", "with"),
)


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid", strict=True))
class RankingConstants:
    """The numbers of one ranking; the defaults are the preset `recall`.

    Lengths are in characters or tokens as named, thresholds are cosines (a hit must
    reach them), a scan of None reads everything in scope.
    """

    chunk_tokens: _Count = 500
    """How long a fragment is meant to be, in estimated tokens."""
    chunk_overlap_tokens: Annotated[int, Field(ge=0)] = 100
    """How much of a fragment's end the next one repeats, in estimated tokens."""
    characters_per_token: _Positive = 3.5
    """How many characters are taken for one token."""

    vector_pool: _Count = 20
    """How many fragments vector search gives at most."""
    vector_threshold: _Cosine = 0.1
    """The least cosine of a hit of vector search."""
    raw_output: _Count = 20
    """How many hits a search by the caller's vector gives unless told otherwise."""

    keyword_output: _Count = 20
    """How many hits keyword search gives unless told otherwise."""
    keyword_scan: _Count | None = None
    """How many fragments of the scope, newest first, keyword search reads at most."""

    hybrid_pool: _Count = 40
    """How many fragments, nearest first, hybrid search ranks."""
    hybrid_threshold: _Cosine = 0.05
    """The least cosine of a fragment in that pool."""
    hybrid_vector_weight: _Weight = 0.6
    """The weight of the cosine, stretched to 0 to 1 within the pool."""
    hybrid_keyword_weight: _Weight = 0.4
    """The weight of BM25 over the pool alone, divided by its best."""
    hybrid_output: _Count = 20
    """How many hits hybrid search gives unless told otherwise."""

    document_k1: _Weight = 1.5
    """How slowly a repeated word loses effect, document ranker."""
    document_b: _Share = 0.75
    """How much a fragment's length counts against it, document ranker."""
    document_stemming: bool = False
    """Whether the document ranker takes words by their stems unless told otherwise."""

    search_k1: _Weight = 1.2
    """How slowly a repeated word loses effect, search ranker."""
    search_b: _Share = 0.75
    """How much a fragment's length counts against it, search ranker."""
    search_stemming: bool = True
    """Whether the search ranker takes words by their stems unless told otherwise."""
    search_least_length: _Count = 2
    """The shortest word the search ranker takes; numbers may be shorter."""
    search_stem_from: _Count = 3
    """The shortest word that has a stem of its own."""
    search_stop_words: tuple[str, ...] = _STOP_WORDS
    """Words the search ranker leaves out."""

    facts_per_kind: _Count = 6
    """How many durable facts, and how many current ones, an answer holds at most."""
    facts_scan: _Count | None = None
    """How many facts of a kind, newest first, are considered at most."""
    facts_tau_days: _Positive = 14.0
    """In how many days a current fact falls to 1/e of its weight."""
    facts_confidence: _Share = 0.6
    """The confidence of a fact that came without one."""
    facts_query_terms: _Count = 16
    """How many distinct words of the question are looked for."""

    tie_order: Literal["newest", "oldest"] = "newest"
    """Which of two equal scores comes first, by ingestion; never left to chance."""

    def __post_init__(self) -> None:
        if self.chunk_overlap_tokens >= self.chunk_tokens:
            raise ValueError(
                f"chunk_overlap_tokens {self.chunk_overlap_tokens} is not below"
                f" chunk_tokens {self.chunk_tokens}"
            )
        if self.chunk_characters < 1:
            raise ValueError(
                f"chunk_tokens {self.chunk_tokens} of {self.characters_per_token}"
                " characters are less than one character"
            )

    @property
    def chunk_characters(self) -> int:
        """How long a fragment is at most, in characters."""
        return int(self.chunk_tokens * self.characters_per_token)

    @property
    def overlap_characters(self) -> int:
        """How much of its predecessor's end a fragment may repeat, in characters."""
        return int(self.chunk_overlap_tokens * self.characters_per_token)

    def described(self) -> dict[str, Any]:
        """Return every constant as JSON, those of the cutting under `chunk`."""
        values = asdict(self)
        chunk = {
            "tokens": values.pop("chunk_tokens"),
            "overlap_tokens": values.pop("chunk_overlap_tokens"),
            "characters_per_token": values.pop("characters_per_token"),
            "characters": self.chunk_characters,
            "overlap_characters": self.overlap_characters,
        }
        return {"chunk": chunk, **values}


RECALL: Final = RankingConstants()
"""The published values."""

PRESETS: Final = MappingProxyType({DEFAULT_PRESET: RECALL})
"""The constants of each preset, by name."""

_OVERRIDES: Final = TypeAdapter(dict[str, Any])
_CONSTANTS: Final = TypeAdapter(RankingConstants)


def read_constants(preset: str | None, overrides: str | None) -> RankingConstants:
    """Return the constants of a preset with single ones replaced.

    Args:
        preset: What `PALACE_RANKING_PRESET` says; None is the default one.
        overrides: What `PALACE_RANKING` says: a JSON object of constants by name.

    Raises:
        StartupError: No such preset, no such constant, or no such value.

    >>> read_constants(None, '{"keyword_scan": 1000}').keyword_scan
    1000
    """
    name = preset or DEFAULT_PRESET
    if name not in PRESETS:
        known = ", ".join(repr(known) for known in PRESETS)
        raise StartupError(f"PALACE_RANKING_PRESET={name!r} is not one of {known}.")
    try:
        changes = _OVERRIDES.validate_json(overrides or "{}")
        # As JSON, where a list may stand for a tuple and nothing else is bent to fit.
        values = orjson.dumps({**asdict(PRESETS[name]), **changes})
        return _CONSTANTS.validate_json(values)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise StartupError(
            f"PALACE_RANKING={overrides!r} is unusable:"
            f" {f'{place}: ' if place else ''}{first['msg']}."
            " It is a JSON object of the constants that GET /api/config lists."
        ) from None
