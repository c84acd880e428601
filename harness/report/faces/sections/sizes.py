"""How quality and speed move as the data grows: curves over several reports."""

from collections.abc import Sequence

from harness.errors import UsageError
from harness.report.faces.markup import Content, Markup, name, tag
from harness.report.faces.page import folded, section, table
from harness.report.faces.plots.curves import Curve, size_curves
from harness.report.faces.plots.marks import legend, series_of
from harness.report.faces.standing import primary
from harness.report.layout import number
from harness.report.model import ConfigurationResult, Report

FOUND = ("recall@10", "recall@5")


def sizes_section(reports: Sequence[Report]) -> Markup | None:
    """Draw curves over the sizes of *reports*; ``None`` for fewer than two of them.

    Raises:
        UsageError: They differ in more than size, or two are of one size.
    """
    if len(reports) < 2:
        return None
    ordered = sorted(reports, key=_size)
    _require_alike(ordered)
    names = [
        result.name
        for result in ordered[0].configurations
        if all(_measured(report, result.name) for report in ordered)
    ]
    series = series_of(names)
    plots = []
    for metric in _metrics(ordered[0]):
        curves = [
            Curve(series[each], tuple(_points(ordered, each, metric))) for each in names
        ]
        plots.append(
            size_curves(metric, [each for each in curves if each.points], unit="metric")
        )
    curves = [Curve(series[each], tuple(_times(ordered, each))) for each in names]
    timed = [each for each in curves if each.points]
    if timed:
        plots.append(size_curves("Median service time", timed, unit="ms"))
    return section(
        "Sizes",
        legend(list(series.values())),
        tag("div", plots, class_="plots"),
        folded("Figures behind the curves", _table(ordered, names)),
        note="The same data and queries among more and more filler.",
    )


def _require_alike(ordered: Sequence[Report]) -> None:
    def identity(report: Report) -> tuple[object, ...]:
        return (
            report.suite,
            report.dataset.name,
            report.environment.vectors,
            report.daemon.build.name,
            report.environment.runtime,
            report.environment.host.cpu,
            report.dataset.sha256 if report.recall is None else None,
        )

    words = ("suite", "data set", "vectors", "build", "runtime", "processor", "data")
    first = ordered[0]
    for other in ordered[1:]:
        for word, ours, theirs in zip(
            words, identity(first), identity(other), strict=True
        ):
            if ours != theirs:
                raise UsageError(
                    f"the reports differ in {word}: {ours!r} and {theirs!r}.",
                    remedy="A curve joins reports that differ in size alone.",
                )
    sizes = [_size(report) for report in ordered]
    for size in sizes:
        if sizes.count(size) > 1:
            raise UsageError(
                f"two reports are of {size:,} documents.",
                remedy="Give one report for each size, or use `harness history`.",
            )


def _size(report: Report) -> int:
    recall = report.recall
    return recall.corpus_documents if recall else report.dataset.documents


def _measured(report: Report, configuration: str) -> ConfigurationResult | None:
    for result in report.configurations:
        if result.name == configuration and result.queries:
            return result
    return None


def _metrics(report: Report) -> list[str]:
    first = next((each for each in report.configurations if each.queries), None)
    if first is None:
        return []
    found = next((metric for metric in FOUND if metric in first.metrics), None)
    chosen = (primary(first), found)
    return [metric for metric in chosen if metric is not None]


def _points(
    ordered: Sequence[Report], configuration: str, metric: str
) -> list[tuple[float, float]]:
    points = []
    for report in ordered:
        result = _measured(report, configuration)
        if result is not None and metric in result.metrics:
            points.append((float(_size(report)), result.metrics[metric]))
    return points


def _times(ordered: Sequence[Report], configuration: str) -> list[tuple[float, float]]:
    points = []
    for report in ordered:
        result = _measured(report, configuration)
        if result is not None and result.latency is not None:
            points.append((float(_size(report)), result.latency.service.p50_ms))
    return points


def _table(ordered: Sequence[Report], names: Sequence[str]) -> Markup:
    metrics = _metrics(ordered[0])
    rows: list[list[Content]] = []
    for each in names:
        rows.append([name(each)])
        for report in ordered:
            result = _measured(report, each)
            if result is None:
                continue
            service = None if result.latency is None else result.latency.service
            rows.append(
                [
                    f"{_size(report):,}",
                    *(number(result.metrics.get(metric)) for metric in metrics),
                    number(None if service is None else service.p50_ms, 2),
                    number(None if service is None else service.told_p95_ms, 2),
                ]
            )
    return table(["documents"], [*metrics, "p50 ms", "p95"], rows)
