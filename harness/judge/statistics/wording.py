"""A verdict in one line, for a reviewer who has not read how it came about."""

from harness.judge.compare import SLACK
from harness.judge.statistics.verdict import Test, Verdict

FEWEST = 6
"""Fewer differences than this have fewer than 40 sign patterns, of which two are the
most extreme: no test of them can reach 0.05."""


def of_verdict(verdict: Verdict, budget: float) -> str:
    """Write a verdict with the figures it rests on, and what would settle it.

    Args:
        verdict: Of one configuration.
        budget: The threshold it was held against.
    """
    test = verdict.test
    if test is None:
        word = verdict.word or "statistics not available"
        return f"{verdict.configuration}: {word}: {verdict.reason}"
    line = f"{verdict.configuration} {of_test(test)}: {verdict.word}"
    if verdict.word == "inconclusive":
        line += f": {_why_open(test, budget)}"
    if verdict.hangs_on_tie and verdict.ties is not None:
        band = verdict.ties[test.metric].change
        line += (
            "; hangs on a tie: over all orders of equal scores the change is "
            f"{band.low:+.3f} to {band.high:+.3f}"
        )
    return line


def of_test(test: Test) -> str:
    """Write a metric's move, its interval, p and the number of queries."""
    between = of_interval(test)
    change = f"{test.change:+.3f}" + (f" {between}" if between else "")
    return (
        f"{test.metric} {test.base:.3f} -> {test.new:.3f} ({change}, {of_p(test.p)}, "
        f"{of_queries(test.queries)})"
    )


def of_interval(test: Test) -> str:
    """Write the interval of a change; nothing where there is none."""
    interval = test.interval
    return "" if interval is None else f"[{interval.low:+.3f}, {interval.high:+.3f}]"


def of_p(p: float) -> str:
    """Write a p-value with three decimals, or as below the smallest of them."""
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"


def of_queries(amount: int) -> str:
    """Count queries: ``1 query``, ``39 queries``."""
    return "1 query" if amount == 1 else f"{amount:,} queries"


def _why_open(test: Test, budget: float) -> str:
    parts = [_standing(test.change, budget)]
    if test.detectable is not None:
        seen = f"{test.detectable:.3f}"
        parts.append(f"{of_queries(test.queries)} see changes of {seen} or more")
    if test.needed is not None:
        parts.append(f"{test.needed:,} would settle this one")
    if test.moved < FEWEST:
        differ = "1 differs" if test.moved == 1 else f"{test.moved} differ"
        parts.append(
            f"only {differ}, and no test of fewer than {FEWEST} shows a change"
        )
    return "; ".join(parts)


def _standing(change: float, budget: float) -> str:
    if abs(change) <= budget + SLACK:
        return f"within the budget of {budget:g}, but not shown to stay there"
    if change < 0:
        return f"over the budget of {budget:g} but not shown"
    return f"a gain of more than {budget:g}, but not shown"
