"""Answers of the long documents stand where a careless cut loses them."""

import re

import pytest

from harness.dataset.recall.long_documents import (
    FRAGMENT,
    OVERLAP,
    PLACES,
    long_documents_slice,
)
from harness.dataset.recall.long_texts import PASSAGES, Passage
from harness.dataset.recall.model import Slice, digest

STEP = FRAGMENT - OVERLAP
CASES = list(enumerate(PASSAGES))


@pytest.fixture(scope="module")
def long() -> Slice:
    return long_documents_slice()


def words(text: str) -> list[str]:
    return re.findall("[a-z0-9]+", text.lower())


def standing(long: Slice, place: str) -> list[tuple[str, int, int]]:
    """List text, start and end of the answers that stand at *place*."""
    texts = {document.id: document.text for document in long.documents}
    found = []
    for query, passage in zip(long.queries, PASSAGES, strict=True):
        if query.category == place:
            text = texts[query.relevant[0]]
            start = text.index(passage.answer)
            found.append((text, start, start + len(passage.answer)))
    return found


def test_the_texts_are_the_ones_that_figures_rest_on(long: Slice) -> None:
    assert digest(long.documents)[:16] == "519d40174eca7161"
    assert digest(long.queries)[:16] == "e76e2f24ff6f3c8e"


def test_every_place_is_asked_twice(long: Slice) -> None:
    assert [query.category for query in long.queries] == [*PLACES, *PLACES]


def test_every_document_has_three_fragments_or_more(long: Slice) -> None:
    lengths = [len(document.text) for document in long.documents]

    assert len(lengths) == 18
    assert all(STEP * 2 + FRAGMENT <= length <= 5200 for length in lengths)


@pytest.mark.parametrize(("number", "passage"), CASES)
def test_an_answer_has_all_words_and_a_miss_has_three(
    number: int, passage: Passage
) -> None:
    asked = words(passage.query)

    assert len(set(asked)) == 4, number
    assert [word for word in asked if word in words(passage.answer)] == asked
    assert sum(word in words(passage.miss) for word in asked) == 3


def test_words_of_a_query_stand_in_its_answer_and_the_misses_alone(
    long: Slice,
) -> None:
    for passage in PASSAGES:
        for document in long.documents:
            rest = document.text.replace(passage.answer, "").replace(passage.miss, "")
            others = [other for other in PASSAGES if other != passage]
            for other in others:
                rest = rest.replace(other.answer, "").replace(other.miss, "")
            assert not set(words(passage.query)) & set(words(rest)), document.id


def test_six_documents_hold_every_near_miss_and_no_answer(long: Slice) -> None:
    misses = [each for each in long.documents if each.id.startswith("long-miss-")]

    assert len(misses) == 6
    for document in misses:
        assert all(passage.miss in document.text for passage in PASSAGES)
        assert not any(passage.answer in document.text for passage in PASSAGES)


@pytest.mark.parametrize(
    ("place", "least", "most"),
    [
        ("first", 0, FRAGMENT - OVERLAP),
        ("second", FRAGMENT, STEP + FRAGMENT - OVERLAP),
        ("third", STEP + FRAGMENT, STEP * 2 + FRAGMENT - OVERLAP),
    ],
)
def test_an_answer_stands_inside_of_its_fragment(
    long: Slice, place: str, least: int, most: int
) -> None:
    for _, start, end in standing(long, place):
        assert least <= start < end <= most


def test_the_first_cut_parts_the_words_of_an_answer_two_and_two(long: Slice) -> None:
    for (text, _, _), passage in zip(
        standing(long, "boundary"), PASSAGES[3::6], strict=True
    ):
        places = sorted(text.lower().index(word) for word in words(passage.query))
        assert places[1] + 20 < FRAGMENT < places[2]
        assert "\n" not in text


def test_the_overlap_holds_an_answer_at_the_cut_whole(long: Slice) -> None:
    for _, start, end in standing(long, "boundary"):
        assert STEP <= start < FRAGMENT < end <= STEP + FRAGMENT


@pytest.mark.parametrize("place", ["end", "unbroken"])
def test_nothing_comes_after_an_answer_at_the_end(long: Slice, place: str) -> None:
    for text, start, end in standing(long, place):
        assert start > 2 * STEP
        assert end == len(text)


def test_one_word_is_longer_than_a_fragment(long: Slice) -> None:
    for text, start, _ in standing(long, "unbroken"):
        assert max(map(len, text[:start].split())) > FRAGMENT


def test_texts_have_blank_lines_and_line_breaks(long: Slice) -> None:
    broken = [each for each in long.documents if "\n" in each.text]

    assert len(broken) == 16
    assert all(re.search(r"\S\n\S", each.text) for each in broken)
    assert all("\n\n" in each.text for each in broken)
