"""Ask every query of a row: once to score it, and then to time it.

Rankings are of documents: a fragment stands for its document, and where several of one
document come back, the first counts. The daemon's order is the ranking, equal scores
included, because the contract promises a total order.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from harness.daemon.timing import Clock
from harness.dataset.recall.model import RecallQuery
from harness.errors import DaemonProtocolError
from harness.measure.latency import Timed
from harness.measure.metrics import mean_metrics, score_ranking
from harness.measure.passes import check_descending
from harness.measure.progress import Advance
from harness.measure.recall.library import Library
from harness.measure.recall.proof import Checks
from harness.measure.recall.rows import Row
from harness.measure.recall.watch import Reached, Watch, embedded
from harness.measure.recall.ways import ByRank, Found
from harness.measure.ties import Entry
from harness.report.model import ConfigurationResult, Ranking, ScoredHit
from harness.report.part import Metrics
from harness.report.recall import Embedded


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer, its hits named."""

    found: Found
    ranking: tuple[Entry, ...]
    """Documents, best first, each once."""
    wings: tuple[str | None, ...]
    """The wing each was written to; ``None`` where nobody wrote it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One row, and what reached the embedder while it was scored."""

    result: ConfigurationResult
    embedded: Embedded | None
    """``None`` where no embedder could be watched, or nothing was asked."""
    cut: bool
    """Whether the daemon said of an answer that a limit left fragments unread."""


