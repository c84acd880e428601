from pathlib import Path

import pytest

from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Dataset,
    Filter,
    Historical,
    Judgment,
    Present,
    Query,
    Temporal,
)
from harness.measure.invariants import InvariantChecks
from harness.measure.ties import Entry
from harness.report.model import Invariant
from tests.datafiles import a_data_file, read


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Documents a to d in two wings; c ends in epoch 1, d in epoch 3."""
    return read(tmp_path, a_data_file())


def a_query(scope: Filter = Filter(), temporal: Temporal = Present()) -> Query:  # noqa: B008 - frozen
    return Query("q", "scoped", "text", scope, temporal, None, (Judgment("a", 2),))


def broken(
    dataset: Dataset, query: Query, *documents: str
) -> list[tuple[str, int, str]]:
    """List rule, rank and document of everything that *documents* break."""
    checks = InvariantChecks(dataset)
    entries = [Entry(document, 1.0) for document in documents]
    checks.check_hits("lexical", query, entries)
    return [
        (invariant.name, violation.rank, violation.document)
        for invariant in checks.results()
        for violation in invariant.violations
    ]


def named(results: tuple[Invariant, ...], name: str) -> Invariant:
    return next(each for each in results if each.name == name)


def test_hits_where_and_when_they_belong_break_nothing(dataset: Dataset) -> None:
    assert broken(dataset, a_query(Filter("home", None)), "a", "b") == []


def test_hit_of_another_wing_is_out_of_scope(dataset: Dataset) -> None:
    got = broken(dataset, a_query(Filter("home", None)), "a", "d2")
    assert got == [("in_scope", 2, "d2")]


def test_hit_of_another_room_is_out_of_scope(dataset: Dataset) -> None:
    got = broken(dataset, a_query(Filter(None, "kitchen")), "b")
    assert got == [("in_scope", 1, "b")]


def test_filler_is_in_scope_only_without_a_filter(dataset: Dataset) -> None:
    assert broken(dataset, a_query(), "filler-7") == []
    got = broken(dataset, a_query(Filter("home", None)), "filler-7")
    assert got == [("in_scope", 1, "filler-7")]


def test_hit_that_was_not_seeded_is_unknown_and_nothing_else(dataset: Dataset) -> None:
    got = broken(dataset, a_query(Filter("home", None)), "unknown:1")
    assert got == [("known", 1, "unknown:1")]


@pytest.mark.parametrize(
    ("temporal", "hidden"),
    [
        (Present(), ["c", "d"]),
        (Historical(), []),
        (AsOfEpoch(0), ["c2", "d2"]),
        (AsOfEpoch(1), ["c", "d2"]),
        (AsOfEpoch(2), ["c", "d2"]),
        (AsOfEpoch(3), ["c", "d"]),
        (BetweenEpochs(0, 1), ["d2"]),
        (BetweenEpochs(1, 3), ["c"]),
    ],
)
def test_hit_that_does_not_hold_at_the_time_is_seen(
    dataset: Dataset, temporal: Temporal, hidden: list[str]
) -> None:
    query = a_query(temporal=temporal)
    got = broken(dataset, query, "a", "c", "c2", "d", "d2")
    assert [document for rule, _, document in got if rule == "visible"] == hidden


def test_every_rank_is_looked_at(dataset: Dataset) -> None:
    ranking = ["a"] * 19 + ["unknown:1"]
    assert broken(dataset, a_query(), *ranking) == [("known", 20, "unknown:1")]


def test_every_pass_is_counted_and_its_violation_kept_once(dataset: Dataset) -> None:
    checks = InvariantChecks(dataset)
    for _ in range(3):
        checks.check_hits("lexical", a_query(), [Entry("a", 1.0), Entry("c", 0.5)])
    visible = named(checks.results(), "visible")
    assert (visible.checked, len(visible.violations)) == (6, 1)


def test_same_ranking_again_is_repeatable(dataset: Dataset) -> None:
    checks = InvariantChecks(dataset)
    ranking = [Entry("a", 1.0), Entry("b", 0.5)]
    checks.check_repeat("hybrid", a_query(), ranking, list(ranking))
    repeatable = named(checks.results(), "repeatable")
    assert (repeatable.checked, repeatable.violations) == (1, ())


@pytest.mark.parametrize(
    ("again", "rank", "document"),
    [
        ([Entry("b", 1.0), Entry("a", 0.5)], 1, "b"),
        ([Entry("a", 1.0)], 2, "(nothing)"),
        ([Entry("a", 1.0), Entry("b", 0.5), Entry("d", 0.1)], 3, "d"),
        ([Entry("a", 1.0), Entry("b", 0.25)], 2, "b"),
    ],
)
def test_first_rank_that_changes_from_pass_to_pass_is_named(
    dataset: Dataset, again: list[Entry], rank: int, document: str
) -> None:
    checks = InvariantChecks(dataset)
    ranking = [Entry("a", 1.0), Entry("b", 0.5)]
    checks.check_repeat("hybrid", a_query(), ranking, again)
    (violation,) = named(checks.results(), "repeatable").violations
    assert (violation.rank, violation.document) == (rank, document)
    assert (violation.configuration, violation.query) == ("hybrid", "q")


def test_without_a_timed_pass_nothing_is_said_of_repeating(dataset: Dataset) -> None:
    assert named(InvariantChecks(dataset).results(), "repeatable").checked == 0


def test_all_four_rules_are_reported_in_one_order(dataset: Dataset) -> None:
    names = [each.name for each in InvariantChecks(dataset).results()]
    assert names == ["known", "in_scope", "visible", "repeatable"]
