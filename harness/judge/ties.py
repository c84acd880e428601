"""How far a metric depends on the order of equal scores.

Entries with equal scores came back in an order that means nothing, and were put in the
order of their ids before they were scored. Here every order counts: the worst and the
best value of each metric over all orders within equal scores. No order is tried out.
Every metric here only gains when an entry of a higher grade comes earlier, so the best
order of a stretch has its grades falling, and the worst has them rising.

A tie that the limit cut through is beyond this: what else had the last score is not in
the report.
"""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from harness.judge.graded import UNJUDGED, valued
from harness.report.model import Ranking, ScoredHit

AGREES = 1e-9
"""Where the report's own order gives another value than the report states, by more than
rounding, the metric is another one under the same name, and has no band here."""


@dataclass(frozen=True, slots=True)
class Band:
    """The worst and the best value over all orders of equal scores."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TieBand:
    """What a mean on either side, and its change, can be over all orders."""

    base: Band
    new: Band
    change: Band
    queries: int
    """How many queries' values depend on the order, on either side."""


class Answered(NamedTuple):
    """One configuration's rankings, and what is needed to cut them into stretches."""

    answers: Mapping[str, Ranking]
    expand: bool
    """Whether expansion appended hits, which are never mixed with direct ones."""
    limit: int | None
    """Direct hits asked for; ``None`` where that is not known."""

    def bands(self, query: str) -> dict[str, Band] | None:
        """Give the band of each metric of *query*; ``None`` without judgments."""
        ranking = self.answers[query]
        return bands(ranking, first_expanded=self._first_expanded(ranking))

    def order(self, query: str) -> list[frozenset[str]]:
        """Give the documents of each stretch of *query*."""
        ranking = self.answers[query]
        cut = stretches(ranking.hits, self._first_expanded(ranking))
        return [frozenset(stretch) for stretch in cut]

    def _first_expanded(self, ranking: Ranking) -> int | None:
        return first_expanded(ranking.hits, self.limit) if self.expand else None


def tie_bands(base: Answered, new: Answered) -> dict[str, TieBand] | None:
    """Give what the mean of each metric, and its change, can be over all orders.

    Each side's equals may stand in any order, whatever the other's do. Only where a
    query has the same documents in the same stretches on both sides, one rule gives
    both the same order, and the query's change stays what it is.

    Args:
        base: Every query of a configuration.
        new: The same queries on the other side.

    Returns:
        Metrics that every query has a band of; ``None`` where a ranking keeps no
        judgments.
    """
    rows = []
    for query in sorted(base.answers):
        ours, theirs = base.bands(query), new.bands(query)
        if ours is None or theirs is None:
            return None
        moved = None
        if base.order(query) == new.order(query):
            before, after = base.answers[query].metrics, new.answers[query].metrics
            moved = {
                name: after[name] - before[name] for name in before if name in after
            }
        rows.append((ours, theirs, moved))
    if not rows:
        return None
    known = set.intersection(*({*ours} & {*theirs} for ours, theirs, _ in rows))
    return {
        metric: _over_queries(
            [
                (ours[metric], theirs[metric], None if moved is None else moved[metric])
                for ours, theirs, moved in rows
            ]
        )
        for metric in sorted(known)
    }


def bands(ranking: Ranking, *, first_expanded: int | None) -> dict[str, Band] | None:
    """Give the band of each metric of one ranking; ``None`` without its judgments.

    Metrics that are not known here are left out, and so are those whose value in the
    report is not what the order in the report gives.

    Args:
        ranking: A ranking as the report keeps it.
        first_expanded: Place, from 0, of the first hit that expansion brought; ``None``
            where there is none.
    """
    grades = ranking.grades
    if not grades:
        return None
    cut = [
        [grades.get(document, UNJUDGED) for document in stretch]
        for stretch in stretches(ranking.hits, first_expanded)
    ]
    as_is = list(chain.from_iterable(cut))
    worst = list(chain.from_iterable(map(sorted, cut)))
    best = [grade for stretch in cut for grade in sorted(stretch, reverse=True)]
    judged = sorted(grades.values(), reverse=True)
    banded = {}
    for metric, stated in ranking.metrics.items():
        value = valued(metric, judged)
        if value is not None and abs(value(as_is) - stated) <= AGREES:
            banded[metric] = Band(value(worst), value(best))
    return banded


def stretches(
    hits: Sequence[ScoredHit], first_expanded: int | None
) -> list[tuple[str, ...]]:
    """Cut a ranking where the score changes, and where expansion begins.

    Scores are equal when their float32 bits are; a missing one counts as 0. A document
    that came back twice counts where it came first, as it does when it is scored.
    """
    end = len(hits) if first_expanded is None else first_expanded
    keyed = [(_bits(hit.score), rank >= end, hit) for rank, hit in enumerate(hits)]
    cut = []
    seen: set[str] = set()
    for _, group in groupby(keyed, key=lambda each: each[:2]):
        documents = dict.fromkeys(hit.document for *_, hit in group)
        cut.append(tuple(name for name in documents if name not in seen))
        seen |= documents.keys()
    return cut


def first_expanded(hits: Sequence[ScoredHit], limit: int | None) -> int | None:
    """Find where expansion began, which a report does not state; ``None``: nowhere.

    Direct hits come first, their scores fall and there are at most *limit*. So what
    follows a rise or the limit was appended. Where expansion goes on below the last
    direct score it is not seen, and need not be: the scores differ. Only where both
    are equal to the bit is the band wider than it has to be.
    """
    scores = [hit.score or 0.0 for hit in hits]
    rises = (
        rank
        for rank, (earlier, later) in enumerate(pairwise(scores), start=1)
        if later > earlier
    )
    first = next(rises, len(hits))
    if limit is not None:
        first = min(first, limit)
    return first if first < len(hits) else None


def _over_queries(rows: Sequence[tuple[Band, Band, float | None]]) -> TieBand:
    def mean(values: Sequence[float]) -> float:
        return math.fsum(values) / len(rows)

    low = [
        theirs.low - ours.high if moved is None else moved
        for ours, theirs, moved in rows
    ]
    high = [
        theirs.high - ours.low if moved is None else moved
        for ours, theirs, moved in rows
    ]
    return TieBand(
        Band(
            mean([ours.low for ours, _, _ in rows]), mean([o.high for o, _, _ in rows])
        ),
        Band(mean([new.low for _, new, _ in rows]), mean([n.high for _, n, _ in rows])),
        Band(mean(low), mean(high)),
        sum(ours.low < ours.high or new.low < new.high for ours, new, _ in rows),
    )


def _bits(score: float | None) -> bytes:
    value = 0.0 if score is None else score
    try:
        return struct.pack("<f", value)
    except OverflowError:
        # No daemon of ours sends such a score; equal is then equal as a double.
        return struct.pack("<d", value)
