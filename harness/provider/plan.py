"""What a call will send, worked out before anything is sent."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from harness.provider.batches import Piece, batches, is_blank, piece, tokens
from harness.provider.failures import RefusedText
from harness.provider.options import EmbeddingOptions, Oversize
from harness.provider.oversize import cut


@dataclass(frozen=True, slots=True)
class PlannedText:
    """A text and the pieces in which it is sent.

    Attributes:
        text: The whole of it, with U+FFFD for half characters.
        pieces: In order; none for a blank text.
        is_mended: Whether it had half characters.
    """

    text: str
    pieces: tuple[Piece, ...]
    is_mended: bool

    @classmethod
    def of(cls, text: str, limit: int, rule: Oversize) -> "PlannedText":
        """Cut *text* where it has more than *limit* tokens."""
        sound = piece(text)
        if is_blank(sound.text):
            return cls(sound.text, (), sound.text != text)
        parts = cut(sound.text, limit, rule)
        # Most texts are one piece, and hashed once.
        pieces = (sound,) if parts == [sound.text] else tuple(map(piece, parts))
        return cls(sound.text, pieces, sound.text != text)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a call will send; make it by `of`.

    Attributes:
        documents: In the order of the call.
        queries: In the order of the call, of one piece at most.
    """

    documents: tuple[PlannedText, ...]
    queries: tuple[PlannedText, ...]

    @classmethod
    def of(
        cls,
        documents: Sequence[str],
        queries: Sequence[str],
        options: EmbeddingOptions,
    ) -> "Plan":
        """Work out what to send for these texts."""
        limit = options.tokens_per_text
        return cls(
            tuple(PlannedText.of(text, limit, options.oversize) for text in documents),
            tuple(PlannedText.of(text, limit, "truncate") for text in queries),
        )

    def pieces(self) -> Iterator[Piece]:
        """Go through all pieces in order, repeated ones included."""
        for text in (*self.documents, *self.queries):
            yield from text.pieces

    def documents_without(self, found: Container[bytes]) -> tuple[int, ...]:
        """Return the places of documents of which a piece is not *found*."""
        return tuple(
            place
            for place, text in enumerate(self.documents)
            if any(each.sha256 not in found for each in text.pieces)
        )

    def blank_queries(self) -> list[RefusedText]:
        """Name the queries that cannot be embedded."""
        return [
            RefusedText(piece(text.text).name, "it is a blank query")
            for text in self.queries
            if not text.pieces
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run will cost at most, were nothing in the cache.

    Attributes:
        texts: Texts looked at.
        fragments: Pieces to send, each distinct one once.
        tokens: Their estimated tokens.
        requests: Requests that carry them, the probe included.
        oversize: Texts above the model's limit.
    """

    texts: int
    fragments: int
    tokens: int
    requests: int
    oversize: int


class Estimator:
    """Add up what embedding would cost, call by call, without sending anything.

    Args:
        options: As the run will have them.
    """

    def __init__(self, options: EmbeddingOptions) -> None:
        self._options = options
        self._seen: set[bytes] = set()
        self._texts = self._tokens = self._oversize = 0
        self._requests = 1

    def add(self, documents: Sequence[str], queries: Sequence[str] = ()) -> None:
        """Count one call; a piece that an earlier one had comes from the cache."""
        options = self._options
        plan = Plan.of(documents, queries, options)
        fresh = {each.sha256: each for each in plan.pieces()}
        missing = [each for sha, each in fresh.items() if sha not in self._seen]
        self._seen.update(fresh)
        self._texts += len(documents) + len(queries)
        self._tokens += sum(tokens(each.text) for each in missing)
        self._oversize += sum(
            tokens(text.text) > options.tokens_per_text
            for text in (*plan.documents, *plan.queries)
        )
        cut_up = batches(
            missing,
            most_texts=options.texts_per_request,
            most_tokens=options.tokens_per_request,
        )
        self._requests += sum(1 for _ in cut_up)

    @property
    def total(self) -> Estimate:
        """What was added up until now."""
        return Estimate(
            texts=self._texts,
            fragments=len(self._seen),
            tokens=self._tokens,
            requests=self._requests,
            oversize=self._oversize,
        )


def estimate(
    documents: Sequence[str],
    queries: Sequence[str] = (),
    options: EmbeddingOptions | None = None,
) -> Estimate:
    """Say what embedding these texts in one call would cost."""
    estimator = Estimator(options or EmbeddingOptions())
    estimator.add(documents, queries)
    return estimator.total
