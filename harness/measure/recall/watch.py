"""Watch the embedder from outside: what reached it, a daemon really asked for."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from harness.daemon.embedder import EmbedderControl, FaultKind
from harness.errors import DaemonError
from harness.report.recall import Embedded

TEMPO_TEXTS = 2_000
"""Texts that the embedder alone is timed with, or as many as there are."""


class Reached(NamedTuple):
    """What reached the embedder between two looks."""

    requests: int
    inputs: int


@dataclass(slots=True)
class Watch:
    """Read the embedder's counters in steps.

    Args:
        control: The embedder, on both of its ports.
        model: The model that the daemon asks for.
        dimension: Length of its vectors.
    """

    control: EmbedderControl
    model: str
    dimension: int
    _last: Reached = field(default=Reached(0, 0))

    def step(self) -> Reached:
        """Return what reached the embedder since the last step.

        Raises:
            DaemonError: It counts less than before: somebody else reset it.
        """
        state = self.control.state()
        before, self._last = self._last, Reached(state.requests, state.inputs)
        step = Reached(
            self._last.requests - before.requests, self._last.inputs - before.inputs
        )
        if min(step) < 0:
            raise DaemonError(
                f"the embedder counts {self._last.requests} requests, and counted "
                f"{before.requests} before.",
                remedy="One run at a time can watch an embedder; give each its own.",
            )
        return step

    @contextmanager
    def fault(
        self,
        kind: FaultKind,
        *,
        delay_s: float | None = None,
        retry_after_s: float | None = None,
    ) -> Iterator[None]:
        """Let the embedder fail while the block runs, and no longer.

        An embedder that outlives the run must not go on failing, so the fault is
        ended however the block ends.
        """
        self.control.set_fault(kind, delay_s=delay_s, retry_after_s=retry_after_s)
        try:
            yield
        finally:
            self.control.set_fault("ok")

    def per_second(self, texts: Sequence[str], batch: int) -> float | None:
        """Say how many texts a second the embedder alone serves.

        Args:
            texts: What to embed; only the first `TEMPO_TEXTS` are.
            batch: Texts a request, as the daemon sends them.
        """
        remaining = iter(texts[:TEMPO_TEXTS])
        served, spent_s = 0, 0.0
        while asked := list(islice(remaining, batch)):
            answer = self.control.embed(
                asked, model=self.model, dimension=self.dimension
            )
            served += len(asked)
            spent_s += answer.instants.service_s
        return served / spent_s if spent_s else None


def embedded(reached: Reached, p50_ms: float | None = None) -> Embedded:
    """Put what reached the embedder into the report's words."""
    return Embedded(requests=reached.requests, inputs=reached.inputs, p50_ms=p50_ms)
