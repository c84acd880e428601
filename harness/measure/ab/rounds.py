"""One round of a comparison: the base against itself, then against the candidate.

Both halves are asked alike, so what the first finds is what this machine does to two
daemons that are the same. A second round, where one is needed, has fresh processes.
"""

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from harness.dataset.configurations import CONFIGURATIONS
from harness.measure.ab.interleave import Pair, interleave
from harness.measure.ab.sides import Bench, Named, Side, asked_anew
from harness.measure.progress import Progress
from harness.measure.ready import Ready
from harness.report.model import Report

SEED = 14_142
"""Decides who is asked first in each round; fixed, so that a run can be repeated."""

Twin = Literal["instance", "connection"]


@dataclass(frozen=True, slots=True)
class RoundMeasured:
    """What one round brought."""

    twin: Twin | None
    """What the base was held against: a second instance of it, or itself over a second
    connection where it could not be started again; ``None`` where nothing was timed."""
    fresh: bool
    """Whether every process of the round was started for it."""
    floor: tuple[Pair, ...]
    """Base and its twin, by configuration; empty where nothing was timed."""
    base: Report
    candidate: Report


class Comparison:
    """Measures one base and one candidate, as many rounds as it takes.

    What is started for a round ends with it. A daemon that ran already is seeded once,
    and asked again in the next round. Use it as a context manager.

    Args:
        bench: What both are measured with.
        base: The side that is held to be known.
        candidate: The side in question.
    """

    def __init__(self, bench: Bench, base: Side, candidate: Side) -> None:
        self._bench = bench
        self._base = base
        self._candidate = candidate
        self._kept = ExitStack()
        self._running: dict[str, Ready] = {}
        self._random = random.Random(SEED)
        self._rounds = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the daemons that were found running."""
        self._kept.__exit__(kind, error, trace)

    def round(self) -> RoundMeasured:
        """Measure one whole round.

        Raises:
            DaemonError: A daemon did not come up, died, or broke the contract.
            PrerequisiteError: A palace is not empty, or takes no such vectors.
            NothingMeasuredError: No query takes part in any configuration.
        """
        self._rounds += 1
        timed = self._bench.settings.repetitions > 0
        with self._up(self._base) as base:
            floor = self._floor(base) if timed else ()
            with self._up(self._candidate) as candidate:
                pairs = self._asked(base, candidate, "base and candidate")
                return RoundMeasured(
                    twin=self._twin_kind if timed else None,
                    fresh=self._base.started and self._candidate.started,
                    floor=floor,
                    base=base.report([pair[0] for pair in pairs]),
                    candidate=candidate.report([pair[1] for pair in pairs]),
                )

    @property
    def _twin_kind(self) -> Twin:
        return "instance" if self._base.started else "connection"

    @contextmanager
    def _up(self, side: Side) -> Iterator[Ready]:
        if side.started:
            with self._bench.ready(side) as daemon:
                yield daemon
            return
        if side.role not in self._running:
            self._running[side.role] = self._kept.enter_context(self._bench.ready(side))
        yield asked_anew(self._running[side.role])

    def _floor(self, base: Ready) -> tuple[Pair, ...]:
        twin: AbstractContextManager[Ready]
        if self._base.started:
            twin = self._bench.ready(self._base, "second base")
        else:
            twin = self._bench.connected_again(base)
        # The base is asked again with the candidate, and its report is of that alone.
        with twin as second:
            return self._asked(asked_anew(base), second, "base and itself")

    def _asked(self, base: Ready, candidate: Ready, what: str) -> tuple[Pair, ...]:
        progress = Named(self._bench.progress, f"round {self._rounds}, {what}")
        return ask_both(base, candidate, progress, self._random)


def ask_both(
    base: Ready, candidate: Ready, progress: Progress, chance: random.Random
) -> tuple[Pair, ...]:
    """Ask two daemons under every configuration, and take the client's own floor.

    Args:
        base: One daemon with the data set in it.
        candidate: Another, with the same data set and settings.
        progress: Is told where the run is.
        chance: Decides who is asked first under each configuration.
    """
    both = (base, candidate)
    timed = base.settings.repetitions > 0
    if timed:
        for side in both:
            side.floor.take_before()
    pairs = []
    for configuration in CONFIGURATIONS:
        with (
            base.phases.timed(configuration.name),
            candidate.phases.timed(configuration.name),
        ):
            pair = interleave(
                (base.asker, candidate.asker),
                configuration,
                progress,
                base_first=chance.random() < 0.5,
            )
        pairs.append(pair)
    if timed:
        for side in both:
            side.floor.take_after()
    return tuple(pairs)
