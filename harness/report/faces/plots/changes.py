"""What changed between two sides: an interval a configuration, a bar a query."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.report.faces.markup import Markup, joined, tag
from harness.report.faces.plots.marks import (
    CHARACTER,
    Series,
    axis,
    figure,
    hint,
    line,
    mark,
    side_axis,
    text,
)
from harness.report.faces.plots.scale import Scale

WIDTH = 350.0
MOST_LABEL = 26


@dataclass(frozen=True, slots=True)
class Interval:
    """A change with the interval it may truly have."""

    series: Series
    change: float
    low: float | None
    """``None`` where there is no interval."""
    high: float | None
    word: str
    """The verdict."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One mean on both sides."""

    label: str
    series: Series
    base: float
    new: float


def forest(title: str, rows: Sequence[Interval], budget: float) -> Markup:
    """Draw each change with its interval, over the band of what may pass."""
    width, height = 720.0, 30.0
    longest = max((len(each.series.name) for each in rows), default=0)
    left = min(longest, MOST_LABEL) * CHARACTER + 20
    ends = [budget, -budget]
    for each in rows:
        ends += [value for value in (each.change, each.low, each.high) if value]
    reach = max(map(abs, ends)) * 1.1 or 0.01
    scale = Scale(-reach, reach, left, width - 110)
    bottom = 10 + height * len(rows)
    # The grid's figures carry their sign, so that left of zero reads as a loss.
    band = tag(
        "rect",
        hint(f"the budget: {-budget:+g} to {budget:+g}"),
        x=scale(-budget),
        y=6.0,
        width=scale(budget) - scale(-budget),
        height=bottom - 6,
        class_="band",
    )
    parts = [band, axis(scale, 6, bottom, wanted=7, unit="change, new less base")]
    parts.append(line(scale(0), 6, scale(0), bottom, "zero"))
    for place, each in enumerate(rows):
        y = 10 + height * (place + 0.5)
        parts.append(
            text(
                left - 12, y + 4, each.series.name, class_="label end", width=MOST_LABEL
            )
        )
        if each.low is not None and each.high is not None:
            x1, x2 = scale(each.low), scale(each.high)
            parts.append(line(x1, y, x2, y, f"interval {each.series.class_}"))
        words = f"{each.series.name}: {each.change:+.3f}, {each.word}"
        parts.append(mark(each.series, scale(each.change), y, words, hollow=False))
        parts.append(
            text(width - 98, y + 4, each.word, class_=f"label word {_class(each.word)}")
        )
    return figure(title, width, bottom + 34, parts)


def waterfall(
    title: str,
    differences: Sequence[tuple[str, float]],
    *,
    reach: float,
    note: str = "",
) -> Markup:
    """Draw one bar a query, worst first, up for a gain and down for a loss.

    The axis goes to *reach* both ways, so that plots beside each other compare.
    Queries that did not move take no bar but keep their room, so that the share of
    queries that moved can be seen.
    """
    height, left, top, bottom = 150.0, 40.0, 10.0, 140.0
    ordered = sorted(differences, key=lambda each: (each[1], each[0]))
    up = Scale(-reach, reach, bottom, top)
    step = (WIDTH - left - 8) / max(len(ordered), 1)
    parts = [side_axis(up, left, WIDTH - 8)]
    for place, (query, value) in enumerate(ordered):
        if not value:
            continue
        y, zero = up(value), up(0)
        parts.append(
            tag(
                "rect",
                hint(f"{query}: {value:+.3f}"),
                x=left + place * step,
                y=min(y, zero),
                width=max(step - (1 if step > 4 else 0), 0.6),
                height=max(abs(y - zero), 0.5),
                class_="gain" if value > 0 else "loss",
            )
        )
    parts.append(line(left, up(0), WIDTH - 8, up(0), "zero"))
    return figure(title, WIDTH, height, parts, note=note)


def dumbbells(title: str, pairs: Sequence[Pair], *, note: str = "") -> Markup:
    """Draw base, hollow, and new, filled, joined: the length is what changed."""
    longest = max((len(each.label) for each in pairs), default=0)
    left = min(longest, MOST_LABEL) * CHARACTER + 12
    row = 17.0
    scale = Scale(0.0, 1.0, left + 6, WIDTH - 12)
    bottom = 10 + row * len(pairs)
    parts = [axis(scale, 6, bottom, wanted=4)]
    for place, each in enumerate(pairs):
        y = 10 + row * (place + 0.5)
        words = f"{each.label}: {each.base:.3f} to {each.new:.3f}"
        change = each.new - each.base
        kind = "gain" if change > 0 else "loss"
        parts.append(
            joined(
                text(left - 6, y + 4, each.label, class_="label end", width=MOST_LABEL),
                line(scale(each.base), y, scale(each.new), y, f"joint {kind}"),
                mark(each.series, scale(each.base), y, words, size=3.5, hollow=True),
                mark(each.series, scale(each.new), y, words, size=3.5, hollow=False),
            )
        )
    return figure(title, WIDTH, bottom + 22, parts, note=note)


def _class(word: str) -> str:
    return word.replace(" ", "-")
