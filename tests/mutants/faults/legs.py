"""Faults in how the two legs of a hybrid search become one ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from palace.core import Palace
from palace.scope import Mask
from palace.search import engine, fusion, semantic
from palace.search.engine import Matched, Ranking
from palace.search.order import by_score
from palace.search.semantic import Leg
from palace.store.connect import PalaceConnection

from faults.places import How
from faults.putting import put

Scores = list[tuple[int, float]]

_fuse = fusion.fuse
_nearest = semantic.nearest
_lexical = engine._lexical
_rank = engine._rank


def _weighing(weigh: Callable[[int, int], float]) -> None:
    """Have a drawer at a rank (from 1) of a leg (from 0) weigh something else."""

    def fuse(*legs: Sequence[int]) -> Scores:
        scores: dict[int, float] = {}
        for number, leg in enumerate(legs):
            for rank, seq in enumerate(leg, start=1):
                scores[seq] = scores.get(seq, 0.0) + weigh(number, rank)
        return by_score(scores.items())

    put(fusion, "fuse", fuse)


def fusion_without_lexical_leg() -> None:
    """Hybrid search fuses the vector leg with nothing."""
    put(fusion, "fuse", lambda *legs: _fuse(legs[0]))


def fusion_without_semantic_leg() -> None:
    """Hybrid search fuses the lexical leg with nothing."""
    put(fusion, "fuse", lambda *legs: _fuse(legs[1]))


def fusion_constant_of_one() -> None:
    """The first ranks of each leg outweigh all others: k is 1 instead of 60."""
    put(fusion, "K", 1)


def fusion_constant_of_twenty() -> None:
    """The first ranks of each leg weigh a little more: k is 20 instead of 60."""
    put(fusion, "K", 20)


def fusion_ranks_from_zero() -> None:
    """Ranks are counted from 0 in the fusion."""
    _weighing(lambda _, rank: 1 / (fusion.K + rank - 1))


def fusion_favours_vectors() -> None:
    """The vector leg weighs half as much again as the lexical one."""
    _weighing(lambda leg, rank: (1.5 if leg == 0 else 1.0) / (fusion.K + rank))


def fusion_favours_words() -> None:
    """The lexical leg weighs half as much again as the vector one."""
    _weighing(lambda leg, rank: (1.5 if leg == 1 else 1.0) / (fusion.K + rank))


def fusion_keeps_what_both_found() -> None:
    """What only one leg found is left out."""

    def fuse(*legs: Sequence[int]) -> Scores:
        both = set(legs[0]) & set(legs[1])
        return [hit for hit in _fuse(*legs) if hit[0] in both]

    put(fusion, "fuse", fuse)


def fusion_adds_scores() -> None:
    """The scores of the legs are added, whatever their scales."""
    seen: dict[str, dict[int, float]] = {"vectors": {}, "words": {}}

    async def nearest(*what: object, **how: object) -> Leg:
        leg = await _nearest(*what, **how)  # type: ignore[arg-type]  # passed on
        seen["vectors"] = dict(leg.hits)
        return leg

    def words(*what: object, **how: object) -> tuple[Scores, Matched]:
        found = _lexical(*what, **how)  # type: ignore[arg-type]  # passed on
        seen["words"] = dict(found[0])
        return found

    def fuse(*legs: Sequence[int]) -> Scores:
        drawers = dict.fromkeys(seq for leg in legs for seq in leg)
        return by_score(
            (seq, sum(scores.get(seq, 0.0) for scores in seen.values()))
            for seq in drawers
        )

    put(semantic, "nearest", nearest)
    put(engine, "_lexical", words)
    put(fusion, "fuse", fuse)


def pool_of_ten() -> None:
    """Each leg gives the fusion no more than the page."""
    put(fusion, "pool_size", lambda limit: limit)


def semantic_answered_by_words() -> None:
    """A semantic search is a lexical one, and says that it is semantic."""

    async def rank(
        palace: Palace, connection: PalaceConnection, text: str, mask: Mask, how: How
    ) -> engine._Ranked:
        if how[0] is Ranking.SEMANTIC:
            how = (Ranking.LEXICAL, *how[1:])
        return await _rank(palace, connection, text, mask, how)

    put(engine, "_rank", rank)
