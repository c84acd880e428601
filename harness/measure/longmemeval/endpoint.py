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


def added_up(counts: Sequence[EmbeddingCounts]) -> Embedding:
    """Add up what several embedders were asked for, or one at several times."""
    total: dict[str, float | None] = {
        name: math.fsum(getattr(each, name) for each in counts)
        for name in EmbeddingCounts.model_fields
        if name != "tokens_billed"
    }
    billed = [each.tokens_billed for each in counts if each.tokens_billed is not None]
    total["tokens_billed"] = sum(billed) if billed else None
    return Embedding.model_validate(total)


def embedding_facts(
    starts: Sequence[EmbeddingCounts], dimension: object
) -> EmbeddingFacts | None:
    """Add up what each start asked for; ``None`` where nothing was embedded.

    Workers run beside each other, so the share is of their time, not of the clock's.
    """
    if not starts:
        return None
    total = added_up(starts)
    span_s = total.span_s
    return EmbeddingFacts.model_validate(
        total.model_dump(exclude={"kind"})
        | {
            "dimension": dimension,
            "busy_share": min(total.busy_s / span_s, 1.0) if span_s else None,
            "mean_in_flight": total.flight_s / span_s if span_s else None,
        }
    )
