"""Facts about a user: those of recall-bench, and a slice of ours on their ageing."""

from datetime import UTC, datetime, timedelta

from harness.dataset.recall.model import (
    FactDocument,
    FactSlice,
    RecallQuery,
    Tier,
)
from harness.dataset.recall.tiers import ROOTS, TIERS, query_form

_DISTRACTORS = 30

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
"""The moment at which the ageing facts are asked for."""

# What the ageing facts are about; no word of one is a word of another.
_CROWDS = (
    "harbour office",
    "marathon training",
    "kitchen renovation",
    "violin lessons",
)
_PAIRS = (
    "dentist appointment",
    "rented bicycle",
    "chess tournament",
    "visiting cousin",
)
# A store may keep equal texts once, so one word sets each apart; no query has it.
_MARKS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove")

_CROWD_AGES = (0.5, 3, 10, 20, 40, 80, 160)
"""Days. With equal confidence the first must lead, and a list of six drops the last."""

_CROWD_CONFIDENCE = 0.8

_PAIR_AGES = (
    (1, 0.6, 15, 0.6),
    (1, 0.5, 28, 1.0),
    (1, 0.6, 8, 0.95),
    (8, 0.95, 1, 0.56),
)
"""Age in days and confidence of the fact that must lead, then of the other.

With a time constant of 14 days the leads are 2.7, 3.4, 1.04 and 1.03 to 1. In the
first two nothing but decay can lead. The third pair changes places where 14 days are
taken for the half-life, the fourth where they are shortened to ten.
"""


def recall_facts(tier: Tier) -> tuple[FactDocument, ...]:
    """Make the facts of *tier*: one that answers each query, then 30 distractors.

    All are durable and equally confident; `FactDocument.answers` names the query of
    the tier's main corpus, each of which has exactly one relevant fact.
    """
    topics = TIERS[tier].topics
    answers = [
        _durable(
            f"fact-{topic}",
            topic,
            "the user configured the {} subsystem and relies on {}",
            f"q-{topic}",
        )
        for topic in range(topics)
    ]
    distractors = [
        _durable(
            f"fact-distractor-{number}",
            topics + number,
            "the user noted the {} subsystem in passing",
            None,
        )
        for number in range(_DISTRACTORS)
    ]
    return (*answers, *distractors)


def facts_decay_slice() -> FactSlice:
    """Make facts that differ in age, and in nothing else that a query could see.

    Category ``crowd``: seven facts of one wording and confidence, of which the youngest
    is relevant. It is written first in half of the crowds and last in the others, so
    that no order of ties helps. Category ``pair``: two facts, of which the one whose
    confidence is the greater after it faded with its age is relevant.
    """
    facts: list[FactDocument] = []
    queries: list[RecallQuery] = []
    for number, topic in enumerate(_CROWDS):
        query = RecallQuery(f"crowd-query-{number}", topic, (_id(number, 0),), "crowd")
        crowd = [
            _current(_id(number, place), query, place, age, _CROWD_CONFIDENCE)
            for place, age in enumerate(_CROWD_AGES)
        ]
        queries.append(query)
        facts += reversed(crowd) if number % 2 else crowd
    for number, topic in enumerate(_PAIRS):
        identity = f"pair-{number}-leading"
        query = RecallQuery(f"pair-query-{number}", topic, (identity,), "pair")
        age, confidence, other_age, other_confidence = _PAIR_AGES[number]
        other = f"pair-{number}-other"
        pair = [
            _current(identity, query, 0, age, confidence),
            _current(other, query, 1, other_age, other_confidence),
        ]
        queries.append(query)
        facts += reversed(pair) if number % 2 else pair
    return FactSlice("facts-decay", _written(NOW), tuple(facts), tuple(queries))


def _durable(
    identity: str, tag: int, wording: str, answers: str | None
) -> FactDocument:
    root = ROOTS[tag % len(ROOTS)]
    keywords = (f"{root}{tag}", query_form(root, tag))
    return FactDocument(
        identity,
        wording.format(*keywords),
        "durable",
        "identity",
        keywords,
        0.9,
        answers,
    )


def _id(crowd: int, place: int) -> str:
    return f"crowd-{crowd}-{place}"


def _current(
    identity: str, query: RecallQuery, mark: int, age_days: float, confidence: float
) -> FactDocument:
    return FactDocument(
        identity,
        f"the user is busy with the {query.text}, note {_MARKS[mark]}",
        "current",
        "working_on",
        tuple(query.text.split()),
        confidence,
        query.id if identity in query.relevant else None,
        _written(NOW - timedelta(days=age_days)),
    )


def _written(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
