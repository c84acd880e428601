"""The ways to ask a daemon for documents or facts.

A way says what it needs of a daemon, so that what cannot be asked is skipped with a
reason, and whether it embeds the query, so that the embedder's own count can prove that
it really ran.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from harness.daemon.documents import DocumentsClient
from harness.daemon.documents_wire import (
    FEATURE_DOCUMENTS,
    FEATURE_FACTS,
    FEATURE_FRAGMENTS_RANK,
    FEATURE_FRAGMENTS_SEARCH,
)
from harness.daemon.retrieval import DocumentMode, FactsAnswer, ModeAnswer, Ranker
from harness.daemon.search import RankingMode
from harness.daemon.timing import Instants
from harness.dataset.recall.model import RecallQuery
from harness.dataset.vectors.trigrams import TrigramModel

ROOM = "corpus"
"""Every wing has this one room: BM25 counts words over what is searched."""

RAW_VECTOR = "raw-vector"
"""The mode of a search by a vector of ours, as the contract names it."""

_MODEL = TrigramModel()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one query brought, whatever it was asked of."""

    hits: tuple[tuple[str, float], ...]
    """The daemon's id of document or fact, and the score, best first.

    Fragments of one document name it each.
    """
    mode: str | None
    """The mode the daemon understood, where it says so."""
    effective: str | None
    """The mode it says it answered in."""
    degraded: str | None
    """Its code for having fallen open; ``None`` where it did not."""
    embed_ms: float | None
    """What it says it waited for the query's vector."""
    descends: bool
    """Whether the scores fall from first to last; facts fall kind by kind."""
    cut: bool
    """Whether it says that a limit left fragments unread."""
    instants: Instants


class Way(Protocol):
    """How a query is put to a daemon."""

    @property
    def feature(self) -> str:
        """What the daemon must announce."""

    @property
    def ranking(self) -> RankingMode:
        """What the ranking rests on, as the report names it."""

    @property
    def mode(self) -> str:
        """The mode that a healthy daemon answers in."""

    @property
    def embeds(self) -> bool:
        """Whether the daemon must embed the query to answer it."""

    def ask(
        self, client: DocumentsClient, query: RecallQuery, wing: str, limit: int
    ) -> Found:
        """Ask one query of one wing.

        Args:
            client: The daemon.
            query: What is asked.
            wing: Where; its only room is `ROOM`.
            limit: Most hits, where the way takes a limit.
        """


@dataclass(frozen=True, slots=True)
class BySearch:
    """Search documents in one of the three modes."""

    mode: DocumentMode

    feature = FEATURE_DOCUMENTS

    @property
    def ranking(self) -> RankingMode:
        """What the ranking rests on."""
        match self.mode:
            case "hybrid":
                return "hybrid"
            case "vector":
                return "semantic"
            case "keyword":
                return "lexical"

    @property
    def embeds(self) -> bool:
        """Only a keyword search needs no vector."""
        return self.mode != "keyword"

    def ask(
        self, client: DocumentsClient, query: RecallQuery, wing: str, limit: int
    ) -> Found:
        """Ask with the daemon's own threshold."""
        answer = client.search(
            query.text, mode=self.mode, wing=wing, room=ROOM, limit=limit
        )
        return _of_fragments(answer)


@dataclass(frozen=True, slots=True)
class ByVector:
    """Search fragments by a vector made here: the store alone, without its embedder."""

    feature = FEATURE_FRAGMENTS_SEARCH
    ranking: RankingMode = "semantic"
    mode = RAW_VECTOR
    embeds = False

    def ask(
        self, client: DocumentsClient, query: RecallQuery, wing: str, limit: int
    ) -> Found:
        """Ask without a threshold."""
        answer = client.search_vector(
            _MODEL.embed(query.text), wing=wing, room=ROOM, limit=limit
        )
        return _of_fragments(answer)


@dataclass(frozen=True, slots=True)
class ByRank:
    """Rank all fragments by words; every one that matches comes back."""

    ranker: Ranker
    stemming: bool

    feature = FEATURE_FRAGMENTS_RANK
    ranking: RankingMode = "lexical"
    mode = "rank"
    embeds = False

    def ask(
        self,
        client: DocumentsClient,
        query: RecallQuery,
        wing: str,
        limit: int,  # noqa: ARG002 - ranked whole, as the public bench does
    ) -> Found:
        """Ask for the whole ranking, uncut."""
        answer = client.rank(
            query.text,
            ranker=self.ranker,
            stemming=self.stemming,
            wing=wing,
            room=ROOM,
        )
        return _of_fragments(answer)


@dataclass(frozen=True, slots=True)
class ByFacts:
    """Search facts.

    Args:
        now: RFC 3339, from which ages count; the daemon's clock where ``None``.
    """

    now: str | None = None

    feature = FEATURE_FACTS
    ranking: RankingMode = "lexical"
    mode = "lexical"
    embeds = False

    def ask(
        self,
        client: DocumentsClient,
        query: RecallQuery,
        wing: str,
        limit: int,  # noqa: ARG002 - the daemon has a limit of its own for each kind
    ) -> Found:
        """Ask for what the daemon gives unless told otherwise."""
        answer = client.search_facts(query.text, wing=wing, room=ROOM, now=self.now)
        return _of_facts(answer)


def has_vector(query: RecallQuery) -> bool:
    """Tell whether the trigram model sees anything in the words of *query*.

    It knows a to z and digits only, so a question in another script has the zero
    vector, which no daemon can search by.
    """
    return bool(np.any(_MODEL.embed(query.text)))


def _of_fragments(answer: ModeAnswer) -> Found:
    return Found(
        hits=tuple((hit.document_id, hit.score) for hit in answer.hits),
        mode=answer.mode,
        effective=answer.effective,
        degraded=answer.degraded,
        embed_ms=answer.embed_ms,
        descends=True,
        cut=bool(answer.cut),
        instants=answer.instants,
    )


def _of_facts(answer: FactsAnswer) -> Found:
    return Found(
        hits=tuple((fact.id, fact.score) for fact in answer.facts),
        mode=None,
        effective=answer.effective,
        degraded=None,
        embed_ms=None,
        descends=False,
        cut=False,
        instants=answer.instants,
    )
