"""What a search over documents or facts can ask for, and what it brings back."""

from dataclasses import dataclass
from typing import Literal

from harness.daemon.documents_wire import Degradation, FactHit, FragmentHit
from harness.daemon.timing import Instants

DocumentMode = Literal["hybrid", "vector", "keyword"]
Ranker = Literal["search", "document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeAnswer:
    """The fragments of one search, best first, and what was told of how it ran."""

    hits: tuple[FragmentHit, ...]
    mode: str
    """The mode that the daemon understood."""
    effective: str
    """The mode that really ran."""
    degradation: Degradation | None
    """Why *effective* is another than *mode*; ``None`` where nothing fell open."""
    scanned: int | None
    """Fragments that the keyword leg considered, where told."""
    cut: bool | None
    """Whether a configured limit left some out, where told."""
    embed_ms: float | None
    """Milliseconds the daemon waited for the query's vector, where it asked for one."""
    search_ms: float | None
    """Milliseconds the daemon took for the rest, where told."""
    instants: Instants

    @property
    def degraded(self) -> str | None:
        """The stable code of what made it fall open; ``None`` where nothing did."""
        return self.degradation.code if self.degradation else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsAnswer:
    """The facts of one search, in the daemon's order."""

    facts: tuple[FactHit, ...]
    effective: str | None
    scanned: int | None
    """Facts that were considered, where told."""
    cut: bool | None
    """Whether a configured limit left some out, where told."""
    instants: Instants
