"""Pairs of reports that differ in what each query got, and in nothing else."""

import math
from collections.abc import Mapping, Sequence

from harness.judge.comparable import from_report
from harness.judge.compare import Comparison, compare
from harness.measure.metrics import mean_metrics, score_ranking
from harness.report.model import ConfigurationResult, Ranking, Report, ScoredHit
from tests.builders import a_configuration, a_report

Values = Sequence[float]


def a_scored_configuration(
    values: Values, name: str = "hybrid", *, metric: str = "ndcg@10"
) -> ConfigurationResult:
    """Give query ``q00``, ``q01``, ... each its value of *metric*, and the mean."""
    rankings = [
        Ranking(
            query=f"q{place:02}", category="lexical", metrics={metric: value}, hits=()
        )
        for place, value in enumerate(values)
    ]
    mean = math.fsum(values) / len(values)
    return a_configuration(
        name, metrics={metric: mean}, by_category={}, rankings=rankings
    )


def two_reports(base: Mapping[str, Values], new: Mapping[str, Values]) -> Comparison:
    """Compare two reports, each of some configurations' values of ``ndcg@10``."""
    return compare(from_report(scored(base)), from_report(scored(new)))


def scored(values: Mapping[str, Values]) -> Report:
    """Report the values of each configuration's queries."""
    return a_report(
        *(a_scored_configuration(each, name) for name, each in values.items())
    )


def an_answer(
    hits: Sequence[tuple[str, float | None]],
    grades: Mapping[str, int],
    *,
    query: str = "q1",
    cutoffs: Sequence[int] = (1, 3, 5, 10),
) -> Ranking:
    """Rank *hits* as they are given, and score them as a run does."""
    documents = [document for document, _ in hits]
    return Ranking(
        query=query,
        category="lexical",
        metrics=score_ranking(documents, grades, cutoffs),
        hits=tuple(ScoredHit(document=name, score=score) for name, score in hits),
        grades=grades,
    )


def answered(*answers: Ranking, name: str = "hybrid") -> Report:
    """Report one configuration that got *answers*."""
    return a_report(
        a_configuration(
            name,
            metrics=mean_metrics([answer.metrics for answer in answers]),
            by_category={},
            rankings=answers,
        )
    )
