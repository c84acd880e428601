"""What stands ready to be measured, and why a row cannot be."""

from dataclasses import dataclass

from harness.daemon.client import DaemonClient
from harness.daemon.documents import DocumentsClient
from harness.daemon.documents_wire import (
    FEATURE_DOCUMENTS,
    FEATURE_DOCUMENTS_BATCH,
    DocumentCounts,
)
from harness.errors import PrerequisiteError
from harness.measure.recall.rows import Row
from harness.measure.recall.ways import ByFacts, ByVector
from harness.measure.target import Target, meet
from harness.runtime.base import RunningEmbedder

TRIGRAMS = "trigram-384"
"""The embedder's name for the model whose vectors can be made here as well."""

THRESHOLD = 0.1
"""The least cosine of a hit of the vector mode, where the daemon does not tell its."""

NO_PROVIDER = frozenset({None, "none", ""})


@dataclass(frozen=True, slots=True)
class Stand:
    """A daemon that can be measured, and the embedder beside it."""

    target: Target
    embedder: RunningEmbedder | None
    before: DocumentCounts
    """What it held before anything was written."""
    constants: dict[str, object]
    """What its ranking of documents rests on, where it tells."""

    @property
    def takes_documents(self) -> bool:
        """Whether documents can be written at all."""
        return {FEATURE_DOCUMENTS, FEATURE_DOCUMENTS_BATCH} <= self.target.features

    @property
    def trigrams(self) -> bool:
        """Whether the vectors it embeds with can be made here as well."""
        return self.embedder is not None and self.embedder.model == TRIGRAMS

    @property
    def threshold(self) -> float:
        """The least score of a hit of the vector mode."""
        told = self.constants.get("vector_threshold")
        return float(told) if isinstance(told, int | float) else THRESHOLD

    @property
    def foreign(self) -> int:
        """Drawers, documents and facts that it held before."""
        documents, facts = self.before.documents or 0, self.before.facts or 0
        return self.target.foreign + documents + facts

    def lacks(self, row: Row) -> str | None:
        """Say why *row* cannot be measured; ``None`` where it can."""
        needed = {row.way.feature}
        if not isinstance(row.way, ByFacts):
            needed |= {FEATURE_DOCUMENTS, FEATURE_DOCUMENTS_BATCH}
        missing = sorted(needed - self.target.features)
        if missing:
            return f"the daemon does not announce {', '.join(map(repr, missing))}"
        if row.way.embeds and not self._embeds:
            return "the daemon has no embedding provider"
        if row.fails and self.embedder is None:
            return "no embedder of ours is beside the daemon, so none can be failed"
        if isinstance(row.way, ByVector) and not self.trigrams:
            return f"only vectors of {TRIGRAMS!r} can be made here"
        return None

    @property
    def _embeds(self) -> bool:
        config = self.target.config
        told = config.embeddings if config else None
        return self.embedder is not None or (
            told is not None and told.provider not in NO_PROVIDER
        )


def meet_recall(
    client: DaemonClient,
    documents: DocumentsClient,
    embedder: RunningEmbedder | None,
    *,
    allow_nonempty: bool,
) -> Stand:
    """Ask a daemon what it is, and refuse one that holds somebody's documents.

    Raises:
        PrerequisiteError: It is not empty, and that is not allowed.
        DaemonError: It does not answer as the contract says.
    """
    target = meet(client, dimension=None, allow_nonempty=allow_nonempty)
    before = documents.counts() if target.status else DocumentCounts()
    constants = documents.constants() if target.config else None
    stand = Stand(target, embedder, before, dict(constants or {}))
    if stand.foreign and not allow_nonempty:
        raise PrerequisiteError(
            f"the palace is not empty: it holds {before.documents} documents and "
            f"{before.facts} facts, which would compete with what is measured.",
            where=client.url,
            remedy="Measure a fresh palace, or allow it with --allow-nonempty.",
        )
    return stand
