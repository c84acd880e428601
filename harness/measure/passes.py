"""Ask every query under one configuration: once to score, then to time.

The first pass is untimed: it warms the daemon up and is the one that is scored. The
timed passes are held against it, because a ranking that changes from pass to pass has
no score. Queries go one after another, in file order, each sent when the one before
was answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.daemon.client import DaemonClient
from harness.daemon.search import SearchAnswer, SearchRequest, Temporal
from harness.daemon.wire import Hit
from harness.dataset.configurations import Configuration, takes_part
from harness.dataset.model import (
    AsOfEpoch,
    BetweenEpochs,
    Dataset,
    Historical,
    Present,
    Query,
)
from harness.errors import DaemonProtocolError
from harness.measure.invariants import UNKNOWN_PREFIX, InvariantChecks
from harness.measure.latency import Timed
from harness.measure.metrics import mean_metrics, score_ranking
from harness.measure.progress import Progress
from harness.measure.seeding import Seeded
from harness.measure.ties import Entry, narrowed, settled
from harness.report.model import ConfigurationResult, Ranking, ScoredHit


@dataclass(frozen=True, slots=True, kw_only=True)
class PassSettings:
    """The knobs of a pass."""

    limit: int
    """Hits to ask for; expansion may append as many again."""
    cutoffs: tuple[int, ...]
    repetitions: int
    """Timed passes after the scored one; 0 gives no latency."""


class Names:
    """Turn drawer ids into data-set ids; number what was not seeded as it appears.

    Random ids of one run never reach a report, so two runs can be equal.
    """

    def __init__(self, document_of: Mapping[str, str]) -> None:
        self._document_of = document_of
        self._unknown: dict[str, str] = {}

    def name(self, drawer_id: str) -> str:
        """Return the data-set id, or ``unknown:<n>``, the same for the same drawer."""
        known = self._document_of.get(drawer_id)
        if known is not None:
            return known
        number = len(self._unknown) + 1
        return self._unknown.setdefault(drawer_id, f"{UNKNOWN_PREFIX}{number}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Everything that turns a query into a settled ranking."""

    client: DaemonClient
    dataset: Dataset
    seeded: Seeded
    query_vectors: Mapping[str, NDArray[np.float32]]
    """Query id to the vector of its text, sent whatever the ranking."""
    profile: str | None
    settings: PassSettings
    checks: InvariantChecks
    names: Names

    def ask(self, query: Query, configuration: Configuration) -> SearchAnswer:
        """Send one query and take the answer as it comes."""
        return self.client.search(
            SearchRequest(
                text=query.text,
                ranking=configuration.ranking,
                limit=self.settings.limit,
                wing=query.filter.wing,
                room=query.filter.room,
                temporal=self.temporal(query),
                expand=configuration.expand,
                vector=self.query_vectors[query.id],
                profile=self.profile,
            )
        )

    def temporal(self, query: Query) -> Temporal:
        """Put a query's epochs as instants of the clock that stamped the drawers."""
        ends = self.seeded.epoch_ends
        match query.temporal:
            case Present():
                return "current"
            case Historical():
                return "all"
            case AsOfEpoch(epoch):
                return {"as_of": ends[epoch]}
            case BetweenEpochs(start, end):
                return {"between": {"from": ends[start], "until": ends[end]}}

    def ranking(
        self, query: Query, configuration: Configuration, answer: SearchAnswer
    ) -> list[Entry]:
        """Check an answer against the contract, name its hits and settle its ties.

        Raises:
            DaemonProtocolError: Another ranking ran than was asked for, there are
                more hits than were asked for, a score is out of range, or one is
                higher than that of an earlier hit.
        """
        where = f"{self.client.url}: query {query.id!r} under {configuration.name}"
        ran = answer.ranking or configuration.ranking
        if ran != configuration.ranking or answer.degraded:
            raise DaemonProtocolError(
                f"{configuration.ranking!r} was asked for and {ran!r} ran "
                f"({answer.degraded or 'no reason given'}).",
                where=where,
                remedy="Its figures would stand under the wrong name.",
            )
        allowed = self.settings.limit * (2 if configuration.expand else 1)
        if len(answer.hits) > allowed:
            raise DaemonProtocolError(
                f"{len(answer.hits)} hits came back where {allowed} are allowed.",
                where=where,
                remedy="A daemon must not gain by returning more than was asked for.",
            )
        entries = [self._entry(hit, where) for hit in answer.hits]
        check_descending(entries, where)
        return settled(entries)

    def _entry(self, hit: Hit, where: str) -> Entry:
        try:
            score = None if hit.score is None else narrowed(hit.score)
        except OverflowError as error:
            raise DaemonProtocolError(
                f"the score {hit.score!r} does not fit into 32 bits.", where=where
            ) from error
        return Entry(self.names.name(hit.id), score, is_expanded=hit.is_expanded)


