"""Paraphrases share parts of words with their answers, and no word."""

import re

import pytest

from harness.dataset.recall.model import Slice, digest
from harness.dataset.recall.paraphrase import paraphrase_slice


@pytest.fixture(scope="module")
def paraphrases() -> Slice:
    return paraphrase_slice()


def words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))


def parts(text: str) -> set[str]:
    """Name every four letters in a row of a text's words."""
    return {
        word[start : start + 4]
        for word in words(text)
        for start in range(len(word) - 3)
    }


def test_the_texts_are_the_ones_that_figures_rest_on(paraphrases: Slice) -> None:
    assert digest(paraphrases.documents)[:16] == "6c2aacea6d84dcfb"
    assert digest(paraphrases.queries)[:16] == "fc1d29afad49b1a3"


def test_twenty_queries_have_three_answers_each(paraphrases: Slice) -> None:
    assert len(paraphrases.documents) == 100
    assert [query.relevant for query in paraphrases.queries] == [
        tuple(f"para-{family}-{number}" for number in range(3)) for family in range(20)
    ]


def test_no_query_shares_a_word_with_any_document(paraphrases: Slice) -> None:
    asked = set().union(*(words(query.text) for query in paraphrases.queries))
    written = set().union(*(words(each.text) for each in paraphrases.documents))

    assert asked & written == set()


def test_no_query_shares_a_stem_with_any_document(paraphrases: Slice) -> None:
    snowball = pytest.importorskip("Stemmer", reason="no Porter2 without PyStemmer")
    stem = snowball.Stemmer("english").stemWords
    asked = set().union(*(stem(words(query.text)) for query in paraphrases.queries))
    written = set().union(*(stem(words(each.text)) for each in paraphrases.documents))

    assert {"candlelight", "crossroad"} <= asked
    assert asked & written == set()


def test_every_answer_shares_a_part_of_a_word_with_its_query(
    paraphrases: Slice,
) -> None:
    texts = {document.id: document.text for document in paraphrases.documents}

    for query in paraphrases.queries:
        for each in query.relevant:
            assert parts(query.text) & parts(texts[each]), (query.text, texts[each])


def test_every_text_stands_once(paraphrases: Slice) -> None:
    texts = [document.text for document in paraphrases.documents]

    assert len(set(texts)) == len(texts)
