"""Draw the pseudo-random choices that the recall corpora are made of.

The generator is mulberry32. It is spelled out here, as its very bits decide which
words a document has, and so what a published number means.
"""

from collections.abc import Sequence
from typing import TypeVar

_MASK = (1 << 32) - 1

T = TypeVar("T")


class Mulberry32:
    """Draw numbers and choices; equal seeds draw alike on every machine.

    Args:
        seed: Any whole number; only its lower 32 bits count.
    """

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def draw(self) -> float:
        """Return the next number, 0 or more and below 1, a multiple of 2**-32."""
        state = self._state = (self._state + 0x6D2B79F5) & _MASK
        mixed = (state ^ (state >> 15)) * (state | 1) & _MASK
        twice = (mixed ^ (mixed >> 7)) * (mixed | 61) & _MASK
        mixed ^= (mixed + twice) & _MASK
        return (mixed ^ (mixed >> 14)) / (1 << 32)

    def below(self, count: int) -> int:
        """Return a whole number, 0 or more and below *count*; takes one draw."""
        return int(self.draw() * count)

    def pick(self, choices: Sequence[T]) -> T:
        """Return one of *choices*, which must not be empty; takes one draw."""
        return choices[self.below(len(choices))]

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return *items* in a drawn order; takes one draw an item but the first.

        The last place is filled first (Fisher and Yates, as Durstenfeld put it).
        """
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)
