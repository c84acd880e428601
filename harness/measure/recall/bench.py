"""What every step of one run needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from harness.measure.phases import Phases
from harness.measure.progress import Advance, Progress
from harness.measure.recall.library import Library
from harness.measure.recall.material import Material
from harness.measure.recall.stand import Stand
from harness.measure.recall.watch import Watch


@dataclass(frozen=True, slots=True)
class Bench:
    """One daemon, what is written to it, and whoever is told of it."""

    material: Material
    stand: Stand
    library: Library
    watch: Watch | None
    """The embedder; ``None`` where it is not ours."""
    phases: Phases
    progress: Progress

    @contextmanager
    def step(self, name: str, total: int | None = None) -> Iterator[Advance]:
        """Time and show one phase of the run.

        Args:
            name: What is being done, in the words of a person.
            total: How many steps there will be; ``None`` where nobody knows.
        """
        with self.phases.timed(name), self.progress.phase(name, total) as advance:
            yield advance
