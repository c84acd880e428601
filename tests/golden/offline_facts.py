"""A plain model of how facts about a user are ranked: by words alone, faded by age."""

import math
import re
from collections.abc import Sequence
from datetime import datetime

from harness.dataset.recall.model import FactDocument
from tests.golden.offline_recall import bm25, by_best
from tests.golden.offline_terms import STOP_WORDS, ascii_terms

PER_KIND = 6
MOST_TERMS = 16
TAU_DAYS = 14


def query_terms(text: str) -> list[str]:
    """Return the distinct terms of a message that facts are looked up by."""
    terms = [
        term
        for term in re.sub("[^a-z0-9]", " ", text.lower()).split()
        if len(term) >= (2 if term.isdigit() else 3) and term not in STOP_WORDS
    ]
    distinct = dict.fromkeys(terms)
    return sorted(distinct, key=lambda term: -terms.count(term))[:MOST_TERMS]


def rank_facts(
    query: str, facts: Sequence[FactDocument], *, now: str | None = None
) -> list[str]:
    """Return the ids of the facts that answer, durable ones first, best first.

    Args:
        query: The message.
        facts: In the order they were written; of equal ones the newest comes first.
        now: When it is asked; a fact without a time was written just then.
    """
    durable = [fact for fact in facts if fact.kind == "durable"]
    current = [fact for fact in facts if fact.kind == "current"]
    terms = query_terms(query)
    if not terms:
        return []
    found = _ranked(terms, durable, now)
    if not found:
        newest_first = durable[::-1]
        by_prior = sorted(newest_first, key=lambda fact: -_prior(fact, now))
        found = [fact.id for fact in by_prior[:PER_KIND]]
    return found + _ranked(terms, current, now)


def _ranked(
    terms: Sequence[str], facts: Sequence[FactDocument], now: str | None
) -> list[str]:
    newest_first = list(reversed(facts))
    texts = [ascii_terms(_searched(fact)) for fact in newest_first]
    relevances = by_best(bm25(terms, texts, k1=1.5, b=0.75))
    scored = [
        (relevance * _prior(fact, now), fact.id)
        for relevance, fact in zip(relevances, newest_first, strict=True)
    ]
    best = sorted(scored, key=lambda pair: -pair[0])
    return [identity for score, identity in best if score > 0][:PER_KIND]


def _searched(fact: FactDocument) -> str:
    return " ".join((fact.text, fact.category, *fact.keywords))


def _prior(fact: FactDocument, now: str | None) -> float:
    """Return the confidence of *fact*, faded with its age unless it is durable."""
    if fact.kind == "durable" or fact.valid_at is None or now is None:
        return fact.confidence
    age = datetime.fromisoformat(now) - datetime.fromisoformat(fact.valid_at)
    return fact.confidence * math.exp(-age.total_seconds() / 86400 / TAU_DAYS)
