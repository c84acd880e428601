"""The gate passes when every demand was looked at and holds, and only then."""

import pytest

from harness.errors import ExitCode, UsageError
from harness.judge.baseline import Baseline, make_baseline
from harness.judge.gate import GateVerdict, gate
from harness.report.model import ConfigurationResult, Discrimination, Report
from tests.builders import (
    a_configuration,
    a_ranking,
    a_report,
    a_violation,
    some_invariants,
    some_metrics,
    some_parameters,
)


def configurations(lexical: float = 0.8) -> tuple[ConfigurationResult, ...]:
    """Measure all four on data that tells them apart; *lexical* is one's overall."""
    categories = {
        "graph": some_metrics(0.4),
        "paraphrase": some_metrics(0.3),
        "temporal": some_metrics(1.0),
    }
    better = {**categories, "paraphrase": some_metrics(0.9)}
    straight = [a_ranking(f"q{place}", ["a", "b", "c"]) for place in range(10)]
    turned = [a_ranking(f"q{place}", ["c", "b", "a"]) for place in range(10)]
    return (
        a_configuration(
            by_category=categories,
            metrics=some_metrics(lexical),
            rankings=[a_ranking(f"q{place}", ["a"]) for place in range(10)],
        ),
        a_configuration("semantic", by_category=better, rankings=straight),
        a_configuration("hybrid", by_category=better, rankings=turned),
        a_configuration("lexical+expand", by_category={"graph": some_metrics(1.0)}),
    )


def a_sound_report(**changed: object) -> Report:
    return a_report(*configurations(), **changed)


def the_baseline() -> Baseline:
    return make_baseline(a_sound_report())


def failures(verdict: GateVerdict) -> list[str]:
    return [finding.code for finding in verdict.findings if finding.fails]


def test_a_run_like_its_baseline_passes_without_a_word() -> None:
    verdict = gate(a_sound_report(), the_baseline())

    assert verdict.passed
    assert verdict.exit_code is ExitCode.PASSED
    assert verdict.findings == ()


def test_without_a_baseline_the_gate_cannot_pass() -> None:
    verdict = gate(a_sound_report(), None)

    assert failures(verdict) == ["baseline-missing"]
    assert verdict.exit_code is ExitCode.NOTHING_MEASURED
    assert verdict.comparison is None


def test_a_regression_fails_and_names_both_values() -> None:
    verdict = gate(a_report(*configurations(lexical=0.75)), the_baseline())

    assert failures(verdict) == ["regression"] * 6
    assert verdict.findings[0].text == (
        "lexical, overall, hit@5: 0.8000 -> 0.7500 (-0.0500)"
    )
    assert verdict.exit_code is ExitCode.GATE_FAILED


def test_a_loss_within_the_threshold_passes() -> None:
    assert gate(a_report(*configurations(lexical=0.78)), the_baseline()).passed
    assert not gate(
        a_report(*configurations(lexical=0.78)), the_baseline(), 0.01
    ).passed


def test_a_gain_beyond_the_threshold_passes_and_asks_for_a_renewal() -> None:
    verdict = gate(a_report(*configurations(lexical=0.9)), the_baseline())

    assert verdict.passed
    assert [finding.code for finding in verdict.findings] == ["improved"]
    assert "6 metrics gained" in verdict.findings[0].text
    assert "just baseline" in verdict.findings[0].remedy


def test_a_gain_within_the_threshold_is_not_worth_a_word() -> None:
    assert gate(a_report(*configurations(lexical=0.82)), the_baseline()).findings == ()


def test_what_fails_comes_before_what_is_only_worth_saying() -> None:
    report = a_report(
        *configurations(lexical=0.9),
        invariants=some_invariants(violations=[a_violation()]),
    )
    codes = [finding.code for finding in gate(report, the_baseline()).findings]

    assert codes == ["invariant-violated", "improved"]


@pytest.mark.parametrize("missing", range(4))
def test_a_configuration_that_was_not_run_fails(missing: int) -> None:
    ran = [item for place, item in enumerate(configurations()) if place != missing]
    verdict = gate(a_report(*ran), the_baseline())

    assert "one-sided" in failures(verdict)
    assert verdict.exit_code is ExitCode.GATE_FAILED


def test_what_only_the_run_has_fails_until_the_baseline_is_renewed() -> None:
    *others, expanded = configurations()
    narrow = expanded.model_copy(update={"metrics": {"mrr": 0.8}})
    old = make_baseline(a_report(*others, narrow))
    verdict = gate(a_sound_report(), old)

    assert set(failures(verdict)) == {"one-sided"}
    assert verdict.findings[0].text == (
        "lexical+expand, overall, hit@5 is only in the run."
    )


