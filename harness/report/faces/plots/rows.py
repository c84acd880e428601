"""A dot plot: rows of one thing each, and on each a dot for every series."""

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
    text,
)
from harness.report.faces.plots.scale import unit_scale

WIDTH = 350.0
LANE = 9.0
GAP = 10.0
MOST_LABEL = 30
"""Characters of a row's label; longer ones are cut, and whole in a tool tip."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One figure between 0 and 1."""

    series: Series
    value: float
    hollow: bool = False
    """Set apart: it is over other queries than its neighbours."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row; without dots it is the heading of those below it."""

    label: str
    dots: tuple[Dot, ...]
    strong: bool = False


def dot_plot(title: str, rows: Sequence[Row], *, note: str = "") -> Markup:
    """Draw *rows* over an axis from 0 to 1; the dots of a row have a lane each.

    A dot's tool tip has the figure with every digit that a report shows.
    """
    longest = max((len(row.label) for row in rows), default=0)
    left = min(longest, MOST_LABEL) * CHARACTER + 12
    scale = unit_scale(left + 6, WIDTH - 12)
    top = 8.0
    dense = all(len(row.dots) <= 1 for row in rows)
    heights = [_height(row, dense=dense) for row in rows]
    bottom = top + sum(heights)
    parts = [axis(scale, top - 4, bottom, wanted=4)]
    y = top
    for row, height in zip(rows, heights, strict=True):
        parts.append(
            text(
                left - 6 if row.dots else 0,
                y + height / 2 + 4,
                row.label,
                class_=f"label{' end' if row.dots else ' heading'}"
                f"{' strong' if row.strong else ''}",
                width=MOST_LABEL,
            )
        )
        if row.dots:
            # A line between rows of several lanes, and through a row of one dot.
            rule = y + height / 2 if dense else y
            parts.append(line(scale.start, rule, scale.end, rule, "rule"))
        first = y + (height - len(row.dots) * LANE) / 2
        for lane, dot in enumerate(row.dots):
            middle = first + (lane + 0.5) * LANE
            parts.append(
                mark(
                    dot.series,
                    scale(dot.value),
                    middle,
                    f"{row.label}, {dot.series.name}: {dot.value:.3f}",
                    hollow=dot.hollow,
                )
            )
        y += height
    return figure(title, WIDTH, bottom + 22, parts, note=note)


def _height(row: Row, *, dense: bool) -> float:
    if not row.dots:
        return 26.0
    return 17.0 if dense else len(row.dots) * LANE + GAP
