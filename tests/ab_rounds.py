"""Rounds of a comparison side by side, made of nothing but ratios."""

import random
from collections.abc import Sequence

from harness.report.ab import QueryTimes, Round, Tails, Times

QUERIES = 39


def some_times(
    ratio: float,
    *,
    noise: float = 0.01,
    queries: int = QUERIES,
    configuration: str = "hybrid",
    seed: int = 1,
    tails: Tails | None = None,
) -> Times:
    """Give each query a base of its own, and a candidate *ratio* times that.

    Args:
        ratio: The true one.
        noise: Each query's own ratio lies within this share of it, evenly.
        queries: How many.
        configuration: Whose times they are.
        seed: Of the noise.
        tails: What the percentiles came to.
    """
    chance = random.Random(seed)
    rows = []
    for place in range(queries):
        base = 1.0 + place / 10
        own = ratio * (1 + chance.uniform(-noise, noise))
        rows.append(
            QueryTimes(query=f"q{place:02}", base_ms=base, candidate_ms=base * own)
        )
    return Times(
        configuration=configuration,
        queries=tuple(rows),
        tails=tails,
        rankings_moved=0,
    )


def a_round(
    *measured: Times, floor: Sequence[Times] = (), fresh: bool = True, seed: int = 7
) -> Round:
    """Hold some times against the base itself, which differs by 1 % at most."""
    own = tuple(
        some_times(
            1.0,
            queries=len(each.queries),
            configuration=each.configuration,
            seed=seed,
        )
        for each in measured
    )
    return Round(
        twin="instance", fresh=fresh, floor=tuple(floor) or own, measured=measured
    )
