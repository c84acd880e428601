"""Score a run that another system made, with the metrics of this one.

The order is trec_eval's, and so is what is relevant: a grade above 0. Unlike trec_eval
without ``-c``, a judged query that the run does not have counts as 0: a system must
not gain by leaving hard queries out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.dataset.exchange.judgments import Judgments
from harness.dataset.exchange.trec import Run
from harness.errors import NothingMeasuredError
from harness.measure.metrics import mean_metrics, score_ranking


@dataclass(frozen=True, slots=True)
class RunScore:
    """What a run is worth, and which queries are behind it."""

    metrics: Mapping[str, float]
    """Means over every query with something relevant."""
    by_query: Mapping[str, Mapping[str, float]]
    """In the order of the judgments."""
    missing: Sequence[str]
    """Queries among these that the run does not have; each metric of theirs is 0."""
    unjudged: Sequence[str]
    """Queries of the run that no judgment speaks of; in no average."""
    irrelevant: Sequence[str]
    """Judged queries without anything relevant; in no average."""
    judged_at: Mapping[str, float]
    """``judged@k``: how many of the first k documents were judged at all, over k.

    Where it is low, a metric says more of the judgments than of the run.
    """


def score_run(judgments: Judgments, run: Run, cutoffs: Sequence[int]) -> RunScore:
    """Score every query that has something relevant.

    Args:
        judgments: What is relevant; grades above 0 are.
        run: The rankings, of any depth: what is missing is a miss.
        cutoffs: Last ranks that count, each 1 or more.

    Raises:
        NothingMeasuredError: No judged query has anything relevant, or the run has
            none of those that do.
    """
    relevant = {query: judgments.relevant(query) for query in judgments.scores}
    scored = [query for query, grades in relevant.items() if grades]
    if not any(query in run.scores for query in scored):
        raise NothingMeasuredError(
            f"none of the run's {len(run.scores):,} queries is among the "
            f"{len(scored):,} that have something relevant.",
            remedy="Check that run and judgments are of one collection: the ids of "
            "queries must be the same, to the letter.",
        )
    rankings = {query: run.ranking(query) for query in scored}
    by_query = {
        query: score_ranking(rankings[query], relevant[query], cutoffs)
        for query in scored
    }
    shares = [
        {
            f"judged@{cutoff}": sum(
                document in judgments.scores[query]
                for document in rankings[query][:cutoff]
            )
            / cutoff
            for cutoff in cutoffs
        }
        for query in scored
    ]
    return RunScore(
        metrics=mean_metrics(list(by_query.values())),
        by_query=by_query,
        missing=[query for query in scored if query not in run.scores],
        unjudged=[query for query in run.scores if query not in judgments.scores],
        irrelevant=[query for query, grades in relevant.items() if not grades],
        judged_at=mean_metrics(shares),
    )
