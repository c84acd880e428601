from __future__ import annotations

from palace.similarity import THRESHOLD, can_be_near, lengths_near, similarity


def test_equal_texts_are_wholly_similar() -> None:
    assert similarity("the same words", "the same words") == 1.0


def test_one_typo_counts_against_the_longer_text() -> None:
    assert similarity("the cat sat on the mat", "the cat sat on the mab") == 1 - 1 / 22


def test_an_exchange_of_neighbours_is_one_edit() -> None:
    assert similarity("please recieve the parcel", "please receive the parcel") == (
        1 - 1 / 25
    )


def test_short_texts_are_never_near() -> None:
    assert not can_be_near(11)
    assert similarity("cat on mat", "car on mat") == 0.0


def test_texts_of_other_letters_are_ruled_out_without_counting_edits() -> None:
    assert similarity("aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb") == 0.0


def test_long_texts_are_compared_by_their_trigrams() -> None:
    long = "abcdefghij" * 250
    # Ten distinct trigrams in a cycle; one more letter adds one of its own.
    assert similarity(long, long + "z") == 10 / 11


def test_lengths_that_can_be_near_hold_the_threshold_at_both_ends() -> None:
    shortest, longest = lengths_near(100)
    assert (shortest, round(longest, 6)) == (100 * THRESHOLD, 111.111111)
