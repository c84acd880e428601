"""How fast: every search's service time, and what is found against it."""

from collections.abc import Sequence

from harness.report.faces.markup import Content, Markup, name, tag
from harness.report.faces.page import section, table
from harness.report.faces.plots.latency import Timed, ridges, spans
from harness.report.faces.plots.marks import Series, series_of
from harness.report.faces.plots.points import Point, scatter
from harness.report.faces.standing import primary
from harness.report.layout import number
from harness.report.model import ConfigurationResult, Distribution, Report

MOST_RIDGES = 8
"""More distributions than this would be a page of their own."""

FOUND = ("recall@10", "recall@5")
NOTE = "Sent to done, at the wire, one client, one search at a time."


def latency(report: Report, *, only: Sequence[str] | None = None) -> Markup | None:
    """Show service times of every configuration that was timed.

    Args:
        report: A whole report.
        only: Configurations that are plotted against what they find; all where missing.

    Returns:
        ``None`` where nothing was timed.
    """
    timed = timed_of(report)
    if not timed:
        return None
    floor = report.client_floor
    floor_ms = None if floor is None else floor.service.p50_ms
    draw = ridges if len(timed) <= MOST_RIDGES else spans
    note = (
        "bars are searches, heights by square root"
        if draw is ridges
        else "median; the line reaches from the fastest to the 95th percentile"
    )
    drawn = draw("Service time", timed, floor_ms=floor_ms, note=note)
    return section(
        "Latency",
        tag("div", drawn, _tradeoff(report, only), class_="beside"),
        _table(report),
        note=f"{NOTE} {_host(report)}",
    )


def timed_of(report: Report, series: dict[str, Series] | None = None) -> list[Timed]:
    """Gather the service times of a report, in the order of its configurations."""
    results = [each for each in report.configurations if each.queries]
    known = series or _series(results)
    return [
        Timed(known[result.name], result.latency.service, samples_of(result))
        for result in results
        if result.latency is not None and result.name in known
    ]


def samples_of(result: ConfigurationResult) -> tuple[float, ...]:
    """Give every timed search of a configuration, in milliseconds."""
    return tuple(ms for ranking in result.rankings for ms in ranking.service_ms)


def _series(results: Sequence[ConfigurationResult]) -> dict[str, Series]:
    """Give colours where there are few enough to be told apart by them."""
    names = [result.name for result in results]
    if len(names) <= MOST_RIDGES:
        return series_of(names)
    return {each: Series(each, 0) for each in names}


def _tradeoff(report: Report, only: Sequence[str] | None) -> Markup | None:
    results = [
        each
        for each in report.configurations
        if each.queries
        and each.latency is not None
        and (only is None or each.name in only)
    ]
    if len(results) < 2:
        return None
    metric = next((each for each in FOUND if each in results[0].metrics), None)
    metric = metric or primary(results[0])
    if metric is None:
        return None
    most = max(each.queries for each in results)
    series = series_of([each.name for each in report.configurations if each.queries])
    if len(series) > MOST_RIDGES:
        series = series_of([each.name for each in results])
    points = [
        Point(
            series[each.name],
            each.latency.service.p50_ms,
            each.metrics[metric],
            partial=each.queries < most,
            note="" if each.queries == most else f" ({each.queries} of {most})",
        )
        for each in results
        if each.latency is not None and metric in each.metrics
    ]
    title = f"{metric} against median latency"
    return scatter(title, metric, points, note="up and left is better")


def _table(report: Report) -> Markup:
    rows: list[list[Content]] = []
    for result in report.configurations:
        if result.latency is not None:
            queries = number(result.latency.queries_per_second, 1)
            service, trip = result.latency.service, result.latency.round_trip
            rows.append([name(result.name), *_cells(service, trip), queries])
    floor = report.client_floor
    if floor is not None:
        rows.append(["client floor", *_cells(floor.service, floor.round_trip), ""])
    figures = ["searches", "p50 ms", "p95", "p99", "mean", "max", "round trip p50"]
    return table(["configuration"], [*figures, "queries/s"], rows)


def _cells(service: Distribution, round_trip: Distribution) -> list[str]:
    values = (
        service.p50_ms,
        service.told_p95_ms,
        service.told_p99_ms,
        service.mean_ms,
        service.max_ms,
        round_trip.p50_ms,
    )
    return [f"{service.samples:,}", *(number(value, 2) for value in values)]


def _host(report: Report) -> str:
    host = report.environment.host
    cores = "" if host.cores is None else f", {host.cores} cores"
    build = report.daemon.build.name
    return f"{build.capitalize()} build on {host.cpu or 'an unknown processor'}{cores}."
