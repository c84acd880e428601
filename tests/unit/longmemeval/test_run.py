"""Runs over small files: what is written, what is asked, and what comes out."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.daemon.haystack import FEATURE_DELETE, FEATURE_SCOPED
from harness.dataset.longmemeval.policies import Policies
from harness.errors import (
    DaemonDiedError,
    DatasetError,
    NothingMeasuredError,
    PrerequisiteError,
    UsageError,
)
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.run import measure_longmemeval, run_shard
from harness.report.model import Report
from tests.fake_palace import Answer, refusal
from tests.fakes import FakeRuntime
from tests.haystack_runs import (
    WordEmbedder,
    a_file,
    a_palace,
    a_plan,
    a_shard,
    facts_of,
    machinery,
    measured,
    searches,
    written,
)
from tests.haystacks import Json, a_chat, an_entry, said, with_sessions

BATCH = ("POST", "/api/drawers/batch")
SEARCH = ("POST", "/api/search")


def documents(report: Report, configuration: int = 0) -> dict[str, list[str]]:
    """Return the ranking of each scored question."""
    rankings = report.configurations[configuration].rankings
    return {each.query: [hit.document for hit in each.hits] for each in rankings}


def an_answerable(name: str, **changes: object) -> Json:
    """Return a question whose words only the evidence has, and a filler half of."""
    return with_sessions(
        {
            "chat_1": [said("user", f"where is {name}")],
            "answer_1": [
                said("user", f"where does {name} live he moved to oslo", True)
            ],
            "chat_2": [said("assistant", "bread")],
        },
        ["answer_1"],
        question_id=name,
        question=f"where does {name} live",
        **changes,
    )


def test_a_question_is_scored_by_the_session_that_holds_the_answer(
    tmp_path: Path,
) -> None:
    plan = a_plan(a_file(tmp_path, an_answerable("ann"), an_answerable("bob")))
    report = measured(plan, a_palace())

    (lexical,) = report.configurations
    assert report.suite == "longmemeval"
    assert documents(report) == {
        "ann": ["answer_1", "chat_1"],
        "bob": ["answer_1", "chat_1"],
    }
    assert (lexical.queries, lexical.metrics["hit@1"], lexical.metrics["mrr"]) == (
        2,
        1.0,
        1.0,
    )
    assert lexical.rankings[0].grades == {"answer_1": 1}
    assert lexical.latency is not None
    assert lexical.latency.service.samples == 2


def test_every_question_has_a_wing_of_its_own_and_is_asked_within_it(
    tmp_path: Path,
) -> None:
    palace = a_palace()
    measured(a_plan(a_file(tmp_path, an_answerable("a"), an_answerable("b"))), palace)

    wings = [drawer["wing"] for drawer in written(palace)]
    asked = searches(palace)
    assert wings == [wings[0]] * 3 + [wings[3]] * 3
    assert wings[0] != wings[3]
    assert [each["filter"]["wing"] for each in asked] == [wings[0], wings[3]]
    assert {each["limit"] for each in asked} == {50}
    assert {each["ranking"] for each in asked} == {"lexical"}


def test_a_session_that_stands_twice_is_two_documents_and_one_rank(
    tmp_path: Path,
) -> None:
    entry = an_answerable("ann")
    entry["haystack_session_ids"] = ["chat_1", "answer_1", "chat_1"]
    entry["haystack_sessions"][2] = entry["haystack_sessions"][0]
    palace = a_palace()
    report = measured(a_plan(a_file(tmp_path, entry)), palace)

    assert len({drawer["name"] for drawer in written(palace)}) == 3
    assert documents(report) == {"ann": ["answer_1", "chat_1"]}
    assert report.dataset.documents == 3


def test_a_blank_session_is_not_written_and_counts_as_not_returned(
    tmp_path: Path,
) -> None:
    entry = an_answerable("ann")
    entry["haystack_sessions"][2] = [said("user", " ")]
    palace = a_palace()
    report = measured(a_plan(a_file(tmp_path, entry)), palace)

    (returned,) = facts_of(report).returned
    assert len(written(palace)) == 2
    assert (returned.pool, returned.unreturned, returned.without_hits) == (3, 1, 0)
    assert facts_of(report).questions[0].blank == 1


def test_an_abstention_is_asked_for_the_whole_set_and_not_for_the_headline(
    tmp_path: Path,
) -> None:
    path = a_file(tmp_path, an_answerable("ann"), an_answerable("bob_abs"))
    report = measured(a_plan(path), a_palace())

    facts = facts_of(report)
    of_set = {
        figure.question_set: figure.questions
        for figure in facts.figures
        if (figure.metric, figure.gold) == ("mrr", "answer_session_ids")
    }
    assert report.configurations[0].queries == 1
    assert facts.counts.unscored == {"abstention": 1}
    assert of_set == {"all": 2, "answerable": 1, "official": 1}
    assert [each.question for each in facts.unscored_rankings] == ["bob_abs"]


def test_a_question_without_gold_is_listed_and_never_sent(tmp_path: Path) -> None:
    path = a_file(
        tmp_path,
        with_sessions({"x": a_chat("bread")}, [], question_id="none_abs"),
        an_answerable("ann"),
    )
    palace = a_palace()
    report = measured(a_plan(path), palace)

    first, second = facts_of(report).questions
    assert (first.id, first.asked, first.unscored) == ("none_abs", False, "abstention")
    assert (second.id, second.asked, second.unscored) == ("ann", True, None)
    assert len(searches(palace)) == 1
    assert report.dataset.documents == 3


def test_a_limit_counts_every_question_that_is_read(tmp_path: Path) -> None:
    path = a_file(
        tmp_path,
        with_sessions({"x": a_chat("bread")}, [], question_id="none_abs"),
        an_answerable("ann"),
        an_answerable("bob"),
    )
    report = measured(a_plan(path, limit=2), a_palace())

    counts = facts_of(report).counts
    assert (counts.read, counts.asked, counts.scored) == (2, 1, 1)


def test_a_failed_write_is_an_error_that_takes_the_headline(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_answerable("ann"), an_answerable("bob"))
    palace = a_palace()
    answers = iter([refusal(500, "broken", "no room"), None])
    palace.faults[BATCH] = lambda: next(answers)
    report = measured(a_plan(path), palace)

    facts = facts_of(report)
    (error,) = facts.errors
    (lexical,) = report.configurations
    assert (error.question, error.stage, error.configuration) == ("ann", "write", None)
    assert "500" in error.what
    assert (lexical.queries, lexical.metrics, facts.figures) == (1, {}, ())
    assert list(documents(report)) == ["bob"]


def test_a_failed_search_is_an_error_of_its_configuration_alone(
    tmp_path: Path,
) -> None:
    embedder = WordEmbedder()
    plan = a_plan(a_file(tmp_path, an_answerable("ann")), embedder=embedder)
    palace = a_palace()
    answers = iter([None, refusal(503, "busy", "later"), None])
    palace.faults[SEARCH] = lambda: next(answers)
    report = measured(plan, palace, embedder)

    (error,) = facts_of(report).errors
    assert (error.stage, error.configuration) == ("search", "semantic")
    assert [each.queries for each in report.configurations] == [1, 0, 1]
    assert all(each.metrics == {} for each in report.configurations)


def test_a_drawer_that_is_lost_is_an_error(tmp_path: Path) -> None:
    palace = a_palace()
    plan = a_plan(a_file(tmp_path, an_answerable("ann")))

    def lose() -> None:
        # The count comes after the write, and finds one drawer gone.
        palace.drawers.popitem()

    wing = f"/api/wings/{_wing(plan, tmp_path)}/rooms"
    palace.faults["GET", wing] = lose
    report = measured(plan, palace)

    (error,) = facts_of(report).errors
    assert error.stage == "verify"
    assert "holds 2 drawers where 3 were written" in error.what


def _wing(plan: LongMemEvalPlan, folder: Path) -> str:
    """Find the wing a plan writes, by writing it to another daemon."""
    wing: str = written(a_shard(plan, [0], folder / "other.jsonl"))[0]["wing"]
    return wing


def test_a_daemon_that_counts_nothing_is_believed_with_a_caution(
    tmp_path: Path,
) -> None:
    palace = a_palace(counts_rooms=False)
    report = measured(a_plan(a_file(tmp_path, an_answerable("ann"))), palace)

    assert report.seeding is not None
    assert (report.seeding.documents, report.seeding.verified) == (3, 0)
    assert "count_unverified" in [caution.code for caution in report.warnings]


def test_a_hit_that_was_never_written_is_a_violation_and_takes_its_rank(
    tmp_path: Path,
) -> None:
    palace = a_palace()
    palace.rewrite = lambda _, hits: [{**hits[0], "id": "stranger"}, *hits]
    report = measured(a_plan(a_file(tmp_path, an_answerable("ann"))), palace)

    (known,) = report.invariants
    (violation,) = known.violations
    assert (violation.query, violation.document) == ("ann", "unknown:1")
    assert known.checked == 3
    assert "unknown:1" in documents(report)["ann"]


def test_another_ranking_than_was_asked_for_is_an_error(tmp_path: Path) -> None:
    palace = a_palace()
    palace.faults[SEARCH] = Answer(200, b"[]", {"X-Palace-Ranking": "hybrid"})
    report = measured(a_plan(a_file(tmp_path, an_answerable("ann"))), palace)

    (error,) = facts_of(report).errors
    assert "'lexical' was asked for and 'hybrid' ran" in error.what


def test_nothing_found_is_a_miss_and_no_error(tmp_path: Path) -> None:
    palace = a_palace()
    palace.rewrite = lambda _, __: []
    report = measured(a_plan(a_file(tmp_path, an_answerable("ann"))), palace)

    facts = facts_of(report)
    assert facts.errors == ()
    assert facts.returned[0].without_hits == 1
    assert report.configurations[0].metrics["hit@50"] == 0.0


def test_drawers_of_another_run_are_an_error(tmp_path: Path) -> None:
    palace = a_palace()
    plan = a_plan(a_file(tmp_path, an_answerable("ann")), allow_nonempty=True)
    run_shard(plan, [0], tmp_path / "first.jsonl", machinery(palace))
    run_shard(plan, [0], tmp_path / "second.jsonl", machinery(palace))

    last = json.loads((tmp_path / "second.jsonl").read_text().splitlines()[-1])
    assert last["failures"][0]["stage"] == "write"
    assert "3 of 3 drawers were there already" in last["failures"][0]["what"]


def test_a_palace_that_holds_drawers_is_refused(tmp_path: Path) -> None:
    palace = a_palace()
    palace.add("home", "attic", "a box")

    with pytest.raises(PrerequisiteError, match="not empty"):
        measured(a_plan(a_file(tmp_path, an_answerable("ann"))), palace)


def test_a_daemon_that_dies_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_answerable("ann"), an_answerable("bob"))
    plan, journal, palace = a_plan(path), tmp_path / "j.jsonl", a_palace()
    answers = iter([None, refusal(500, "broken", "gone")])
    palace.faults[BATCH] = lambda: next(answers)

    def check() -> None:
        if len(palace.sent("POST", "/batch")) == 2:
            raise DaemonDiedError("the daemon ended.")

    work = machinery(palace)
    dying = FakeRuntime(palace, check)
    with pytest.raises(DaemonDiedError):
        measure_longmemeval(plan, journal, replace(work, runtime=dying))

    report = measure_longmemeval(plan, journal, machinery(a_palace()))
    assert facts_of(report).errors == ()
    assert list(documents(report)) == ["ann", "bob"]


def test_a_daemon_without_batches_is_written_to_one_by_one(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    path = a_file(tmp_path, an_answerable("ann"))
    palace = a_palace("drawers.batch")
    report = measured(a_plan(path, embedder=embedder), palace, embedder)

    assert palace.log.count("create") == palace.log.count("embed") == 3
    assert report.seeding is not None
    assert report.seeding.method == "single"
    assert documents(report)["ann"][0] == "answer_1"


def test_isolated_takes_each_haystack_away_before_the_next(tmp_path: Path) -> None:
    path = a_file(tmp_path, an_answerable("ann"), an_answerable("bob"))
    palace = a_palace()
    report = measured(a_plan(path, isolation="isolated"), palace)

    kept = [each for each in palace.log if each not in {"status", "start", "stop"}]
    assert kept == ["create batch", "search lexical", "delete wing"] * 2
    assert palace.drawers == {}
    assert documents(report)["bob"] == ["answer_1", "chat_1"]


def test_isolated_is_refused_where_wings_cannot_be_deleted(tmp_path: Path) -> None:
    plan = a_plan(a_file(tmp_path, an_answerable("ann")), isolation="isolated")
    with pytest.raises(PrerequisiteError, match=r"announce 'wings\.delete'"):
        measured(plan, a_palace(FEATURE_DELETE))


def test_a_run_by_wing_is_spread_only_where_wings_cannot_move_scores(
    tmp_path: Path,
) -> None:
    plan, journal = a_plan(a_file(tmp_path, an_answerable("a"))), tmp_path / "j.jsonl"
    with pytest.raises(PrerequisiteError, match="spread over workers") as caught:
        run_shard(plan, [0], journal, machinery(a_palace(FEATURE_SCOPED), workers=2))
    assert "--isolation isolated" in caught.value.remedy


def test_wings_that_may_move_scores_are_a_caution(tmp_path: Path) -> None:
    plan = a_plan(a_file(tmp_path, an_answerable("ann")))
    report = measured(plan, a_palace(FEATURE_SCOPED))
    assert "shared_statistics" in [caution.code for caution in report.warnings]


def test_a_shared_store_is_written_whole_and_asked_without_a_filter(
    tmp_path: Path,
) -> None:
    path = a_file(tmp_path, an_answerable("ann"), an_answerable("bob"))
    palace = a_palace()
    report = measured(a_plan(path, isolation="shared"), palace)

    kept = [each for each in palace.log if each not in {"status", "start", "stop"}]
    assert kept == ["create batch"] * 2 + ["search lexical"] * 2
    assert {each["filter"]["wing"] for each in searches(palace)} == {None}
    assert len(written(palace)) == report.dataset.documents == 6
    assert report.seeding is not None
    assert report.seeding.verified == 6


def test_a_shared_store_tells_sessions_of_one_id_apart_by_their_texts(
    tmp_path: Path,
) -> None:
    path = a_file(tmp_path, an_answerable("ann"), an_answerable("bob"))
    report = measured(a_plan(path, isolation="shared"), a_palace())

    found = documents(report)
    # Both haystacks call their evidence answer_1; the other one's is a stranger here.
    assert found["ann"][:1] == ["answer_1"]
    assert "answer_1" in found["bob"]
    assert {name for name in found["ann"] if name.startswith("other:")}
    # "bread" is the same session in both haystacks, the others are not.
    assert facts_of(report).returned[0].pool == 2 * 5


def test_a_shared_store_cannot_be_spread(tmp_path: Path) -> None:
    plan = a_plan(a_file(tmp_path, an_answerable("ann")), isolation="shared")
    with pytest.raises(UsageError, match="'shared' means one"):
        run_shard(plan, [0], tmp_path / "j", machinery(a_palace(), workers=2))


def test_with_a_model_three_configurations_are_asked(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    palace = a_palace()
    plan = a_plan(a_file(tmp_path, an_answerable("ann")), embedder=embedder)
    report = measured(plan, palace, embedder)

    lexical, semantic, hybrid = searches(palace)
    assert [each.name for each in report.configurations] == [
        "lexical",
        "semantic",
        "hybrid",
    ]
    assert lexical["query_embedding"] is None
    assert len(semantic["query_embedding"]) == len(hybrid["query_embedding"]) == 768
    assert semantic["profile"] == "standin"
    assert report.environment.vectors == "provider words"
    assert report.environment.embedding_model == "words"
    assert all(each.metrics["hit@1"] == 1.0 for each in report.configurations)


def test_the_best_fragment_stands_for_a_document_that_was_cut(tmp_path: Path) -> None:
    embedder = WordEmbedder(most=4)
    palace = a_palace()
    plan = a_plan(a_file(tmp_path, an_answerable("ann")), embedder=embedder)
    report = measured(plan, palace, embedder)

    facts = facts_of(report)
    # "user: where is ann" is 4 words, the evidence 10, "assistant: bread" 2.
    assert len(written(palace)) == facts.drawers == 5
    assert facts.split_documents == 1
    assert report.dataset.documents == 3
    assert documents(report, 1)["ann"].count("answer_1") == 1
    assert report.invariants[0].violations == ()


def test_what_cannot_be_embedded_is_an_error_and_nothing_of_it_is_sent(
    tmp_path: Path,
) -> None:
    embedder = WordEmbedder()
    embedder.refuses = "ann"
    palace = a_palace()
    path = a_file(tmp_path, an_answerable("ann"), an_answerable("bob"))
    report = measured(a_plan(path, embedder=embedder), palace, embedder)

    (error,) = facts_of(report).errors
    assert (error.question, error.stage) == ("ann", "embed")
    assert error.what == "the endpoint answered NaN."
    assert not any("ann" in drawer["content"] for drawer in written(palace))


def test_vectors_that_are_lost_are_an_error(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    palace = a_palace()
    path = a_file(tmp_path, an_answerable("ann"))
    journal = tmp_path / "probe.jsonl"
    plan = a_plan(path, embedder=embedder)
    run_shard(plan, [0], journal, machinery(palace, embedder))
    wing = written(palace)[0]["wing"]

    forgetful = a_palace()

    def forget() -> None:
        next(iter(forgetful.drawers.values())).vector = None

    forgetful.faults["GET", f"/api/wings/{wing}/rooms"] = forget
    report = measured(plan, forgetful, embedder)
    (error,) = facts_of(report).errors
    assert "holds 2 vectors where 3 were expected" in error.what


def test_a_turn_is_a_document_of_its_own_where_turns_are_asked_for(
    tmp_path: Path,
) -> None:
    policies = Policies(granularity="turn", gold="any_turn")
    path = a_file(tmp_path, an_answerable("ann"))
    report = measured(a_plan(path, policies=policies), a_palace())

    assert documents(report)["ann"][0] == "answer_1_1"
    golds = {figure.gold for figure in facts_of(report).figures}
    assert golds == {"any_turn", "user_turn"}


def test_an_embedder_of_another_model_than_the_plan_is_refused(tmp_path: Path) -> None:
    plan = a_plan(a_file(tmp_path, an_answerable("ann")))
    with pytest.raises(UsageError, match="'words'"):
        measured(plan, a_palace(), WordEmbedder())


def test_a_file_that_scores_nothing_gives_no_report(tmp_path: Path) -> None:
    entry = with_sessions({"x": a_chat("bread")}, [], question_id="q")
    with pytest.raises(NothingMeasuredError):
        measured(a_plan(a_file(tmp_path, entry)), a_palace())


def test_a_malformed_question_ends_the_run_from_whichever_thread(
    tmp_path: Path,
) -> None:
    path = a_file(tmp_path, an_answerable("ann"))
    plan = a_plan(path)
    a_file(tmp_path, an_entry("ann", haystack_sessions="no list"))
    with pytest.raises(DatasetError, match="no list"):
        measured(plan, a_palace())
