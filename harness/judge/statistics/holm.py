"""Holm's step-down correction: several tests, one chance of a false alarm.

Holm, A simple sequentially rejective multiple test procedure (1979).
"""

from collections.abc import Mapping


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjust each p-value for the family it belongs to.

    The smallest is multiplied by the size of the family, the next by one less, and so
    on; none becomes smaller than one before it, or larger than 1. Held against 0.05,
    the adjusted values keep the chance of any false alarm below 0.05.

    Args:
        p_values: Name to p-value, of every test of the family, passed or not.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    adjusted: dict[str, float] = {}
    floor = 0.0
    ordered = sorted(p_values, key=lambda name: p_values[name])
    for place, name in enumerate(ordered):
        floor = max(floor, min(1.0, (len(ordered) - place) * p_values[name]))
        adjusted[name] = floor
    return {name: adjusted[name] for name in p_values}
