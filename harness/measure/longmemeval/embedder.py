"""What a run asks of whatever turns texts into vectors.

The harness embeds, and hands the vectors to the daemon: a key never reaches it, and
what is measured is its retrieval, not its client of an embedding service.
"""

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from harness.daemon.timing import Clock
from harness.dataset.longmemeval.model import Question
from harness.errors import ProviderError
from harness.measure.longmemeval.prepare import Begun, Prepared
from harness.provider.counts import Counts
from harness.provider.embedder import Embedded
from harness.provider.pipeline import Submits, Texts, embedding_ahead


class Embedder(Submits, Protocol):
    """Begins to embed texts at once; `harness.provider.embedder.EndpointEmbedder` does.

    What it returns raises `ProviderError` where these texts cannot be embedded, and
    any other `HarnessError` where no text can.
    """

    @property
    def model(self) -> str:
        """The model's name, as reports have it."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector; known before the first text."""

    @property
    def oversize(self) -> str:
        """The rule for texts too long for the model, as reports have it."""

    @property
    def counts(self) -> Counts:
        """What was asked of it until now."""


class Making(Protocol):
    """Makes questions ready in two steps, between which their texts are embedded."""

    def begin(self, question: Question, read_s: float) -> Begun:
        """Say what a question is, and what of it is to be embedded."""

    def finish(
        self, begun: Begun, embedded: Embedded | None, embed_s: float
    ) -> Prepared:
        """Return the question with its requests; ``None``: nothing is embedded."""

    def failed(self, begun: Begun, error: ProviderError) -> Prepared:
        """Return a question whose texts have no vectors, or give up."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Runs questions through both steps, several of them at the endpoint at once."""

    making: Making
    embedder: Embedder | None
    clock: Clock

    def made(self, questions: Iterator[tuple[Question, float]]) -> Iterator[Prepared]:
        """Yield the questions ready, in order; read only as far as needed."""
        begun = (self.making.begin(each, read_s) for each, read_s in questions)
        if self.embedder is None:
            for each in begun:
                yield self.making.finish(each, None, 0.0)
            return
        with embedding_ahead(self.embedder, begun, _texts_of) as items:
            for each, future in items:
                yield self._finished(each, future)

    def _finished(self, begun: Begun, future: Future[Embedded]) -> Prepared:
        since = self.clock()
        try:
            embedded = future.result()
        except ProviderError as error:
            return self.making.failed(begun, error)
        return self.making.finish(begun, embedded, self.clock() - since)


def _texts_of(begun: Begun) -> Texts:
    return Texts(begun.texts, begun.queries)
