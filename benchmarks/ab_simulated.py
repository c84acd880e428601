"""The verdict on speed, held against machines whose noise is known.

Times are drawn, not measured: each query has a time of its own, each request a factor,
some requests a spike, and each process a factor for each configuration that it keeps,
as its layout in memory would give it. So the rates are the rule's own, on any machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Row
from harness.judge.ab.latency import DIRECTIONS, judge_latency, wants_another
from harness.report.ab import QueryTimes, Round, Times

SEED = 22_360
RUNS = 200
PASSES = 10
SHAPE = {"lexical": 39, "semantic": 39, "hybrid": 39, "lexical+expand": 5}
"""Queries by configuration, as the bundled data set has them."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Machine:
    """How two processes of one build come to differ."""

    name: str
    jitter: float
    """Standard deviation of a request's factor, as a logarithm."""
    spikes: float
    """Share of requests that take three times as long."""
    layout: float
    """Standard deviation of a process's factor, as a logarithm."""


QUIET = Machine("quiet", jitter=0.05, spikes=0.01, layout=0.01)
BUSY = Machine("busy", jitter=0.25, spikes=0.10, layout=0.03)


def ab_simulated() -> Iterator[Row]:
    """Compare a build with itself, and with itself slowed down.

    What is promised is no false alarm anywhere, and a fifth seen on a quiet machine.
    """
    yield _row(BUSY, 1.0, 0.05, "none")
    yield _row(QUIET, 1.0, 0.02, "none")
    yield _row(QUIET, 1.2, 0.05, "all")
    yield _row(BUSY, 1.2, 0.05, "")
    yield _row(QUIET, 1.05, 0.02, "")


def _row(machine: Machine, slowdown: float, budget: float, promise: str) -> Row:
    random = np.random.Generator(np.random.PCG64(SEED))
    shown = 0
    for _ in range(RUNS):
        rounds = [_round(random, machine, slowdown)]
        if wants_another(rounds, budget):
            rounds.append(_round(random, machine, slowdown))
        shown += any(each.word in DIRECTIONS for each in judge_latency(rounds, budget))
    return Row(
        f"simulated: a {machine.name} machine, candidate x{slowdown}, budget "
        f"{budget:.0%}",
        f"{shown} runs with a verdict",
        f"{RUNS} runs",
        shown / RUNS,
        promise,
        shown == (RUNS if promise == "all" else 0) or not promise,
    )


def _round(random: np.random.Generator, machine: Machine, slowdown: float) -> Round:
    own = {name: random.lognormal(1.0, 0.4, count) for name, count in SHAPE.items()}
    base, twin, candidate = (
        {name: float(random.lognormal(0.0, machine.layout)) for name in SHAPE}
        for _ in range(3)
    )
    slowed = {name: factor * slowdown for name, factor in candidate.items()}
    return Round(
        twin="instance",
        fresh=True,
        floor=tuple(_half(random, machine, own, base, twin)),
        measured=tuple(_half(random, machine, own, base, slowed)),
    )


def _half(
    random: np.random.Generator,
    machine: Machine,
    own: dict[str, Floats],
    base: dict[str, float],
    candidate: dict[str, float],
) -> Iterator[Times]:
    for name, times in own.items():
        sides = [
            _medians(random, machine, times * factor[name])
            for factor in (base, candidate)
        ]
        yield Times(
            configuration=name,
            queries=tuple(
                QueryTimes(query=f"q{place:02}", base_ms=ours, candidate_ms=theirs)
                for place, (ours, theirs) in enumerate(zip(*sides, strict=True))
            ),
            tails=None,
            rankings_moved=0,
        )


def _medians(
    random: np.random.Generator, machine: Machine, times: Floats
) -> list[float]:
    shape = (len(times), PASSES)
    factors = random.lognormal(0.0, machine.jitter, shape)
    factors[random.random(shape) < machine.spikes] *= 3.0
    return [float(each) for each in np.median(times[:, None] * factors, axis=1)]