def check_descending(entries: Sequence[Entry], where: str) -> None:
    """Refuse scores that contradict the order they came in.

    Direct hits and those of expansion are two stretches, each with scores of its own
    kind. Scores are compared as float32: what a daemon ranked in doubles may be equal
    here, never higher. A missing score says nothing.

    Args:
        entries: One answer in the daemon's order, before any tie is settled.
        where: Daemon, query and configuration, for the message.

    Raises:
        DaemonProtocolError: A score is higher than that of an earlier hit.
    """
    lowest: dict[bool, float] = {}
    for rank, entry in enumerate(entries, start=1):
        if entry.score is None:
            continue
        earlier = lowest.get(entry.is_expanded, entry.score)
        if entry.score > earlier:
            raise DaemonProtocolError(
                f"the hit at rank {rank} scores {entry.score!r}, more than the "
                f"{earlier!r} of an earlier one.",
                where=where,
                remedy="Hits come best first; either the order or the scores are off.",
            )
        lowest[entry.is_expanded] = entry.score


def measure(
    asker: Asker, configuration: Configuration, progress: Progress
) -> ConfigurationResult:
    """Run the scored pass and the timed passes of one configuration.

    A configuration that no query takes part in comes back with 0 queries, no metrics
    and no latency, so that it is seen to be empty.
    """
    queries = [
        query for query in asker.dataset.queries if takes_part(query, configuration)
    ]
    total = (1 + asker.settings.repetitions) * len(queries)
    with progress.phase(configuration.name, total) as advance:
        passed = [score(asker, configuration, query) for query in queries]
        advance(len(queries))
        timed = Timed()
        for _ in range(asker.settings.repetitions):
            _timed_pass(asker, configuration, passed, timed)
            advance(len(queries))
    return summed_up(configuration, passed, timed)


@dataclass(frozen=True, slots=True)
class Scored:
    """What one query got in the scored pass."""

    query: Query
    entries: Sequence[Entry]
    """What every timed pass is held against."""
    ranking: Ranking


def score(asker: Asker, configuration: Configuration, query: Query) -> Scored:
    """Ask a query untimed, check every hit, and score what came back.

    Raises:
        DaemonError: The daemon failed, or broke the contract.
    """
    answer = asker.ask(query, configuration)
    entries = asker.ranking(query, configuration, answer)
    asker.checks.check_hits(configuration.name, query, entries)
    documents = [entry.document for entry in entries]
    ranking = Ranking(
        query=query.id,
        category=query.category,
        metrics=score_ranking(documents, query.grades, asker.settings.cutoffs),
        hits=tuple(
            ScoredHit(document=entry.document, score=entry.score) for entry in entries
        ),
        plan=answer.plan,
        grades=query.grades,
    )
    return Scored(query, entries, ranking)


def summed_up(
    configuration: Configuration, passed: Sequence[Scored], timed: Timed
) -> ConfigurationResult:
    """Average over the queries, and give each the times of its own.

    Args:
        configuration: Under which all was asked.
        passed: The scored pass.
        timed: The timed passes, which asked in the order of *passed*.
    """
    rankings = [each.ranking for each in passed]
    categories = sorted({ranking.category for ranking in rankings})
    of_category = {
        category: [each.metrics for each in rankings if each.category == category]
        for category in categories
    }
    return ConfigurationResult(
        name=configuration.name,
        ranking=configuration.ranking,
        expand=configuration.expand,
        queries=len(rankings),
        metrics=mean_metrics([ranking.metrics for ranking in rankings]),
        by_category={name: mean_metrics(of_category[name]) for name in categories},
        category_queries={name: len(of_category[name]) for name in categories},
        latency=timed.latency(),
        rankings=timed.attached(rankings),
    )


def check_again(
    asker: Asker, configuration: Configuration, first: Scored, answer: SearchAnswer
) -> None:
    """Hold the answer of a timed pass against the contract and the scored pass.

    Costs what the client should not spend between two timed requests: call it after a
    whole pass.
    """
    entries = asker.ranking(first.query, configuration, answer)
    asker.checks.check_hits(configuration.name, first.query, entries)
    asker.checks.check_repeat(configuration.name, first.query, first.entries, entries)


def _timed_pass(
    asker: Asker,
    configuration: Configuration,
    passed: Sequence[Scored],
    timed: Timed,
) -> None:
    """Time one pass, and only then look at what it brought."""
    clock = asker.client.time.clock
    began = clock()
    answers = [asker.ask(each.query, configuration) for each in passed]
    timed.wall_s += clock() - began
    for first, answer in zip(passed, answers, strict=True):
        timed.instants.append(answer.instants)
        check_again(asker, configuration, first, answer)
