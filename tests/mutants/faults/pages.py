"""Faults in the page that comes back: ties, limits, thresholds, scores, repeats."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from palace.core import Palace
from palace.lexical import index, selection
from palace.routes import search as route
from palace.search import engine, semantic
from palace.search.engine import Answer, Query
from palace.search.order import single
from palace.search.semantic import Leg
from palace.store.vectors import VectorTable

from faults.putting import RANKERS, put

Scores = list[tuple[int, float]]

_search = engine.search
_fetch = engine._fetch
_nearest = semantic.nearest
_make_table = VectorTable.__init__
_best = selection.best


def _order_ties_by(key: Callable[[int], int], in_sql: str) -> None:
    """Have drawers of equal score come in another order, in every leg."""

    def by_score(scores: Iterable[tuple[int, float]]) -> Scores:
        rounded = [(seq, single(score)) for seq, score in scores]
        return sorted(rounded, key=lambda pair: (-pair[1], key(pair[0])))

    def best(
        scores: NDArray[np.float64], seqs: NDArray[np.int64], limit: int
    ) -> NDArray[np.intp]:
        keys = np.fromiter((key(int(seq)) for seq in seqs), np.int64, len(seqs))
        return _best(scores, keys, limit)

    def make_table(table: VectorTable, *what: object, **how: object) -> None:
        _make_table(table, *what, **how)  # type: ignore[arg-type]  # passed on
        for name in ("_all", "_picked", "_scanned", "_indexed", "_indexed_inside"):
            sound = getattr(table, name)
            faulty = sound.replace("score desc, seq ", f"score desc, {in_sql} ")
            setattr(table, name, faulty)

    for module in RANKERS:
        put(module, "by_score", by_score)
    put(index, "best", best)
    put(VectorTable, "__init__", make_table)


def ties_latest_first() -> None:
    """Of drawers with the same score, the one stored last comes first."""
    _order_ties_by(lambda seq: -seq, "seq desc")


def ties_by_random_id() -> None:
    """Drawers with the same score come in the order of their random ids."""
    salt = random.randrange(1 << 40)
    drawn: dict[int, int] = {}
    _order_ties_by(
        lambda seq: drawn.setdefault(seq, random.randrange(1 << 60)),
        f"hashint8extended(seq, {salt})",
    )


def ties_differ_each_time() -> None:
    """Drawers with the same score come in an order that no two searches share."""
    _order_ties_by(lambda _: random.randrange(1 << 60), "random()")


def _limit_by(change: Callable[[int], int]) -> None:
    """Have a search give another number of hits than was asked for."""

    async def search(palace: Palace, query: Query) -> Answer:
        return await _search(palace, replace(query, limit=change(query.limit)))

    put(route, "search", search)


def one_hit_too_few() -> None:
    """A page lacks its last hit."""
    _limit_by(lambda limit: limit - 1)


def one_hit_too_many() -> None:
    """A page has one hit more than was asked for."""
    _limit_by(lambda limit: limit + 1)


def at_most_five_hits() -> None:
    """A page has five hits, however many were asked for."""
    _limit_by(lambda limit: min(limit, 5))


def far_vectors_dropped() -> None:
    """What is not at least 0.2 near the query's vector is not found by it."""

    async def nearest(*what: object, **how: object) -> Leg:
        leg = await _nearest(*what, **how)  # type: ignore[arg-type]  # passed on
        return leg._replace(hits=[hit for hit in leg.hits if hit[1] >= 0.2])

    put(semantic, "nearest", nearest)


def scores_not_descending() -> None:
    """Fused hits are shown with the score that one of the legs gave them."""

    async def fetch(*what: object) -> list[engine.Hit]:
        hits = await _fetch(*what)  # type: ignore[arg-type]  # passed on
        return [hit._replace(score=next(iter(hit.signals.values()))) for hit in hits]

    put(engine, "_fetch", fetch)


def near_duplicates_hidden() -> None:
    """Of hits that begin with the same 30 characters, only the first is shown."""

    async def fetch(*what: object) -> list[engine.Hit]:
        hits = await _fetch(*what)  # type: ignore[arg-type]  # passed on
        first: dict[str, engine.Hit] = {}
        for hit in hits:
            first.setdefault(hit.row.content[:30], hit)
        return list(first.values())

    put(engine, "_fetch", fetch)


def first_hit_lost() -> None:
    """The best hit is left out."""

    async def fetch(*what: object) -> list[engine.Hit]:
        hits = await _fetch(*what)  # type: ignore[arg-type]  # passed on
        return hits[1:]

    put(engine, "_fetch", fetch)
