"""One store for all questions, searched without a filter: the other measurement.

Everything is written before anything is asked, a session that several haystacks share
once for each: to leave a copy out would tell the daemon which sessions have an id in
common. Copies, of the same id and the same text, are found for each question that has
one, and take one rank together.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.daemon.haystack import Document
from harness.daemon.timing import Clock
from harness.dataset.longmemeval.model import Question
from harness.dataset.longmemeval.units import Unit
from harness.errors import ProviderError
from harness.measure.longmemeval.describe import describe
from harness.measure.longmemeval.opaque import DIGITS
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.prepare import (
    Begun,
    Prepared,
    Writer,
    cut,
    timed,
    without_vectors,
)
from harness.measure.longmemeval.records import QuestionRecord
from harness.provider.embedder import Embedded

WING = "q-all"
_SHARES = ("drawers", "split", "truncated", "verified", "spent")
"""What of a question was done when its haystack was written."""

OTHER_PREFIX = "other:"
"""Start of the names of documents that only other haystacks have."""


@dataclass(slots=True)
class Store:
    """What the one wing holds, by names that say nothing; texts are not kept."""

    drawers: dict[str, str] = field(default_factory=dict)
    """Drawer id to its name."""
    loaded: dict[int, QuestionRecord] = field(default_factory=dict)
    """What writing each question's haystack took, by its index."""
    written: int = 0
    """Documents so far, copies included."""
    _numbers: dict[bytes, int] = field(default_factory=dict)
    """Id and text of a document, hashed, to a number that its copies share."""
    _names: dict[str, int] = field(default_factory=dict)
    """Drawer name to the number of its document."""

    @property
    def distinct(self) -> int:
        """How many documents there are, copies counted once."""
        return len(self._numbers)

    def named(self, unit: Unit, position: int, part: int) -> str:
        """Name a drawer that is to be written, and remember what it is of."""
        name = _opaque(f"{self.written + position}.{part}", unit.text)
        identity = _identity(unit)
        self._names[name] = self._numbers.setdefault(identity, len(self._numbers))
        return name

    def number_of(self, unit: Unit) -> int:
        """Return the number of a document that was written."""
        return self._numbers[_identity(unit)]

    def scored_as(self, name: str, own: Mapping[int, str]) -> str:
        """Return what a drawer counts as for the question that has *own* documents."""
        number = self._names.get(name)
        if number is None:
            return name
        return own.get(number, f"{OTHER_PREFIX}{number}")


@dataclass(frozen=True, slots=True)
class Filling:
    """Makes haystacks ready to be written into the store."""

    plan: LongMemEvalPlan
    store: Store
    writer: Writer
    clock: Clock

    def begin(self, question: Question, read_s: float) -> Begun:
        """Say what a haystack is; its documents are to be embedded."""
        since = self.clock()
        record, documents = describe(question, self.plan.policies, self.plan.errata)
        record = timed(record, read=read_s, prepare=self.clock() - since)
        if not record.asked:
            return Begun(record, "")
        return Begun(record, "", documents, tuple(unit.text for unit in documents))

    def finish(
        self, begun: Begun, embedded: Embedded | None, embed_s: float
    ) -> Prepared:
        """Return the requests that write a haystack."""
        since = self.clock()
        if not begun.record.asked:
            return Prepared(begun.record, "", None)
        pieces = cut(begun.documents, embedded)
        drawers = []
        for piece in pieces.parts:
            unit = begun.documents[piece.unit]
            name = self.store.named(unit, piece.unit, piece.part)
            drawers.append(Document(name, piece.text, piece.vector))
        self.store.written += len(begun.documents)
        writes = self.writer.writes(WING, drawers)
        record = pieces.noted(begun.record)
        return Prepared(
            record=timed(record, prepare=self.clock() - since, embed=embed_s),
            query="",
            wing=WING,
            writes=writes,
            names=tuple(drawer.name for drawer in drawers),
        )

    def failed(self, begun: Begun, error: ProviderError) -> Prepared:  # noqa: ARG002 - the protocol's words
        """Give up: every question would meet a store with a hole in it.

        Raises:
            ProviderError: Always.
        """
        raise error


@dataclass(frozen=True, slots=True)
class Asking:
    """Makes questions ready to be asked of a store that is written."""

    plan: LongMemEvalPlan
    store: Store
    clock: Clock

    def begin(self, question: Question, read_s: float) -> Begun:
        """Say what a question is; only its query is to be embedded."""
        since = self.clock()
        record, documents = describe(question, self.plan.policies, self.plan.errata)
        loaded = self.store.loaded[question.index]
        shares = {name: getattr(loaded, name) for name in _SHARES}
        record = timed(
            record.model_copy(update=shares), read=read_s, prepare=self.clock() - since
        )
        queries = (question.text,) if record.asked else ()
        return Begun(record, question.text, documents, queries=queries)

    def finish(
        self, begun: Begun, embedded: Embedded | None, embed_s: float
    ) -> Prepared:
        """Return a question against the whole store."""
        record = begun.record
        if not record.asked:
            return Prepared(record, "", None)
        own = {self.store.number_of(unit): unit.scored_as for unit in begun.documents}
        # What is blank or left out by policy is in no store, and still to be missed.
        others = self.store.distinct - len(set(own.values()))
        pool = {name: others + size for name, size in record.pool.items()}
        return Prepared(
            record=timed(record.model_copy(update={"pool": pool}), embed=embed_s),
            query=begun.query,
            wing=None,
            vector=embedded.queries[0] if embedded else None,
            scored_as=lambda name: self.store.scored_as(name, own),
        )

    def failed(self, begun: Begun, error: ProviderError) -> Prepared:
        """Return a question that cannot be asked."""
        return without_vectors(begun, error)


def _identity(unit: Unit) -> bytes:
    return hashlib.sha256(f"{unit.scored_as}\n{unit.text}".encode()).digest()[:16]


def _opaque(place: str, text: str) -> str:
    return hashlib.sha256(f"{place} {text}".encode()).hexdigest()[:DIGITS]
