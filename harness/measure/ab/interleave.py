"""The same queries to two daemons, query by query, each first half of the time.

One request is under way at any time. Whoever is asked second finds the processor's
caches as the other left them, so the order is swapped with every query, and from pass
to pass for each query.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from harness.daemon.search import SearchAnswer
from harness.dataset.configurations import Configuration, takes_part
from harness.measure.latency import Timed
from harness.measure.passes import Asker, Scored, check_again, score, summed_up
from harness.measure.progress import Progress
from harness.report.model import ConfigurationResult

Pair = tuple[ConfigurationResult, ConfigurationResult]
"""Base, candidate; both hold the same queries in the same order."""


@dataclass(slots=True)
class _Side:
    """One daemon, and what it answered so far under one configuration."""

    asker: Asker
    passed: list[Scored] = field(default_factory=list)
    answers: list[SearchAnswer] = field(default_factory=list)
    """Of the pass that is under way."""
    timed: Timed = field(default_factory=Timed)


def interleave(
    askers: tuple[Asker, Asker],
    configuration: Configuration,
    progress: Progress,
    *,
    base_first: bool,
) -> Pair:
    """Run the scored pass and the timed passes of one configuration on both daemons.

    A configuration that no query takes part in comes back with 0 queries.

    Args:
        askers: The base's and the candidate's, with the same queries and settings.
        configuration: Under which all is asked.
        progress: Is told where the run is.
        base_first: Whether the base gets the very first query first.

    Raises:
        DaemonError: A daemon failed, or broke the contract.
    """
    base, candidate = _Side(askers[0]), _Side(askers[1])
    settings = base.asker.settings
    queries = [
        query
        for query in base.asker.dataset.queries
        if takes_part(query, configuration)
    ]
    total = (1 + settings.repetitions) * len(queries)
    with progress.phase(configuration.name, total) as advance:
        orders = _orders((base, candidate), len(queries), base_first=base_first)
        for query, order in zip(queries, orders, strict=True):
            for side in order:
                side.passed.append(score(side.asker, configuration, query))
        advance(len(queries))
        for number in range(settings.repetitions):
            # Whoever was first at a query is second the next time it is asked.
            swapped = base_first == (number % 2 == 1)
            _timed_pass((base, candidate), configuration, base_first=swapped)
            advance(len(queries))
    results = [
        summed_up(configuration, side.passed, side.timed) for side in (base, candidate)
    ]
    return results[0], results[1]


def _timed_pass(
    sides: tuple[_Side, _Side], configuration: Configuration, *, base_first: bool
) -> None:
    """Time one pass over both, and only then look at what it brought."""
    firsts = sides[0].passed
    orders = _orders(sides, len(firsts), base_first=base_first)
    for first, order in zip(firsts, orders, strict=True):
        for side in order:
            side.answers.append(side.asker.ask(first.query, configuration))
    for side in sides:
        for first, answer in zip(side.passed, side.answers, strict=True):
            side.timed.instants.append(answer.instants)
            # The clock runs for the other side too: only the side's own calls count.
            side.timed.wall_s += answer.instants.round_trip_s
            check_again(side.asker, configuration, first, answer)
        side.answers.clear()


def _orders(
    sides: tuple[_Side, _Side], queries: int, *, base_first: bool
) -> Iterator[Sequence[_Side]]:
    """Yield who is asked first and second, swapped with every query."""
    for place in range(queries):
        yield sides if (place % 2 == 0) == base_first else sides[::-1]
