"""How long searches took: the whole distribution of each configuration, on one axis."""

import math
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
    text,
)
from harness.report.faces.plots.scale import Scale, log_scale
from harness.report.model import Distribution

WIDTH = 688.0
RIDGE = 58.0
ROW = 17.0
BINS = 72
MOST_LABEL = 26
UNIT = "ms, sent to done, at the wire"


@dataclass(frozen=True, slots=True)
class Timed:
    """The service times of one series."""

    series: Series
    service: Distribution
    samples: tuple[float, ...]
    """Milliseconds; empty where a report does not keep them."""
    label: str = ""
    """What to call it where its series has another name."""


def ridges(
    title: str, timed: Sequence[Timed], *, floor_ms: float | None, note: str = ""
) -> Markup:
    """Draw a histogram a series over one logarithmic axis, percentiles marked.

    Args:
        title: Of the plot.
        timed: In the order to draw them; one without samples has its percentiles only.
        floor_ms: What the client alone costs, drawn through all of them.
        note: Beside the title.
    """
    left = _label_width(timed)
    scale = log_scale(_extent(timed, floor_ms), left, WIDTH - 14)
    bottom = 22 + RIDGE * len(timed)
    parts = [axis(scale, 14, bottom, wanted=8, unit=UNIT)]
    for place, each in enumerate(timed):
        base = 22 + RIDGE * (place + 1) - 8
        parts.append(_ridge(each, scale, base, left))
    if floor_ms:
        x = scale(floor_ms)
        parts.append(line(x, 14, x, bottom, "floor"))
        parts.append(
            text(x + 4, 12, f"client floor, p50 {floor_ms:.2f}", class_="tick")
        )
    return figure(title, WIDTH, bottom + 34, parts, note=note)


def spans(
    title: str, timed: Sequence[Timed], *, floor_ms: float | None, note: str = ""
) -> Markup:
    """Draw the median, and a line from the fastest to the 95th percentile, a row each.

    For more series than a page has room to draw distributions of.
    """
    left = _label_width(timed)
    scale = log_scale(_extent(timed, floor_ms), left, WIDTH - 14)
    bottom = 18 + ROW * len(timed)
    parts = [axis(scale, 14, bottom, wanted=8, unit=UNIT)]
    for place, each in enumerate(timed):
        y = 18 + ROW * (place + 0.5)
        service = each.service
        words = (
            f"{_name(each)}: p50 {service.p50_ms:.2f} ms, p95 {service.p95_ms:.2f} ms"
        )
        parts += [
            text(left - 12, y + 4, _name(each), class_="label end", width=MOST_LABEL),
            line(scale(service.min_ms), y, scale(service.p95_ms), y, "span"),
            line(scale(service.p95_ms), y - 3, scale(service.p95_ms), y + 3, "span"),
            mark(each.series, scale(service.p50_ms), y, words, hollow=False),
        ]
    if floor_ms:
        x = scale(floor_ms)
        parts.append(line(x, 14, x, bottom, "floor"))
        parts.append(
            text(x + 4, 12, f"client floor, p50 {floor_ms:.2f}", class_="tick")
        )
    return figure(title, WIDTH, bottom + 34, parts, note=note)


def _ridge(each: Timed, scale: Scale, base: float, left: float) -> Markup:
    parts = [
        text(left - 12, base - 12, _name(each), class_="label end", width=MOST_LABEL),
        text(
            left - 12,
            base + 2,
            f"{each.service.samples:,} searches",
            class_="tick end",
        ),
        line(scale.start, base, scale.end, base, "rule"),
    ]
    if each.samples:
        parts.append(_histogram(each, scale, base))
    marks = (("p50", each.service.p50_ms), ("p95", each.service.p95_ms))
    for _, value in marks:
        x = scale(value)
        parts.append(line(x, base - 6, x, base + 4, "quantile"))
    p50, p95 = scale(marks[0][1]), scale(marks[1][1])
    apart = p95 - p50 > 78
    parts.append(
        text(
            p50 if apart else (p50 + p95) / 2 - 40,
            base - RIDGE + 22,
            f"p50 {marks[0][1]:.2f}",
            class_="figure middle",
        )
    )
    parts.append(
        text(
            p95 if apart else (p50 + p95) / 2 + 40,
            base - RIDGE + 22,
            f"p95 {marks[1][1]:.2f}",
            class_="figure middle",
        )
    )
    return joined(parts)


def _histogram(each: Timed, scale: Scale, base: float) -> Markup:
    counts = [0] * BINS
    step = (scale.end - scale.start) / BINS
    for sample in each.samples:
        place = int((scale(max(sample, scale.low)) - scale.start) / step)
        counts[min(place, BINS - 1)] += 1
    # Heights by the square root: a tail of single searches stays to be seen.
    most = math.sqrt(max(counts))
    room = RIDGE - 26
    path = []
    for place, count in enumerate(counts):
        if count:
            height = room * math.sqrt(count) / most
            x = scale.start + place * step
            path.append(f"M{x:.1f} {base:.1f}v{-height:.1f}h{step:.2f}v{height:.1f}z")
    return tag(
        "path",
        hint(f"{_name(each)}: {len(each.samples):,} searches"),
        d="".join(path),
        class_=f"area {each.series.class_}",
    )


def _extent(timed: Sequence[Timed], floor_ms: float | None) -> list[float]:
    found = [floor_ms] if floor_ms else []
    for each in timed:
        found += [each.service.min_ms, each.service.p95_ms, *each.samples]
    return found


def _name(each: Timed) -> str:
    return each.label or each.series.name


def _label_width(timed: Sequence[Timed]) -> float:
    longest = max((len(_name(each)) for each in timed), default=0)
    return min(max(longest, 13), MOST_LABEL) * CHARACTER + 24
