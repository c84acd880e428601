from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace.edits import edits


def by_the_table(one: str, other: str) -> int:
    """The textbook table of the restricted Damerau distance, cell by cell."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for row in range(len(one) + 1):
        table[row][0] = row
    for column in range(len(other) + 1):
        table[0][column] = column
    for row in range(1, len(one) + 1):
        for column in range(1, len(other) + 1):
            differs = one[row - 1] != other[column - 1]
            table[row][column] = min(
                table[row - 1][column] + 1,
                table[row][column - 1] + 1,
                table[row - 1][column - 1] + differs,
            )
            if (
                row > 1
                and column > 1
                and one[row - 1] == other[column - 2]
                and one[row - 2] == other[column - 1]
            ):
                table[row][column] = min(
                    table[row][column], table[row - 2][column - 2] + 1
                )
    return table[-1][-1]


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("kitten", "sitting", 3),
        ("recieve", "receive", 1),
        ("ca", "abc", 3),
        ("", "abc", 3),
        ("same", "same", 0),
    ],
)
def test_known_distances(one: str, other: str, wanted: int) -> None:
    assert edits(one, other) == wanted


@given(st.text("abcd", max_size=12), st.text("abcd", max_size=12))
def test_the_bit_parallel_count_is_that_of_the_table(one: str, other: str) -> None:
    assert edits(one, other) == by_the_table(one, other)


@given(st.text("ab ", max_size=90), st.text("ab ", max_size=90))
def test_texts_longer_than_a_machine_word_are_counted_right(
    one: str, other: str
) -> None:
    assert edits(one, other) == by_the_table(one, other)
