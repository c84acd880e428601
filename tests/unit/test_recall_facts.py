"""The facts of the recall tiers: the published ones, and ours that age."""

import math
from datetime import datetime

import pytest

from harness.dataset.recall.facts import facts_decay_slice, recall_facts
from harness.dataset.recall.model import FactDocument, Tier, digest
from harness.dataset.recall.tiers import recall_corpus

DAY = 86400


@pytest.mark.parametrize(("tier", "facts"), [("smoke", 36), ("1k", 70), ("10k", 70)])
def test_a_tier_has_the_published_number_of_facts(tier: Tier, facts: int) -> None:
    assert len(recall_facts(tier)) == facts


def test_the_facts_are_the_same_twice() -> None:
    assert recall_facts("1k") == recall_facts("1k")


def test_an_answer_and_a_distractor_read_as_published() -> None:
    facts = recall_facts("1k")

    assert facts[0] == FactDocument(
        "fact-0",
        "the user configured the configure0 subsystem and relies on configureing0",
        "durable",
        "identity",
        ("configure0", "configureing0"),
        0.9,
        "q-0",
    )
    # Tag 40 is the first distractor's, and root 40 is the first foreign one.
    assert (facts[40].id, facts[40].text, facts[40].keywords, facts[40].answers) == (
        "fact-distractor-0",
        "the user noted the annotate40 subsystem in passing",
        ("annotate40", "annotateing40"),
        None,
    )


def test_roots_of_distractors_begin_anew_after_the_fiftieth() -> None:
    last = recall_facts("1k")[-1]

    assert (last.id, last.keywords[0]) == ("fact-distractor-29", "replicate69")


@pytest.mark.parametrize("tier", ["smoke", "1k", "10k"])
def test_every_query_is_answered_by_exactly_one_fact(tier: Tier) -> None:
    answered = [fact.answers for fact in recall_facts(tier) if fact.answers]

    assert answered == [query.id for query in recall_corpus(tier).queries]


def test_the_ageing_facts_are_the_ones_that_figures_rest_on() -> None:
    ageing = facts_decay_slice()

    assert (len(ageing.facts), len(ageing.queries)) == (36, 8)
    assert digest(ageing.facts)[:16] == "0cbec4cedead7107"
    assert digest(ageing.queries)[:16] == "6346aae533369c9e"


def weight(fact: FactDocument, tau_days: float) -> float:
    assert fact.valid_at is not None
    now = datetime.fromisoformat(facts_decay_slice().now)
    age = now - datetime.fromisoformat(fact.valid_at)
    assert age.total_seconds() > 0
    return fact.confidence * math.exp(-age.total_seconds() / DAY / tau_days)


def leaders(tau_days: float) -> dict[str, str]:
    """Name, by query, the fact with the greatest weight of those it matches."""
    ageing = facts_decay_slice()
    return {
        query.id: max(
            (fact for fact in ageing.facts if query.text in fact.text),
            key=lambda fact: weight(fact, tau_days),
        ).id
        for query in ageing.queries
    }


def test_the_relevant_fact_is_the_one_that_faded_least() -> None:
    wanted = {query.id: query.relevant[0] for query in facts_decay_slice().queries}

    assert leaders(14) == wanted


@pytest.mark.parametrize("tau_days", [10, 14 / math.log(2), 28, math.inf])
def test_another_rate_of_decay_puts_another_fact_first(tau_days: float) -> None:
    assert leaders(tau_days) != leaders(14)


def test_facts_of_one_query_differ_in_age_and_a_mark_alone() -> None:
    ageing = facts_decay_slice()

    for query in ageing.queries:
        facts = [fact for fact in ageing.facts if query.text in fact.text]
        assert len({fact.text for fact in facts}) == len(facts)
        assert len({fact.text.rsplit(" ", 1)[0] for fact in facts}) == 1
        assert len({len(fact.text.split()) for fact in facts}) == 1
        if query.category == "crowd":
            assert {fact.confidence for fact in facts} == {0.8}


def test_the_youngest_of_a_crowd_is_written_first_or_last_in_turn() -> None:
    order = [fact.id for fact in facts_decay_slice().facts]

    firsts = [order.index(f"crowd-{number}-0") for number in range(4)]
    assert firsts == [0, 13, 14, 27]


def test_only_the_leading_fact_answers_its_query() -> None:
    ageing = facts_decay_slice()

    answers = {fact.answers: fact.id for fact in ageing.facts if fact.answers}
    assert answers == {query.id: query.relevant[0] for query in ageing.queries}
