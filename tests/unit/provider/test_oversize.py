"""A text above the limit is cut by the rule; nothing of it gets lost by accident."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.provider.batches import tokens
from harness.provider.oversize import NO_SHORTER, cut, cut_further

WORDS = " ".join(f"word{number}" for number in range(1000))


def test_text_at_the_limit_is_left_alone() -> None:
    assert cut(" abcdefg", 2, "chunk") == [" abcdefg"]


def test_every_fragment_keeps_the_limit_and_every_word_is_in_one() -> None:
    pieces = cut(WORDS, 100, "chunk")
    assert max(map(tokens, pieces)) <= 100
    assert {word for each in pieces for word in each.split()} == set(WORDS.split())


def test_fragments_overlap_by_a_tenth() -> None:
    pieces = cut(WORDS, 100, "chunk")
    shared = [
        len(set(one.split()) & set(other.split())) for one, other in pairwise(pieces)
    ]
    # 40 of 400 characters, words of 7 or 8 with their gap.
    assert set(shared) <= {3, 4, 5}


def test_truncated_is_the_first_fragment() -> None:
    assert cut(WORDS, 100, "truncate") == cut(WORDS, 100, "chunk")[:1]


def test_text_without_gaps_is_cut_all_the_same() -> None:
    pieces = cut("語" * 250, 100, "chunk")
    assert [len(each) for each in pieces] == [100, 100, 70]


def test_long_white_space_makes_no_blank_fragment() -> None:
    pieces = cut("a" + " " * 5000 + "b", 100, "chunk")
    assert pieces[0] == "a"
    assert pieces[-1] == "b"
    assert all(each.strip() for each in pieces)


def test_text_that_the_estimate_let_pass_is_cut_in_two() -> None:
    pieces = cut_further("digits " * 40, "chunk")
    assert len(pieces) == 2
    assert cut_further("digits " * 40, "truncate") == pieces[:1]


def test_short_text_is_not_cut_for_ever() -> None:
    assert cut_further("a" * 4 * (NO_SHORTER - 1), "chunk") == []


@given(
    st.lists(st.characters(exclude_categories=["Cs"]), unique=True, min_size=1),
    st.integers(1, 20),
)
def test_no_character_but_white_space_is_lost(letters: list[str], limit: int) -> None:
    text = "".join(letters)
    if text.isspace():
        return
    pieces = cut(text, limit, "chunk")
    assert all(each.strip() and tokens(each) <= limit for each in pieces)
    assert all(each in text for each in pieces)
    assert set("".join(pieces)) >= set("".join(text.split()))


@pytest.mark.parametrize("limit", [1, 7])
def test_cutting_always_ends(limit: int) -> None:
    assert "".join(cut("x" * 100, limit, "chunk")).count("x") >= 100
