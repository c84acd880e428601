"""Make a question ready to be sent: names, vectors and request bodies.

This runs ahead of the daemon, in a thread of its own. Nothing of a question's text is
kept but in what is about to be sent.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.daemon.haystack import Document, Write, batch_write, single_write
from harness.daemon.timing import Clock
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.units import Unit
from harness.errors import ProviderError
from harness.measure.longmemeval.describe import describe
from harness.measure.longmemeval.opaque import ROOM, OpaqueNames
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.records import Failure, QuestionRecord, Spent
from harness.provider.embedder import Embedded
from harness.provider.failures import SHOWN, TextsRefusedError
from harness.provider.vectors import Vector

BATCH_MOST = 500
"""Drawers that one request may carry."""
BATCH_CHARACTERS = 8_000_000
"""Characters of text after which a request is full."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that can be sent."""

    record: QuestionRecord
    query: str
    wing: str | None
    """Where to search; ``None`` where everything is searched."""
    vector: Vector | None = None
    """The query's."""
    writes: tuple[Write, ...] = ()
    names: tuple[str, ...] = ()
    """Of the drawers, in the order in which they are written."""
    scored_as: Callable[[str], str] = str
    """Gives the id that stands for a drawer's name in a ranking."""
    failure: Failure | None = None
    """Why nothing of it can be sent."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A question that was read, and what of it is to be embedded."""

    record: QuestionRecord
    query: str
    documents: Sequence[Unit] = ()
    texts: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One drawer to be: a document, or a fragment of one."""

    unit: int
    """Place of its document among those written."""
    part: int
    text: str
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class Cut:
    """Documents as drawers, and how many did not fit the model as they are."""

    parts: list[Part]
    split: int = 0
    truncated: int = 0

    def noted(self, record: QuestionRecord) -> QuestionRecord:
        """Return a record with these counts."""
        return record.model_copy(
            update={
                "drawers": len(self.parts),
                "split": self.split,
                "truncated": self.truncated,
            }
        )


def cut(documents: Sequence[Unit], embedded: Embedded | None) -> Cut:
    """Turn documents into drawers, with vectors where they were embedded."""
    if embedded is None:
        return Cut(
            [Part(place, 0, unit.text, None) for place, unit in enumerate(documents)]
        )
    parts = [
        Part(place, number, part.text, part.vector)
        for place, document in enumerate(embedded.documents)
        for number, part in enumerate(document)
    ]
    return Cut(
        parts,
        split=sum(len(document) > 1 for document in embedded.documents),
        truncated=sum(any(p.is_truncated for p in each) for each in embedded.documents),
    )


@dataclass(frozen=True, slots=True)
class Writer:
    """How the daemon at hand takes drawers."""

    batches: bool
    profile: str | None

    def writes(self, wing: str, documents: Sequence[Document]) -> tuple[Write, ...]:
        """Prepare the requests that write *documents* in their order."""
        if not self.batches:
            return tuple(
                single_write(wing, ROOM, each, self.profile) for each in documents
            )
        return tuple(
            batch_write(wing, ROOM, batch, self.profile) for batch in batched(documents)
        )


def batched(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Cut a list where a request is full, by drawers or by characters."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        full = len(batch) == BATCH_MOST or size + len(document.text) > BATCH_CHARACTERS
        if batch and full:
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += len(document.text)
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class Preparer:
    """Makes questions ready for a wing of their own."""

    plan: LongMemEvalPlan
    writer: Writer
    attempt: int
    """How many runs of this journal came before."""
    clock: Clock

    def begin(self, question: Question, read_s: float) -> Begun:
        """Say what a question is; all of its texts are to be embedded."""
        since = self.clock()
        record, documents = describe(question, self.plan.policies, self.plan.errata)
        record = timed(record, read=read_s, prepare=self.clock() - since)
        if not record.asked:
            return Begun(record, question.text)
        texts = tuple(unit.text for unit in documents)
        return Begun(record, question.text, documents, texts, (question.text,))

    def finish(
        self, begun: Begun, embedded: Embedded | None, embed_s: float
    ) -> Prepared:
        """Return the question with its requests."""
        since = self.clock()
        if not begun.record.asked:
            return Prepared(begun.record, "", None)
        names = OpaqueNames(
            begun.record.index, [begun.query, *begun.texts], self.attempt
        )
        pieces = cut(begun.documents, embedded)
        drawers = [
            Document(names.document(piece.unit, piece.part), piece.text, piece.vector)
            for piece in pieces.parts
        ]
        writes = self.writer.writes(names.wing, drawers)
        scored_as = {
            drawer.name: begun.documents[piece.unit].scored_as
            for drawer, piece in zip(drawers, pieces.parts, strict=True)
        }
        record = pieces.noted(begun.record)
        return Prepared(
            record=timed(record, prepare=self.clock() - since, embed=embed_s),
            query=begun.query,
            wing=names.wing,
            vector=embedded.queries[0] if embedded else None,
            writes=writes,
            names=tuple(scored_as),
            scored_as=lambda name: scored_as.get(name, name),
        )

    def failed(self, begun: Begun, error: ProviderError) -> Prepared:
        """Return a question that cannot be embedded: nothing of it is sent."""
        return without_vectors(begun, error)


def without_vectors(begun: Begun, error: ProviderError) -> Prepared:
    """Return a question of which nothing is sent, with the reason."""
    failure = Failure(stage="embed", what=_what(begun, error))
    return Prepared(begun.record, "", None, failure=failure)


def _what(begun: Begun, error: ProviderError) -> str:
    """Say what failed, by session and turn where it is a text that has no vector."""
    if not isinstance(error, TextsRefusedError):
        return error.what
    named = [begun.documents[place].place for place in error.documents[:SHOWN]]
    more = len(error.documents) - len(named)
    named += [f"{more} more"] if more else []
    reason = error.refused[0].reason
    return f"no usable vector for {', '.join(named) or 'the question'}: {reason}."


def timed(record: QuestionRecord, **seconds: float) -> QuestionRecord:
    """Note what the background work of a question took."""
    return record.model_copy(update={"spent": added(record.spent, **seconds)})


def added(spent: Spent, **seconds: float) -> Spent:
    """Add to what was spent before."""
    before = spent.model_dump()
    after = {name: before[name] + more for name, more in seconds.items()}
    return Spent(**(before | after))
