"""What plots are made of: the frame, text, grid lines, and a mark for each series."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.report.faces.markup import Content, Markup, joined, tag
from harness.report.faces.plots.scale import Scale, label
from harness.report.faces.visible import shortened, visible

SERIES = 8
"""Colours and shapes there are; more series than this take turns."""

NARROW = 400.0
"""Widest plot that a narrow screen shows whole, shrunk a little."""

CHARACTER = 6.3
"""Mean width of a character of a plot's text, in pixels, on the wide side."""


@dataclass(frozen=True, slots=True)
class Series:
    """What one colour and one shape stand for, in every plot of a page."""

    name: str
    place: int

    @property
    def class_(self) -> str:
        """Name the style class."""
        return f"s{self.place % SERIES}"


def series_of(names: Sequence[str]) -> dict[str, Series]:
    """Give each name its colour and shape, in the order of *names*."""
    return {name: Series(name, place) for place, name in enumerate(names)}


def figure(
    title: str, width: float, height: float, *content: Content, note: str = ""
) -> Markup:
    """Frame a plot with its caption; *title* is also what a screen reader says.

    A plot wider than a narrow screen is scrolled there, not shrunk past reading.
    """
    drawn = tag(
        "svg",
        *content,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        role="img",
        aria_label=f"{title}. {note}" if note else title,
    )
    quiet = tag("span", note, class_="note") if note else None
    caption = tag("figcaption", tag("b", title), " " if note else None, quiet)
    if width <= NARROW:
        return tag("figure", caption, drawn)
    held = tag(
        "div", drawn, class_="scroll", tabindex="0", role="group", aria_label=title
    )
    return tag("figure", caption, held, class_="wide")


def text(x: float, y: float, words: str, *, class_: str = "", width: int = 0) -> Markup:
    """Write *words*; where *width* characters cut them, all stand in a tool tip."""
    whole = visible(words)
    cut = shortened(whole, width) if width else whole
    hint = tag("title", words) if cut != whole else None
    return tag("text", hint, cut, x=x, y=y, class_=class_ or None)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Draw a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def hint(words: str) -> Markup:
    """Say *words* where a pointer rests."""
    return tag("title", words)


def mark(
    series: Series, x: float, y: float, words: str, *, size: float = 4.0, hollow: bool
) -> Markup:
    """Draw the mark of *series* around a point.

    Args:
        series: Gives colour and shape.
        x: Its middle.
        y: Its middle.
        words: What it says to a pointer, and to a test.
        size: Half its width.
        hollow: Whether only its outline is drawn.
    """
    shape = _SHAPES[series.place % len(_SHAPES)]
    return tag(
        "path",
        hint(words),
        d=shape(x, y, size),
        class_=f"mark {series.class_}{' hollow' if hollow else ''}",
    )


def legend(series: Sequence[Series], notes: Sequence[str] = ()) -> Markup:
    """List what the marks of a page stand for."""
    remarks = list(notes) or [""] * len(series)
    items = [
        tag(
            "li",
            tag(
                "svg",
                mark(each, 7, 7, each.name, size=4.5, hollow=False),
                width="14",
                height="14",
                viewBox="0 0 14 14",
                aria_hidden="true",
            ),
            tag("bdi", each.name),
            tag("span", remark, class_="note") if remark else None,
        )
        for each, remark in zip(series, remarks, strict=True)
    ]
    return tag("ul", items, class_="legend")


def axis(
    scale: Scale, top: float, bottom: float, *, wanted: int = 5, unit: str = ""
) -> Markup:
    """Draw a horizontal axis: grid lines from *top* to *bottom*, figures below them."""
    parts: list[Markup] = []
    ticks = scale.ticks(wanted)
    for tick in ticks:
        x = scale(tick)
        parts.append(line(x, top, x, bottom, "grid"))
        parts.append(text(x, bottom + 14, label(tick), class_="tick middle"))
    if unit:
        parts.append(text(scale.end, bottom + 28, unit, class_="tick end"))
    return joined(parts)


def side_axis(scale: Scale, left: float, right: float, *, wanted: int = 4) -> Markup:
    """Draw a vertical axis: grid lines from *left* to *right*, figures before them."""
    parts: list[Markup] = []
    for tick in scale.ticks(wanted):
        y = scale(tick)
        parts.append(line(left, y, right, y, "grid"))
        parts.append(text(left - 6, y + 4, label(tick), class_="tick end"))
    return joined(parts)


def polyline(points: Sequence[tuple[float, float]], class_: str) -> Markup:
    """Join *points* with straight lines."""
    written = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return tag("polyline", points=written, class_=class_)


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move labels apart until *gap* lies between any two, near where they belong.

    Args:
        places: Where they belong, in any order.
        gap: The least distance.
        low: The first place allowed.
        high: The last place allowed; kept where there is room for all.
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    found = list(places)
    floor = low
    for index in order:
        found[index] = max(found[index], floor)
        floor = found[index] + gap
    ceiling = high
    for index in reversed(order):
        found[index] = min(found[index], ceiling)
        ceiling = found[index] - gap
    return found


def _circle(x: float, y: float, r: float) -> str:
    return (
        f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0"
        f"a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
    )


def _square(x: float, y: float, r: float) -> str:
    r *= 0.88
    return f"M{x - r:.1f} {y - r:.1f}h{2 * r:.2f}v{2 * r:.2f}h{-2 * r:.2f}z"


def _diamond(x: float, y: float, r: float) -> str:
    r *= 1.2
    return f"M{x:.1f} {y - r:.1f}l{r:.2f} {r:.2f}l{-r:.2f} {r:.2f}l{-r:.2f} {-r:.2f}z"


def _triangle(x: float, y: float, r: float) -> str:
    return f"M{x:.1f} {y - r * 1.15:.1f}l{r * 1.1:.2f} {r * 2:.2f}h{-r * 2.2:.2f}z"


_SHAPES = (_circle, _square, _diamond, _triangle)
