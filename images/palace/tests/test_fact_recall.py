"""Which facts a question calls up, in which order, with which worth."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import exp

import pytest

from palace.documents.constants import RECALL
from palace.documents.facts import (
    Recalled,
    best_of_kind,
    prior,
    query_terms,
    search_text,
)
from palace.documents.facts_store import FactRow, Kind

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def a_fact(
    text: str = "the user likes tea",
    *,
    seq: int = 1,
    kind: Kind = "durable",
    confidence: float | None = 0.9,
    keywords: Sequence[str] = (),
    fields: dict[str, object] | None = None,
    age_days: float | None = None,
) -> FactRow:
    valid_at = None if age_days is None else NOW - timedelta(days=age_days)
    return FactRow(
        seq, uuid.uuid4(), uuid.uuid4(), kind, text, "identity", confidence, keywords,
        fields or {}, valid_at, NOW,
    )  # fmt: skip


def seqs_of(recalled: list[Recalled]) -> list[int]:
    return [each.fact.seq for each in recalled]


def test_common_short_and_repeated_words_are_not_looked_for() -> None:
    got = query_terms("What does the user, a user of py-311, drink at 7?", RECALL)

    assert got == ["user", "311", "drink"]


def test_frequent_words_are_looked_for_first_and_sixteen_at_most() -> None:
    many = " ".join(f"word{number}" for number in range(20))

    got = query_terms(f"{many} word18 word7 word18", RECALL)

    assert got[:3] == ["word18", "word7", "word0"]
    assert len(got) == 16


def test_words_of_other_scripts_are_looked_for() -> None:
    assert query_terms("猫 🎉 чай", RECALL) == ["猫", "🎉", "чай"]


def test_a_fact_is_found_by_text_category_keywords_and_fields() -> None:
    fact = a_fact(
        "likes tea",
        keywords=["Green-Tea", "the"],
        fields={"shop": {"name": "Leaf", "since": 2020, "open": True}, "tags": ["x"]},
    )

    got = search_text(fact, RECALL)

    assert got == "likes tea identity green tea Leaf 2020 x"


def test_what_shares_no_word_is_not_called_up() -> None:
    facts = [a_fact("likes coffee", seq=2), a_fact("likes tea", seq=1)]

    assert seqs_of(best_of_kind("tea", facts, NOW, RECALL)) == [1]


def test_the_score_is_relevance_times_prior() -> None:
    facts = [
        a_fact("green tea", seq=2, confidence=0.5),
        a_fact("green tea", seq=1, confidence=0.8),
    ]

    got = best_of_kind("tea", facts, NOW, RECALL)

    assert [(each.fact.seq, each.relevance, each.prior) for each in got] == [
        (1, 1.0, 0.8),
        (2, 1.0, 0.5),
    ]
    assert [each.score for each in got] == [0.8, 0.5]


def test_a_durable_fact_does_not_fade() -> None:
    assert prior(a_fact(age_days=1000), NOW, RECALL) == 0.9


@pytest.mark.parametrize(
    ("age_days", "weight"),
    [(0, 1.0), (14, exp(-1)), (9.704, 0.5), (28, exp(-2)), (-5, 1.0)],
)
def test_a_current_fact_falls_to_a_share_e_in_fourteen_days(
    age_days: float, weight: float
) -> None:
    fact = a_fact(kind="current", age_days=age_days, confidence=1.0)

    assert prior(fact, NOW, RECALL) == pytest.approx(weight, abs=1e-4)


def test_age_counts_from_storing_where_nothing_else_is_said() -> None:
    fact = a_fact(kind="current", confidence=1.0)

    got = prior(fact, NOW + timedelta(days=14), RECALL)

    assert got == pytest.approx(exp(-1))


@pytest.mark.parametrize(("given", "wanted"), [(None, 0.6), (1.7, 1.0), (-1.0, 0.0)])
def test_confidence_has_a_default_and_bounds(
    given: float | None, wanted: float
) -> None:
    assert prior(a_fact(confidence=given), NOW, RECALL) == wanted


def test_the_younger_of_two_alike_current_facts_leads() -> None:
    facts = [
        a_fact("busy with tea", seq=2, kind="current", age_days=20),
        a_fact("busy with tea", seq=1, kind="current", age_days=2),
    ]

    assert seqs_of(best_of_kind("tea", facts, NOW, RECALL)) == [1, 2]


def test_six_of_a_kind_are_called_up_and_the_newest_of_equals() -> None:
    facts = [a_fact("green tea", seq=seq) for seq in range(9, 0, -1)]

    assert seqs_of(best_of_kind("tea", facts, NOW, RECALL)) == [9, 8, 7, 6, 5, 4]


def test_the_oldest_of_equals_lead_if_so_configured() -> None:
    facts = [a_fact("green tea", seq=seq) for seq in range(9, 0, -1)]
    constants = replace(RECALL, tie_order="oldest", facts_per_kind=2)

    assert seqs_of(best_of_kind("tea", facts, NOW, constants)) == [1, 2]


def test_the_surest_durable_facts_stand_in_when_none_matches() -> None:
    facts = [a_fact(seq=seq, confidence=seq / 10) for seq in range(9, 0, -1)]

    got = best_of_kind("submarine", facts, NOW, RECALL)

    assert seqs_of(got) == [9, 8, 7, 6, 5, 4]
    assert {each.score for each in got} == {0.0}


def test_current_facts_never_stand_in() -> None:
    facts = [a_fact(kind="current", age_days=1)]

    assert best_of_kind("submarine", facts, NOW, RECALL) == []


def test_no_facts_call_up_none() -> None:
    assert best_of_kind("tea", [], NOW, RECALL) == []
