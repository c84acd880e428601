"""The retrieval metrics of LongMemEval, as its official evaluation has them.

The official form differs from the textbook's, and published tables rest on it:

- ``recall_any`` and ``recall_all`` are 0 or 1, never a share. Without gold, any is 0
  and all is 1: averages over 470 questions hold 51 of these.
- nDCG leaves rank 2 undiscounted: the discount is 1 at rank 1 and log2(r) at rank r.

The rules are those of ``src/retrieval/eval_utils.py``, commit ``9e0b455``. Reports call
recall_any ``hit`` and recall_all ``all``, as `harness.measure.metrics` does.
"""

import math
from collections.abc import Iterable, Sequence, Set

from harness.measure.metrics import score_ranking

CUTOFFS = (1, 3, 5, 10, 30, 50)
"""The official evaluation's; a ranking has to be as long as the last of them."""

_TEXTBOOK = ("all", "hit", "ndcg", "recall")


def score_question(
    ranking: Sequence[str], gold: Set[str], cutoffs: Iterable[int] = CUTOFFS
) -> dict[str, float]:
    """Score one ranking in every form that is reported; the names come back sorted.

    These are ``hit@k``, ``all@k``, ``recall@k`` (the share of gold found), ``ndcg@k``
    (textbook), ``ndcg_official@k``, and ``mrr`` over the whole ranking.

    Args:
        ranking: Ids, best first. A repeated id counts where it came first, so that a
            session which stands in the haystack twice takes one rank.
        gold: Every relevant id of the haystack, found or not.
        cutoffs: Last ranks that count, each 1 or more.

    Raises:
        HarnessError: *gold* is empty. The functions below say what the official
            evaluation makes of that; here it is the caller's to leave it out.
    """
    at = tuple(cutoffs)
    textbook = score_ranking(ranking, dict.fromkeys(gold, 1), at)
    unique = list(dict.fromkeys(ranking))
    scores = {"mrr": textbook["mrr"]}
    for cutoff in at:
        for name in _TEXTBOOK:
            scores[f"{name}@{cutoff}"] = textbook[f"{name}@{cutoff}"]
        scores[f"ndcg_official@{cutoff}"] = ndcg_official(unique, gold, cutoff)
    return dict(sorted(scores.items()))


def recall_any(ranking: Sequence[str], gold: Set[str], cutoff: int) -> float:
    """Return 1 where any gold is among the first *cutoff*, else 0; 0 without gold."""
    return float(not gold.isdisjoint(ranking[:cutoff]))


def recall_all(ranking: Sequence[str], gold: Set[str], cutoff: int) -> float:
    """Return 1 where all gold is among the first *cutoff*, else 0; 1 without gold."""
    return float(gold <= set(ranking[:cutoff]))


def ndcg_official(ranking: Sequence[str], gold: Set[str], cutoff: int) -> float:
    """Score a ranking as the official ``ndcg_any`` does; 0 without gold.

    The ideal is built from all *gold*, cut at *cutoff*, never from what was returned.

    Args:
        ranking: Ids, best first, no repeats.
        gold: Every relevant id of the haystack.
        cutoff: Last rank that counts, in the ranking and in the ideal.

    >>> ndcg_official(["filler", "gold"], {"gold"}, 5)
    1.0
    """
    ideal = math.fsum(map(_discount, range(1, min(len(gold), cutoff) + 1)))
    if not ideal:
        return 0.0
    found = (
        _discount(rank)
        for rank, name in enumerate(ranking[:cutoff], start=1)
        if name in gold
    )
    return math.fsum(found) / ideal


def _discount(rank: int) -> float:
    return 1.0 if rank == 1 else 1 / math.log2(rank)
