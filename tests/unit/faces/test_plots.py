"""Axes, marks and the order of points: what a plot shows is where it should be."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.faces.plots.changes import (
    Interval,
    Pair,
    dumbbells,
    forest,
    waterfall,
)
from harness.report.faces.plots.curves import Curve, size_curves, time_curves
from harness.report.faces.plots.latency import Timed, ridges, spans
from harness.report.faces.plots.marks import Series, series_of, spread
from harness.report.faces.plots.points import Point, frontier, scatter
from harness.report.faces.plots.rows import Dot, Row, dot_plot
from harness.report.faces.plots.scale import Scale, label, log_scale, unit_scale
from tests.builders import a_distribution
from tests.face_reports import HOSTILE

ONE, TWO = Series("one", 0), Series("two", 1)


def tips(plot: str) -> list[str]:
    """Read what the marks of a plot say to a pointer."""
    return [found.text or "" for found in ElementTree.fromstring(plot).iter("title")]


def test_a_straight_axis_places_by_difference() -> None:
    assert [Scale(0, 10, 100, 200)(value) for value in (0, 5, 10)] == [100, 150, 200]


def test_a_logarithmic_axis_places_by_ratio() -> None:
    scale = Scale(1, 100, 0, 10, log=True)

    assert [round(scale(value), 9) for value in (1, 10, 100)] == [0, 5, 10]


def test_what_lies_outside_stays_at_the_edge() -> None:
    assert [unit_scale(0, 10)(value) for value in (-1, 2)] == [0, 10]


@pytest.mark.parametrize(
    ("scale", "wanted"),
    [
        (Scale(0, 1, 0, 1), [0, 0.25, 0.5, 0.75, 1]),
        (Scale(0.6, 1, 0, 1), [0.6, 0.7, 0.8, 0.9, 1]),
        (Scale(-0.1, 0.1, 0, 1), [-0.1, -0.05, 0, 0.05, 0.1]),
        (Scale(1, 1000, 0, 1, log=True), [1, 10, 100, 1000]),
        (Scale(1.2, 6, 0, 1, log=True), [1.5, 2, 3, 5]),
    ],
)
def test_ticks_are_round_figures(scale: Scale, wanted: list[float]) -> None:
    assert scale.ticks(4) == wanted


@given(st.floats(1e-3, 1e6), st.floats(1.01, 1e6), st.booleans(), st.integers(2, 9))
def test_ticks_lie_on_the_axis(
    low: float, ratio: float, log: bool, wanted: int
) -> None:
    scale = Scale(low, low * ratio, 0, 100, log=log)

    ticks = scale.ticks(wanted)

    assert ticks == sorted(ticks)
    assert len(ticks) <= 2 * wanted + 2
    assert all(low * 0.999999 <= tick <= low * ratio * 1.000001 for tick in ticks)


def test_equal_times_still_make_an_axis() -> None:
    scale = log_scale([2.0, 2.0], 0, 10)

    assert scale.low < 2.0 < scale.high


def test_a_tick_has_no_digits_of_rounding() -> None:
    assert [label(0.30000000000000004), label(1000), label(2e6)] == [
        "0.3",
        "1,000",
        "2M",
    ]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=6))
def test_labels_do_not_overlap(places: list[float]) -> None:
    moved = spread(places, 13, 0, 100)

    ordered = sorted(moved)
    gaps = [after - before for before, after in pairwise(ordered)]
    assert all(gap >= 13 - 1e-6 for gap in gaps)


def test_a_dot_stands_at_its_figure() -> None:
    plot = dot_plot("ndcg@10", [Row("all", (Dot(ONE, 0.0), Dot(TWO, 1.0)))])

    grid = [
        float(line.attrib["x1"])
        for line in ElementTree.fromstring(plot).iter("line")
        if line.attrib["class"] == "grid"
    ]
    starts = [
        float(path.attrib["d"].removeprefix("M").replace(",", " ").split()[0])
        for path in ElementTree.fromstring(plot).iter("path")
    ]
    assert tips(plot) == ["all, one: 0.000", "all, two: 1.000"]
    # A circle's path starts at its left edge, a square's at its own.
    assert starts[0] + 4 == pytest.approx(min(grid), abs=0.1)
    assert starts[1] + 4 * 0.88 == pytest.approx(max(grid), abs=0.1)


def test_the_frontier_is_what_nothing_beats_in_both() -> None:
    fast = Point(ONE, 1.0, 0.5, partial=False)
    beaten = Point(TWO, 2.0, 0.4, partial=False)
    good = Point(TWO, 3.0, 0.9, partial=False)
    other_queries = Point(TWO, 0.5, 1.0, partial=True)

    assert frontier([good, beaten, other_queries, fast]) == [fast, good]


def test_every_search_is_in_its_histogram() -> None:
    timed = Timed(ONE, a_distribution(2.0, samples=3), (1.0, 2.0, 8.0))

    plot = ridges("Service time", [timed], floor_ms=0.5)

    area = next(
        path.attrib["d"]
        for path in ElementTree.fromstring(plot).iter("path")
        if path.attrib["class"].startswith("area")
    )
    assert area.count("M") == 3
    assert "one: 3 searches" in tips(plot)


def test_a_query_that_did_not_move_has_no_bar_but_keeps_its_room() -> None:
    moves = [("a", -0.5), ("b", 0.0), ("c", 0.25)]

    plot = waterfall("ndcg@10", moves, reach=0.5)

    bars = list(ElementTree.fromstring(plot).iter("rect"))
    places = [float(bar.attrib["x"]) for bar in bars]
    assert [bar.attrib["class"] for bar in bars] == ["loss", "gain"]
    assert tips(plot) == ["a: -0.500", "c: +0.250"]
    assert places[1] - places[0] == pytest.approx(2 * (350 - 48) / 3, abs=0.1)


def test_the_budget_is_a_band_around_no_change() -> None:
    row = Interval(ONE, -0.1, -0.2, 0.0, "worse")

    plot = forest("Change", [row], 0.02)

    root = ElementTree.fromstring(plot)
    band = next(root.iter("rect"))
    zero = next(x for x in root.iter("line") if x.attrib["class"] == "zero")
    left, width = float(band.attrib["x"]), float(band.attrib["width"])
    assert left + width / 2 == pytest.approx(float(zero.attrib["x1"]), abs=0.1)
    assert tips(plot) == ["the budget: -0.02 to +0.02", "one: -0.100, worse"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_plot_lets_a_name_become_markup(text: str) -> None:
    series = Series(text, 0)
    timed = Timed(series, a_distribution(), (1.0, 2.0))
    plots = [
        dot_plot(text, [Row(text, (Dot(series, 0.5),))], note=text),
        ridges(text, [timed], floor_ms=1.0),
        spans(text, [timed], floor_ms=1.0),
        scatter(text, text, [Point(series, 1.0, 0.5, partial=False, note=text)]),
        size_curves(text, [Curve(series, ((10.0, 0.5), (20.0, 0.6)))], unit="metric"),
        time_curves(text, [Curve(series, ((0.0, 0.5),))], [(0.0, text)]),
        forest(text, [Interval(series, 0.1, 0.0, 0.2, "same")], 0.02),
        waterfall(text, [(text, 0.5)], reach=0.5),
        dumbbells(text, [Pair(text, series, 0.1, 0.9)]),
    ]

    names = {
        element.tag for plot in plots for element in ElementTree.fromstring(plot).iter()
    }
    assert names <= {
        *("figure", "figcaption", "b", "span", "div", "svg", "title", "text"),
        *("line", "path", "polyline", "rect"),
    }


def test_a_series_has_one_look_on_every_plot() -> None:
    found = series_of(["a", "b"])

    assert [found["a"].class_, found["b"].class_] == ["s0", "s1"]
