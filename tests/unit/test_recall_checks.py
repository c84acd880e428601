"""Every check of a recall tier: what turns it red, and that nothing missing passes."""

import pytest

from harness.errors import ExitCode
from harness.judge.recall.checks import checked, exit_code
from harness.report.model import Invariant, Report, ScoredHit, Violation
from harness.report.recall import FailOpen, Stemming
from tests.recall_builders import (
    PUBLISHED,
    a_recall_report,
    a_row,
    an_accepted,
    the_budgets,
    with_facts,
    with_fault,
    with_row,
    without,
)

PUBLISHED_CHECKS = {
    "document-hybrid.minRecallAt5": 0.85,
    "document-hybrid.minNdcgAt5": 0.85,
    "document-hybrid.maxP95LatencyMs": 750,
    "document-vector.minRecallAt5": 0.85,
    "document-vector.minNdcgAt5": 0.85,
    "document-vector.maxP95LatencyMs": 750,
    "document-keyword.minRecallAt5": 0.25,
    "document-keyword.maxP95LatencyMs": 750,
    "searchMemories-vector.minRecallAt5": 0.85,
    "searchMemories-vector.minNdcgAt5": 0.85,
    "searchMemories-vector.maxP95LatencyMs": 750,
    "keyword-chat-bm25.minRecallAt5": 0.30,
    "keyword-chat-bm25.maxP95LatencyMs": 750,
    "facts-provider-keyword.minRecallAt5": 0.80,
    "facts-provider-keyword.maxP95LatencyMs": 750,
    "keyword-morph-stemmed.minRecallAt5": 0.60,
    "keyword-morph-stemmed.maxP95LatencyMs": 750,
    "failOpen.minObservableRecallDrop": 0.30,
    "stemming.minRecallLift": 0.40,
}
"""The checks of the public bench, with its limits."""


def judged(report: Report) -> Report:
    """Judge *report* by the committed budgets and the values of a sound run."""
    return checked(report, the_budgets(), an_accepted())


def failed(report: Report) -> list[str]:
    """Name the checks that fail."""
    return [check.name for check in judged(report).checks if not check.passed]


def test_sound_run_passes_every_check() -> None:
    report = judged(a_recall_report())

    assert failed(report) == []
    assert exit_code(report) is ExitCode.PASSED


def test_the_published_checks_are_all_there_with_their_limits() -> None:
    checks = {check.name: check for check in judged(a_recall_report()).checks}
    limits = {}
    for name in PUBLISHED_CHECKS:
        check = checks[name]
        limits[name] = check.most if check.least is None else check.least

    assert limits == PUBLISHED_CHECKS


def test_no_two_checks_share_a_name() -> None:
    names = [check.name for check in judged(a_recall_report()).checks]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", list(the_budgets().rows))
def test_missing_row_fails_and_takes_no_check_away(name: str) -> None:
    whole = judged(a_recall_report()).checks
    damaged = judged(without(a_recall_report(), name))

    assert [check.name for check in damaged.checks] == [check.name for check in whole]
    assert {f"{name}.queries", f"{name}.recall@5", f"{name}.maxP95LatencyMs"} <= set(
        failed(damaged)
    )
    assert exit_code(damaged) is ExitCode.GATE_FAILED


def test_skipped_row_fails_with_its_reason() -> None:
    report = with_row(
        a_recall_report(),
        "facts-decay",
        queries=0,
        metrics={},
        rankings=(),
        latency=None,
        skip_reason="the daemon does not announce 'facts'",
    )
    why = {check.name: check.why for check in judged(report).checks}

    assert "facts-decay.recall@5" in failed(report)
    assert why["facts-decay.recall@5"] == "the daemon does not announce 'facts'"


def test_row_that_no_budget_speaks_of_fails() -> None:
    report = a_recall_report()
    stranger = a_row("document-magic", the_budgets().rows["document-vector"])
    rows = (*report.configurations, stranger)

    damaged = report.model_copy(update={"configurations": rows})

    assert failed(damaged) == ["rows.unexpected"]


