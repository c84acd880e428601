"""Queries are paired by id; what cannot be paired whole is refused."""

import pytest

from harness.errors import ExitCode, IncomparableError
from harness.judge.statistics.paired import check_rows, pair
from harness.report.model import Ranking
from tests.pairs import an_answer


def answers(**values: float) -> dict[str, Ranking]:
    return {
        query: Ranking(query=query, category="lexical", metrics={"mrr": value}, hits=())
        for query, value in values.items()
    }


def test_pairing_is_by_query_id_and_not_by_place() -> None:
    pairs = pair("mrr", answers(b=0.5, a=1.0), answers(a=0.25, b=0.5))

    assert pairs.queries == ("a", "b")
    assert pairs.differences.tolist() == [-0.75, 0.0]


@pytest.mark.parametrize("side", ["base", "new"])
def test_a_query_of_only_one_side_is_refused(side: str) -> None:
    both, fewer = answers(a=1.0, b=1.0), answers(a=1.0)
    sides = (both, fewer) if side == "base" else (fewer, both)

    with pytest.raises(IncomparableError, match=f"only in {side}, .*'b'") as caught:
        pair("mrr", *sides)
    assert caught.value.exit_code is ExitCode.NOTHING_MEASURED


def test_no_query_at_all_is_refused() -> None:
    with pytest.raises(IncomparableError, match="no query was scored by mrr"):
        pair("mrr", {}, {})


def test_a_query_without_the_metric_is_refused() -> None:
    with pytest.raises(IncomparableError, match="'a' has no ndcg@10 on one side"):
        pair("ndcg@10", answers(a=1.0), answers(a=1.0))


def test_a_query_that_is_judged_otherwise_is_refused() -> None:
    hits = [("d1", 1.0)]
    base = {"q1": an_answer(hits, {"d1": 2})}
    new = {"q1": an_answer(hits, {"d1": 1})}

    with pytest.raises(IncomparableError, match="judged otherwise"):
        pair("mrr", base, new)


def test_rows_must_explain_the_mean_that_is_stated() -> None:
    rows = answers(a=1.0, b=0.5)
    check_rows("mrr", rows, (2, 0.75), "base")

    with pytest.raises(IncomparableError, match=r"new states mrr 0\.9, .* 0\.75"):
        check_rows("mrr", rows, (None, 0.9), "new")
    with pytest.raises(IncomparableError):
        check_rows("mrr", rows, (2, float("nan")), "new")


def test_rows_must_be_as_many_as_were_asked() -> None:
    with pytest.raises(IncomparableError, match=r"asked 3 queries, .* 2 got"):
        check_rows("mrr", answers(a=1.0, b=0.5), (3, 0.75), "base")
