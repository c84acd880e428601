"""Every query's figures and ranking: data for the table that the script makes."""

from collections.abc import Sequence

from harness.report.faces.markup import Markup
from harness.report.faces.page import Json, query_table, section
from harness.report.faces.visible import visible
from harness.report.layout import listed
from harness.report.model import ConfigurationResult, Ranking, Report

PREFERRED = (
    ("ndcg@10", "ndcg@5"),
    ("recall@10",),
    ("recall@5",),
    ("mrr",),
)
"""Of each group the first that was measured."""
NOTE = (
    "Worst first. A query opens its ranking: relevant documents are bold, and what was"
    " judged relevant and did not come back is named below."
)


def queries_section() -> Markup:
    """Make the place for the table; the page's data must have it under ``queries``."""
    return section("Queries", query_table("queries"), note=NOTE)


def queries_data(report: Report) -> dict[str, Json]:
    """Make the table's data: a row for each query under each configuration."""
    metrics = shown_metrics(report.configurations)
    answered = any(
        ranking.effective is not None
        for result in report.configurations
        for ranking in result.rankings
    )
    columns: list[Json] = [
        text_column("query"),
        text_column("configuration", choose=True),
        text_column("category", choose=True),
        *(figure_column(metric) for metric in metrics),
        figure_column("first relevant", 0),
        figure_column("median ms", 2),
    ]
    if answered:
        columns.append(text_column("answered by", choose=True))
    rows: list[Json] = []
    details: list[Json] = []
    for result in report.configurations:
        for ranking in result.rankings:
            row: list[Json] = [
                visible(ranking.query),
                visible(result.name),
                visible(ranking.category),
                *(ranking.metrics.get(metric) for metric in metrics),
                first_relevant(ranking),
                median(ranking.service_ms),
            ]
            if answered:
                row.append(_answered(ranking))
            rows.append(row)
            details.append([ranking_data("Came back", ranking)])
    order: Json = [3, False] if metrics else None
    return {"columns": columns, "rows": rows, "details": details, "sort": order}


def text_column(title: str, *, choose: bool = False) -> Json:
    """Describe a column of names; with *choose* it can be filtered by one of them."""
    return {"title": title, "kind": "text", "digits": 0, "choose": choose}


def figure_column(title: str, digits: int = 3, *, change: bool = False) -> Json:
    """Describe a column of figures; a *change* is written with its sign."""
    kind = "change" if change else "figure"
    return {"title": title, "kind": kind, "digits": digits, "choose": False}


def ranking_data(title: str, ranking: Ranking) -> Json:
    """Describe what one query got, with the grades of what was judged."""
    grades = ranking.grades or {}
    came = {hit.document for hit in ranking.hits}
    hits: list[Json] = [
        [visible(hit.document), hit.score, grades.get(hit.document)]
        for hit in ranking.hits
    ]
    lost = sorted(
        (each for each, grade in grades.items() if grade and each not in came),
        key=lambda each: (-grades[each], each),
    )
    notes: list[Json] = []
    if lost:
        named = listed(f"{visible(each)} (grade {grades[each]})" for each in lost)
        notes.append(f"Did not come back: {named}.")
    if ranking.plan is not None:
        notes.append(f"Plan of the vector leg: {visible(ranking.plan)}.")
    return {"title": title, "hits": hits, "notes": notes}


def shown_metrics(results: Sequence[ConfigurationResult]) -> list[str]:
    """Choose the metrics that a table of queries has room for."""
    known = {
        metric
        for result in results
        for ranking in result.rankings
        for metric in ranking.metrics
    }
    chosen = (
        next((each for each in group if each in known), None) for group in PREFERRED
    )
    return [metric for metric in chosen if metric is not None]


def first_relevant(ranking: Ranking) -> int | None:
    """Give the rank of the first relevant hit; ``None`` where there is none."""
    grades = ranking.grades or {}
    return next(
        (
            rank
            for rank, hit in enumerate(ranking.hits, start=1)
            if grades.get(hit.document)
        ),
        None,
    )


def median(times: Sequence[float]) -> float | None:
    """Give the middle one of *times*, the lower of two; ``None`` without any."""
    return sorted(times)[(len(times) - 1) // 2] if times else None


def _answered(ranking: Ranking) -> str | None:
    if ranking.effective is None:
        return None
    code = "" if ranking.degraded is None else f" ({ranking.degraded})"
    return visible(f"{ranking.effective}{code}")
