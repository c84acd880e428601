"""Whether the data set can still tell one configuration from another.

A gate over data on which everything scores the same would stay green whatever
happens to the daemon. These checks guard the measurement, not the engine.
"""

from dataclasses import dataclass

from harness.report.model import ConfigurationResult, Discrimination, Report

TEMPORAL_FLOOR = 0.9
"""Lexical search with time filters solves the temporal queries, or time is broken."""
ENOUGH_QUERIES = 10
"""On fewer queries two sound configurations may well agree everywhere."""


@dataclass(frozen=True, slots=True)
class Check:
    """A strict inequality that must hold wherever the data set has *category*."""

    name: str
    category: str
    metric: str
    left: str
    """The configuration that must be better."""
    right: str | float
    """The configuration, or the number, that it must beat."""

    def run(self, report: Report) -> Discrimination:
        """Compare both sides as *report* has them."""
        left = self._read(report, self.left)
        right = (
            self._read(report, self.right)
            if isinstance(self.right, str)
            else self.right
        )
        return _discrimination(self.name, left, right)

    def _read(self, report: Report, name: str) -> float | None:
        result = _configuration(report, name)
        metrics = {} if result is None else result.by_category.get(self.category, {})
        return metrics.get(self.metric)


CHECKS = (
    Check(
        "semantic beats lexical on paraphrase (recall@5)",
        category="paraphrase",
        metric="recall@5",
        left="semantic",
        right="lexical",
    ),
    Check(
        "lexical+expand beats lexical on graph (recall@10)",
        category="graph",
        metric="recall@10",
        left="lexical+expand",
        right="lexical",
    ),
    Check(
        f"lexical solves temporal (recall@5 above {TEMPORAL_FLOOR})",
        category="temporal",
        metric="recall@5",
        left="lexical",
        right=TEMPORAL_FLOOR,
    ),
)


def discriminate(report: Report) -> tuple[Discrimination, ...]:
    """Run every check on the numbers of *report*.

    ``passed`` is ``None`` where a side was not measured; ``demanded`` tells whether
    that is a gap or simply not what this data set is about.
    """
    return tuple(check.run(report) for check in CHECKS) + tuple(
        _apart(report, "hybrid", other) for other in ("semantic", "lexical")
    )


def with_discrimination(report: Report) -> Report:
    """Put the checks' outcome into *report*, as it is to be stored."""
    return report.model_copy(update={"discrimination": discriminate(report)})


def demanded(report: Report, check: Discrimination) -> bool:
    """Tell whether the data set carries what *check* needs, so that it must pass.

    A check on a category is demanded where any configuration has queries of it; one
    on rankings, where both configurations were measured.
    """
    for known in CHECKS:
        if known.name == check.name:
            return any(
                known.category in result.by_category for result in report.configurations
            )
    return check.passed is not None


def _apart(report: Report, name: str, other: str) -> Discrimination:
    """Count the queries that two configurations answer differently.

    A daemon that silently falls back to one of its legs gives the same ranking under
    both names, and its averages look healthy.
    """
    left, right = _configuration(report, name), _configuration(report, other)
    title = f"{name} ranks otherwise than {other} (queries)"
    count: float | None = None
    if left is not None and right is not None:
        ours, theirs = _documents(left), _documents(right)
        shared = ours.keys() & theirs.keys()
        if len(shared) >= ENOUGH_QUERIES:
            count = float(sum(ours[query] != theirs[query] for query in shared))
    return _discrimination(title, count, 0.0 if count is not None else None)


def _discrimination(
    name: str, left: float | None, right: float | None
) -> Discrimination:
    passed = None if left is None or right is None else left > right
    return Discrimination(name=name, left=left, right=right, passed=passed)


def _documents(result: ConfigurationResult) -> dict[str, list[str]]:
    return {
        ranking.query: [hit.document for hit in ranking.hits]
        for ranking in result.rankings
    }


def _configuration(report: Report, name: str) -> ConfigurationResult | None:
    return next(
        (result for result in report.configurations if result.name == name), None
    )
