"""What has been asked and how it ended, exact because one thread does it all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """The requests for embeddings since the last reset.

    Each request ends in exactly one of `answered`, `abandoned` and `cut`; until then
    it is open.
    """

    requests: int = 0
    """Whose head has arrived, wrong ones included."""
    inputs: int = 0
    """Texts of the requests that were right, whatever became of them."""
    answered: int = 0
    """Given a response of any status."""
    abandoned: int = 0
    """Whose client went away first."""
    cut: int = 0
    """Whose connection was closed without a response, as a fault or at the end."""
    by_status: Counter[int] = field(default_factory=Counter)
    """The answered ones."""
    by_fault: Counter[str] = field(default_factory=Counter)
    """The right ones, by the fault they met; `ok` among them."""

    @property
    def open(self) -> int:
        """Requests that wait for their end."""
        return self.requests - self.answered - self.abandoned - self.cut

    def end_answered(self, status: int) -> None:
        """Count a response, before the client can see it and ask for the counts."""
        self.answered += 1
        self.by_status[status] += 1

    def shown(self) -> dict[str, object]:
        """Return them as the control port's JSON has them."""
        return {
            "requests": self.requests,
            "inputs": self.inputs,
            "answered": self.answered,
            "abandoned": self.abandoned,
            "cut": self.cut,
            "open": self.open,
            "by_status": {
                str(status): n for status, n in sorted(self.by_status.items())
            },
            "by_fault": dict(sorted(self.by_fault.items())),
        }


class Tally:
    """Holds the counts that new requests go to.

    A request keeps the counts it began in: one that outlives a reset does not show up
    as an answer to nothing.
    """

    def __init__(self) -> None:
        self.current = Counts()

    def reset(self) -> None:
        """Start at zero."""
        self.current = Counts()