@dataclass(slots=True)
class _Passes:
    """What the passes of one row brought."""

    rankings: list[Ranking] = field(default_factory=list)
    scored: list[tuple[RecallQuery, tuple[Entry, ...]]] = field(default_factory=list)
    timed: Timed = field(default_factory=Timed)
    waited_ms: list[float] = field(default_factory=list)
    """What the daemon says the timed passes waited for the embedder."""
    requests: int = 0
    inputs: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Everything that turns a query into a ranking of documents.

    Args:
        library: What was written, and the daemon it was written to.
        clock: Times whole passes.
        watch: The embedder; ``None`` where it is not ours.
        checks: Is told of every answer.
        limit: Hits to ask for, where the way takes a limit.
        cutoffs: Last ranks that count.
        repetitions: Timed passes after the scored one; 0 gives no latency.
    """

    library: Library
    clock: Clock
    watch: Watch | None
    checks: Checks
    limit: int
    cutoffs: tuple[int, ...]
    repetitions: int

    def ask(self, row: Row, query: RecallQuery) -> Answered:
        """Ask one query and name what came back.

        Raises:
            DaemonError: The daemon failed.
            DaemonProtocolError: There are more hits than were asked for, or a score is
                no number or higher than that of an earlier hit.
        """
        found = row.way.ask(self.library.client, query, row.wing, self.limit)
        where = f"{self.library.url}: query {query.id!r} of {row.name}"
        if not isinstance(row.way, ByRank) and len(found.hits) > self.limit:
            raise DaemonProtocolError(
                f"{len(found.hits)} hits came back where {self.limit} are allowed.",
                where=where,
                remedy="A daemon must not gain by returning more than was asked for.",
            )
        for owner, score in found.hits:
            if not math.isfinite(score):
                raise DaemonProtocolError(
                    f"the score of {owner!r} is {score!r}.", where=where
                )
        named = list(self._named(found))
        if found.descends:
            check_descending([entry for entry, _ in named], where)
        first = {entry.document: (entry, wing) for entry, wing in reversed(named)}
        kept = [first[name] for name in dict.fromkeys(e.document for e, _ in named)]
        return Answered(
            found,
            tuple(entry for entry, _ in kept),
            tuple(wing for _, wing in kept),
        )

    def measure(
        self, row: Row, queries: Sequence[RecallQuery], corpus: int, advance: Advance
    ) -> Measured:
        """Run the scored pass and the timed passes of one row.

        Args:
            row: How to ask, and where.
            queries: What to ask, at least one.
            corpus: How many documents or facts the wing holds.
            advance: Told of every query asked.
        """
        passes = _Passes()
        self._step()
        for query in queries:
            self._score(row, query, passes)
            advance(1)
        for _ in range(self.repetitions):
            self._time(row, passes)
            advance(len(queries))
        reached = None
        if self.watch is not None:
            p50_ms = statistics.median(passes.waited_ms) if passes.waited_ms else None
            reached = embedded(Reached(passes.requests, passes.inputs), p50_ms)
        return Measured(_result(row, passes, corpus), reached, passes.cut)

    def _score(self, row: Row, query: RecallQuery, passes: _Passes) -> None:
        answered = self.ask(row, query)
        reached = self._step()
        if reached is not None:
            passes.requests += reached.requests
            passes.inputs += reached.inputs
            self.checks.reached(row, query, reached)
        self.checks.told(row, query, answered.found)
        self.checks.hits(row, query, answered.ranking, answered.wings)
        passes.cut = passes.cut or answered.found.cut
        passes.scored.append((query, answered.ranking))
        passes.rankings.append(self._ranking(query, answered))

    def _ranking(self, query: RecallQuery, answered: Answered) -> Ranking:
        grades = dict.fromkeys(query.relevant, 1)
        documents = [entry.document for entry in answered.ranking]
        return Ranking(
            query=query.id,
            category=query.category,
            metrics=score_ranking(documents, grades, self.cutoffs),
            hits=tuple(
                ScoredHit(document=entry.document, score=entry.score)
                for entry in answered.ranking
            ),
            effective=answered.found.effective,
            degraded=answered.found.degraded,
            grades=grades,
        )

    def _time(self, row: Row, passes: _Passes) -> None:
        """Time one pass, and only then look at what it brought."""
        began = self.clock()
        answers = [self.ask(row, query) for query, _ in passes.scored]
        passes.timed.wall_s += self.clock() - began
        reached = self._step()
        if reached is not None:
            queries = [query for query, _ in passes.scored]
            self.checks.timed(row, queries, reached)
        for (query, first), answered in zip(passes.scored, answers, strict=True):
            passes.timed.instants.append(answered.found.instants)
            if answered.found.embed_ms is not None:
                passes.waited_ms.append(answered.found.embed_ms)
            self.checks.told(row, query, answered.found)
            self.checks.hits(row, query, answered.ranking, answered.wings)
            self.checks.repeat(row, query, first, answered.ranking)

    def _step(self) -> Reached | None:
        return None if self.watch is None else self.watch.step()

    def _named(self, found: Found) -> Iterator[tuple[Entry, str | None]]:
        for owner, score in found.hits:
            entry = Entry(self.library.names.name(owner), score)
            yield entry, self.library.wing_of.get(owner)


def skipped(row: Row, reason: str) -> Measured:
    """Keep the place of a row that cannot be measured."""
    result = ConfigurationResult(
        name=row.name,
        ranking=row.way.ranking,
        expand=False,
        queries=0,
        metrics={},
        by_category={},
        category_queries={},
        latency=None,
        rankings=(),
        skip_reason=reason,
    )
    return Measured(result, None, cut=False)


def _result(row: Row, passes: _Passes, corpus: int) -> ConfigurationResult:
    rankings = passes.timed.attached(passes.rankings)
    of_category: dict[str, list[Metrics]] = {}
    for ranking in rankings:
        of_category.setdefault(ranking.category, []).append(ranking.metrics)
    ordered = sorted(of_category.items())
    return ConfigurationResult(
        name=row.name,
        ranking=row.way.ranking,
        expand=False,
        queries=len(rankings),
        metrics=mean_metrics([ranking.metrics for ranking in rankings]),
        by_category={name: mean_metrics(metrics) for name, metrics in ordered},
        category_queries={name: len(metrics) for name, metrics in ordered},
        latency=passes.timed.latency(),
        rankings=rankings,
        corpus=corpus,
    )
