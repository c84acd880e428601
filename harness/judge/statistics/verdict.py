"""What a comparison has shown: one verdict a configuration, one over all.

One primary metric decides for a configuration; the family that Holm's correction covers
is these, one a configuration. Every other metric is for people to see. A test on each
of them would find something by luck, or nothing after correction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.errors import IncomparableError
from harness.judge.comparable import Comparable, ComparableConfiguration
from harness.judge.compare import SLACK, Comparison
from harness.judge.statistics.bootstrap import Interval, mean_interval
from harness.judge.statistics.holm import holm
from harness.judge.statistics.paired import Pairs, check_rows, pair
from harness.judge.statistics.permutation import SignFlip, sign_flip
from harness.judge.statistics.power import ALPHA, detectable, queries_needed
from harness.judge.ties import Answered, TieBand, tie_bands

PRIMARY = "ndcg@10"
"""Decides where it was measured; else ndcg at the largest cut-off that was."""

Word = Literal["better", "same", "worse", "inconclusive", "not comparable"]
GRAVEST_FIRST: tuple[Word, ...] = (
    "not comparable",
    "worse",
    "inconclusive",
    "better",
    "same",
)


@dataclass(frozen=True, slots=True)
class Test:
    """The figures behind a verdict."""

    __test__ = False  # pytest would take it for one of its own

    metric: str
    queries: int
    moved: int
    """Queries whose value differs at all."""
    base: float
    new: float
    interval: Interval | None
    """Of the change; ``None`` for a single query."""
    flip: SignFlip
    p: float
    """The test's own, corrected for the family."""
    alpha: float
    """Level that `detectable` and `needed` are at: 0.05 over the size of the family."""
    detectable: float | None
    """Smallest change that so many such queries show; ``None`` where none moved."""
    needed: int | None
    """Queries that would settle it; ``None`` where it is settled, or none can tell."""

    @property
    def change(self) -> float:
        """New minus base: below 0 is a loss."""
        return self.new - self.base


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found for one configuration."""

    configuration: str
    word: Word | None
    """``None`` where a side keeps no query's metrics: there are no statistics."""
    reason: str = ""
    """Why there are none, or why it is not comparable."""
    test: Test | None = None
    over_budget: bool = False
    """Whether the loss itself, shown or not, is beyond the budget."""
    ties: Mapping[str, TieBand] | None = None
    """Bands of every metric; ``None`` where a side keeps no judgments."""
    hangs_on_tie: bool = False
    """Whether another order of equal scores would make it another verdict, or turn the
    sign of a change that is not "same"."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A configuration whose queries could be paired."""

    pairs: Pairs
    base: float
    new: float
    flip: SignFlip
    ties: Mapping[str, TieBand] | None


def verdicts(comparison: Comparison) -> tuple[Verdict, ...]:
    """Judge every configuration that both sides have, in the order of the base.

    The budget is the comparison's threshold. Where the two do not compare, neither does
    a configuration of theirs.
    """
    theirs = {each.name: each for each in comparison.new.configurations}
    shared = [
        (before, theirs[before.name])
        for before in comparison.base.configurations
        if before.name in theirs
    ]
    found: dict[str, Verdict | _Ready] = {}
    for before, after in shared:
        if comparison.differences:
            reason = "the two sides differ in more than the engine"
            found[before.name] = Verdict(before.name, "not comparable", reason)
            continue
        try:
            found[before.name] = _prepared(comparison, before, after)
        except IncomparableError as error:
            found[before.name] = Verdict(before.name, "not comparable", error.what)
    ready = {name: each for name, each in found.items() if isinstance(each, _Ready)}
    corrected = holm({name: each.flip.p for name, each in ready.items()})
    return tuple(
        _judged(name, each, corrected, comparison.threshold)
        if isinstance(each, _Ready)
        else each
        for name, each in found.items()
    )


def overall(found: Sequence[Verdict]) -> Word | None:
    """Give the gravest word of all; ``None`` where no configuration has one."""
    words = {each.word for each in found}
    return next((word for word in GRAVEST_FIRST if word in words), None)


