"""The first difference between two reports is named down to the rank."""

import pytest

from harness.judge.sameness import FirstDifference, first_difference
from harness.report.model import Report
from tests.builders import (
    a_configuration,
    a_dataset,
    a_ranking,
    a_report,
    a_violation,
    an_environment,
    some_invariants,
    some_metrics,
    some_parameters,
)


def ranked(*documents: str, query: str = "q1") -> Report:
    """Report one lexical ranking of *documents*."""
    ranking = a_ranking(query, documents)
    return a_report(a_configuration(rankings=[ranking]))


def test_equal_reports_have_no_difference() -> None:
    assert first_difference(ranked("d1", "d2"), ranked("d1", "d2")) is None


def test_times_and_machines_are_no_difference() -> None:
    other = a_report(
        environment=an_environment(postgres="17.12", runtime="containers"),
        created_at="2027-01-01T00:00:00Z",
        client_floor=None,
    )

    assert first_difference(a_report(), other, evidence=True) is None


def test_first_differing_rank_is_named() -> None:
    got = first_difference(ranked("d1", "d2", "d3"), ranked("d1", "d3", "d2"))

    assert got == FirstDifference("document", "lexical", "q1", 2, '"d2"', '"d3"')
    assert str(got) == 'lexical, query q1, rank 2, document: "d2" and "d3"'


def test_hit_that_only_one_side_has_is_named_by_its_rank() -> None:
    got = first_difference(ranked("d1"), ranked("d1", "d2"))

    assert got == FirstDifference("document", "lexical", "q1", 2, "nothing", '"d2"')


def test_first_configuration_and_query_that_differ_come_first() -> None:
    def both(first: str, second: str) -> Report:
        return a_report(
            a_configuration("lexical", rankings=[a_ranking("q1"), a_ranking("q2")]),
            a_configuration(
                "hybrid",
                rankings=[a_ranking("q1", [first]), a_ranking("q2", [second])],
            ),
        )

    got = first_difference(both("d1", "d1"), both("d1", "d2"))

    assert got is not None
    assert (got.configuration, got.query, got.rank) == ("hybrid", "q2", 1)


def test_changed_ranking_is_named_before_the_metrics_it_changed() -> None:
    def report(document: str, recall: float) -> Report:
        ranking = a_ranking("q1", [document])
        metrics = some_metrics(recall_5=recall)
        return a_report(a_configuration(metrics=metrics, rankings=[ranking]))

    got = first_difference(report("d1", 1.0), report("d2", 0.0))

    assert got is not None
    assert (got.field, got.rank) == ("document", 1)


def test_last_bit_of_a_metric_is_a_difference() -> None:
    base = a_report(a_configuration(metrics=some_metrics(0.1 + 0.2)))
    new = a_report(a_configuration(metrics=some_metrics(0.3)))

    got = first_difference(base, new)

    assert got is not None
    assert got.field.startswith("metrics ")
    assert got.query is None
    assert (got.base, got.new) == ("0.30000000000000004", "0.3")


def test_scores_count_only_where_evidence_is_asked_for() -> None:
    base = ranked("d1", "d2")
    hits = base.configurations[0].rankings[0].hits
    moved = (hits[0], hits[1].model_copy(update={"score": 0.4}))
    ranking = base.configurations[0].rankings[0].model_copy(update={"hits": moved})
    new = a_report(a_configuration(rankings=[ranking]))

    got = first_difference(base, new, evidence=True)

    assert first_difference(base, new) is None
    assert got == FirstDifference("score", "lexical", "q1", 2, "0.5", "0.4")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"dataset": a_dataset(sha256="5e" * 32)}, "dataset sha256"),
        ({"parameters": some_parameters(limit=20)}, "parameters limit"),
        ({"environment": an_environment(vectors="others")}, "vectors"),
        ({"seeding": None}, "seeding"),
        ({"invariants": some_invariants(violations=[a_violation()])}, "violations 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_answer_is_named_by_its_field(
    changed: dict[str, object], field: str
) -> None:
    got = first_difference(a_report(), a_report(**changed))

    assert got is not None
    assert (got.field, got.configuration, got.query) == (field, None, None)


def test_configuration_that_only_one_side_has_is_a_difference() -> None:
    got = first_difference(
        a_report(a_configuration("lexical")),
        a_report(a_configuration("lexical"), a_configuration("hybrid")),
    )

    assert got is not None
    assert (got.field, got.base, got.new) == ("configuration", "nothing", '"hybrid"')
