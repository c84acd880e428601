"""What a run asked of an embeddings endpoint, over all its starts and workers."""

import math
from collections.abc import Sequence
from dataclasses import asdict

from harness.measure.longmemeval.records import Embedding
from harness.provider.counts import Counts
from harness.report.longmemeval import EmbeddingCounts, EmbeddingFacts


def line_of(counts: Counts) -> Embedding:
    """Put an embedder's counts into a line of a journal."""
    return Embedding(**asdict(counts))


def embedding_facts(
    starts: Sequence[EmbeddingCounts], dimension: object
) -> EmbeddingFacts | None:
    """Add up what each start asked for; ``None`` where nothing was embedded.

    Workers run beside each other, so the share is of their time, not of the clock's.
    """
    if not starts:
        return None
    total = {
        name: math.fsum(getattr(each, name) for each in starts)
        for name in EmbeddingCounts.model_fields
        if name != "tokens_billed"
    }
    billed = [each.tokens_billed for each in starts if each.tokens_billed is not None]
    span_s = total["span_s"]
    return EmbeddingFacts.model_validate(
        total
        | {
            "dimension": dimension,
            "tokens_billed": sum(billed) if billed else None,
            "busy_share": min(total["busy_s"] / span_s, 1.0) if span_s else None,
            "mean_in_flight": total["flight_s"] / span_s if span_s else None,
        }
    )
