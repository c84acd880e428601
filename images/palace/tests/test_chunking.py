"""Cutting texts: nothing is lost, nothing too long, cut where a reader would."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palace.documents.chunking import Chunk, chunk
from palace.documents.constants import RECALL, RankingConstants

# 20 characters a fragment, of which it shares 6: small enough to draw many cuts.
SMALL = RankingConstants(
    chunk_tokens=10, chunk_overlap_tokens=3, characters_per_token=2.0
)
SIZE, OVERLAP = 20, 6

# Two code points that look like one, an emoji of five, and scripts without spaces.
PIECES = [
    "a",
    "word",
    " ",
    "  ",
    "\n",
    "\n\n",
    "e\u0301",
    "漢字",
    "한글",
    "я",
    "\t",
    ".",
]
PIECES += ["👩\u200d👩\u200d👧", "🇯🇵", "no-space-" * 5, "\u00a0"]
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=60).map("".join)


def cut(text: str, constants: RankingConstants = SMALL) -> list[str]:
    return [each.text for each in chunk(text, constants)]


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_every_character_lies_in_a_fragment_and_each_is_a_stretch_of_the_text(
    text: str,
) -> None:
    chunks = chunk(text, SMALL)

    for each in chunks:
        assert each.text == text[each.start : each.end]
        assert 0 < each.end - each.start <= SIZE
    for one, other in pairwise(chunks):
        assert one.start < other.start <= one.end < other.end
        assert one.end - other.start <= OVERLAP
    edges = (chunks[0].start, chunks[-1].end) if chunks else (0, 0)
    assert edges == (0, len(text))


def test_an_empty_text_has_no_fragment() -> None:
    assert chunk("", RECALL) == []


@pytest.mark.parametrize("length", [1, 1749, 1750])
def test_a_text_of_up_to_500_tokens_of_three_and_a_half_characters_stays_whole(
    length: int,
) -> None:
    text = "x" * length

    assert chunk(text, RECALL) == [Chunk(0, length, text)]


def test_a_text_without_a_break_is_cut_every_1400_characters_and_repeats_350() -> None:
    spans = [(each.start, each.end) for each in chunk("字" * 4000, RECALL)]

    assert spans == [(0, 1750), (1400, 3150), (2800, 4000)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param(
            "one two\n\nthree four five\n\nsix",
            ["one two", "two\n\nthree four five", " five\n\nsix"],
            id="at blank lines first, which stay with what follows",
        ),
        pytest.param(
            "one two three\nfour five six",
            ["one two three", " three\nfour five six"],
            id="then at line ends",
        ),
        pytest.param(
            "one two three four five six",
            ["one two three four", " four five six"],
            id="then at spaces, the last word within reach repeated",
        ),
        pytest.param(
            "abcdefghijklmnopqrstuvwxyz",
            ["abcdefghijklmnopqrst", "opqrstuvwxyz"],
            id="at last between any two code points",
        ),
        pytest.param(
            "short\n\nabcdefghijklmnopqrstuvwxyz end",
            ["short\n\nabcdefghijklm", "hijklmnopqrstuvwxyz", "uvwxyz end"],
            id="a word that is too long fills up what is there",
        ),
    ],
)
def test_a_text_is_cut_at_the_coarsest_break_that_fits(
    text: str, wanted: list[str]
) -> None:
    assert cut(text) == wanted


def test_what_a_cut_divides_stands_whole_in_the_next_fragment() -> None:
    text = "x" * (SIZE - 1) + "e\u0301" + "y" * 10

    first, second = cut(text)

    assert first.endswith("e")
    assert "e\u0301" in second


def test_the_overlap_gives_way_to_a_piece_that_needs_the_room() -> None:
    first, second = "a b c d e f g h i", "\n\n" + "z" * (SIZE - 4)

    assert cut(first + second) == [first, " i" + second]


@pytest.mark.parametrize("text", ["字" * 100_000, "👩\u200d👧e\u0301" * 20_000])
def test_a_hundred_thousand_characters_without_a_break_are_cut_in_no_time(
    text: str,
) -> None:
    start = time.perf_counter()
    chunks = chunk(text, RECALL)

    assert time.perf_counter() - start < 1
    assert len(chunks) == -(-(len(text) - 350) // 1400)


def test_the_time_grows_with_the_length_only() -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        chunk(text, RECALL)
        return time.process_time() - start

    for piece in ("\n", "a ", "\n\nb", "word\n"):
        seconds(piece * 1000)
        short, long = seconds(piece * 20_000), seconds(piece * 200_000)
        # Ten times as long; a hundred times would be the square.
        assert long < 40 * max(short, 0.002)
