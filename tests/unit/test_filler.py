"""Filler is the same everywhere, and never an answer."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from harness.dataset.filler import filler_id, filler_texts
from harness.dataset.read import read_dataset
from harness.dataset.vectors.concepts import words
from tests.datafiles import a_case_file


def test_the_first_two_texts_are_the_published_ones() -> None:
    first, second = filler_texts(2)

    assert first == (
        "noxlyp lypbun kwogaz quahov jinpez oxetarq "
        "noxpez quaqua fenoxe quagaz noxqua hovpez filler0"
    )
    assert second == (
        "noxbun tarqqua noxnox druoxe hovkwo noxmil "
        "lypgaz tarqzor pezmil gazkwo jinmil noxoxe filler1"
    )


@given(st.integers(0, 60), st.integers(0, 60))
def test_a_larger_number_only_adds_texts_at_the_end(few: int, more: int) -> None:
    few, more = sorted((few, more))

    assert list(itertools.islice(filler_texts(more), few)) == list(filler_texts(few))


def test_no_two_texts_are_alike() -> None:
    assert len(set(filler_texts(2000))) == 2000


def test_no_texts_are_made_when_none_are_wanted() -> None:
    assert list(filler_texts(0)) == []


def test_ids_count_from_zero() -> None:
    assert filler_id(0) == "filler-0"


def test_filler_shares_no_word_with_a_public_query() -> None:
    dataset = read_dataset(a_case_file("memcastle/core.json"))
    asked = {word for query in dataset.queries for word in words(query.text)}
    filled = {word for text in filler_texts(200) for word in words(text)}

    assert asked & filled == set()
