"""Per-query values of one metric on both sides, paired by query id.

Position in a file says nothing: a report may list its queries in any order. What
cannot be paired whole is refused, because a test on the rest would answer another
question than the means above it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.errors import IncomparableError
from harness.report.model import Ranking

AGREES = 1e-9
"""A stated mean may differ from that of its rows by rounding, and by no more."""

Answers = Mapping[str, Ranking]
"""Query id to what the query got."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """One metric of one configuration, query by query, sorted by query id."""

    metric: str
    queries: tuple[str, ...]
    base: NDArray[np.float64]
    new: NDArray[np.float64]

    @property
    def differences(self) -> NDArray[np.float64]:
        """Give new minus base of each query: below 0 is a loss."""
        return self.new - self.base


def pair(metric: str, base: Answers, new: Answers) -> Pairs:
    """Pair the values of *metric* that both sides have for each query.

    Raises:
        IncomparableError: A query is only on one side, or is judged otherwise there, or
            lacks the metric; or there is no query at all.
    """
    if not base and not new:
        raise _refused(f"no query was scored by {metric}.")
    for side, ours, theirs in (("base", base, new), ("new", new, base)):
        lacking = sorted(set(ours) - set(theirs))
        if lacking:
            raise _refused(
                f"{len(lacking)} of {len(ours)} queries are only in {side}, the first "
                f"is {lacking[0]!r}."
            )
    for query in sorted(base):
        before, after = base[query], new[query]
        if metric not in before.metrics or metric not in after.metrics:
            raise _refused(f"query {query!r} has no {metric} on one side.")
        judged = before.grades is not None and after.grades is not None
        if judged and before.grades != after.grades:
            raise _refused(f"query {query!r} is judged otherwise on the other side.")
    queries = tuple(sorted(base))
    return Pairs(
        metric,
        queries,
        _values(metric, queries, base),
        _values(metric, queries, new),
    )


def check_rows(
    metric: str, answers: Answers, stated: tuple[int | None, float], side: str
) -> None:
    """Refuse rows that do not explain the number of queries and the mean of a report.

    Args:
        metric: A metric that every row has.
        answers: The rows.
        stated: How many queries the report says it asked, where it does, and the mean
            it states.
        side: Which report, for the message.

    Raises:
        IncomparableError: Rows are missing or repeated, or the means are further apart
            than rounding: the file was changed by hand.
    """
    queries, stated_mean = stated
    if queries is not None and queries != len(answers):
        raise _refused(
            f"{side} asked {queries} queries, and keeps what {len(answers)} got."
        )
    mean = math.fsum(each.metrics[metric] for each in answers.values()) / len(answers)
    # Negated, so that a mean that is not finite is refused.
    if not abs(mean - stated_mean) <= AGREES:
        raise _refused(
            f"{side} states {metric} {stated_mean!r}, and the mean of its "
            f"{len(answers)} queries is {mean!r}."
        )


def _values(
    metric: str, queries: tuple[str, ...], answers: Answers
) -> NDArray[np.float64]:
    return np.array([answers[query].metrics[metric] for query in queries], dtype=float)


def _refused(what: str) -> IncomparableError:
    return IncomparableError(
        what, remedy="Measure both sides anew, on the same data set."
    )