# recall@5 of the hybrid row of the 1k tier at vector weights 0, 0.3, 0.5, 0.7 and 1,
# and with the vector pool cut to ten. The public floor of 0.85 sees the last alone.
@pytest.mark.parametrize("recall", [0.925, 0.930, 0.9495, 0.960, 0.965, 0.845])
def test_wrong_fusion_weight_fails(recall: float) -> None:
    metrics = {"recall@5": recall, "ndcg@5": 0.957264, "mrr": 0.9875}
    report = with_row(a_recall_report(), "document-hybrid", metrics=metrics)

    assert "document-hybrid.recall@5" in failed(report)


@pytest.mark.parametrize("metric", ["recall@5", "ndcg@5", "mrr"])
@pytest.mark.parametrize("move", [2e-6, -2e-6])
def test_move_beyond_a_millionth_fails_and_less_is_rounding(
    metric: str, move: float
) -> None:
    names = ("recall@5", "ndcg@5", "mrr")
    exact = dict(zip(names, PUBLISHED["document-keyword"], strict=True))
    moved = {**exact, metric: exact[metric] + move}
    rounded = {**exact, metric: exact[metric] + move / 4}

    report = a_recall_report()

    assert failed(with_row(report, "document-keyword", metrics=moved)) == [
        f"document-keyword.{metric}"
    ]
    assert failed(with_row(report, "document-keyword", metrics=rounded)) == []


def test_keyword_scan_that_misses_old_documents_fails() -> None:
    metrics = {"recall@5": 0.0, "ndcg@5": 0.0, "mrr": 0.0}
    report = with_row(a_recall_report(), "document-keyword", metrics=metrics)

    assert "document-keyword.minRecallAt5" in failed(report)


@pytest.mark.parametrize("metric", ["recall@5", "ndcg@5", "mrr"])
def test_metric_that_was_not_measured_fails(metric: str) -> None:
    metrics = {"recall@5": 0.965, "ndcg@5": 0.973855, "mrr": 1.0}
    del metrics[metric]
    report = with_row(a_recall_report(), "document-vector", metrics=metrics)

    assert f"document-vector.{metric}" in failed(report)


def test_latency_that_was_not_measured_fails_its_ceiling() -> None:
    report = with_row(a_recall_report(), "document-vector", latency=None)

    assert failed(report) == ["document-vector.maxP95LatencyMs"]


def test_fewer_queries_than_accepted_fail() -> None:
    row = a_row("document-vector", the_budgets().rows["document-vector"])
    report = with_row(
        a_recall_report(), "document-vector", queries=3, rankings=row.rankings[:3]
    )

    assert failed(report) == ["document-vector.queries"]


@pytest.mark.parametrize(
    ("mode", "name"), [("vector", "failOpen"), ("hybrid", "failOpenHybrid")]
)
@pytest.mark.parametrize("drop", [0.29, None])
def test_fall_that_cannot_be_seen_fails_in_either_mode(
    mode: str, name: str, drop: float | None
) -> None:
    facts = a_recall_report().recall
    assert facts is not None
    fail_open = tuple(
        each.model_copy(update={"drop": drop}) if each.mode == mode else each
        for each in facts.fail_open
    )
    report = with_facts(a_recall_report(), fail_open=fail_open)

    assert failed(report) == [f"{name}.minObservableRecallDrop"]


def test_mode_whose_fail_open_was_not_tried_fails() -> None:
    vector = FailOpen(
        mode="vector", healthy_recall=0.965, degraded_recall=0.37, drop=0.595
    )
    report = with_facts(a_recall_report(), fail_open=(vector,))

    assert failed(report) == ["failOpenHybrid.minObservableRecallDrop"]


