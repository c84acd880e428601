"""The checks on the data set are strict, and know what they did not look at."""

import pytest

from harness.judge.discrimination import demanded, discriminate, with_discrimination
from harness.report.model import ConfigurationResult, Report
from tests.builders import a_configuration, a_ranking, a_report

PARAPHRASE, GRAPH, TEMPORAL, NOT_SEMANTIC, NOT_LEXICAL = range(5)


def under(name: str, category: str, metric: str, value: float) -> ConfigurationResult:
    """Measure one metric of one category under the configuration *name*."""
    return a_configuration(name, by_category={category: {metric: value}})


def ranked(name: str, orders: list[list[str]]) -> ConfigurationResult:
    """Rank documents for as many queries as there are orders."""
    rankings = [a_ranking(f"q{place}", order) for place, order in enumerate(orders)]
    return a_configuration(name, by_category={}, rankings=rankings)


@pytest.mark.parametrize(
    ("left", "right", "passed"),
    [(0.6, 0.5, True), (0.5, 0.5, False), (0.4, 0.5, False)],
)
def test_semantic_must_beat_lexical_on_paraphrases(
    left: float, right: float, passed: bool
) -> None:
    report = a_report(
        under("lexical", "paraphrase", "recall@5", right),
        under("semantic", "paraphrase", "recall@5", left),
    )
    check = discriminate(report)[PARAPHRASE]

    assert (check.left, check.right, check.passed) == (left, right, passed)


@pytest.mark.parametrize(("left", "passed"), [(1.0, True), (0.373, False)])
def test_expansion_must_beat_none_on_linked_drawers(left: float, passed: bool) -> None:
    report = a_report(
        under("lexical", "graph", "recall@10", 0.373),
        under("lexical+expand", "graph", "recall@10", left),
    )

    assert discriminate(report)[GRAPH].passed is passed


@pytest.mark.parametrize(("value", "passed"), [(1.0, True), (0.9, False), (0.5, False)])
def test_lexical_must_solve_the_temporal_queries(value: float, passed: bool) -> None:
    report = a_report(under("lexical", "temporal", "recall@5", value))

    assert discriminate(report)[TEMPORAL].passed is passed


def test_a_missing_category_is_not_checked_and_not_demanded() -> None:
    report = a_report(a_configuration(by_category={"other": {"recall@5": 1.0}}))
    checks = discriminate(report)

    assert [check.passed for check in checks] == [None] * 5
    assert not any(demanded(report, check) for check in checks)


def test_a_missing_configuration_is_not_checked_but_demanded() -> None:
    report = a_report(under("lexical", "paraphrase", "recall@5", 0.3))
    check = discriminate(report)[PARAPHRASE]

    assert (check.left, check.right, check.passed) == (None, 0.3, None)
    assert demanded(report, check)


def test_a_missing_metric_is_not_checked_but_demanded() -> None:
    report = a_report(under("lexical", "temporal", "mrr", 1.0))
    check = discriminate(report)[TEMPORAL]

    assert check.passed is None
    assert demanded(report, check)


def test_hybrid_that_is_semantic_under_another_name_is_seen() -> None:
    report = a_report(
        ranked("lexical", [["a"]] * 10),
        ranked("semantic", [["a", "b"]] * 10),
        ranked("hybrid", [["a", "b"]] * 10),
    )
    checks = discriminate(report)

    assert checks[NOT_SEMANTIC].passed is False
    assert checks[NOT_LEXICAL].passed is True
    assert checks[NOT_LEXICAL].left == 10


def test_one_query_that_hybrid_orders_otherwise_is_enough() -> None:
    report = a_report(
        ranked("semantic", [["a", "b"]] * 10),
        ranked("hybrid", [["a", "b"]] * 9 + [["b", "a"]]),
    )

    assert discriminate(report)[NOT_SEMANTIC].passed is True


def test_on_a_handful_of_queries_agreement_proves_nothing() -> None:
    report = a_report(
        ranked("semantic", [["a", "b"]] * 9), ranked("hybrid", [["a", "b"]] * 9)
    )
    check = discriminate(report)[NOT_SEMANTIC]

    assert check.passed is None
    assert not demanded(report, check)


def test_the_outcome_is_put_into_the_report_and_nothing_else_changes() -> None:
    before = a_report(under("lexical", "temporal", "recall@5", 1.0))
    after = with_discrimination(before)

    assert after.discrimination == discriminate(before)
    assert after.model_copy(update={"discrimination": ()}) == before
    assert Report.model_validate(after.model_dump()) == after


def test_every_check_has_a_name_of_its_own() -> None:
    names = [check.name for check in discriminate(a_report())]

    assert len(set(names)) == len(names) == 5
