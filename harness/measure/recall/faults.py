"""Every fault of the embedder as a row: what it costs, and whether it passes.

Each fault meets the same queries three times: before it, during it and after it ended.
A daemon may lose quality in between, never an answer, and must be whole again after. A
document sent during the fault, whatever is asked, must be refused or stored whole.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.daemon.embedder import FaultKind
from harness.dataset.recall.model import CUTOFF, RecallDocument, RecallQuery
from harness.errors import DaemonDiedError, DaemonError
from harness.measure.latency import distribution
from harness.measure.metrics import mean_metrics, score_ranking
from harness.measure.progress import Advance
from harness.measure.recall.library import new_document
from harness.measure.recall.modes import Answered, Asker
from harness.measure.recall.rows import HYBRID, KEYWORD, MAIN, VECTOR, Row
from harness.measure.recall.watch import Watch, embedded
from harness.measure.recall.ways import BySearch
from harness.report.model import Distribution
from harness.report.recall import FaultResult

FAULTS: tuple[FaultKind, ...] = (
    "ok",
    "error",
    "refuse",
    "slow",
    "timeout",
    "rate_limited",
    "wrong_dimension",
    "nan",
    "garbage",
    "half",
)
"""Every kind there is, the first of them no fault: what it loses is noise."""

SLOW_S = 0.1
"""How late ``slow`` answers: seen in a latency, far below any patience."""
RETRY_AFTER_S = 1.0
"""How long ``rate_limited`` asks to wait."""

WING = "recall-faults"
"""Where documents go that are sent during a fault."""

MODES: tuple[tuple[Literal["vector", "hybrid"], str], ...] = (
    ("vector", VECTOR),
    ("hybrid", HYBRID),
)

FAILED = "(failed)"
"""Stands for a mode where a search failed instead of falling open."""
UNTOLD = "(untold)"

# Several fragments long, so that half a batch can be half a document.
_WORDS = 600

Ingest = Literal["refused", "stored", "half stored"]


@dataclass(frozen=True, slots=True)
class _Pass:
    """The sample, asked once; ``None`` stands for a search that failed."""

    recall: float
    answers: tuple[Answered | None, ...]

    @property
    def given(self) -> list[Answered]:
        return [answered for answered in self.answers if answered is not None]

    @property
    def service(self) -> Distribution | None:
        return distribution([each.found.instants.service_s for each in self.given])

    @property
    def effective(self) -> dict[str, int]:
        return _counted(
            (answered.found.effective or UNTOLD) if answered else FAILED
            for answered in self.answers
        )

    @property
    def codes(self) -> dict[str, int]:
        return _counted(
            each.found.degraded for each in self.given if each.found.degraded
        )


@dataclass(frozen=True, slots=True)
class FaultMatrix:
    """Runs every fault against both modes that embed.

    Args:
        asker: Asks, as it asked the rows.
        watch: The embedder that fails.
        queries: The sample to ask, see `sample`.
        keyword: Query id to the documents a keyword search ranks, where measured.
        kinds: The faults, in the order of the report.
    """

    asker: Asker
    watch: Watch
    queries: Sequence[RecallQuery]
    keyword: Mapping[str, tuple[str, ...]]
    kinds: Sequence[FaultKind] = FAULTS

    def run(self, advance: Advance) -> tuple[FaultResult, ...]:
        """Measure all of them, in order.

        Raises:
            DaemonError: The daemon died, or something other than a search failed.
        """
        results = []
        for kind in self.kinds:
            became = None
            for mode, name in MODES:
                row = Row(name, MAIN, BySearch(mode))
                result = self._one(kind, mode, row, became)
                # Writing knows no mode, and a daemon may try for seconds: once will do.
                became = result.ingest
                results.append(result)
                advance(1)
        return tuple(results)

    def _one(
        self,
        kind: FaultKind,
        mode: Literal["vector", "hybrid"],
        row: Row,
        became: Ingest | None,
    ) -> FaultResult:
        """Measure one fault in one mode.

        Args:
            kind: The fault.
            mode: The mode.
            row: How to ask in that mode.
            became: What became of a document sent during the same fault; ``None``
                where that is not known yet.
        """
        counts = self.asker.library.client.counts()
        before = self._pass(row, f"{row.name} before {kind}")
        self.watch.step()
        with self.watch.fault(
            kind,
            delay_s=SLOW_S if kind == "slow" else None,
            retry_after_s=RETRY_AFTER_S if kind == "rate_limited" else None,
        ):
            during = self._pass(row, f"{row.name} during {kind}")
            reached = self.watch.step()
            accepted = None if became else self._ingest(kind)
        after = self._pass(row, f"{row.name} after {kind}")
        now = self.asker.library.client.counts()
        grown = (
            _grown(counts.documents, now.documents),
            _grown(counts.fragments, now.fragments),
            _grown(counts.fragments_embedded, now.fragments_embedded),
        )
        self._prove(f"{row.name} during {kind}", before, during)
        healthy, service = before.service, during.service
        return FaultResult(
            fault=kind,
            mode=mode,
            queries=len(self.queries),
            healthy_recall=before.recall,
            fault_recall=during.recall,
            recovered_recall=after.recall,
            drop=before.recall - during.recall,
            effective=during.effective,
            codes=during.codes,
            healthy_p50_ms=healthy.p50_ms if healthy else None,
            fault_p50_ms=service.p50_ms if service else None,
            fault_max_ms=service.max_ms if service else None,
            embedder=embedded(reached),
            queries_to_recover=_until_whole(after.answers),
            ingest=became or _became(accepted, grown),
        )

    def _pass(self, row: Row, name: str) -> _Pass:
        answers = tuple(self._ask(row, query, name) for query in self.queries)
        scored = [
            score_ranking(
                ranked(answered) if answered else (),
                dict.fromkeys(query.relevant, 1),
                [CUTOFF],
            )
            for query, answered in zip(self.queries, answers, strict=True)
        ]
        return _Pass(mean_metrics(scored)[f"recall@{CUTOFF}"], answers)

    def _ask(self, row: Row, query: RecallQuery, name: str) -> Answered | None:
        """Ask; a search that fails where it should fall open is a finding."""
        try:
            return self.asker.ask(row, query)
        except DaemonDiedError:
            raise
        except DaemonError as error:
            self.asker.checks.failed(name, query, error)
            return None

    def _ingest(self, kind: FaultKind) -> int | None:
        """Send a document of several fragments; return how many it has, if taken."""
        text = " ".join(f"{kind}{word}" for word in range(_WORDS))
        document = RecallDocument(f"fault-{kind}", text)
        try:
            added, _ = self.asker.library.client.add(new_document(WING, document))
        except DaemonDiedError:
            raise
        except DaemonError:
            return None
        return added.fragments

    def _prove(self, name: str, before: _Pass, during: _Pass) -> None:
        """Hold each answer to one of two rankings: the healthy one or the keyword one.

        Anything between the two, or the one under the other's name, is a fault that
        reached the ranking unseen.
        """
        pairs = zip(self.queries, before.answers, during.answers, strict=True)
        for query, healthy, answered in pairs:
            if healthy is None or answered is None:
                continue
            wanted, than = ranked(healthy), "the healthy mode"
            if answered.found.degraded is not None:
                if query.id not in self.keyword:
                    continue
                wanted, than = self.keyword[query.id], KEYWORD
            self.asker.checks.alike(name, query.id, ranked(answered), wanted, than)


def sample(queries: Sequence[RecallQuery], most: int) -> tuple[RecallQuery, ...]:
    """Take *most* of the queries, spread evenly from the first; all if fewer."""
    count = min(most, len(queries))
    return tuple(queries[place * len(queries) // count] for place in range(count))


def ranked(answered: Answered) -> tuple[str, ...]:
    """Return the documents of an answer, best first."""
    return tuple(entry.document for entry in answered.ranking)


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _grown(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _until_whole(answers: Sequence[Answered | None]) -> int | None:
    """Count answers up to the first whole one; ``None`` where none is."""
    for count, answered in enumerate(answers):
        if answered is not None and answered.found.degraded is None:
            return count
    return None


def _became(
    fragments: int | None, grown: tuple[int | None, int | None, int | None]
) -> Ingest | None:
    """Say what became of a document, from the daemon's counts; ``None``: untold.

    Args:
        fragments: Its pieces as the daemon confirmed them; ``None`` where refused.
        grown: How many more documents, fragments and embedded fragments there are.
    """
    if None in grown:
        return None
    if fragments is None:
        return "refused" if grown == (0, 0, 0) else "half stored"
    return "stored" if grown == (1, fragments, fragments) else "half stored"
