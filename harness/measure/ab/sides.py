"""The two sides of a comparison: how each comes up, and what it is called."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

from harness.daemon.client import DaemonClient
from harness.daemon.timing import Time
from harness.dataset.model import Dataset
from harness.measure.floor import Floor
from harness.measure.invariants import InvariantChecks
from harness.measure.progress import Advance, Progress
from harness.measure.ready import EvaluationSettings, Ready, ready
from harness.runtime.base import Runtime


@dataclass(frozen=True, slots=True)
class Side:
    """One side, before anything of it runs.

    Args:
        role: ``base`` or ``candidate``, for progress and messages.
        runtime: Makes a runtime, which can be entered once.
        started: Whether each runtime starts a process of its own; false for a daemon
            that runs already, which stays what it is from round to round.
    """

    role: str
    runtime: Callable[[], Runtime]
    started: bool


@dataclass(frozen=True, slots=True)
class Bench:
    """What every daemon of a comparison is measured with."""

    dataset: Dataset
    settings: EvaluationSettings
    progress: Progress
    time: Time

    def ready(
        self, side: Side, role: str | None = None
    ) -> AbstractContextManager[Ready]:
        """Bring one instance of *side* up for a block, the data set in it.

        Args:
            side: Which.
            role: What to call this instance; the side's own role by default.
        """
        return ready(
            self.dataset,
            side.runtime(),
            self.settings,
            Named(self.progress, role or side.role),
            time=self.time,
        )

    @contextmanager
    def connected_again(self, first: Ready) -> Iterator[Ready]:
        """Reach the daemon of *first* over a connection of its own, for a block.

        Nothing is written: the data set is there already.
        """
        running = first.running
        with DaemonClient(
            running.url,
            running.token,
            self.settings.timeout_s,
            time=self.time,
            check=running.check,
        ) as client:
            yield replace(
                first,
                asker=replace(
                    first.asker, client=client, checks=InvariantChecks(self.dataset)
                ),
                floor=Floor(client),
            )


def asked_anew(first: Ready) -> Ready:
    """Forget what the daemon answered so far, so that each round is checked alone."""
    checks = InvariantChecks(first.asker.dataset)
    return replace(
        first,
        asker=replace(first.asker, checks=checks),
        phases=replace(first.phases, taken=list(first.phases.taken)),
        floor=Floor(first.asker.client),
    )


class Named:
    """Put whose phase it is in front of a phase's name.

    Args:
        progress: What shows the phases.
        role: Whose they are.
    """

    def __init__(self, progress: Progress, role: str) -> None:
        self._progress = progress
        self._role = role

    def phase(
        self, name: str, total: int | None
    ) -> AbstractContextManager[Advance, bool | None]:
        """Show one phase until the block ends."""
        return self._progress.phase(f"{self._role}: {name}", total)
