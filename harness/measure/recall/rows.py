"""The rows of a recall report, in its order, and the wings they are asked in.

The first nine are those of the public bench, in its order and under its names. Every
row is in every report, measured or with the reason why not.
"""

from dataclasses import dataclass
from typing import Literal

from harness.measure.recall.ways import (
    ByFacts,
    ByRank,
    BySearch,
    ByVector,
    Way,
)

MAIN = "recall"
"""The wing of the tier's own corpus."""
FACTS = "recall-facts"

MORPHOLOGY = "recall-morphology"
PARAPHRASE = "recall-paraphrase"
SCRIPTS = "recall-scripts"
LONG = "recall-long"
LIFECYCLE = "recall-lifecycle"
DECAY = "recall-facts-decay"

VECTOR = "document-vector"
HYBRID = "document-hybrid"
KEYWORD = "document-keyword"
RAW = "searchMemories-vector"
VECTOR_FAILOPEN = "document-vector-failopen"
HYBRID_FAILOPEN = "document-hybrid-failopen"
STEMMED = "keyword-morph-stemmed"
UNSTEMMED = "keyword-morph-unstemmed"
SAME_RANKER = "keyword-morph-nostem"

Change = Literal["duplicates", "updates", "deletes"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row: how queries are asked, and where."""

    name: str
    wing: str
    way: Way
    fails: bool = False
    """Whether the embedder fails while it is asked."""
    after: Change | None = None
    """What is done to the wing's documents before it is asked."""


_HYBRID, _VECTOR, _KEYWORD = BySearch("hybrid"), BySearch("vector"), BySearch("keyword")


def rows(decay_now: str) -> tuple[Row, ...]:
    """List the rows in the order of the report.

    Args:
        decay_now: RFC 3339; the moment at which the ageing facts are asked for.
    """
    return (
        Row(HYBRID, MAIN, _HYBRID),
        Row(VECTOR, MAIN, _VECTOR),
        Row(KEYWORD, MAIN, _KEYWORD),
        Row(RAW, MAIN, ByVector()),
        Row("keyword-chat-bm25", MAIN, ByRank("search", stemming=True)),
        Row("facts-provider-keyword", FACTS, ByFacts()),
        Row(STEMMED, MORPHOLOGY, ByRank("search", stemming=True)),
        Row(UNSTEMMED, MORPHOLOGY, ByRank("document", stemming=False)),
        Row(VECTOR_FAILOPEN, MAIN, _VECTOR, fails=True),
        Row(HYBRID_FAILOPEN, MAIN, _HYBRID, fails=True),
        Row(SAME_RANKER, MORPHOLOGY, ByRank("search", stemming=False)),
        Row("facts-decay", DECAY, ByFacts(decay_now)),
        Row("paraphrase-hybrid", PARAPHRASE, _HYBRID),
        Row("paraphrase-vector", PARAPHRASE, _VECTOR),
        Row("paraphrase-keyword", PARAPHRASE, _KEYWORD),
        Row("scripts-hybrid", SCRIPTS, _HYBRID),
        Row("scripts-keyword", SCRIPTS, _KEYWORD),
        Row("scripts-rank", SCRIPTS, ByRank("search", stemming=True)),
        Row("long-hybrid", LONG, _HYBRID),
        Row("long-vector", LONG, _VECTOR),
        Row("long-keyword", LONG, _KEYWORD),
        Row("duplicates", LIFECYCLE, _HYBRID, after="duplicates"),
        Row("updates", LIFECYCLE, _HYBRID, after="updates"),
        Row("deletes", LIFECYCLE, _HYBRID, after="deletes"),
    )
