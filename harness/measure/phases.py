"""The phases of one run: what each took, and that everything lived through it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from harness.daemon.timing import Clock
from harness.measure.meter import Meter
from harness.measure.progress import Progress
from harness.report.model import Phase
from harness.runtime.base import RunningDaemon, Runtime


@dataclass(frozen=True, slots=True)
class Phases:
    """Notes the phases of one run as they pass."""

    clock: Clock
    check: Callable[[], None]
    """Raises when something that ran for the run is gone."""
    meter: Meter
    taken: list[Phase] = field(default_factory=list)
    """The phases so far, in order."""

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Note what the block takes, and that everything lives at its end.

        A daemon may answer from memory after its database is gone.
        """
        began = self.clock()
        yield
        seconds = self.clock() - began
        self.check()
        resources = self.meter.lap()
        self.taken.append(Phase(name=name, seconds=seconds, resources=resources))


@contextmanager
def started(runtime: Runtime, progress: Progress) -> Iterator[RunningDaemon]:
    """Enter the runtime, showing that this is what is being waited for."""
    with ExitStack() as stack:
        with progress.phase(f"starting ({runtime.name})", None):
            running = stack.enter_context(runtime)
        yield running
