"""How good: a dot plot a metric, by category, and the figures behind them."""

from collections.abc import Sequence

from harness.report.faces.markup import Content, Markup, joined, name, tag
from harness.report.faces.page import folded, section, table
from harness.report.faces.plots.marks import Series, legend, series_of
from harness.report.faces.plots.rows import Dot, Row, dot_plot
from harness.report.layout import number
from harness.report.model import ConfigurationResult, Report
from harness.report.tables import SHOWN_METRICS

PLOTTED = ("ndcg@10", "recall@10", "mrr")
NOTE = "Means over queries; 1 is best."


def quality(
    report: Report,
    *,
    plotted: Sequence[str] = PLOTTED,
    shown: Sequence[str] = SHOWN_METRICS,
) -> Markup:
    """Show the means by category, configurations side by side.

    Args:
        report: A whole report.
        plotted: Metrics that get a plot, where they were measured.
        shown: Metrics of the table; the folded one has all there are.
    """
    results = [result for result in report.configurations if result.queries]
    series = series_of([result.name for result in results])
    most = max((result.queries for result in results), default=0)
    notes = [
        f"{result.queries}" if result.queries == most else f"{result.queries} of {most}"
        for result in results
    ]
    plots = [
        dot_plot(metric, _rows(metric, results, series, most))
        for metric in plotted
        if any(metric in result.metrics for result in results)
    ]
    every = sorted({metric for result in results for metric in result.metrics})
    return section(
        "Quality",
        legend(list(series.values()), [f"{note} queries" for note in notes]),
        tag("div", plots, class_="plots"),
        _table(results, [metric for metric in shown if metric in every]),
        folded(f"All {len(every)} metrics", _transposed(results, every)),
        note=NOTE
        + (" Hollow: asked only some of the queries." if len(set(notes)) > 1 else ""),
    )


def best_of(results: Sequence[ConfigurationResult], metric: str) -> float | None:
    """Give the best mean among those asked most; ``None`` where all are equal."""
    most = max((result.queries for result in results), default=0)
    values = {
        result.metrics[metric]
        for result in results
        if result.queries == most and metric in result.metrics
    }
    return max(values) if len(values) > 1 else None


def categories_of(results: Sequence[ConfigurationResult]) -> list[str]:
    """Name every category that some configuration was measured in."""
    return sorted({each for result in results for each in result.by_category})


def _rows(
    metric: str,
    results: Sequence[ConfigurationResult],
    series: dict[str, Series],
    most: int,
) -> list[Row]:
    overall = tuple(
        Dot(series[each.name], each.metrics[metric], hollow=each.queries < most)
        for each in results
        if metric in each.metrics
    )
    rows = [Row("all queries", overall, strong=True)]
    for category in categories_of(results):
        asked = max(each.category_queries.get(category, 0) for each in results)
        dots = tuple(
            Dot(series[each.name], each.by_category[category][metric])
            for each in results
            if metric in each.by_category.get(category, {})
        )
        rows.append(Row(f"{category} ({asked})", dots))
    return rows


def _table(results: Sequence[ConfigurationResult], metrics: Sequence[str]) -> Markup:
    rows: list[list[Content]] = []
    for result in results:
        cells: list[Content] = [name(result.name), f"{result.queries:,}"]
        for metric in metrics:
            value = result.metrics.get(metric)
            is_best = value is not None and value == best_of(results, metric)
            text = number(value)
            cells.append(tag("b", text) if is_best else text)
        rows.append(cells)
    return table(["all queries"], ["queries", *metrics], rows)


def _transposed(results: Sequence[ConfigurationResult], metrics: list[str]) -> Markup:
    rows: list[list[Content]] = []
    scopes: list[tuple[str, str | None]] = [("all queries", None)]
    scopes += [(category, category) for category in categories_of(results)]
    for title, category in scopes:
        rows.append([joined(name(title))])
        for metric in metrics:
            cells: list[Content] = [metric]
            for result in results:
                means = (
                    result.metrics
                    if category is None
                    else result.by_category.get(category, {})
                )
                cells.append(number(means.get(metric), 4))
            rows.append(cells)
    return table(["metric"], [result.name for result in results], rows)
