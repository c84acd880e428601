"""What is found against how long it takes: one point a configuration."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.report.faces.markup import Markup
from harness.report.faces.plots.marks import (
    CHARACTER,
    Series,
    axis,
    figure,
    line,
    mark,
    polyline,
    side_axis,
    spread,
    text,
)
from harness.report.faces.plots.scale import Scale, log_scale

WIDTH = 400.0
HEIGHT = 300.0
MOST_LABEL = 24


@dataclass(frozen=True, slots=True)
class Point:
    """One configuration."""

    series: Series
    ms: float
    """Median service time."""
    quality: float
    partial: bool
    """It was asked only some of the queries, so it is beside the others."""
    note: str = ""


def frontier(points: Sequence[Point]) -> list[Point]:
    """Give the points that no other beats in both, fastest first; partial ones never.

    >>> frontier([])
    []
    """
    found: list[Point] = []
    for point in sorted(
        (each for each in points if not each.partial),
        key=lambda each: (each.ms, -each.quality),
    ):
        if not found or point.quality > found[-1].quality:
            found.append(point)
    return found


def scatter(
    title: str, metric: str, points: Sequence[Point], *, note: str = ""
) -> Markup:
    """Draw quality upward and milliseconds to the right, each point labelled.

    The step line joins what nothing else beats in both; up and left is better.
    """
    left, right, top, bottom = 40.0, WIDTH - 12, 12.0, HEIGHT - 40
    names = [f"{each.series.name}{each.note}" for each in points]
    longest = min(max(map(len, names), default=0), MOST_LABEL)
    # Room for every label at the right of its point.
    end = right - longest * CHARACTER - 4
    across = _widened(log_scale((each.ms for each in points), left + 10, end))
    up = _quality_scale([each.quality for each in points], bottom, top)
    parts = [
        axis(across, top, bottom, wanted=5, unit="median ms"),
        side_axis(up, left, right),
        text(left, top - 3, metric, class_="tick"),
    ]
    best = frontier(points)
    if len(best) > 1:
        steps: list[tuple[float, float]] = []
        for point in best:
            x, y = across(point.ms), up(point.quality)
            if steps:
                steps.append((x, steps[-1][1]))
            steps.append((x, y))
        parts.append(polyline(steps, "frontier"))
    heights = spread([up(each.quality) for each in points], 13, top + 6, bottom - 4)
    for point, name, y in zip(points, names, heights, strict=True):
        x = across(point.ms)
        words = f"{name}: {metric} {point.quality:.3f}, p50 {point.ms:.2f} ms"
        parts.append(
            mark(point.series, x, up(point.quality), words, hollow=point.partial)
        )
        if abs(y - up(point.quality)) > 3:
            parts.append(line(x, up(point.quality), x + 8, y, "leader"))
        parts.append(text(x + 10, y + 4, name, class_="label", width=MOST_LABEL))
    return figure(title, WIDTH, HEIGHT, parts, note=note)


def _widened(scale: Scale) -> Scale:
    """Give an axis of one decade's third or more, so that noise is no trend."""
    if scale.high / scale.low >= 2:
        return scale
    middle = (scale.high * scale.low) ** 0.5
    return Scale(middle / 2**0.5, middle * 2**0.5, scale.start, scale.end, log=True)


def _quality_scale(values: Sequence[float], start: float, end: float) -> Scale:
    """Leave out the lower part where nothing lies there: dots need no zero."""
    low = min(values, default=0.0)
    floor = max(0.0, (int(low * 10) - 1) / 10)
    return Scale(floor if floor < 0.9 else 0.9, 1.0, start, end)