def test_a_run_that_does_not_compare_exits_2_whatever_else_fails() -> None:
    report = a_report(
        *configurations(lexical=0.1),
        parameters=some_parameters(limit=20),
        invariants=some_invariants(violations=[a_violation()]),
    )
    verdict = gate(report, the_baseline())

    assert set(failures(verdict)) == {
        "not-comparable",
        "regression",
        "invariant-violated",
    }
    assert verdict.exit_code is ExitCode.NOTHING_MEASURED


def test_one_violation_fails_whatever_the_averages_say() -> None:
    report = a_sound_report(invariants=some_invariants(violations=[a_violation()]))
    verdict = gate(report, the_baseline(), 1.0)

    assert failures(verdict) == ["invariant-violated"]
    assert "visible: lexical, query q1, rank 3, document d9" in verdict.findings[0].text


@pytest.mark.parametrize("name", ["known", "in_scope", "visible", "repeatable"])
def test_an_invariant_that_was_left_out_or_never_checked_fails(name: str) -> None:
    every = some_invariants()
    without = tuple(item for item in every if item.name != name)
    unchecked = tuple(
        item.model_copy(update={"checked": 0}) if item.name == name else item
        for item in every
    )

    for invariants in (without, unchecked):
        verdict = gate(a_sound_report(invariants=invariants), the_baseline())
        assert failures(verdict) == ["invariant-unchecked"]
        assert name in verdict.findings[0].text


def test_without_timed_passes_nothing_can_be_repeatable_and_that_passes() -> None:
    report = a_sound_report(
        invariants=some_invariants()[:3], parameters=some_parameters(repetitions=0)
    )

    assert gate(report, the_baseline()).passed


def test_data_that_no_longer_tells_configurations_apart_fails() -> None:
    lexical, semantic, hybrid, expanded = configurations()
    blind = semantic.model_copy(update={"by_category": lexical.by_category})
    verdict = gate(a_report(lexical, blind, hybrid, expanded), the_baseline(), 1.0)

    assert failures(verdict) == ["discrimination-failed"]
    assert "0.3 against 0.3" in verdict.findings[0].text


def test_the_checks_are_computed_here_and_not_believed() -> None:
    lexical, semantic, hybrid, expanded = configurations()
    blind = semantic.model_copy(update={"by_category": lexical.by_category})
    boast = Discrimination(name="all is well", left=1.0, right=0.0, passed=True)
    report = a_report(lexical, blind, hybrid, expanded, discrimination=(boast,))

    assert "discrimination-failed" in failures(gate(report, the_baseline(), 1.0))


def test_a_check_that_could_not_be_made_on_data_that_has_the_category_fails() -> None:
    lexical = a_configuration(by_category={"paraphrase": some_metrics(0.3)})
    verdict = gate(a_report(lexical), None)

    assert "discrimination-unchecked" in failures(verdict)


def test_a_configuration_no_query_asks_for_passes_where_the_baseline_agrees() -> None:
    unasked = a_configuration("lexical+expand", metrics={}, by_category={}, queries=0)
    report = a_report(a_configuration(), unasked)

    assert gate(report, make_baseline(report)).passed


def test_a_configuration_that_lost_its_queries_fails() -> None:
    asked = a_report(a_configuration(), a_configuration("lexical+expand"))
    unasked = a_configuration("lexical+expand", metrics={}, by_category={}, queries=0)
    verdict = gate(a_report(a_configuration(), unasked), make_baseline(asked))

    assert set(failures(verdict)) == {"not-comparable", "one-sided"}
    assert verdict.exit_code is ExitCode.NOTHING_MEASURED


def test_a_run_of_nothing_exits_2() -> None:
    nothing = a_configuration(metrics={}, by_category={}, queries=0)
    verdict = gate(a_report(nothing), make_baseline(a_report()))

    assert {"no-queries", "nothing-compared"} <= set(failures(verdict))
    assert verdict.exit_code is ExitCode.NOTHING_MEASURED


def answering_twice() -> Report:
    lexical, *others = configurations()
    rankings = [a_ranking(f"q{place}", ["a"]) for place in range(9)]
    rankings.append(a_ranking("q9", ["a", "b", "a"]))
    return a_report(lexical.model_copy(update={"rankings": tuple(rankings)}), *others)


def test_an_answer_that_shows_a_document_twice_fails_although_no_metric_fell() -> None:
    verdict = gate(answering_twice(), the_baseline())

    assert failures(verdict) == ["repeated-hit"]
    assert verdict.findings[0].text == "lexical, query q9: a comes back twice."


def test_an_answer_that_was_accepted_with_a_repeat_passes() -> None:
    accepted = make_baseline(answering_twice())

    assert gate(answering_twice(), accepted).passed


def test_a_bad_threshold_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        gate(a_sound_report(), the_baseline(), -1)
