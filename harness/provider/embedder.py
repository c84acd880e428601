"""An embeddings endpoint as the harness uses it: texts in, checked vectors out.

Requests run on an event loop in a thread of its own, several at once, so that a caller
may submit texts and go on with something else until it needs their vectors.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import httpx
import numpy as np

from harness.provider.batches import piece
from harness.provider.cache import NoShelf, Shelf, VectorCache
from harness.provider.client import PROBE, EmbeddingsClient
from harness.provider.counts import Counts, Tally
from harness.provider.credentials import Endpoint
from harness.provider.failures import CacheError, TextsRefusedError
from harness.provider.flights import Flights
from harness.provider.gathering import Found, Fragment, Gathering
from harness.provider.loop import LoopThread
from harness.provider.options import EmbeddingOptions
from harness.provider.patience import Patience
from harness.provider.plan import Plan, PlannedText
from harness.provider.vectors import EmbeddedText, Vector

SAME_MODEL = 0.99
"""Cosine of the probe's vector with the one that was kept, below which the endpoint
has another model under the old name. Endpoints repeat themselves to about 0.9999."""


class Embedded(NamedTuple):
    """Vectors of one call.

    Attributes:
        documents: For each document its parts, in order; none for a blank one.
        queries: For each query its vector.
    """

    documents: list[list[EmbeddedText]]
    queries: list[Vector]


class EndpointEmbedder:
    """Embed texts by one model of one endpoint; use it as a context manager.

    Making one asks the endpoint for the vector of one text, so that whatever is wrong
    with the address, the key, the model or the dimension comes out before anything is
    written to a daemon. Make it in the process that uses it; any thread there may.

    Args:
        endpoint: Whom to ask for which model.
        options: How to cut and how to ask.
        cache: Folder of the vectors that are kept; None keeps none.
        advance: Called from another thread with the number of texts just done.
        patience: When to try again and when to give up.
        transport: Stands in for the network in tests.

    Raises:
        PrerequisiteError: The endpoint cannot be used, or the cache cannot.
        ProviderError: What it answered to the first text is no vector.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        options: EmbeddingOptions | None = None,
        *,
        cache: Path | None = None,
        advance: Callable[[int], None] = lambda _texts: None,
        patience: Patience | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.model = endpoint.model
        self.url = endpoint.url
        self._options = options or EmbeddingOptions()
        self._advance = advance
        self._tally = Tally(time.perf_counter)
        self._shelf: Shelf = NoShelf()
        self._flights = Flights[list[Fragment]]()
        self._client = EmbeddingsClient(
            endpoint,
            self._options,
            self._tally,
            patience=patience or Patience(),
            transport=transport,
        )
        self._loop = LoopThread(last=self._client.close)
        try:
            probed = self._loop.submit(self._client.probe()).result()
            self._tally.forget_times()
            self.dimension = len(probed)
            if cache is not None:
                self._shelf = VectorCache(
                    cache,
                    endpoint=endpoint.identity,
                    model=endpoint.model,
                    dimension=self.dimension,
                )
                self._must_be_the_model_of_the_cache(probed, cache)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"EndpointEmbedder({self.url!r}, {self.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Break off what is under way, and close; a second time does nothing."""
        self._loop.stop()
        self._shelf.close()

    @property
    def oversize(self) -> str:
        """The rule for texts above the model's limit, and the limit."""
        return self._options.rule

    @property
    def counts(self) -> Counts:
        """What was done until now."""
        return self._tally.snapshot()

    def submit(
        self, documents: Sequence[str], queries: Sequence[str] = ()
    ) -> Future[Embedded]:
        """Begin to embed texts and return at once.

        Returns:
            What will be there; see `embed_documents` and `embed_queries` for it, and
            for what its ``result()`` raises. Cancelling it breaks off its requests.
        """
        return self._loop.submit(self._embed(tuple(documents), tuple(queries)))

    def embed_documents(self, texts: Sequence[str]) -> list[list[EmbeddedText]]:
        """Return each of *texts* with its vector, in order.

        A blank text is not sent and gives nothing; one above the model's limit gives
        each of its fragments, or itself with the vector of its beginning, as the
        options say.

        Raises:
            ProviderError: Some texts have no usable vector, or an answer was none.
            PrerequisiteError: No text can be embedded any more, or kept.
        """
        return self.submit(texts).result().documents

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each of *texts*, in order.

        Of a query above the model's limit the beginning counts.

        Raises:
            ProviderError: A query is blank, has no usable vector, or an answer was
                none.
            PrerequisiteError: No text can be embedded any more, or kept.
        """
        return self.submit((), texts).result().queries

    async def _embed(
        self, documents: Sequence[str], queries: Sequence[str]
    ) -> Embedded:
        plan = Plan.of(documents, queries, self._options)
        self._count(plan)
        gathering = Gathering(
            self._client, self._shelf, self._options, self._tally, self._flights
        )
        found = await gathering.gather(plan.pieces())
        refused = gathering.refused + plan.blank_queries()
        if refused:
            raise TextsRefusedError(
                refused, where=self.url, documents=plan.documents_without(found)
            )
        embedded = Embedded(
            [self._parts(text, found, is_query=False) for text in plan.documents],
            [
                self._parts(text, found, is_query=True)[0].vector
                for text in plan.queries
            ],
        )
        self._advance(len(documents) + len(queries))
        return embedded

    def _count(self, plan: Plan) -> None:
        texts = (*plan.documents, *plan.queries)
        self._tally.now.texts += len(texts)
        self._tally.now.empty += sum(not text.pieces for text in texts)
        self._tally.now.mended += sum(text.is_mended for text in texts)

    def _parts(
        self, text: PlannedText, found: Found, *, is_query: bool
    ) -> list[EmbeddedText]:
        """Return what a text became, counting what it lost or was cut into."""
        parts = [part for each in text.pieces for part in found[each.sha256]]
        if is_query or self._options.oversize == "truncate":
            first = [
                EmbeddedText(text.text, part.row, part.text != text.text)
                for part in parts[:1]
            ]
            self._tally.now.truncated += any(part.is_truncated for part in first)
            return first
        self._tally.now.chunked += len(parts) > 1
        return [EmbeddedText(part.text, part.row) for part in parts]

    def _must_be_the_model_of_the_cache(self, probed: Vector, folder: Path) -> None:
        sha = piece(PROBE).sha256
        kept = self._shelf.find([sha]).get(sha)
        if kept is None:
            self._shelf.keep({sha: probed})
            return
        cosine = float(kept @ probed / (np.linalg.norm(kept) * np.linalg.norm(probed)))
        if not cosine >= SAME_MODEL:
            raise CacheError(
                f"{self.model!r} of {self.url} is another model than the one whose "
                f"vectors are kept: the same text has cosine {cosine:.3f} with itself.",
                where=str(folder),
                remedy="Keep the new model's vectors elsewhere: `--embedding-cache "
                "DIR`.",
            )
