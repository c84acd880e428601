"""A daemon whose modes do not run as they are named turns the rule ``ran`` red."""

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from harness.daemon.timing import Time
from harness.dataset.recall.model import RecallQuery
from harness.measure.progress import SilentProgress
from harness.measure.recall.proof import Checks
from harness.measure.recall.rows import LIFECYCLE, MAIN, Row
from harness.measure.recall.run import RecallSettings, measure_material
from harness.measure.recall.watch import Reached
from harness.measure.recall.ways import BySearch, Found
from harness.measure.ties import Entry
from harness.report.model import Report, Violation
from tests.fake_recall import (
    FakeDocuments,
    FakeEmbedder,
    FakeRecallRuntime,
    small_material,
)
from tests.fakes import an_instant

MAIN_ROWS = {
    "document-hybrid",
    "document-vector",
    "document-keyword",
    "searchMemories-vector",
    "document-vector-failopen",
    "document-hybrid-failopen",
}


def a_run(palace: FakeDocuments, *, repetitions: int = 0) -> Report:
    """Ask the rows of the main corpus alone."""
    whole = small_material()
    rows = tuple(row for row in whole.rows if row.name in MAIN_ROWS)
    return measure_material(
        replace(whole, slices={}, facts={}, rows=rows),
        RecallSettings(tier="smoke", repetitions=repetitions, fault_queries=1),
        FakeRecallRuntime(palace),
        SilentProgress(),
        time=Time(clock=time.perf_counter, pause=lambda _: None),
    )


def a_palace(**faults: object) -> FakeDocuments:
    palace = FakeDocuments(FakeEmbedder())
    for name, value in faults.items():
        assert hasattr(palace, name)
        setattr(palace, name, value)
    return palace


def broken(report: Report, rule: str = "ran") -> tuple[Violation, ...]:
    (found,) = [each for each in report.invariants if each.name == rule]
    return found.violations


def reasons(report: Report, row: str) -> str:
    """Join what is said against one row."""
    return "\n".join(
        each.reason for each in broken(report) if each.configuration == row
    )


def test_honest_daemon_is_believed() -> None:
    report = a_run(a_palace(), repetitions=1)
    assert broken(report) == ()


def test_vector_that_is_silently_answered_by_keyword_is_found_out() -> None:
    report = a_run(a_palace(runs={"vector": "keyword"}))
    # It says `vector`, and recall@5 of it is above any floor a careless gate has.
    vector = report.configurations[1]
    assert {each.effective for each in vector.rankings} == {"vector"}
    told = reasons(report, "document-vector")
    assert "0 texts reached the embedder for it, not 1" in told
    assert "searchMemories-vector has" in told
    assert "it is ranked as in document-keyword" in told


def test_embedding_for_show_does_not_help_it() -> None:
    report = a_run(a_palace(runs={"vector": "keyword"}, embeds_for_show=True))
    told = reasons(report, "document-vector")
    assert "reached the embedder" not in told
    assert "searchMemories-vector has" in told
    assert "it is ranked as in document-keyword" in told


@pytest.mark.parametrize(
    ("runs", "row", "other"),
    [
        ({"hybrid": "keyword"}, "document-hybrid", "document-keyword"),
        ({"hybrid": "vector"}, "document-hybrid", "document-vector"),
    ],
)
def test_hybrid_that_is_one_of_its_halves_is_found_out(
    runs: Mapping[str, str], row: str, other: str
) -> None:
    report = a_run(a_palace(runs=runs, embeds_for_show=True))
    assert f"it is ranked as in {other}" in reasons(report, row)


def test_keyword_that_asks_the_embedder_is_found_out() -> None:
    report = a_run(a_palace(runs={"keyword": "vector"}))
    told = reasons(report, "document-keyword")
    assert "1 texts reached the embedder for it, not 0" in told


def test_cached_vectors_of_queries_are_found_out() -> None:
    report = a_run(a_palace(caches=True), repetitions=1)
    assert "0 texts reached the embedder for it, not 1" in reasons(
        report, "document-vector"
    )
    assert "in a timed pass of 6 queries, not 6" in reasons(report, "document-hybrid")
    assert "no request reached the failing embedder" in reasons(
        report, "document-vector-failopen"
    )


