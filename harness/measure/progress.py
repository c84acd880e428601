"""How a measurement says where it is; the command line decides how that looks."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]
"""Call it with the number of steps just done."""


class Progress(Protocol):
    """Shows the phases of a run to whoever is waiting for it."""

    def phase(
        self, name: str, total: int | None
    ) -> AbstractContextManager[Advance, bool | None]:
        """Show one phase until the block ends.

        Args:
            name: What is being done, in the words of a person.
            total: How many steps there will be; ``None`` where nobody knows.
        """
        ...


class SilentProgress:
    """Shows nothing."""

    @contextmanager
    def phase(self, name: str, total: int | None) -> Iterator[Advance]:  # noqa: ARG002 - the protocol's words
        """Run the block."""
        yield lambda _steps: None
