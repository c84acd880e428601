"""The queries of a comparison, paired, for the page's plots and its table."""

from collections.abc import Iterator

from harness.judge.comparable import ComparableConfiguration
from harness.judge.statistics.policy import Judgement
from harness.judge.statistics.verdict import PRIMARY
from harness.report.faces.page import Json
from harness.report.faces.sections.queries import (
    figure_column,
    first_relevant,
    ranking_data,
    text_column,
)
from harness.report.faces.visible import visible
from harness.report.model import Ranking


def comparison_queries(judgement: Judgement) -> dict[str, Json] | None:
    """Make the data of the table of queries; ``None`` where a side keeps no query.

    Each row has the metric that decides, on both sides, and where the first relevant
    document stood.
    """
    rows: list[tuple[float, list[Json], Json]] = []
    for before, after, metric in pairs_of(judgement):
        for query, old, new in answers_of(before, after):
            one, other = old.metrics.get(metric), new.metrics.get(metric)
            change = None if one is None or other is None else other - one
            row: list[Json] = [
                visible(query),
                visible(before.name),
                visible(old.category),
                one,
                other,
                change,
                first_relevant(old),
                first_relevant(new),
            ]
            details = [ranking_data("Base", old), ranking_data("New", new)]
            rows.append((change or 0.0, row, details))
    if not rows:
        return None
    columns: list[Json] = [
        text_column("query"),
        text_column("configuration", choose=True),
        text_column("category", choose=True),
        figure_column("base"),
        figure_column("new"),
        figure_column("change", change=True),
        figure_column("first relevant, base", 0),
        figure_column("new rank", 0),
    ]
    return {
        "columns": columns,
        "rows": [row for _, row, _ in rows],
        "details": [details for _, _, details in rows],
        "sort": [5, False],
    }


def pairs_of(
    judgement: Judgement,
) -> Iterator[tuple[ComparableConfiguration, ComparableConfiguration, str]]:
    """Give the configurations on both sides with the metric that decides."""
    comparison = judgement.comparison
    theirs = {each.name: each for each in comparison.new.configurations}
    tested = {
        each.configuration: each.test.metric for each in judgement.verdicts if each.test
    }
    for before in comparison.base.configurations:
        after = theirs.get(before.name)
        if after is None:
            continue
        metric = tested.get(before.name) or metric_of(before, after)
        if metric is not None:
            yield before, after, metric


def answers_of(
    before: ComparableConfiguration, after: ComparableConfiguration
) -> Iterator[tuple[str, Ranking, Ranking]]:
    """Give the queries that both sides keep, with what either got."""
    ours, theirs = before.answers or {}, after.answers or {}
    for query, old in ours.items():
        if query in theirs:
            yield query, old, theirs[query]


def metric_of(
    before: ComparableConfiguration, after: ComparableConfiguration
) -> str | None:
    """Choose a metric that both sides have; ``None`` where they share none."""
    shared = set(before.overall.metrics) & set(after.overall.metrics)
    if PRIMARY in shared:
        return PRIMARY
    ranked = sorted(metric for metric in shared if metric.startswith("ndcg@"))
    return ranked[-1] if ranked else min(shared, default=None)
