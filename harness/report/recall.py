"""What only the recall tiers measure: fail-open, stemming, faults of the embedder."""

from collections.abc import Mapping
from typing import Literal

from harness.report.part import Amount, Count, Part, Share


class FailOpen(Part):
    """How much quality is lost when the daemon cannot embed a query."""

    mode: Literal["vector", "hybrid"]
    healthy_recall: Share | None
    """recall@5 of the mode while the embedder answers."""
    degraded_recall: Share | None
    """recall@5 of the same queries in the same mode while it fails."""
    drop: float | None
    """The first less the second; ``null`` where either is."""


class Stemming(Part):
    """What stemming finds that plain words do not."""

    stemmed_recall: Share | None
    unstemmed_recall: Share | None
    """recall@5 of the published row: another ranker, without stemming."""
    same_ranker_recall: Share | None
    """recall@5 of the stemming ranker itself with stemming off: stemming alone."""
    lift: float | None
    """The first less the second; ``null`` where either is."""


class Embedded(Part):
    """What reached the embedder while every query was asked once, to be scored."""

    requests: Count
    inputs: Count
    p50_ms: Amount | None = None
    """Median of what the daemon says the timed passes waited for the embedder."""


class FaultResult(Part):
    """One fault of the embedder: before it, during it and after it ended."""

    fault: str
    """The embedder's name for it: ``error``, ``refuse``, ``slow``, ``timeout``, ..."""
    mode: Literal["vector", "hybrid"]
    queries: Count
    healthy_recall: Share | None
    fault_recall: Share | None
    recovered_recall: Share | None
    """recall@5 of the same queries after the fault; ``null`` where not measured."""
    drop: float | None
    effective: Mapping[str, Count]
    """Mode the daemon says it answered in, to how many answers."""
    codes: Mapping[str, Count]
    """Its codes for falling open, to how many answers."""
    healthy_p50_ms: Amount | None
    fault_p50_ms: Amount | None
    fault_max_ms: Amount | None
    embedder: Embedded
    """What reached the embedder during the fault; a refused connection does not."""
    queries_to_recover: Count | None
    """Answers after the fault's end that were still degraded; ``null``: all were."""
    ingest: Literal["refused", "stored", "half stored"] | None
    """What became of a document sent during the fault."""


class Tempo(Part):
    """How fast documents went in, and what bounds it."""

    documents_per_second: Amount | None
    """Documents written, embedded and searchable, a second."""
    embedder_per_second: Amount | None
    """Texts a second that the embedder alone serves, asked as the daemon asks."""


class RecallFacts(Part):
    """One run of a recall tier."""

    tier: Literal["smoke", "1k", "10k"]
    variant: Literal["published", "shuffled"]
    """Order of ingestion: the published one, or a seeded shuffle of it."""
    k: Count
    """The cut-off of the headline metrics."""
    topics: Count
    corpus_documents: Count
    """Documents of the tier itself, without the slices."""
    fail_open: tuple[FailOpen, ...]
    stemming: Stemming
    faults: tuple[FaultResult, ...]
    embedded: Mapping[str, Embedded]
    """By configuration: what reached the embedder while it was asked."""
    tempo: Tempo
