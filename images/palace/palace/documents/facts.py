"""Which facts a question calls up: by words, by how sure they are and how fresh.

Durable and current facts are ranked apart, each kind by its own statistics, and durable
ones come first. A current fact fades with age; a durable one does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

import numpy as np

from palace.clock import to_datetime
from palace.core import Palace
from palace.documents import facts_store
from palace.documents.analysis import document_terms, is_whole
from palace.documents.bm25 import Formula, Scores, share_of_best
from palace.documents.constants import RankingConstants
from palace.documents.facts_store import FactRow, Kind

_SECONDS_A_DAY: Final = 86_400.0
_LEAST_LETTERS: Final = 3
_LEAST_DIGITS: Final = 2
_KINDS: Final[tuple[Kind, ...]] = ("durable", "current")

# A question is mostly made of these, and they would call up every fact.
_STOP_WORDS: Final = frozenset(
    (
        *("about", "after", "all", "also", "and", "any", "are", "but", "can", "could"),
        *("did", "does", "for", "from", "had", "has", "have", "her", "him", "his"),
        *("how", "into", "its", "just", "may", "not", "off", "one", "our", "out"),
        *("over", "own", "she", "should", "than", "that", "the", "their", "them"),
        *("then", "there", "these", "they", "this", "those", "too", "was", "were"),
        *("what", "when", "where", "which", "who", "why", "will", "with", "would"),
        *("you", "your"),
    )
)


class Recalled(NamedTuple):
    """A fact that was called up."""

    fact: FactRow
    relevance: float
    """How well its words match among the facts of its kind, 0 to 1."""
    prior: float
    """What it is worth whatever the question: confidence times freshness, 0 to 1."""

    @property
    def score(self) -> float:
        """Relevance times prior; what facts of one kind are ordered by."""
        return self.relevance * self.prior


class Recollection(NamedTuple):
    """The facts a question called up, and from how many."""

    facts: list[Recalled]
    scanned: int
    is_cut: bool
    """Whether `facts_scan` left facts of the room unread."""


async def recall(
    palace: Palace, query: str, place: tuple[str, str], now: datetime | None
) -> Recollection:
    """Call up facts of one room.

    Args:
        palace: Where to look.
        query: The question; one without a word to look for calls up nothing.
        place: The wing and the room, by name or id; an unknown one has no facts.
        now: What age is counted to; None for this moment.

    Raises:
        StoreUnavailable: Postgres is away.
    """
    constants = palace.settings.ranking
    wing = palace.memory.catalog.find_wing(place[0])
    room = wing and palace.memory.catalog.find_room(wing, place[1])
    if room is None or not query_terms(query, constants):
        return Recollection([], 0, False)
    moment = to_datetime(palace.clock.stamp()) if now is None else now
    found: list[Recalled] = []
    scanned, is_cut, most = 0, False, constants.facts_scan
    async with palace.read() as connection:
        for kind in _KINDS:
            # One more than is read tells whether any is left.
            facts = await facts_store.in_room(
                connection, room.id, kind, None if most is None else most + 1
            )
            candidates = facts[:most]
            is_cut = is_cut or len(candidates) < len(facts)
            scanned += len(candidates)
            found += best_of_kind(query, candidates, moment, constants)
    return Recollection(found, scanned, is_cut)


def best_of_kind(
    query: str, facts: Sequence[FactRow], now: datetime, constants: RankingConstants
) -> list[Recalled]:
    """Rank facts of one kind by their scores and return the best.

    Facts without a word of the question are left out. When that leaves no durable fact,
    those with the highest priors stand in: what is surest of a user is worth knowing
    whatever was asked.

    Args:
        query: The question.
        facts: All of one kind, newest first, which is also how ties are broken.
        now: What age is counted to.
        constants: How many, and how they are weighed.
    """
    if constants.tie_order == "oldest":
        facts = facts[::-1]
    relevances = share_of_best(_scores(query_terms(query, constants), facts, constants))
    recalled = [
        Recalled(fact, relevance, prior(fact, now, constants))
        for fact, relevance in zip(facts, relevances.tolist(), strict=True)
    ]
    scoring = [fact for fact in recalled if fact.score > 0]
    if scoring:
        scoring.sort(key=lambda fact: -fact.score)
    elif facts and facts[0].kind == "durable":
        scoring = sorted(recalled, key=lambda fact: -fact.prior)
    return scoring[: constants.facts_per_kind]


def prior(fact: FactRow, now: datetime, constants: RankingConstants) -> float:
    """Weigh a fact without looking at the question: its confidence, faded if current.

    A current fact keeps 1/e of its weight each `facts_tau_days`; one that becomes true
    only after *now* has all of it.
    """
    given = fact.confidence
    confidence = constants.facts_confidence if given is None else given
    confidence = min(max(confidence, 0.0), 1.0)
    if fact.kind == "durable":
        return confidence
    age_days = (now - (fact.valid_at or fact.created_at)).total_seconds()
    age_days = max(age_days / _SECONDS_A_DAY, 0.0)
    return confidence * exp(-age_days / constants.facts_tau_days)


def query_terms(text: str, constants: RankingConstants) -> list[str]:
    """Return what is looked for: distinct words, the most frequent first.

    Words as frequent as each other keep the order of the text. Common words, words of
    less than three letters and single digits say too little and are left out.
    """
    # The counter keeps the order of first occurrence, and so does the sort.
    counts = Counter(term for term in document_terms(text) if _says_something(term))
    return [term for term, _ in counts.most_common(constants.facts_query_terms)]


def search_text(fact: FactRow, constants: RankingConstants) -> str:
    """Return all that a fact is found by: text, category, keywords and fields."""
    keywords = query_terms(" ".join(fact.keywords), constants)
    fields = _flattened(fact.fields)
    return " ".join((fact.text, fact.category, *keywords, *fields))


def _says_something(term: str) -> bool:
    if term in _STOP_WORDS:
        return False
    least = _LEAST_DIGITS if term.isdecimal() else _LEAST_LETTERS
    return len(term) >= least or is_whole(term)


def _flattened(value: object) -> Iterator[str]:
    """Yield what stands in a JSON value, names of fields left out."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _flattened(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _flattened(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


# Facts are read anew for each question, and their words hardly ever change.
@lru_cache(maxsize=16_384)
def _counted(text: str) -> Counter[str]:
    return Counter(document_terms(text))


def _scores(
    terms: Sequence[str], facts: Sequence[FactRow], constants: RankingConstants
) -> Scores:
    """Score facts by the document ranker among themselves."""
    counted = [_counted(search_text(fact, constants)) for fact in facts]
    lengths = np.array([each.total() for each in counted], np.float64)
    scores = np.zeros(len(facts))
    if not lengths.any():
        return scores
    shares = lengths / lengths.mean()
    formula = Formula(constants.document_k1, constants.document_b)
    for term in terms:
        counts = np.array([each[term] for each in counted])
        (having,) = np.nonzero(counts)
        if len(having):
            scores[having] += formula.gains(counts[having], shares[having], len(facts))
    return scores
