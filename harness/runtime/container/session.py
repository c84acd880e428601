"""One run's mark on everything it puts into an engine."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from harness.runtime.container.owner import Owner

SESSION_LABEL = "memory-harness.session"
OWNER_LABEL = "memory-harness.owner"
PLACE_LABEL = "memory-harness.place"


@dataclass(frozen=True, slots=True)
class Session:
    """What belongs together, and to whom.

    Attributes:
        id: Random; part of every object's name, so that two runs never meet.
        owner: The process that clears up.
    """

    id: str
    owner: Owner

    @classmethod
    def begin(cls) -> "Session":
        """Make a new one, owned by the process that calls."""
        return cls(secrets.token_hex(6), Owner.ourselves())

    @property
    def labels(self) -> dict[str, str]:
        """Labels for every container, network and volume; none holds a secret."""
        return {
            SESSION_LABEL: self.id,
            OWNER_LABEL: str(self.owner),
            PLACE_LABEL: self.owner.place,
        }

    def name(self, role: str) -> str:
        """Name an object: what it is for, and whose."""
        return f"memory-harness-{self.id}-{role}"


def owner_of(labels: Mapping[str, str]) -> Owner | None:
    """Read who owns what carries *labels*; none where they are incomplete."""
    return Owner.parse(labels.get(OWNER_LABEL, ""), labels.get(PLACE_LABEL, ""))
