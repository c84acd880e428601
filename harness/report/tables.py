"""The report's two tables: how good, and how fast."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console

from harness.report.layout import (
    NAME_WIDTH,
    heading,
    listed,
    number,
    shown,
    table,
    width_of,
)
from harness.report.model import (
    ConfigurationResult,
    Distribution,
    Report,
)
from harness.report.part import Metrics

SHOWN_METRICS = ("recall@5", "recall@10", "precision@5", "ndcg@10", "hit@5", "mrr")
"""The six that a person reads first; the report has every one."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One configuration in one scope."""

    name: str
    queries: int | None
    metrics: Metrics
    of: int | None = None
    """How many queries there were to answer, where this is only part of them."""

    @property
    def label(self) -> str:
        asked = "-" if self.queries is None else str(self.queries)
        part = "" if self.of is None else f"/{self.of}"
        return f"  {self.name} ({asked}{part})"


def print_quality(report: Report, console: Console) -> None:
    """Print the mean metrics, overall and by category, configurations side by side.

    The best figure of a column is set off, among the configurations that answered as
    many queries: others were asked something else.
    """
    scopes = list(_scopes(report))
    width = width_of(row.label for _, rows in scopes for row in rows)
    heading(console, "Quality", "means over (queries); 1 is best")
    sheet = table(console, [""], SHOWN_METRICS, name_width=width)
    for title, rows in scopes:
        sheet.add_section()
        sheet.add_row(shown(title, console, "bold"))
        best = _best(rows)
        for row in rows:
            styles = {
                metric: "bold green" if (row.name, metric) in best else ""
                for metric in SHOWN_METRICS
            }
            sheet.add_row(
                shown(row.label, console),
                *(
                    shown(number(row.metrics.get(metric)), console, style)
                    for metric, style in styles.items()
                ),
            )
    console.print(sheet)


def print_latency(report: Report, console: Console) -> None:
    """Print service times by configuration, and the client's own floor under them."""
    timed = [
        (f"{result.name} ({result.latency.service.samples})", result, result.latency)
        for result in report.configurations
        if result.latency is not None
    ]
    if not timed:
        heading(console, "Latency", "not measured: no timed pass")
        return
    heading(
        console, "Latency", "ms over (samples); service is sent to done, at the wire"
    )
    sheet = table(
        console,
        [""],
        ["service\np50", "\np95", "\np99", "\nmean", "round\ntrip p50", "queries\n/s"],
        "vector\nplan",
        name_width=max(width_of(label for label, _, _ in timed), NAME_WIDTH),
    )
    for label, result, latency in timed:
        sheet.add_row(
            shown(label, console),
            *_milliseconds(latency.service, latency.round_trip),
            number(latency.queries_per_second, 1),
            shown(_plans(result), console),
        )
    floor = report.client_floor
    if floor is not None:
        sheet.add_section()
        sheet.add_row(
            shown(f"client floor ({floor.service.samples})", console, "dim"),
            *_milliseconds(floor.service, floor.round_trip),
        )
    console.print(sheet)


def _scopes(report: Report) -> Iterator[tuple[str, list[_Row]]]:
    results, everything = report.configurations, report.dataset.queries
    yield (
        "all queries",
        [
            _Row(
                result.name,
                result.queries,
                result.metrics,
                everything if result.queries < everything else None,
            )
            for result in results
        ],
    )
    categories = {name for result in results for name in result.by_category}
    for category in sorted(categories):
        yield (
            category,
            [
                _Row(
                    result.name,
                    result.category_queries.get(category),
                    result.by_category[category],
                )
                for result in results
                if category in result.by_category
            ],
        )


def _best(rows: Sequence[_Row]) -> set[tuple[str, str]]:
    """Find the cells to set off; where all are equal, none is."""
    asked = max((row.queries or 0 for row in rows), default=0)
    peers = [row for row in rows if row.queries == asked]
    found: set[tuple[str, str]] = set()
    for metric in SHOWN_METRICS:
        values = {
            row.name: row.metrics[metric] for row in peers if metric in row.metrics
        }
        if len(set(values.values())) > 1:
            top = max(values.values())
            found |= {(name, metric) for name, value in values.items() if value == top}
    return found


def _milliseconds(service: Distribution, round_trip: Distribution) -> Iterator[str]:
    """Leave out a percentile that is only the slowest of too few samples."""
    yield number(service.p50_ms, 2)
    yield number(service.told_p95_ms, 2)
    yield number(service.told_p99_ms, 2)
    yield number(service.mean_ms, 2)
    yield number(round_trip.p50_ms, 2)


def _plans(result: ConfigurationResult) -> str:
    """Sum up how the daemon ran the vector leg: ``exact``, or ``exact 30, index 9``."""
    plans = Counter(
        ranking.plan.partition(";")[0]
        for ranking in result.rankings
        if ranking.plan is not None
    )
    if len(plans) == 1:
        return next(iter(plans))
    return listed(f"{plan} {plans[plan]}" for plan in sorted(plans)) or "-"
