"""Which verdict so many queries support, and in which words it is given."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from harness.judge.baseline import make_baseline
from harness.judge.comparable import from_baseline, from_report
from harness.judge.compare import compare
from harness.judge.statistics.verdict import Verdict, Word, overall, verdicts
from harness.judge.statistics.wording import of_verdict
from tests.builders import a_configuration, a_report, some_metrics, some_parameters
from tests.pairs import (
    Values,
    a_scored_configuration,
    an_answer,
    answered,
    scored,
    two_reports,
)

EVEN = [0.5] * 12


def moved(*changes: float, of: int = 12) -> list[float]:
    """Move the first queries of `EVEN` by *changes*."""
    return [0.5 + change for change in changes] + [0.5] * (of - len(changes))


def verdict_on(base: Values, new: Values) -> Verdict:
    (verdict,) = verdicts(two_reports({"hybrid": base}, {"hybrid": new}))
    return verdict


def words(base: Mapping[str, Values], new: Mapping[str, Values]) -> list[Word | None]:
    return [each.word for each in verdicts(two_reports(base, new))]


# Eight losses of eight: p = 2 / 2^8. Four of four: p = 2 / 2^4.
@pytest.mark.parametrize(
    ("new", "word", "p"),
    [
        (moved(*[-0.1] * 8), "worse", 2 / 2**8),
        (moved(*[0.1] * 8), "better", 2 / 2**8),
        (moved(*[-0.2] * 4), "inconclusive", 2 / 2**4),
        (moved(*[0.2] * 4), "inconclusive", 2 / 2**4),
        (moved(*[-0.01] * 8), "same", 2 / 2**8),
        (EVEN, "same", 1.0),
        (moved(-0.2, 0.2), "inconclusive", 1.0),
    ],
)
def test_word_follows_from_budget_p_and_interval(
    new: Values, word: Word, p: float
) -> None:
    verdict = verdict_on(EVEN, new)

    assert verdict.word == word
    assert verdict.test is not None
    assert verdict.test.p == p


def test_a_loss_of_exactly_the_budget_is_within_it() -> None:
    assert verdict_on([0.8] * 12, [0.78] * 12).word == "same"


def test_one_query_settles_nothing_but_that_it_did_not_move() -> None:
    lost, same = verdict_on([0.5], [0.1]), verdict_on([0.5], [0.5])

    assert (lost.word, same.word) == ("inconclusive", "same")
    assert lost.test is not None
    assert (lost.test.interval, lost.test.p, lost.test.needed) == (None, 1.0, None)


def test_two_queries_settle_nothing() -> None:
    verdict = verdict_on([0.5, 0.5], [0.1, 0.3])

    assert verdict.word == "inconclusive"
    assert of_verdict(verdict, 0.02).endswith(
        "; only 2 differ, and no test of fewer than 6 shows a change"
    )


def test_a_family_needs_more_than_one_configuration_alone() -> None:
    # Six of six: p = 1/32 alone, and 4/32 as the smallest of four.
    lost, base = moved(*[-0.1] * 6), {"hybrid": EVEN}
    others = dict.fromkeys(("lexical", "semantic", "lexical+expand"), EVEN)

    assert words(base, {"hybrid": lost}) == ["worse"]
    assert words(base | others, {"hybrid": lost, **others})[0] == "inconclusive"


def test_queries_that_would_settle_it_are_more_than_there_are() -> None:
    verdict = verdict_on(EVEN, moved(*[-0.2] * 5))

    assert verdict.word == "inconclusive"
    assert verdict.test is not None
    assert verdict.test.needed is not None
    assert verdict.test.needed > verdict.test.queries


def test_order_of_the_queries_in_a_file_does_not_matter() -> None:
    new = moved(-0.3, 0.1, -0.05, 0.2)
    report = scored({"hybrid": new})
    (result,) = report.configurations
    turned = result.model_copy(update={"rankings": result.rankings[::-1]})
    base = from_report(scored({"hybrid": EVEN}))
    again = from_report(report.model_copy(update={"configurations": (turned,)}))

    assert verdicts(compare(base, again)) == verdicts(
        compare(base, from_report(report))
    )


def test_sides_that_do_not_compare_have_no_other_verdict() -> None:
    base = scored({"hybrid": EVEN})
    new = base.model_copy(update={"parameters": some_parameters(limit=20)})
    (verdict,) = verdicts(compare(from_report(base), from_report(new)))

    assert (verdict.word, verdict.test) == ("not comparable", None)


def test_other_queries_are_not_comparable() -> None:
    base = scored({"hybrid": EVEN})
    (result,) = base.configurations
    other = result.rankings[0].model_copy(update={"query": "other"})
    rankings = (other, *result.rankings[1:])
    new = base.model_copy(
        update={"configurations": (result.model_copy(update={"rankings": rankings}),)}
    )

    (verdict,) = verdicts(compare(from_report(base), from_report(new)))

    assert verdict.word == "not comparable"


def test_rows_that_do_not_explain_the_mean_are_not_comparable() -> None:
    base = scored({"hybrid": EVEN})
    result = a_scored_configuration(EVEN).model_copy(
        update={"metrics": {"ndcg@10": 0.9}}
    )
    (verdict,) = verdicts(compare(from_report(base), from_report(a_report(result))))

    assert verdict.word == "not comparable"
    assert verdict.reason == (
        "new states ndcg@10 0.9, and the mean of its 12 queries is 0.5."
    )


def test_a_baseline_has_no_statistics_and_says_so() -> None:
    report = a_report(a_configuration(metrics=some_metrics(), by_category={}))
    baseline = from_baseline(make_baseline(report, force=True))
    (verdict,) = verdicts(compare(baseline, from_report(report)))

    assert (verdict.word, verdict.test) == (None, None)
    assert of_verdict(verdict, 0.02) == (
        "lexical: statistics not available: base, a baseline, keeps no query's metrics"
    )


def test_a_report_without_rankings_has_no_statistics() -> None:
    report = from_report(a_report(a_configuration()))
    (verdict,) = verdicts(compare(report, report))

    assert (verdict.word, verdict.reason) == (
        None,
        "base, a report, keeps no query's metrics",
    )


def test_without_ndcg_at_ten_the_largest_cutoff_decides() -> None:
    result = a_scored_configuration(EVEN, metric="ndcg@5")
    report = from_report(a_report(result))
    (verdict,) = verdicts(compare(report, report))

    assert verdict.test is not None
    assert verdict.test.metric == "ndcg@5"


def test_without_any_ndcg_there_are_no_statistics() -> None:
    report = from_report(a_report(a_scored_configuration(EVEN, metric="mrr")))
    (verdict,) = verdicts(compare(report, report))

    assert (verdict.word, verdict.reason) == (None, "the two share no ndcg")


def test_the_gravest_word_is_the_one_over_all() -> None:
    base = {"hybrid": EVEN, "lexical": EVEN, "semantic": EVEN}
    up, down, unclear = moved(*[0.1] * 9), moved(*[-0.1] * 9), moved(*[-0.2] * 3)

    def over_all(**new: Values) -> Word | None:
        return overall(verdicts(two_reports(base, base | new)))

    assert over_all() == "same"
    assert over_all(hybrid=up) == "better"
    assert over_all(hybrid=up, lexical=unclear) == "inconclusive"
    assert over_all(hybrid=up, lexical=unclear, semantic=down) == "worse"
    assert overall([]) is None


def test_a_verdict_reads_as_one_line() -> None:
    worse = verdict_on(EVEN, moved(*[-0.1] * 8))
    # The interval is SciPy's BCa; its ends are multiples of 0.1 / 12.
    assert of_verdict(worse, 0.02) == (
        "hybrid ndcg@10 0.500 -> 0.433 (-0.067 [-0.092, -0.033], p 0.008, 12 queries): "
        "worse"
    )


def test_an_inconclusive_loss_says_what_would_settle_it() -> None:
    # Spread 0.0985 with n - 1: 2.8016 * 0.0985 / sqrt(12), and (2.8016 * 0.0985 /
    # 0.0667) ** 2 = 17.1 queries.
    open_one = verdict_on(EVEN, moved(*[-0.2] * 4))
    assert of_verdict(open_one, 0.02).partition("): ")[2] == (
        "inconclusive: over the budget of 0.02 but not shown; 12 queries see changes "
        "of 0.080 or more; 18 would settle this one; only 4 differ, and no test of "
        "fewer than 6 shows a change"
    )


def test_a_verdict_that_another_order_of_equals_would_change_hangs_on_a_tie() -> None:
    grades = {"b": 1}
    base = [
        an_answer([("b", 1.0), ("a", 0.5)], grades, query=f"q{place}")
        for place in range(8)
    ]
    new = [
        an_answer([("a", 1.0), ("b", 1.0)], grades, query=f"q{place}")
        for place in range(8)
    ]
    found = compare(from_report(answered(*base)), from_report(answered(*new)))
    (verdict,) = verdicts(found)

    assert (verdict.word, verdict.hangs_on_tie) == ("worse", True)
    # Second of two: 1 / log2(3) = 0.631.
    assert of_verdict(verdict, 0.02).endswith(
        "worse; hangs on a tie: over all orders of equal scores the change is "
        "-0.369 to +0.000"
    )


def test_a_verdict_that_no_order_of_equals_changes_does_not() -> None:
    grades = {"b": 1, "c": 1}
    base = [
        an_answer([("b", 1.0), ("c", 1.0)], grades, query=f"q{place}")
        for place in range(8)
    ]
    new = [
        an_answer([("x", 1.0), ("y", 1.0)], grades, query=f"q{place}")
        for place in range(8)
    ]
    found = compare(from_report(answered(*base)), from_report(answered(*new)))
    (verdict,) = verdicts(found)

    assert (verdict.word, verdict.hangs_on_tie) == ("worse", False)


def test_what_was_measured_on_neither_side_has_no_statistics() -> None:
    skipped = a_configuration(queries=0, metrics={}, by_category={})
    view = replace(from_report(a_report(skipped)), source="a.json")
    (verdict,) = verdicts(compare(view, view))

    assert (verdict.word, verdict.reason) == (None, "base measured nothing")