@pytest.mark.parametrize(
    "row", ["document-vector-failopen", "document-hybrid-failopen"]
)
def test_fail_open_row_must_repeat_the_keyword_row(row: str) -> None:
    budget = the_budgets().rows[row]
    rankings = a_row(row, budget).rankings
    other = (ScoredHit(document="doc-9-9", score=1.0),)
    changed = (rankings[0].model_copy(update={"hits": other}), *rankings[1:])
    report = with_row(a_recall_report(), row, rankings=changed)

    assert failed(report) == [f"{row}.sameAs.document-keyword"]


def test_fall_that_is_not_marked_fails() -> None:
    assert failed(with_answers("document-vector-failopen", degraded=None)) == [
        "document-vector-failopen.effective"
    ]


def test_silent_answer_by_keyword_fails_though_its_recall_is_right() -> None:
    assert failed(with_answers("document-vector", effective="keyword")) == [
        "document-vector.effective"
    ]


def test_fall_without_a_fault_fails() -> None:
    code = "memcastle::embed::timeout"

    assert failed(with_answers("document-hybrid", degraded=code)) == [
        "document-hybrid.effective"
    ]


def test_question_without_a_vector_may_be_answered_by_keyword_if_it_says_so() -> None:
    zero = {"effective": "keyword", "degraded": "memcastle::embed::zero_vector"}

    assert failed(with_answers("scripts-hybrid", **zero)) == []
    assert failed(with_answers("scripts-hybrid", effective="keyword")) == [
        "scripts-hybrid.effective"
    ]


@pytest.mark.parametrize(
    ("stemming", "wanted"),
    [
        ((1.0, 0.05, 0.05, 0.39), ["stemming.minRecallLift"]),
        ((1.0, 0.05, 0.05, None), ["stemming.minRecallLift"]),
        ((1.0, 0.05, 0.61, 0.95), ["stemming.minSameRankerLift"]),
        ((1.0, 0.05, None, 0.95), ["stemming.minSameRankerLift"]),
    ],
)
def test_stemming_must_lift_over_both_rankers(
    stemming: tuple[float, float, float | None, float | None], wanted: list[str]
) -> None:
    stemmed, unstemmed, same_ranker, lift = stemming
    found = Stemming(
        stemmed_recall=stemmed,
        unstemmed_recall=unstemmed,
        same_ranker_recall=same_ranker,
        lift=lift,
    )

    assert failed(with_facts(a_recall_report(), stemming=found)) == wanted


def test_vector_that_is_no_better_than_keyword_fails_the_relation() -> None:
    # Even where the new values were accepted: a relation is not in the baseline.
    close = {"recall@5": 0.66, "ndcg@5": 0.422454, "mrr": 0.6667}
    report = a_recall_report()
    for name in (
        "document-keyword",
        "document-vector-failopen",
        "document-hybrid-failopen",
    ):
        report = with_row(report, name, metrics=close)
    accepted = checked(report, the_budgets(), an_accepted(report))
    broken = [check.name for check in accepted.checks if not check.passed]

    assert broken == ["document-hybrid.above.document-keyword"]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"codes": {}}, "degraded"),
        ({"codes": {"memcastle::embed::timeout": 4}}, "degraded"),
        ({"fault_recall": 0.0}, "recall@5"),
        ({"fault_recall": None}, "recall@5"),
        ({"recovered_recall": 0.37}, "lostForGood"),
        ({"recovered_recall": None}, "lostForGood"),
        ({"queries_to_recover": 1}, "queriesToRecover"),
        ({"queries_to_recover": None}, "queriesToRecover"),
        ({"fault_max_ms": 4_001.0}, "maxLatencyMs"),
        ({"fault_max_ms": None}, "maxLatencyMs"),
        ({"ingest": "half stored"}, "stored"),
        ({"ingest": "stored"}, "stored"),
        ({"ingest": None}, "stored"),
        ({"queries": 3}, "queries"),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_fault_that_is_not_survived_fails(
    change: dict[str, object], rule: str, mode: str
) -> None:
    report = with_fault(a_recall_report(), "garbage", mode, **change)

    assert f"fault-garbage-{mode}.{rule}" in failed(report)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"fault_recall": 0.37}, "recall@5"),
        ({"codes": {"memcastle::embed::timeout": 1}}, "degraded"),
        ({"ingest": "refused"}, "stored"),
    ],
    ids=str,
)
def test_slow_embedder_within_its_limits_may_lose_nothing(
    change: dict[str, object], rule: str
) -> None:
    report = with_fault(a_recall_report(), "slow", "vector", **change)

    assert failed(report) == [f"fault-slow-vector.{rule}"]