def _prepared(
    comparison: Comparison,
    before: ComparableConfiguration,
    after: ComparableConfiguration,
) -> Verdict | _Ready:
    for side, view, one in (
        ("base", comparison.base, before),
        ("new", comparison.new, after),
    ):
        if not one.answers:
            kind = view.kind if one.answers is None else "report"
            reason = f"{side}, a {kind}, keeps no query's metrics"
            if one.overall.queries == 0:
                reason = f"{side} measured nothing"
            return Verdict(before.name, None, reason)
    ours, theirs = before.answers or {}, after.answers or {}
    metric = _primary(before, after)
    if metric is None:
        return Verdict(before.name, None, "the two share no ndcg")
    pairs = pair(metric, ours, theirs)
    base, new = before.overall.metrics[metric], after.overall.metrics[metric]
    check_rows(metric, ours, (before.overall.queries, base), "base")
    check_rows(metric, theirs, (after.overall.queries, new), "new")
    ties = tie_bands(
        _answered(comparison.base, before), _answered(comparison.new, after)
    )
    return _Ready(pairs, base, new, sign_flip(pairs.differences), ties)


def _answered(view: Comparable, configuration: ComparableConfiguration) -> Answered:
    return Answered(configuration.answers or {}, configuration.expand, view.limit)


def _primary(
    before: ComparableConfiguration, after: ComparableConfiguration
) -> str | None:
    shared = set(before.overall.metrics) & set(after.overall.metrics)
    if PRIMARY in shared:
        return PRIMARY
    cutoffs = [int(name.removeprefix("ndcg@")) for name in shared if _is_ndcg(name)]
    return f"ndcg@{max(cutoffs)}" if cutoffs else None


def _is_ndcg(metric: str) -> bool:
    family, _, cutoff = metric.partition("@")
    return family == "ndcg" and cutoff.isascii() and cutoff.isdigit()


def _judged(
    name: str, ready: _Ready, corrected: Mapping[str, float], budget: float
) -> Verdict:
    differences = ready.pairs.differences
    alpha = ALPHA / len(corrected)
    test = Test(
        metric=ready.pairs.metric,
        queries=len(differences),
        moved=int(np.count_nonzero(differences)),
        base=ready.base,
        new=ready.new,
        interval=mean_interval(differences),
        flip=ready.flip,
        p=corrected[name],
        alpha=alpha,
        detectable=detectable(differences, alpha=alpha),
        needed=None,
    )
    word = _word(test, budget)
    if word == "inconclusive":
        test = replace(test, needed=_needed(test, differences, budget))
    return Verdict(
        configuration=name,
        word=word,
        test=test,
        over_budget=_beyond(test.change, budget) < 0,
        ties=ready.ties,
        hangs_on_tie=_hangs(test, word, ready.ties, budget),
    )


def _word(test: Test, budget: float) -> Word:
    beyond = _beyond(test.change, budget)
    if beyond:
        if test.p > ALPHA:
            return "inconclusive"
        return "worse" if beyond < 0 else "better"
    if test.moved == 0:
        return "same"
    inside = test.interval is not None and test.interval.within(budget + SLACK)
    return "same" if inside else "inconclusive"


def _beyond(change: float, budget: float) -> int:
    """Return -1 for a loss beyond the budget, 1 for such a gain, 0 for neither."""
    if change < -budget - SLACK:
        return -1
    return 1 if change > budget + SLACK else 0


def _needed(test: Test, differences: NDArray[np.float64], budget: float) -> int | None:
    """Say how many queries would tell the change from 0, or from the budget."""
    change = test.change
    gap = change if _beyond(change, budget) else budget - abs(change)
    needed = queries_needed(differences, gap, alpha=test.alpha)
    # An approximation must not say that there are enough where there were not.
    return None if needed is None else max(needed, test.queries + 1)


def _hangs(
    test: Test, word: Word, ties: Mapping[str, TieBand] | None, budget: float
) -> bool:
    band = (ties or {}).get(test.metric)
    if band is None:
        return False
    ends = (band.change.low, band.change.high)
    if any(_beyond(end, budget) != _beyond(test.change, budget) for end in ends):
        return True
    return word != "same" and ends[0] < 0 < ends[1]
