"""A whole run of a recall tier against a daemon and an embedder on loopback ports."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

import pytest

from harness.daemon.timing import Time
from harness.dataset.recall.model import digest
from harness.dataset.recall.tiers import recall_corpus, shuffled
from harness.errors import DaemonDiedError, DaemonError, PrerequisiteError, UsageError
from harness.measure.progress import Advance, Progress, SilentProgress
from harness.measure.recall.material import material
from harness.measure.recall.run import RecallSettings, measure_material
from harness.report.model import ConfigurationResult, Report
from tests.fake_recall import (
    FEATURES,
    FakeDocuments,
    FakeEmbedder,
    FakeRecallRuntime,
    small_material,
)
from tests.recall_builders import ROWS

# The pauses of a real clock would only wait for a dead process to be seen.
UNHURRIED = Time(clock=time.perf_counter, pause=lambda _: None)


def a_run(
    palace: FakeDocuments,
    *,
    progress: Progress | None = None,
    watched: bool = True,
    **settings: object,
) -> Report:
    plan = RecallSettings(**{"tier": "smoke", "repetitions": 0, **settings})  # type: ignore[arg-type] # known names
    return measure_material(
        small_material(),
        plan,
        FakeRecallRuntime(palace, watched=watched),
        progress or SilentProgress(),
        time=UNHURRIED,
    )


def a_palace(features: tuple[str, ...] = FEATURES) -> FakeDocuments:
    return FakeDocuments(FakeEmbedder(), features)


def row(report: Report, name: str) -> ConfigurationResult:
    return next(each for each in report.configurations if each.name == name)


def codes(report: Report) -> list[str]:
    return [caution.code for caution in report.warnings]


@pytest.fixture(scope="module")  # a whole run, which every test here only reads
def report() -> Report:
    return a_run(a_palace(), repetitions=2)


def test_rows_stand_in_the_published_order_and_then_in_ours(report: Report) -> None:
    assert [each.name for each in report.configurations] == ROWS


def test_every_row_of_a_whole_daemon_is_measured(report: Report) -> None:
    assert {each.skip_reason for each in report.configurations} == {None}
    assert all(each.queries for each in report.configurations)


def test_sound_daemon_breaks_no_rule(report: Report) -> None:
    assert [each.name for each in report.invariants] == [
        "known",
        "in_scope",
        "visible",
        "repeatable",
        "ran",
    ]
    assert [each.violations for each in report.invariants] == [()] * 5
    assert all(each.checked for each in report.invariants)


def test_rows_say_how_many_documents_or_facts_they_searched(report: Report) -> None:
    assert row(report, "document-hybrid").corpus == 60
    assert row(report, "facts-provider-keyword").corpus == 36
    assert row(report, "keyword-morph-stemmed").corpus == 40
    # 46 documents and eight copies; four repeats are none; then five are deleted.
    assert row(report, "updates").corpus == 54
    assert row(report, "deletes").corpus == 49


def test_fail_open_is_the_healthy_recall_less_the_degraded(report: Report) -> None:
    assert report.recall is not None
    for each, name in zip(report.recall.fail_open, ("vector", "hybrid"), strict=True):
        healthy = row(report, f"document-{name}").metrics["recall@5"]
        degraded = row(report, f"document-{name}-failopen").metrics["recall@5"]
        assert each.mode == name
        assert (each.healthy_recall, each.degraded_recall) == (healthy, degraded)
        assert each.drop == healthy - degraded
        assert each.drop > 0


def test_lift_is_the_stemmed_recall_less_the_unstemmed(report: Report) -> None:
    assert report.recall is not None
    stemming = report.recall.stemming
    stemmed = row(report, "keyword-morph-stemmed").metrics["recall@5"]
    unstemmed = row(report, "keyword-morph-unstemmed").metrics["recall@5"]
    nostem = row(report, "keyword-morph-nostem").metrics["recall@5"]
    assert stemming.lift == stemmed - unstemmed
    assert stemming.lift > 0
    assert stemming.same_ranker_recall == nostem


def test_fail_open_rows_say_that_they_fell_open(report: Report) -> None:
    for name in ("document-vector-failopen", "document-hybrid-failopen"):
        rankings = row(report, name).rankings
        assert {each.effective for each in rankings} == {"keyword"}
        assert {each.degraded for each in rankings} == {"memcastle::embed::failed"}


def test_healthy_rows_ran_as_asked(report: Report) -> None:
    for name, mode in (
        ("document-vector", "vector"),
        ("document-hybrid", "hybrid"),
        ("document-keyword", "keyword"),
        ("searchMemories-vector", "raw-vector"),
        ("keyword-chat-bm25", "rank"),
        ("facts-provider-keyword", "lexical"),
    ):
        rankings = row(report, name).rankings
        assert {(each.effective, each.degraded) for each in rankings} == {(mode, None)}


def test_embedder_was_asked_once_a_query_where_a_row_embeds(report: Report) -> None:
    assert report.recall is not None
    inputs = {name: each.inputs for name, each in report.recall.embedded.items()}
    assert inputs.keys() == set(ROWS)
    assert inputs["document-vector"] == inputs["document-hybrid"] == 6
    assert inputs["long-hybrid"] == 3
    for name in ROWS:
        if "keyword" in name or "rank" in name or "facts" in name:
            assert inputs[name] == 0
    assert inputs["searchMemories-vector"] == 0


def test_wait_for_the_embedder_is_told_apart(report: Report) -> None:
    assert report.recall is not None
    assert report.recall.embedded["document-vector"].p50_ms == 2.0
    assert report.recall.embedded["document-keyword"].p50_ms is None


def test_data_set_is_named_by_its_lines(report: Report) -> None:
    corpus = recall_corpus("smoke")
    assert report.dataset.name == "recall-smoke"
    assert report.dataset.sha256 == digest(corpus.documents)
    assert report.dataset.sha256.startswith("2b3785810deecb99")
    assert report.suite == "recall"
    assert report.parameters.cutoffs == (1, 3, 5, 10)
    assert report.parameters.limit == 20
    assert report.seeding is not None
    assert report.dataset.documents == report.seeding.documents


def test_shuffled_variant_is_another_data_set_in_another_order() -> None:
    chosen = material("smoke", "shuffled")
    assert chosen.corpus.documents == shuffled(recall_corpus("smoke")).documents
    assert chosen.corpus.queries == recall_corpus("smoke").queries
    assert digest(chosen.corpus.documents) != digest(recall_corpus("smoke").documents)


def test_report_keeps_the_constants_that_the_ranking_rests_on(report: Report) -> None:
    settings = report.environment.settings
    assert settings["documents.preset"] == "recall"
    assert settings["documents.vector_threshold"] == "0.1"


def test_phases_are_timed_in_their_order(report: Report) -> None:
    names = [each.name for each in report.phases]
    assert names == [
        "ingest",
        "ingest of the slices",
        "reading back",
        "facts",
        "embedder alone",
        "client floor",
        *ROWS,
        "client floor again",
        "faults",
    ]


def test_tempo_is_that_of_the_daemon_and_of_the_embedder_alone(report: Report) -> None:
    assert report.recall is not None
    assert report.recall.tempo.documents_per_second
    assert report.recall.tempo.embedder_per_second


def test_report_survives_being_written(report: Report) -> None:
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_corpus_goes_in_before_its_order_could_be_lost() -> None:
    palace = a_palace()
    a_run(palace)
    stored = [each["name"] for each in palace.documents.values()]
    wanted = [each.name for each in recall_corpus("smoke").documents]
    assert stored[: len(wanted)] == wanted


def test_embedder_is_left_healthy() -> None:
    palace = a_palace()
    a_run(palace)
    assert palace.embedder is not None
    assert palace.embedder.fault == {"kind": "ok"}


def test_changes_come_after_everything_that_does_not_ask_for_them() -> None:
    palace = a_palace()
    a_run(palace)
    changes = [palace.log.index(each) for each in ("update", "delete")]
    assert changes == sorted(changes)
    assert "search facts" not in palace.log[changes[0] :]
    assert "rank" not in palace.log[changes[0] :]


# --- rows that cannot be measured


@pytest.mark.parametrize(
    ("feature", "rows"),
    [
        ("fragments.search", {"searchMemories-vector"}),
        ("facts", {"facts-provider-keyword", "facts-decay"}),
        (
            "fragments.rank",
            {
                "keyword-chat-bm25",
                "keyword-morph-stemmed",
                "keyword-morph-unstemmed",
                "keyword-morph-nostem",
                "scripts-rank",
            },
        ),
    ],
)
def test_row_of_a_missing_feature_keeps_its_place_with_the_reason(
    feature: str, rows: set[str]
) -> None:
    features = tuple(each for each in FEATURES if each != feature)
    report = a_run(a_palace(features))
    assert [each.name for each in report.configurations] == ROWS
    skipped = {each.name for each in report.configurations if each.skip_reason}
    assert skipped == rows
    for name in rows:
        got = row(report, name)
        assert got.skip_reason == f"the daemon does not announce '{feature}'"
        assert (got.queries, got.metrics, got.latency) == (0, {}, None)


def test_daemon_without_documents_still_has_a_report_of_its_facts() -> None:
    palace = a_palace(("facts",))
    report = a_run(palace)
    measured = {each.name for each in report.configurations if not each.skip_reason}
    assert measured == {"facts-provider-keyword", "facts-decay"}
    assert palace.documents == {}
    assert report.recall is not None
    assert report.recall.fail_open[0].drop is None
    assert report.recall.stemming.lift is None
    assert report.recall.faults == ()
    assert report.recall.tempo.documents_per_second is None


def test_daemon_with_nothing_to_ask_has_a_report_of_reasons() -> None:
    report = a_run(a_palace(()))
    assert {each.queries for each in report.configurations} == {0}
    assert all(each.skip_reason for each in report.configurations)


def test_without_our_embedder_nothing_is_failed_and_the_reader_is_told() -> None:
    report = a_run(a_palace(), watched=False)
    skipped = {each.name for each in report.configurations if each.skip_reason}
    assert skipped == {
        "searchMemories-vector",
        "document-vector-failopen",
        "document-hybrid-failopen",
    }
    assert report.recall is not None
    assert report.recall.faults == ()
    assert report.recall.embedded == {}
    assert "embedder_unwatched" in codes(report)
    assert [each.violations for each in report.invariants] == [()] * 5


def test_daemon_without_a_provider_is_asked_for_words_only() -> None:
    report = a_run(FakeDocuments(None))
    reasons = {each.skip_reason for each in report.configurations}
    assert "the daemon has no embedding provider" in reasons
    assert row(report, "document-keyword").queries == 6
    assert row(report, "document-vector").queries == 0


def test_without_repetitions_nothing_is_timed() -> None:
    report = a_run(a_palace())
    assert {each.latency for each in report.configurations} == {None}
    assert report.client_floor is None
    assert "no_latency" in codes(report)


# --- runs that do not come to their end


def test_rows_left_out_keep_their_places_and_say_so() -> None:
    report = a_run(a_palace(), rows=frozenset({"document-keyword", "facts-decay"}))
    left_out = {each.name: each.skip_reason for each in report.configurations}
    assert list(left_out) == ROWS
    assert left_out.pop("document-keyword") is None
    assert left_out.pop("facts-decay") is None
    assert set(left_out.values()) == {"left out of this run"}
    assert report.recall is not None
    assert report.recall.faults == ()


def test_changes_are_made_even_where_their_row_is_left_out() -> None:
    whole = row(a_run(a_palace(), faults=()), "deletes")
    palace = a_palace()
    alone = row(a_run(palace, rows=frozenset({"deletes"})), "deletes")
    assert palace.log.count("update") == 5
    assert alone == whole


def test_some_faults_can_be_chosen() -> None:
    rows = frozenset({"document-vector", "document-hybrid", "document-keyword"})
    report = a_run(a_palace(), rows=rows, faults=("half", "ok"))
    assert report.recall is not None
    got = [(each.fault, each.mode) for each in report.recall.faults]
    wanted = [(f, mode) for f in ("half", "ok") for mode in ("vector", "hybrid")]
    assert got == wanted


def test_row_that_there_is_not_is_refused_before_anything_is_started() -> None:
    palace = a_palace()
    with pytest.raises(UsageError, match="no row 'document-hybird'"):
        a_run(palace, rows=frozenset({"document-hybird"}))
    assert palace.log == []


def test_somebodys_documents_are_refused_before_anything_is_written() -> None:
    palace = a_palace()
    palace.documents["somebody's"] = {}
    with pytest.raises(PrerequisiteError, match="not empty"):
        a_run(palace)
    assert list(palace.documents) == ["somebody's"]
    assert palace.log[-1] == "stop"


def test_lost_document_ends_the_run() -> None:
    palace = a_palace()
    palace.loses = "noise-11.txt"
    with pytest.raises(DaemonError, match="documents where"):
        a_run(palace)


def test_search_that_fails_with_the_embedder_leaves_no_report() -> None:
    palace = a_palace()
    palace.opens = False
    with pytest.raises(DaemonError, match="the provider failed"):
        a_run(palace)
    assert palace.log[-1] == "stop"
    assert palace.embedder is not None
    assert palace.embedder.fault == {"kind": "ok"}


def test_death_that_no_answer_betrays_is_still_seen() -> None:
    palace = a_palace()

    def check() -> None:
        if "search hybrid" in palace.log:
            raise DaemonDiedError("the embedder ended while it was needed.")

    with pytest.raises(DaemonDiedError, match="embedder ended"):
        measure_material(
            small_material(),
            RecallSettings(tier="smoke", repetitions=0),
            FakeRecallRuntime(palace, check=check),
            SilentProgress(),
            time=UNHURRIED,
        )
    assert palace.log[-1] == "stop"


def test_interruption_during_a_fault_ends_the_fault() -> None:
    palace = a_palace()

    def advance(_: int) -> None:
        if palace.embedder and palace.embedder.fault["kind"] == "error":
            raise KeyboardInterrupt

    class Interrupting:
        def phase(self, *_: object) -> AbstractContextManager[Advance]:
            return nullcontext(advance)

    with pytest.raises(KeyboardInterrupt):
        a_run(palace, progress=Interrupting())
    assert palace.embedder is not None
    assert palace.embedder.fault == {"kind": "ok"}
    assert palace.log[-1] == "stop"


def test_progress_adds_up_to_what_was_announced() -> None:
    announced: dict[str, int] = {}
    advanced: dict[str, int] = {}

    class Counting:
        @contextmanager
        def phase(self, name: str, total: int | None) -> Iterator[Advance]:
            if total is not None:
                announced[name] = total
            advanced[name] = 0

            def advance(steps: int) -> None:
                advanced[name] += steps

            yield advance

    a_run(a_palace(), progress=Counting(), repetitions=2)
    assert announced == {name: advanced[name] for name in announced}
    assert announced["document-hybrid"] == 18
    assert announced["faults"] == 20
    assert announced["ingest"] == 60


@pytest.mark.parametrize(
    "wrong",
    [
        {"repetitions": -1},
        {"fault_queries": 0},
        {"limit": 5},
        {"cutoffs": ()},
        {"cutoffs": (0, 5)},
        {"cutoffs": (1, 10)},
    ],
)
def test_knobs_that_contradict_each_other_are_refused(
    wrong: dict[str, object],
) -> None:
    with pytest.raises(UsageError):
        RecallSettings(tier="smoke", **wrong)  # type: ignore[arg-type] # wrong on purpose


def test_queries_asked_of_several_rows_are_counted_once() -> None:
    chosen = material("smoke", "published")
    only_main = replace(chosen, rows=chosen.rows[:5])
    assert only_main.distinct_queries == 6