def test_falling_open_without_a_word_is_found_out() -> None:
    report = a_run(a_palace(confesses=False))
    for mode in ("vector", "hybrid"):
        told = reasons(report, f"document-{mode}-failopen")
        assert f"'{mode}' ran (no code), not 'keyword'" in told


def test_falling_open_to_nothing_is_found_out() -> None:
    report = a_run(a_palace(finds_nothing_open=True))
    for mode in ("vector", "hybrid"):
        told = reasons(report, f"document-{mode}-failopen")
        assert "document-keyword has" in told


def test_hits_that_nobody_wrote_are_unknown() -> None:
    palace = a_palace()
    palace.rewrite = lambda _, hits: [{**hits[0], "document_id": "stray"}, *hits[1:]]
    (first, *_) = broken(a_run(palace), "known")
    assert (first.rank, first.document) == (1, "unknown:1")


def test_timed_pass_that_ranks_otherwise_is_not_repeatable() -> None:
    palace = a_palace()
    seen: dict[str, int] = {}

    def shifting(body: Mapping[str, str], hits: list[object]) -> list[object]:
        seen[body["mode"]] = seen.get(body["mode"], 0) + 1
        return hits[: 5 + (seen[body["mode"]] > 6)]

    palace.rewrite = shifting  # type: ignore[assignment] # hits are any objects here
    got = broken(a_run(palace, repetitions=1), "repeatable")
    assert {each.rank for each in got} == {6}


# --- single rules


ROW = Row("document-vector", MAIN, BySearch("vector"))
FAILING = Row("document-vector-failopen", MAIN, BySearch("vector"), fails=True)
ASKED = RecallQuery("q-0", "configure0", ("doc-0-0",), "topic")
WORDLESS = RecallQuery("q-1", "снег", ("doc-0-0",), "cyrillic")
ZERO_VECTOR = "memcastle::embed::zero_vector"


def found(
    effective: str = "vector", degraded: str | None = None, mode: str = "vector"
) -> Found:
    return Found(
        hits=(),
        mode=mode,
        effective=effective,
        degraded=degraded,
        embed_ms=None,
        descends=True,
        cut=False,
        instants=an_instant(),
    )


def told_against(
    row: Row, query: RecallQuery, answer: Found, *, trigrams: bool = True
) -> list[str]:
    checks = Checks(trigrams)
    checks.told(row, query, answer)
    return [
        violation.reason
        for invariant in checks.results()
        for violation in invariant.violations
    ]


def test_query_without_a_vector_must_fall_open_and_say_so() -> None:
    assert told_against(ROW, WORDLESS, found("keyword", ZERO_VECTOR)) == []
    assert told_against(ROW, WORDLESS, found()) == [
        "'vector' ran (no code), not 'keyword'"
    ]
    other = found("keyword", "memcastle::embed::failed")
    assert told_against(ROW, WORDLESS, other) == [
        "the query has no vector, and the code is 'memcastle::embed::failed'"
    ]


def test_query_with_a_vector_must_not_fall_open() -> None:
    assert told_against(ROW, ASKED, found("keyword", ZERO_VECTOR)) == [
        f"'keyword' ran ({ZERO_VECTOR}), not 'vector'"
    ]
    assert told_against(ROW, ASKED, found("vector", "memcastle::embed::failed")) == [
        "it fell open (memcastle::embed::failed) without a fault"
    ]


def test_of_another_model_it_is_not_known_which_query_has_no_vector() -> None:
    answer = found("keyword", ZERO_VECTOR)
    assert told_against(ROW, ASKED, answer, trigrams=False) == []


def test_code_of_a_fall_must_be_one_of_the_embedder() -> None:
    assert told_against(FAILING, ASKED, found("keyword", "memcastle::embed::x")) == []
    assert told_against(FAILING, ASKED, found("keyword")) == [
        "it fell open, and the code is None"
    ]
    assert told_against(FAILING, ASKED, found("keyword", "busy")) == [
        "it fell open, and the code is 'busy'"
    ]


