"""What must be equal before numbers are compared, and how it is named."""

from dataclasses import replace

import pytest

from harness.errors import ExitCode
from harness.judge.comparable import Comparable, from_report
from harness.judge.compare import compare
from harness.report.model import Report
from tests.builders import (
    a_configuration,
    a_dataset,
    a_ranking,
    a_report,
    an_environment,
    some_parameters,
)


@pytest.mark.parametrize(
    ("new", "fields"),
    [
        (a_report(dataset=a_dataset(sha256="aa" * 32)), ["data set"]),
        (a_report(parameters=some_parameters(limit=20)), ["limit"]),
        (a_report(parameters=some_parameters(scale=1000)), ["scale"]),
        (a_report(parameters=some_parameters(cutoffs=(1, 5, 10))), ["cut-offs"]),
        (a_report(parameters=some_parameters(ndcg_gain="grade")), ["gain of ndcg"]),
        (a_report(environment=an_environment(vectors="a model's")), ["vectors"]),
        (
            a_report(
                environment=an_environment(
                    embedding_provider="http", embedding_model="small"
                )
            ),
            ["embedding provider", "embedding model"],
        ),
        (
            a_report(environment=an_environment(embedding_model="small")),
            ["embedding model"],
        ),
        (
            a_report(a_configuration(queries=1)),
            ["queries of lexical", "queries of lexical, lexical"],
        ),
        (
            a_report(a_configuration(category_queries={"lexical": 1, "graph": 1})),
            ["queries of lexical, lexical"],
        ),
        (
            a_report(
                a_configuration().model_copy(
                    update={"ranking": "hybrid", "expand": True}
                )
            ),
            ["ranking of lexical", "expansion of lexical"],
        ),
        (
            a_report(
                parameters=some_parameters(limit=20),
                dataset=a_dataset(sha256="aa" * 32),
            ),
            ["data set", "limit"],
        ),
    ],
    ids=range(12),
)
def test_what_differs_beside_retrieval_is_named_and_exits_2(
    new: Report, fields: list[str]
) -> None:
    comparison = compare(from_report(a_report()), from_report(new))

    assert [item.field for item in comparison.differences] == fields
    assert comparison.exit_code is ExitCode.NOTHING_MEASURED
    assert len(comparison.changes) == 12


def test_a_difference_carries_both_values_and_the_data_set_both_names() -> None:
    other = a_report(
        dataset=a_dataset("large", sha256="aa" * 32, version=3),
        parameters=some_parameters(limit=20),
    )
    data, limit = compare(from_report(a_report()), from_report(other)).differences

    assert (data.base, data.new) == ("small 1 (4f4f4f4f4f4f)", "large 3 (aaaaaaaaaaaa)")
    assert (limit.base, limit.new) == (10, 20)


def test_another_set_of_queries_is_not_comparable_even_if_as_many() -> None:
    def asked(query: str) -> Comparable:
        return from_report(a_report(a_configuration(rankings=[a_ranking(query)])))

    comparison = compare(asked("q1"), asked("q2"))

    assert [item.field for item in comparison.differences] == ["query ids of lexical"]
    assert comparison.differences[0].base == "only here: q1"


def test_what_a_format_does_not_state_is_not_a_difference() -> None:
    stated = from_report(a_report())
    silent = replace(
        stated,
        cutoffs=None,
        ndcg_gain=None,
        embedding_provider=None,
        embedding_model="unstated",
    )

    assert compare(stated, silent).differences == ()
