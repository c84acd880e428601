"""Draw the fixed pseudo-random sequences that filler and vectors are made of.

The generator is Marsaglia's 64-bit xorshift with the shifts 13, 7 and 17. It is
spelled out here, rather than taken from ``random`` or numpy, because its very bits
are part of what a published number means.
"""

_MASK = (1 << 64) - 1


def step(state: int) -> int:
    """Return the state after *state*, which is also the number drawn.

    Args:
        state: Any unsigned 64-bit number but 0, which only ever leads to itself.
    """
    state ^= (state << 13) & _MASK
    state ^= state >> 7
    return state ^ ((state << 17) & _MASK)