def test_other_mode_understood_than_asked_is_told() -> None:
    assert told_against(ROW, ASKED, found(mode="hybrid")) == [
        "'vector' was asked for, 'hybrid' was understood"
    ]


@pytest.mark.parametrize(
    ("row", "reached", "wanted"),
    [
        (ROW, Reached(1, 1), []),
        (ROW, Reached(0, 0), ["0 texts reached the embedder for it, not 1"]),
        (ROW, Reached(2, 2), ["2 texts reached the embedder for it, not 1"]),
        (FAILING, Reached(1, 1), []),
        (FAILING, Reached(3, 3), []),
        (FAILING, Reached(0, 0), ["no request reached the failing embedder"]),
    ],
)
def test_what_reached_the_embedder_is_held_against_what_a_row_needs(
    row: Row, reached: Reached, wanted: list[str]
) -> None:
    checks = Checks(trigrams=True)
    checks.reached(row, ASKED, reached)
    (ran,) = [each for each in checks.results() if each.name == "ran"]
    assert ran.checked == 1
    assert [each.reason for each in ran.violations] == wanted


def test_hit_of_another_wing_is_out_of_scope() -> None:
    checks = Checks(trigrams=True)
    entries = [Entry("doc-0-0", 1.0), Entry("m-0-0", 0.5)]
    checks.hits(ROW, ASKED, entries, [MAIN, "recall-morphology"])
    (scope,) = [each for each in checks.results() if each.name == "in_scope"]
    assert scope.checked == 2
    assert [(each.rank, each.document) for each in scope.violations] == [(2, "m-0-0")]


GONE = RecallQuery("gone", "x", ("kept",), "deleted", absent=("old",))
UPDATED = Row("updates", LIFECYCLE, BySearch("hybrid"), after="updates")
UPDATED_BY_WORDS = Row("updates", LIFECYCLE, BySearch("keyword"), after="updates")
DELETED = Row("deletes", LIFECYCLE, BySearch("hybrid"), after="deletes")


@pytest.mark.parametrize(
    ("row", "rank", "is_wrong"),
    [
        # A changed text may be near a query all the same, though not among the best.
        (UPDATED, 5, True),
        (UPDATED, 6, False),
        (UPDATED_BY_WORDS, 6, True),
        (DELETED, 6, True),
    ],
)
def test_what_was_changed_or_deleted_must_not_come_back(
    row: Row, rank: int, *, is_wrong: bool
) -> None:
    checks = Checks(trigrams=True)
    names = [f"other-{place}" for place in range(1, rank)] + ["old"]
    entries = [Entry(name, None) for name in names]
    checks.hits(row, GONE, entries, [LIFECYCLE] * len(names))
    (visible,) = [each for each in checks.results() if each.name == "visible"]
    got = [(each.rank, each.document) for each in visible.violations]
    assert got == ([(rank, "old")] if is_wrong else [])


@pytest.mark.parametrize(
    ("ranked", "wanted", "rank", "document"),
    [
        (("a", "b"), ("a", "c"), 2, "b"),
        (("a",), ("a", "b"), 2, "(nothing)"),
        (("a", "b"), ("a",), 2, "b"),
        ((), ("a",), 1, "(nothing)"),
    ],
)
def test_rankings_part_at_the_first_rank_that_differs(
    ranked: tuple[str, ...], wanted: tuple[str, ...], rank: int, document: str
) -> None:
    checks = Checks(trigrams=True)
    checks.alike("document-vector", "q-0", ranked, wanted, "document-keyword")
    (ran,) = [each for each in checks.results() if each.name == "ran"]
    (violation,) = ran.violations
    assert (violation.rank, violation.document) == (rank, document)


def test_equal_rankings_break_nothing() -> None:
    checks = Checks(trigrams=True)
    checks.alike("document-vector", "q-0", ("a", "b"), ("a", "b"), "document-keyword")
    assert [each.violations for each in checks.results()] == [()] * 5
