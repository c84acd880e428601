"""What a search asks, and what it brings back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.daemon.timing import Instants
from harness.daemon.wire import Hit

RankingMode = Literal["lexical", "semantic", "hybrid"]
Temporal = str | Mapping[str, object]
"""``"current"``, ``"all"``, ``{"as_of": t}`` or ``{"between": {"from", "until"}}``."""

HEADER_RANKING = "X-Palace-Ranking"
HEADER_DEGRADED = "X-Palace-Degraded"
HEADER_PLAN = "X-Palace-Plan"
HEADER_LEXICAL = "X-Palace-Lexical"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One search, with every field of the contract present on the wire."""

    text: str
    ranking: RankingMode
    limit: int
    wing: str | None = None
    room: str | None = None
    temporal: Temporal = "current"
    expand: bool = False
    vector: NDArray[np.float32] | None = None
    profile: str | None = None
    """Vector profile; left out of the body where missing, as older daemons lack it."""

    def body(self) -> dict[str, object]:
        """Build the JSON body, the vector still an array."""
        body: dict[str, object] = {
            "text": self.text,
            "ranking": self.ranking,
            "limit": self.limit,
            "filter": {
                "wing": self.wing,
                "room": self.room,
                "tags": [],
                "source_kind": None,
                "temporal": self.temporal,
            },
            "expand": self.expand,
            "query_embedding": self.vector,
        }
        if self.profile is not None:
            body["profile"] = self.profile
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """The hits of one search, best first, and what the daemon told of how it ran."""

    hits: tuple[Hit, ...]
    ranking: str | None
    """The ranking that really ran; ``None`` where the daemon does not say."""
    degraded: str | None
    """Why another ranking than the one asked for ran, where one did."""
    plan: str | None
    """How the vector leg ran: ``exact``, ``index`` or ``none``, with its row count."""
    lexical: str | None
    """Whether ``all`` or ``any`` of the words had to match."""
    instants: Instants
