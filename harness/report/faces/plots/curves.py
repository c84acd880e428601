"""How figures move along an axis of sizes or of time, one line a series."""

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

WIDTH = 350.0
HEIGHT = 240.0
MOST_LABEL = 16


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one series, from left to right."""

    series: Series
    points: tuple[tuple[float, float], ...]


def size_curves(title: str, curves: Sequence[Curve], *, unit: str) -> Markup:
    """Draw figures from 0 to 1, or any from 0 up where *unit* is ms, over sizes."""
    longest = max((len(each.series.name) for each in curves), default=0)
    right = WIDTH - min(longest, MOST_LABEL) * CHARACTER - 14
    left, top, bottom = 40.0, 14.0, HEIGHT - 40
    sizes = [x for each in curves for x, _ in each.points]
    across = log_scale(sizes, left, right)
    highest = max((y for each in curves for _, y in each.points), default=1.0)
    high = 1.0 if unit == "metric" else highest * 1.08
    up = Scale(0.0, high, bottom, top)
    parts = [
        axis(across, top, bottom, wanted=4, unit="drawers"),
        side_axis(up, left, right),
    ]
    if unit != "metric":
        parts.append(text(left, top - 4, unit, class_="tick"))
    ends = spread([up(each.points[-1][1]) for each in curves], 13, top + 4, bottom - 2)
    for each, end in zip(curves, ends, strict=True):
        places = [(across(x), up(y)) for x, y in each.points]
        parts.append(polyline(places, f"curve {each.series.class_}"))
        for (x, y), (size, value) in zip(places, each.points, strict=True):
            words = f"{each.series.name}, {size:,.0f} drawers: {value:.3f}"
            parts.append(mark(each.series, x, y, words, size=3.2, hollow=False))
        x, y = places[-1]
        if abs(end - y) > 3:
            parts.append(line(x + 4, y, x + 9, end, "leader"))
        parts.append(
            text(x + 11, end + 4, each.series.name, class_="label", width=MOST_LABEL)
        )
    return figure(title, WIDTH, HEIGHT, parts)


def time_curves(
    title: str,
    curves: Sequence[Curve],
    ticks: Sequence[tuple[float, str]],
    *,
    metric: bool = True,
    gaps: Sequence[float] = (),
) -> Markup:
    """Draw figures over places in an order, the newest at the right.

    Args:
        title: Of the plot.
        curves: One for each unbroken stretch of a series.
        ticks: Places on the axis, and what to write there.
        metric: Whether figures lie between 0 and 1; else they are milliseconds.
        gaps: Places before which what is measured changed.
    """
    width = 530.0
    longest = max((len(each.series.name) for each in curves), default=0)
    right = width - min(longest, MOST_LABEL) * CHARACTER - 14
    left, top, bottom = 40.0, 16.0, HEIGHT - 40
    places = [place for place, _ in ticks] or [0.0]
    low, high = min(places), max(places)
    across = Scale(low, high if high > low else low + 1, left + 8, right)
    values = [y for each in curves for _, y in each.points]
    ceiling = 1.0 if metric else max(values, default=1.0) * 1.08
    floor = 0.0 if not metric else max(0.0, int(min(values, default=0) * 10 - 1) / 10)
    up = Scale(min(floor, 0.9) if metric else 0.0, ceiling, bottom, top)
    breaks = (across(place) for place in gaps)
    parts = [
        side_axis(up, left, right),
        *(line(x, top, x, bottom, "gap") for x in breaks),
    ]
    last_x = -100.0
    for place, words in ticks:
        if across(place) - last_x >= len(words) * CHARACTER + 8:
            last_x = across(place)
            parts.append(text(last_x, bottom + 16, words, class_="tick middle"))
    latest: dict[str, Curve] = {each.series.name: each for each in curves}
    ends = spread([up(each.points[-1][1]) for each in latest.values()], 13, top, bottom)
    for each in curves:
        joined = [(across(x), up(y)) for x, y in each.points]
        parts.append(polyline(joined, f"curve {each.series.class_}"))
        for (x, y), (_, value) in zip(joined, each.points, strict=True):
            words = f"{each.series.name}: {value:.3f}"
            parts.append(mark(each.series, x, y, words, size=3.2, hollow=False))
    for each, end in zip(latest.values(), ends, strict=True):
        x, y = across(each.points[-1][0]), up(each.points[-1][1])
        if abs(end - y) > 3:
            parts.append(line(x + 4, y, x + 9, end, "leader"))
        parts.append(
            text(x + 11, end + 4, each.series.name, class_="label", width=MOST_LABEL)
        )
    return figure(title, width, HEIGHT, parts)
