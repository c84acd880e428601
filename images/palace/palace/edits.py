"""How many edits lie between two strings; exchanging two neighbours is one edit."""

from __future__ import annotations


def edits(one: str, other: str) -> int:
    """Count insertions, deletions, replacements and exchanges of neighbouring letters.

    The restricted Damerau distance: no letter is edited twice. Bit-parallel after
    Hyyrö (2003): a whole column of the usual table is one integer, so that two texts
    of 2,000 characters take milliseconds.

    >>> edits("kitten", "sitting"), edits("recieve", "receive")
    (3, 1)
    """
    if not one or not other:
        return len(one) + len(other)
    places: dict[str, int] = {}
    for place, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << place
    every = (1 << len(one)) - 1
    last = 1 << (len(one) - 1)
    # Vertical steps of the table: where a column goes up and down by one.
    up, down = every, 0
    diagonal = match_before = 0
    distance = len(one)
    for letter in other:
        match = places.get(letter, 0)
        exchanged = ((~diagonal & match) << 1) & match_before
        diagonal = ((((match & up) + up) ^ up) | match | down | exchanged) & every
        rises = (down | ~(diagonal | up)) & every
        falls = up & diagonal
        distance += bool(rises & last) - bool(falls & last)
        rises = rises << 1 | 1
        up = (falls << 1 | ~(diagonal | rises)) & every
        down = rises & diagonal & every
        match_before = match
    return distance
