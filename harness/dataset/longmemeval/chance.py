"""What a ranking in random order would score: the zero of every table.

Exact, from the hypergeometric distribution: a haystack of few sessions gives a good
deal away for nothing.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import comb

from harness.errors import HarnessError


def chance_level(units: int, gold: int, cutoffs: Iterable[int]) -> dict[str, float]:
    """Return the expected ``hit@k``, ``all@k`` and ``recall@k`` of a random ranking.

    Average it over the questions as the metric itself is: the mean of the chances is
    the chance of the mean.

    Args:
        units: Documents that can be told apart in a ranking, returned or not.
        gold: How many of them are relevant.
        cutoffs: Last ranks that count, each 1 or more.

    Raises:
        HarnessError: *gold* is not between 1 and *units*.

    >>> chance_level(48, 1, [5])["hit@5"] == 5 / 48
    True
    """
    if not 1 <= gold <= units:
        raise HarnessError(
            f"chance was asked for {gold} relevant documents among {units}."
        )
    levels = {}
    for cutoff in cutoffs:
        drawn = min(cutoff, units)
        ways = comb(units, drawn)
        none = Fraction(comb(units - gold, drawn), ways)
        every = Fraction(comb(units - gold, drawn - gold) if drawn >= gold else 0, ways)
        levels[f"hit@{cutoff}"] = float(1 - none)
        levels[f"all@{cutoff}"] = float(every)
        levels[f"recall@{cutoff}"] = drawn / units
    return dict(sorted(levels.items()))
