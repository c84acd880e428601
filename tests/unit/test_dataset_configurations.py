"""Which configurations there are, and which queries each is asked."""

import pytest

from harness.dataset.configurations import CONFIGURATIONS, takes_part
from harness.dataset.model import Filter, Judgment, Present, Query


def a_query(category: str, configurations: tuple[str, ...] | None = None) -> Query:
    return Query(
        id="q",
        category=category,
        text="text",
        filter=Filter(),
        temporal=Present(),
        configurations=configurations,
        relevant=(Judgment("d", 2),),
    )


def test_there_are_four_in_the_order_of_the_public_report() -> None:
    got = [(each.name, each.ranking, each.expand) for each in CONFIGURATIONS]

    assert got == [
        ("lexical", "lexical", False),
        ("semantic", "semantic", False),
        ("hybrid", "hybrid", False),
        ("lexical+expand", "lexical", True),
    ]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (a_query("paraphrase"), ["lexical", "semantic", "hybrid"]),
        (a_query("graph"), ["lexical", "semantic", "hybrid", "lexical+expand"]),
        (a_query("graph", ("semantic",)), ["semantic"]),
        (a_query("scoped", ("lexical+expand", "hybrid")), ["hybrid", "lexical+expand"]),
    ],
)
def test_only_graph_queries_are_expanded_unless_a_query_names_its_own(
    query: Query, wanted: list[str]
) -> None:
    got = [each.name for each in CONFIGURATIONS if takes_part(query, each)]

    assert got == wanted
