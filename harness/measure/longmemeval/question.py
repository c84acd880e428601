"""One question: write its haystack, see that it is there, ask, and map the hits back.

A request that fails is an error of the question, kept beside its other outcomes. It is
never a miss: nobody knows what would have come back.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType

from harness.daemon.client import DaemonClient
from harness.daemon.haystack import HaystackClient
from harness.daemon.search import SearchAnswer, SearchRequest
from harness.daemon.timing import Clock, Instants
from harness.errors import DaemonDiedError, DaemonError, DaemonProtocolError
from harness.measure.invariants import UNKNOWN_PREFIX
from harness.measure.longmemeval.plan import DEPTH
from harness.measure.longmemeval.prepare import Prepared, added
from harness.measure.longmemeval.records import (
    Answer,
    Failure,
    QuestionRecord,
    Ranked,
)
from harness.measure.passes import check_descending
from harness.measure.ties import Entry, narrowed, settled
from harness.report.longmemeval import Stage

Spell = dict[str, float]
NameOf = Callable[[str], str | None]
"""Drawer id to the name it was written under; ``None`` for one that never was."""


@dataclass(slots=True)
class Laps:
    """What each stage of one question took, and how long requests were under way."""

    clock: Clock
    spent: Spell = field(default_factory=dict)
    busy_s: float = 0.0

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Add what the block takes to *stage*, however it ends."""
        began = self.clock()
        try:
            yield
        finally:
            self.spent[stage] = self.spent.get(stage, 0.0) + self.clock() - began

    def under_way(self, *requests: Instants) -> None:
        """Note requests that were answered."""
        self.busy_s += sum(each.service_s for each in requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Sends prepared questions to one daemon, one request at a time."""

    client: DaemonClient
    haystack: HaystackClient
    configurations: tuple[Ranked, ...]
    profile: str | None
    counts_vectors: bool
    """Whether documents have vectors, and the daemon is to say how many it holds."""
    deletes: bool
    """Whether a haystack is taken away once its question was asked."""

    def measure(self, prepared: Prepared, laps: Laps) -> QuestionRecord:
        """Do everything for one question that has a wing of its own.

        Raises:
            DaemonDiedError: The daemon is gone, so that no further question can be
                asked. Any other failure is noted in the record.
        """
        if prepared.failure is not None:
            return ended(prepared.record, laps, failures=(prepared.failure,))
        if prepared.wing is None:
            return ended(prepared.record, laps)
        failures: list[Failure] = []
        answers: list[Answer] = []
        verified = 0
        written = self._written(prepared, laps, failures)
        if written is not None:
            drawers, verified = written
            answers = self.asked(prepared, laps, failures, drawers.get)
        if self.deletes and prepared.writes:
            with _Noting(failures, "delete"), laps.of("delete"):
                laps.under_way(self.haystack.delete(prepared.wing))
        return ended(prepared.record, laps, tuple(answers), tuple(failures), verified)

    def asked(
        self,
        prepared: Prepared,
        laps: Laps,
        failures: list[Failure],
        name_of: NameOf,
    ) -> list[Answer]:
        """Ask a question under every configuration; what fails goes to *failures*."""
        answers = []
        for configuration in self.configurations:
            with _Noting(failures, "search", configuration), laps.of("ask"):
                answer = self._search(prepared, configuration)
                laps.under_way(answer.instants)
                answers.append(self._mapped(prepared, configuration, answer, name_of))
        return answers

    def write(self, prepared: Prepared, laps: Laps) -> dict[str, str]:
        """Write a haystack; return the name of each drawer by its id.

        Raises:
            DaemonError: It is not stored as it was sent.
        """
        ids: list[str] = []
        with laps.of("write"):
            for each in prepared.writes:
                made, instants = self.haystack.write(each)
                laps.under_way(*instants)
                ids += made
        drawers = dict(zip(ids, prepared.names, strict=True))
        if len(drawers) < len(ids):
            raise DaemonProtocolError(
                f"{len(ids)} drawers were confirmed under {len(drawers)} ids.",
                where=self.client.url,
                remedy="A drawer that shares its id cannot be told from another.",
            )
        return drawers

    def verify(self, wing: str, wanted: int, laps: Laps, vectors: int | None) -> bool:
        """Count what a wing holds, and the vectors; tell whether anything was counted.

        Args:
            wing: The wing.
            wanted: How many drawers it must hold.
            laps: Where the time goes.
            vectors: How many vectors the palace must hold; ``None``: none is counted.

        Raises:
            DaemonError: It holds another number.
        """
        with laps.of("verify"):
            found, instants = self.haystack.count(wing)
            laps.under_way(instants)
            if found is not None and found != wanted:
                raise DaemonError(
                    f"the wing holds {found} drawers where {wanted} were written.",
                    where=self.client.url,
                    remedy="The daemon lost what it confirmed, or was not alone.",
                )
            now = None if vectors is None else self.vectors()
            if now is not None and now != vectors:
                raise DaemonError(
                    f"the palace holds {now} vectors where {vectors} were expected.",
                    where=self.client.url,
                    remedy="What has no vector cannot be found by one.",
                )
        return found is not None

    def vectors(self) -> int | None:
        """Count the vectors of the profile; ``None`` where that is not told."""
        status = self.client.status()
        counts = status.counts if status else None
        if counts is None or counts.vectors is None or self.profile is None:
            return None
        return counts.vectors.get(self.profile, 0)

    def _written(
        self, prepared: Prepared, laps: Laps, failures: list[Failure]
    ) -> tuple[dict[str, str], int] | None:
        """Write and count; ``None`` where either failed."""
        drawers: dict[str, str] | None = None
        before = None
        with _Noting(failures, "write"):
            before = self.vectors() if self.counts_vectors else None
            drawers = self.write(prepared, laps)
        if drawers is None or prepared.wing is None:
            return None
        if not drawers:
            return {}, 0
        with _Noting(failures, "verify"):
            wanted = None if before is None else before + len(drawers)
            counted = self.verify(prepared.wing, len(drawers), laps, wanted)
            return drawers, prepared.record.documents if counted else 0
        return None

    def _search(self, prepared: Prepared, configuration: Ranked) -> SearchAnswer:
        by_words = configuration == "lexical"
        answer = self.client.search(
            SearchRequest(
                text=prepared.query,
                ranking=configuration,
                limit=DEPTH,
                wing=prepared.wing,
                vector=None if by_words else prepared.vector,
                profile=None if by_words else self.profile,
            )
        )
        ran = answer.ranking or configuration
        if ran != configuration or answer.degraded:
            raise DaemonProtocolError(
                f"{configuration!r} was asked for and {ran!r} ran "
                f"({answer.degraded or 'no reason given'}).",
                where=self.client.url,
            )
        if len(answer.hits) > DEPTH:
            raise DaemonProtocolError(
                f"{len(answer.hits)} hits came back where {DEPTH} were asked for.",
                where=self.client.url,
            )
        return answer

    def _mapped(
        self,
        prepared: Prepared,
        configuration: Ranked,
        answer: SearchAnswer,
        name_of: NameOf,
    ) -> Answer:
        """Put the hits as the file's ids: the best rank of each stands for it."""
        names = _Names(name_of)
        entries = [
            Entry(
                names.name(hit.id), None if hit.score is None else narrowed(hit.score)
            )
            for hit in answer.hits
        ]
        check_descending(entries, f"{self.client.url}: question {prepared.record.id!r}")
        hits: dict[str, float | None] = {}
        unknown = []
        # Ties are settled by the opaque names: those of the file begin with "answer".
        for rank, entry in enumerate(settled(entries), start=1):
            if entry.document.startswith(UNKNOWN_PREFIX):
                unknown.append((rank, entry.document))
            hits.setdefault(prepared.scored_as(entry.document), entry.score)
        return Answer(
            configuration=configuration,
            hits=tuple(hits.items()),
            checked=len(entries),
            unknown=tuple(unknown),
            plan=answer.plan,
            service_s=answer.instants.service_s,
            first_byte_s=answer.instants.first_byte_s,
            round_trip_s=answer.instants.round_trip_s,
        )


class _Names:
    """Name drawers, and number those that were never written as they appear."""

    def __init__(self, name_of: NameOf) -> None:
        self._name_of = name_of
        self._unknown: dict[str, str] = {}

    def name(self, drawer: str) -> str:
        known = self._name_of(drawer)
        if known is not None:
            return known
        number = len(self._unknown) + 1
        return self._unknown.setdefault(drawer, f"{UNKNOWN_PREFIX}{number}")


def ended(
    record: QuestionRecord,
    laps: Laps,
    answers: tuple[Answer, ...] = (),
    failures: tuple[Failure, ...] = (),
    verified: int = 0,
) -> QuestionRecord:
    """Complete a record with what came out and what it took."""
    return record.model_copy(
        update={
            "answers": answers,
            "failures": failures,
            "verified": record.verified + verified,
            "spent": added(record.spent, busy=laps.busy_s, **laps.spent),
        }
    )


@dataclass(frozen=True, slots=True)
class _Noting:
    """Turns a failed request into a failure of its question; a daemon's end goes on."""

    failures: list[Failure]
    stage: Stage
    configuration: Ranked | None = None

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        match error:
            case DaemonDiedError():
                return False
            case DaemonError():
                # Without the address, which is of this run alone.
                what = error.what
            case OverflowError():
                what = f"a score does not fit into 32 bits: {error}"
            case _:
                return False
        self.failures.append(
            Failure(stage=self.stage, configuration=self.configuration, what=what)
        )
        return True
