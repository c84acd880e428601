"""What changed between two sets of quality numbers, and whether it may pass.

Three outcomes, and only the first passes: everything BASE has was compared and
nothing lost more than the threshold; something was lost or is missing, or NEW is broken
by itself; or the two do not compare, because something other than the engine differs or
nothing was measured.
Changes are computed in all three, for people to see.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from harness.errors import ExitCode, UsageError
from harness.judge.comparable import Comparable, ComparableConfiguration, Scope
from harness.judge.preconditions import Difference, differences
from harness.judge.soundness import lost

DEFAULT_THRESHOLD = 0.02
SAME = 1e-9
"""A change of no more than this is rounding, and is not shown."""
SLACK = 1e-12
"""A loss that exceeds the threshold by no more than this counts as equal to it.

0.80 - 0.78 is 0.020000000000000018 in doubles. Means of 39 queries move in steps of
no less than 1e-4, so nothing real hides in here.
"""
OVERALL = "overall"

Side = Literal["base", "new"]


@dataclass(frozen=True, slots=True)
class Change:
    """One metric on both sides."""

    configuration: str
    scope: str
    """``overall``, or ``category:`` and the category's name."""
    metric: str
    base: float
    new: float
    regression: bool

    @property
    def change(self) -> float:
        """New minus base: below 0 is a loss."""
        return self.new - self.base


@dataclass(frozen=True, slots=True)
class OneSided:
    """A configuration, category or metric that only one side has."""

    side: Side
    configuration: str
    scope: str | None
    """``None`` where the whole configuration is one-sided."""
    metric: str | None
    """``None`` where the whole scope is."""
    unknowable: bool
    """The other side's format cannot state it, so its absence says nothing."""

    @property
    def fails(self) -> bool:
        """Tell whether it must fail the comparison: what BASE had is gone."""
        return self.side == "base" and not self.unknowable


@dataclass(frozen=True, slots=True)
class RankingChange:
    """A query that came back in another order."""

    configuration: str
    query: str
    rank: int
    """The first rank, from 1, at which the two differ."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything a comparison found."""

    base: Comparable
    new: Comparable
    threshold: float
    differences: tuple[Difference, ...]
    """Why the two do not compare, the data first; empty where they do."""
    one_sided: tuple[OneSided, ...]
    changes: tuple[Change, ...]
    """Every metric both sides have, worst change first."""
    rankings: tuple[RankingChange, ...]

    @property
    def regressions(self) -> tuple[Change, ...]:
        """Give the changes that lost more than the threshold, worst first."""
        return tuple(change for change in self.changes if change.regression)

    @property
    def missing(self) -> tuple[OneSided, ...]:
        """Give what BASE has and NEW should have, but has not."""
        return tuple(item for item in self.one_sided if item.fails)

    @property
    def broken(self) -> tuple[str, ...]:
        """State what NEW breaks by itself, and what it no longer shows; a line each."""
        return (*self.new.broken, *lost(self.base.evidence, self.new.evidence))

    @property
    def exit_code(self) -> ExitCode:
        """Say how a command that only compares must end."""
        if self.differences or not self.changes:
            return ExitCode.NOTHING_MEASURED
        if self.regressions or self.missing or self.broken:
            return ExitCode.GATE_FAILED
        return ExitCode.PASSED


def compare(
    base: Comparable, new: Comparable, threshold: float = DEFAULT_THRESHOLD
) -> Comparison:
    """Hold *new* against *base*.

    A metric regresses when it loses more than *threshold*; losing exactly as much
    does not count. A number that is not finite always does.

    Raises:
        UsageError: *threshold* is not a finite number of at least 0.
    """
    if isinstance(threshold, bool) or not math.isfinite(threshold) or threshold < 0:
        raise UsageError(
            f"threshold {threshold!r} is not a finite number of at least 0.",
            remedy="Give the largest loss that may pass, for example 0.02.",
        )
    theirs = {configuration.name: configuration for configuration in new.configurations}
    ours = {configuration.name: configuration for configuration in base.configurations}
    pairs = [(ours[name], theirs[name]) for name in ours if name in theirs]
    changes = [
        change
        for before, after in pairs
        # Means over no query are no measurement, whatever the files say they are.
        if before.overall.queries or after.overall.queries
        for change in _changes(before, after, threshold)
    ]
    return Comparison(
        base=base,
        new=new,
        threshold=threshold,
        differences=tuple(differences(base, new)),
        one_sided=(*_only("base", base, new), *_only("new", new, base)),
        changes=tuple(sorted(changes, key=_worst_first)),
        rankings=tuple(
            change for before, after in pairs for change in _rankings(before, after)
        ),
    )


def scopes(configuration: ComparableConfiguration) -> Mapping[str, Scope]:
    """Name every scope of a configuration: ``overall`` first, then its categories."""
    return {OVERALL: configuration.overall} | {
        f"category:{name}": configuration.categories[name]
        for name in sorted(configuration.categories)
    }


def _changes(
    before: ComparableConfiguration, after: ComparableConfiguration, threshold: float
) -> Iterator[Change]:
    there = scopes(after)
    for name, scope in scopes(before).items():
        metrics = there[name].metrics if name in there else {}
        for metric in sorted(set(scope.metrics) & set(metrics)):
            base, new = scope.metrics[metric], metrics[metric]
            # Written so that NaN, of which no comparison is true, regresses.
            kept = new - base >= -threshold - SLACK
            yield Change(before.name, name, metric, base, new, regression=not kept)


def _only(side: Side, one: Comparable, other: Comparable) -> Iterator[OneSided]:
    there = {
        configuration.name: configuration for configuration in other.configurations
    }
    for configuration in one.configurations:
        name = configuration.name
        if name not in there:
            yield OneSided(side, name, None, None, unknowable=False)
            continue
        their_scopes = scopes(there[name])
        for scope, mine in scopes(configuration).items():
            if scope not in their_scopes:
                unknowable = not other.categorised
                yield OneSided(side, name, scope, None, unknowable=unknowable)
                continue
            for metric in sorted(set(mine.metrics) - set(their_scopes[scope].metrics)):
                unknowable = not other.knows(metric)
                yield OneSided(side, name, scope, metric, unknowable=unknowable)


def _rankings(
    before: ComparableConfiguration, after: ComparableConfiguration
) -> Iterator[RankingChange]:
    if before.rankings is None or after.rankings is None:
        return
    for query in sorted(set(before.rankings) & set(after.rankings)):
        old, new = before.rankings[query], after.rankings[query]
        if old != new:
            shared = 0
            while old[shared : shared + 1] == new[shared : shared + 1]:
                shared += 1
            yield RankingChange(before.name, query, shared + 1)


def _worst_first(change: Change) -> tuple[float, str, str, str]:
    worst = change.change if math.isfinite(change.change) else -math.inf
    # Rounding must not decide the order of equal losses.
    return (round(worst, 9), change.configuration, change.scope, change.metric)
