"""Figures by hand: every mean has its set, its gold, its count and its chance."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.dataset.longmemeval.errata import Errata, Erratum
from harness.dataset.longmemeval.policies import GoldPolicy, QuestionSet
from harness.measure.longmemeval.figures import Scores, figures, result_of, returned
from harness.measure.longmemeval.records import Answer, QuestionRecord
from harness.report.longmemeval import Figure
from tests.haystack_runs import a_file, a_palace, a_plan, facts_of, measured
from tests.haystacks import said, with_sessions


def a_record(
    index: int,
    ranking: str,
    *,
    gold: Mapping[GoldPolicy, str] | None = None,
    sets: tuple[QuestionSet, ...] = ("all", "answerable", "official"),
    kind: str = "multi-session",
    pool: int = 10,
) -> QuestionRecord:
    """Record a question whose ranking and gold are letters."""
    golds = gold or {"answer_session_ids": "a", "user_turn": "a"}
    return QuestionRecord(
        index=index,
        id=f"q{index}",
        type=kind,
        sets=sets,
        unscored=None if "answerable" in sets else "abstention",
        asked=True,
        gold={name: tuple(letters) for name, letters in golds.items()},
        pool=dict.fromkeys(golds, pool),
        sessions=10,
        documents=10,
        blank=0,
        characters=100,
        defects={},
        answers=(
            Answer(
                configuration="lexical",
                hits=tuple((letter, None) for letter in ranking),
                checked=len(ranking),
                service_s=0.002,
                first_byte_s=0.001,
                round_trip_s=0.003,
            ),
        ),
    )


RECORDS = (
    # Evidence of the assistant alone: not in the official set, no gold by user turns.
    a_record(
        0,
        "xa",
        gold={"answer_session_ids": "a", "user_turn": ""},
        sets=("all", "answerable"),
        kind="single-session-assistant",
    ),
    a_record(1, "axb", gold={"answer_session_ids": "ab", "user_turn": "b"}),
    a_record(2, "xxx"),
    a_record(3, "a", sets=("all",)),
)


def found() -> dict[tuple[str, str, str], Figure]:
    """Return the figures of the records by metric, gold and set."""
    return {
        (each.metric, each.gold, each.question_set): each
        for each in figures(
            RECORDS, ("lexical",), ("answer_session_ids", "user_turn"), Scores()
        )
    }


@pytest.mark.parametrize(
    ("metric", "gold", "question_set", "questions", "value"),
    [
        # Reciprocal ranks 1/2, 1, 0 and 1.
        ("mrr", "answer_session_ids", "all", 4, 2.5 / 4),
        ("mrr", "answer_session_ids", "answerable", 3, 1.5 / 3),
        ("mrr", "answer_session_ids", "official", 2, 1.0 / 2),
        # By user turns q0 has no gold, and q1 has its gold at rank 3.
        ("mrr", "user_turn", "all", 3, (1 / 3 + 0 + 1) / 3),
        ("mrr", "user_turn", "answerable", 2, (1 / 3) / 2),
        ("hit@1", "answer_session_ids", "all", 4, 2 / 4),
        ("all@3", "answer_session_ids", "answerable", 3, 2 / 3),
        ("all@1", "answer_session_ids", "answerable", 3, 0.0),
        ("recall@1", "answer_session_ids", "answerable", 3, 0.5 / 3),
        # One gold at rank 2: 1 in the official form, 1/log2(3) in the textbook's.
        ("ndcg_official@5", "answer_session_ids", "official", 2, 0.8155 / 2),
        ("ndcg@5", "answer_session_ids", "official", 2, 0.9197 / 2),
    ],
)
def test_a_figure_is_the_mean_over_its_own_questions(
    metric: str, gold: str, question_set: str, questions: int, value: float
) -> None:
    figure = found()[metric, gold, question_set]
    assert figure.questions == questions
    assert math.isclose(figure.value, value, abs_tol=5e-5)


def test_chance_is_averaged_as_the_metric_is() -> None:
    # Of 10 things: one gold, two gold, one gold.
    hit = found()["hit@1", "answer_session_ids", "answerable"].chance
    every = found()["all@1", "answer_session_ids", "answerable"].chance
    assert hit is not None
    assert math.isclose(hit, (0.1 + 0.2 + 0.1) / 3)
    assert every is not None
    assert math.isclose(every, (0.1 + 0.0 + 0.1) / 3)
    assert found()["mrr", "answer_session_ids", "all"].chance is None


def test_the_headline_is_of_scored_questions_by_type() -> None:
    result = result_of(
        "lexical", RECORDS, "answer_session_ids", Scores(), headline=True
    )
    assert result.queries == 3
    assert result.category_queries == {
        "multi-session": 2,
        "single-session-assistant": 1,
    }
    assert result.by_category["multi-session"]["hit@1"] == 0.5
    assert result.metrics["mrr"] == 0.5
    assert result.rankings[1].grades == {"a": 1, "b": 1}


def test_without_a_headline_the_rankings_stay() -> None:
    result = result_of(
        "lexical", RECORDS, "answer_session_ids", Scores(), headline=False
    )
    assert (result.metrics, result.by_category) == ({}, {})
    assert len(result.rankings) == 3


def test_what_did_not_come_back_is_counted() -> None:
    count = returned("lexical", RECORDS, "answer_session_ids")
    assert (count.asked, count.pool, count.unreturned) == (4, 40, 40 - 9)


def test_errata_give_corrected_figures_beside_the_raw_ones(tmp_path: Path) -> None:
    sessions = {
        "wrong": [said("user", "where is ann", True)],
        "right": [said("user", "where does ann live she moved to oslo")],
    }
    entries = [
        with_sessions(
            sessions, ["wrong"], question_id=name, question="where does ann live"
        )
        for name in ("moved", "doubted", "kept")
    ]
    listed = {
        name: Erratum(name, "evidence", "it is another session", "a reader", gold)
        for name, gold in (("moved", ("right",)), ("doubted", None))
    }
    errata = Errata("errata.toml", "ab" * 32, listed)
    plan = a_plan(a_file(tmp_path, *entries), errata=errata)
    facts = facts_of(measured(plan, a_palace()))

    def hit(figures: tuple[Figure, ...]) -> tuple[int, float]:
        (figure,) = (
            each
            for each in figures
            if (each.metric, each.gold, each.question_set)
            == ("hit@1", "answer_session_ids", "all")
        )
        return figure.questions, figure.value

    assert facts.errata is not None
    assert facts.errata.regraded == ("moved",)
    assert facts.errata.left_out == ("doubted",)
    # The search prefers "right" each time; only "moved" is graded by it.
    assert hit(facts.figures) == (3, 0.0)
    assert hit(facts.errata.figures) == (2, 0.5)
