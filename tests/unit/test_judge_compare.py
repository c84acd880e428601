"""What may pass a comparison, what may not, and what cannot be compared."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import ExitCode, UsageError
from harness.judge.comparable import Comparable, from_report
from harness.judge.compare import Change, Comparison, OneSided, compare
from harness.report.model import ConfigurationResult
from harness.report.public import FAMILIES
from tests.builders import (
    a_configuration,
    a_ranking,
    a_report,
    some_parameters,
)


def scored(
    value: float, *, name: str = "lexical", metric: str = "recall@5"
) -> Comparable:
    """View a report with one metric of one configuration, and no category."""
    return from_report(
        a_report(a_configuration(name, metrics={metric: value}, by_category={}))
    )


def view(
    metrics: Mapping[str, float] | None = None,
    by_category: Mapping[str, Mapping[str, float]] | None = None,
) -> Comparable:
    """View a report of one configuration."""
    return from_report(
        a_report(a_configuration(metrics=metrics, by_category=by_category))
    )


def test_equal_reports_pass() -> None:
    comparison = compare(scored(0.8), scored(0.8))

    assert comparison.exit_code is ExitCode.PASSED
    assert len(comparison.changes) == 1
    assert comparison.regressions == ()


# MemCastle's own three cases, and the one on the edge that raw doubles get wrong.
@pytest.mark.parametrize(
    ("base", "new", "regressions"),
    [(0.80, 0.70, 1), (0.80, 0.79, 0), (0.80, 0.95, 0), (0.80, 0.78, 0)],
)
def test_only_a_loss_beyond_the_threshold_is_a_regression(
    base: float, new: float, regressions: int
) -> None:
    comparison = compare(scored(base), scored(new), 0.02)

    assert len(comparison.regressions) == regressions
    assert comparison.exit_code is ExitCode(1 if regressions else 0)


@pytest.mark.parametrize(
    ("base", "threshold"),
    [(0.80, 0.02), (0.3, 0.1), (1.0, 0.9), (0.07, 0.06), (0.15, 0.05), (0.5, 0.0)],
)
def test_losing_exactly_the_threshold_passes_and_a_little_more_does_not(
    base: float, threshold: float
) -> None:
    # The decimal remainder, as a person would write it; doubles lie on either side.
    at_the_edge = round(base - threshold, 10)

    assert not compare(scored(base), scored(at_the_edge), threshold).regressions
    assert compare(scored(base), scored(at_the_edge - 1e-9), threshold).regressions


def test_a_threshold_of_zero_forgives_rounding_alone() -> None:
    assert not compare(scored(0.1 + 0.2), scored(0.3), 0).regressions
    assert compare(scored(0.3), scored(0.299999), 0).regressions


@pytest.mark.parametrize("threshold", [-0.01, math.nan, math.inf, -math.inf, True])
def test_a_threshold_that_nothing_can_break_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="not a finite number of at least 0"):
        compare(scored(0.8), scored(0.8), threshold)


@pytest.mark.parametrize(
    ("base", "new"), [(0.8, math.nan), (math.nan, 0.8), (math.inf, math.inf)]
)
def test_a_number_that_is_not_finite_never_passes(base: float, new: float) -> None:
    view = scored(0.8)

    def with_value(value: float) -> Comparable:
        configuration = view.configurations[0]
        overall = replace(configuration.overall, metrics={"recall@5": value})
        return replace(view, configurations=(replace(configuration, overall=overall),))

    comparison = compare(with_value(base), with_value(new), 1.0)

    assert comparison.exit_code is ExitCode.GATE_FAILED
    assert comparison.changes[0].regression


def test_figures_over_no_query_on_either_side_are_no_comparison() -> None:
    def unasked() -> ConfigurationResult:
        return a_configuration(queries=0, category_queries={"lexical": 0})

    nothing = from_report(a_report(unasked()))
    comparison = compare(nothing, nothing)
    assert comparison.exit_code is ExitCode.NOTHING_MEASURED
    assert comparison.changes == ()

    both = from_report(a_report(unasked(), a_configuration("semantic")))
    assert compare(both, both).exit_code is ExitCode.PASSED


def test_the_worst_change_comes_first() -> None:
    base = view({"a": 0.5, "b": 0.5, "c": 0.5}, {"graph": {"a": 0.5}})
    new = view({"a": 0.4, "b": 0.6, "c": 0.5}, {"graph": {"a": 0.1}})
    changes = compare(base, new).changes

    assert [(item.scope, item.metric) for item in changes] == [
        ("category:graph", "a"),
        ("overall", "a"),
        ("overall", "c"),
        ("overall", "b"),
    ]
    assert changes[0] == Change("lexical", "category:graph", "a", 0.5, 0.1, True)
    assert changes[0].change == pytest.approx(-0.4)


def test_a_category_named_overall_does_not_hide_the_overall_metrics() -> None:
    comparison = compare(
        view({"a": 0.9}, {"overall": {"a": 0.9}}),
        view({"a": 0.1}, {"overall": {"a": 0.9}}),
    )

    assert [item.scope for item in comparison.changes] == [
        "overall",
        "category:overall",
    ]
    assert len(comparison.regressions) == 1


def one_sided(comparison: Comparison) -> list[tuple[str, str | None, str | None]]:
    return [(item.side, item.scope, item.metric) for item in comparison.one_sided]


def test_a_configuration_that_new_lacks_fails() -> None:
    both = from_report(a_report(a_configuration(), a_configuration("semantic")))
    comparison = compare(both, from_report(a_report(a_configuration())))

    assert comparison.missing == (
        OneSided("base", "semantic", None, None, unknowable=False),
    )
    assert comparison.exit_code is ExitCode.GATE_FAILED


def test_a_category_that_new_lacks_fails() -> None:
    comparison = compare(view({"a": 1.0}, {"graph": {"a": 1.0}}), view({"a": 1.0}, {}))

    assert one_sided(comparison) == [("base", "category:graph", None)]
    assert comparison.exit_code is ExitCode.GATE_FAILED


def test_a_metric_that_new_lacks_fails_in_the_scope_that_lost_it() -> None:
    comparison = compare(
        view({"a": 1.0}, {"graph": {"a": 1.0, "b": 1.0}}),
        view({"a": 1.0}, {"graph": {"a": 1.0}}),
    )

    assert one_sided(comparison) == [("base", "category:graph", "b")]
    assert comparison.exit_code is ExitCode.GATE_FAILED


def test_what_only_new_has_is_listed_and_passes() -> None:
    base = from_report(a_report(a_configuration(by_category={}, metrics={"a": 1.0})))
    new = from_report(
        a_report(
            a_configuration(
                by_category={"graph": {"a": 1.0}}, metrics={"a": 1.0, "b": 0.0}
            ),
            a_configuration("semantic"),
        )
    )
    comparison = compare(base, new)

    assert one_sided(comparison) == [
        ("new", "overall", "b"),
        ("new", "category:graph", None),
        ("new", None, None),
    ]
    assert comparison.exit_code is ExitCode.PASSED


def test_a_metric_the_other_format_has_no_word_for_is_listed_and_passes() -> None:
    base = view({"recall@5": 0.8, "ndcg_linear@5": 0.9}, {})
    new = replace(view({"recall@5": 0.8}, {}), families=FAMILIES)
    comparison = compare(base, new)

    assert comparison.one_sided == (
        OneSided("base", "lexical", "overall", "ndcg_linear@5", unknowable=True),
    )
    assert comparison.exit_code is ExitCode.PASSED


def test_a_metric_the_other_format_could_have_still_fails() -> None:
    base = view({"recall@5": 0.8, "recall@20": 0.9}, {})
    new = replace(view({"recall@5": 0.8}, {}), families=FAMILIES)

    assert compare(base, new).exit_code is ExitCode.GATE_FAILED


def test_a_regression_that_does_not_compare_is_shown_and_still_exits_2() -> None:
    base = from_report(a_report(a_configuration(metrics={"a": 0.9}, by_category={})))
    worse = a_report(
        a_configuration(metrics={"a": 0.1}, by_category={}),
        parameters=some_parameters(limit=20),
    )
    comparison = compare(base, from_report(worse))

    assert len(comparison.regressions) == 1
    assert comparison.exit_code is ExitCode.NOTHING_MEASURED


def test_two_reports_that_share_no_metric_exit_2() -> None:
    assert compare(scored(0.8), scored(0.8, name="hybrid")).exit_code == 2
    assert compare(scored(0.8), scored(0.8, metric="mrr")).exit_code == 2
    empty = replace(scored(0.8), configurations=())
    assert compare(empty, empty).exit_code == 2


def test_a_ranking_that_moved_is_named_from_its_first_different_rank() -> None:
    def ranked(*orders: list[str]) -> Comparable:
        rankings = [a_ranking(f"q{place}", order) for place, order in enumerate(orders)]
        return from_report(a_report(a_configuration(rankings=rankings)))

    moved = compare(
        ranked(["a", "b"], ["a", "b"], ["a", "b"], ["a"]),
        ranked(["a", "b"], ["b", "a"], ["a"], ["a", "c"]),
    ).rankings

    assert [(item.query, item.rank) for item in moved] == [
        ("q1", 1),
        ("q2", 2),
        ("q3", 2),
    ]


@given(
    base=st.floats(0, 1),
    new=st.floats(0, 1),
    threshold=st.floats(0, 1),
)
def test_swapping_the_sides_mirrors_every_change(
    base: float, new: float, threshold: float
) -> None:
    forth = compare(scored(base), scored(new), threshold)
    back = compare(scored(new), scored(base), threshold)

    assert forth.changes[0].change == -back.changes[0].change
    assert not (forth.regressions and back.regressions)
    assert bool(forth.regressions or back.regressions) == (
        abs(new - base) > threshold + 1e-12
    )