def test_fault_that_was_not_tried_fails_every_check_about_it() -> None:
    facts = a_recall_report().recall
    assert facts is not None
    kept = tuple(fault for fault in facts.faults if fault.fault != "nan")
    names = failed(with_facts(a_recall_report(), faults=kept))

    assert len(names) == 16
    assert {name.split(".")[0] for name in names} == {
        "fault-nan-vector",
        "fault-nan-hybrid",
    }


def test_fault_answered_without_asking_the_embedder_fails() -> None:
    reached = {"requests": 0, "inputs": 0}
    facts = a_recall_report().recall
    assert facts is not None
    embedded = facts.faults[0].embedder.model_copy(update=reached)
    report = with_fault(a_recall_report(), "error", "vector", embedder=embedded)
    refused = with_fault(a_recall_report(), "refuse", "vector", embedder=embedded)

    assert failed(report) == ["fault-error-vector.embedderRequests"]
    assert failed(refused) == []


@pytest.mark.parametrize("name", ["known", "in_scope", "visible", "repeatable", "ran"])
def test_invariant_that_nothing_was_held_against_fails(name: str) -> None:
    report = a_recall_report()
    kept = tuple(each for each in report.invariants if each.name != name)

    assert failed(report.model_copy(update={"invariants": kept})) == [
        f"invariant.{name}.checked"
    ]


def test_broken_invariant_fails_though_every_figure_is_right() -> None:
    report = judged(with_violation(a_recall_report()))

    assert failed(report) == ["invariant.ran.violations"]
    assert exit_code(report) is ExitCode.GATE_FAILED


def test_lost_check_is_itself_a_failed_check() -> None:
    budgets = the_budgets()
    fewer = budgets.model_copy(update={"above": budgets.above[:-1]})
    report = checked(a_recall_report(), fewer, an_accepted())

    assert [each.name for each in report.checks if not each.passed] == ["checks.made"]


def test_every_failed_check_without_a_value_says_why() -> None:
    report = judged(a_recall_report(rows=[]))
    unmeasured = [check for check in report.checks if check.value is None]

    assert unmeasured
    assert all(check.why for check in unmeasured)


def test_nothing_measured_ends_with_two_and_not_with_one() -> None:
    assert exit_code(judged(a_recall_report(rows=[]))) is ExitCode.NOTHING_MEASURED


def test_run_that_nobody_judged_does_not_pass() -> None:
    assert exit_code(a_recall_report()) is ExitCode.GATE_FAILED


def test_one_failed_check_ends_with_one() -> None:
    report = judged(with_row(a_recall_report(), "deletes", latency=None))

    assert exit_code(report) is ExitCode.GATE_FAILED


def with_answers(row: str, **changed: object) -> Report:
    """Change what every answer of one row says of itself."""
    report = a_recall_report()
    found = next(each for each in report.configurations if each.name == row)
    answers = tuple(each.model_copy(update=changed) for each in found.rankings)
    return with_row(report, row, rankings=answers)


def with_violation(report: Report) -> Report:
    """Break the last invariant once."""
    violation = Violation(
        configuration="document-vector",
        query="q-0",
        rank=0,
        document="(nothing)",
        reason="no text reached the embedder for it",
    )
    broken = Invariant(name="ran", checked=20, violations=(violation,))
    return report.model_copy(update={"invariants": (*report.invariants[:-1], broken)})
