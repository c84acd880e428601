"""A history as one self-contained page: curves over commits, and the reports."""

from collections.abc import Sequence

from harness.judge.history import History, Line, stretches
from harness.report.faces.markup import Content, Markup, joined, name, tag
from harness.report.faces.page import code, colophon, page, section, table
from harness.report.faces.plots.curves import Curve, time_curves
from harness.report.faces.plots.marks import Series, legend, series_of
from harness.report.faces.sections.opening import opening, when
from harness.report.faces.standing import primary
from harness.report.layout import count, number

FOUND = ("recall@10", "recall@5")


def history_page(history: History) -> bytes:
    """Draw every line of two reports or more."""
    drawn = [line for line in history.lines if len(line.kept) > 1]
    reports = sum(len(line.kept) for line in history.lines)
    alone = len(history.lines) - len(drawn)
    text = f"{count(reports, 'report')}, {count(len(drawn), 'line')} to draw."
    if alone:
        text += f" {count(alone, 'report')} compare with no other."
    return page(
        "History of retrieval quality",
        opening("History", "Quality and speed over commits", _rule(), text),
        [_line(line, place) for place, line in enumerate(drawn, start=1)],
        colophon("One file, no request: every figure here is in a kept report."),
        data={},
    )


def _rule() -> str:
    return (
        "Reports are joined where only the engine can differ; times, where the build, "
        "the runtime and the processor are the same too."
    )


def _line(line: Line, place: int) -> Markup:
    series = series_of(line.configurations)
    metrics = _metrics(line)
    ticks = [(float(at), kept.commit) for at, kept in enumerate(line.kept)]
    whole = [(0, len(line.kept))]
    plots = [
        time_curves(
            metric,
            _curves(
                {each: line.values(each, metric) for each in line.configurations},
                series,
                whole,
            ),
            ticks,
        )
        for metric in metrics
    ]
    parts = list(stretches(line))
    medians = {each: line.medians(each) for each in line.configurations}
    times = _curves(medians, series, parts)
    if times:
        gaps = [start - 0.5 for start, _ in parts[1:]]
        title = "Median service time, ms"
        plots.append(time_curves(title, times, ticks, metric=False, gaps=gaps))
    return section(
        line.title,
        legend(list(series.values())),
        tag("div", plots, class_="plots pairs"),
        _table(line, metrics),
        note=f"{count(len(line.kept), 'report')}, oldest at the left."
        + (" Dotted: another machine, build or runtime." if len(parts) > 1 else ""),
        anchor=f"line-{place}",
    )


def _curves(
    values: dict[str, list[float | None]],
    series: dict[str, Series],
    parts: Sequence[tuple[int, int]],
) -> list[Curve]:
    """Make a curve for each unbroken stretch; what lacks a figure is passed over."""
    curves = []
    for each, found in values.items():
        for start, end in parts:
            points = tuple(
                (float(at), value)
                for at, value in enumerate(found[start:end], start=start)
                if value is not None
            )
            if points:
                curves.append(Curve(series[each], points))
    return curves


def _metrics(line: Line) -> list[str]:
    measured = [each for each in line.kept[-1].report.configurations if each.queries]
    if not measured:
        return []
    found = next((each for each in FOUND if each in measured[0].metrics), None)
    chosen = dict.fromkeys((primary(measured[0]), found))
    return [metric for metric in chosen if metric is not None]


def _table(line: Line, metrics: Sequence[str]) -> Markup:
    rows: list[list[Content]] = []
    for at, kept in reversed(list(enumerate(line.kept))):
        report = kept.report
        title = joined(code(kept.commit), f"  {when(report.created_at)}  ")
        rows.append([joined(title, name(kept.path.name, "note"))])
        for each in line.configurations:
            cells: list[Content] = [
                number(line.values(each, metric)[at]) for metric in metrics
            ]
            cells.append(number(line.medians(each)[at], 2))
            rows.append([name(each), *cells])
    made = table(["report"], [*metrics, "p50 ms"], rows)
    return tag("details", tag("summary", "The reports, newest first"), made)
