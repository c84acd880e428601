"""The scripts slice asks what a search for a-z cannot answer."""

import re
import unicodedata
from collections import Counter

import pytest

from harness.dataset.recall.model import Slice, digest
from harness.dataset.recall.scripts import SCRIPTS, scripts_slice
from harness.dataset.vectors.trigrams import TrigramModel

LETTERS = {
    "cyrillic": "CYRILLIC",
    "korean": "HANGUL",
    "japanese": "HIRAGANA|KATAKANA|CJK",
    "chinese": "CJK",
}
BREAKS = ("\n", "\r", "\t")


@pytest.fixture(scope="module")
def scripts() -> Slice:
    return scripts_slice()


@pytest.fixture(scope="module")
def texts(scripts: Slice) -> dict[str, str]:
    return {document.id: document.text for document in scripts.documents}


def test_the_texts_are_the_ones_that_figures_rest_on(scripts: Slice) -> None:
    assert digest(scripts.documents)[:16] == "cde8bfcb6c143fc0"
    assert digest(scripts.queries)[:16] == "e61b789ef892f1d5"


def test_every_script_asks_six_queries_or_more(scripts: Slice) -> None:
    assert Counter(query.category for query in scripts.queries) == {
        "latin": 9,
        "cyrillic": 7,
        "korean": 7,
        "japanese": 7,
        "chinese": 7,
        "emoji": 7,
        "linebreaks": 6,
    }
    assert list(SCRIPTS) == list(
        dict.fromkeys(each.category for each in scripts.queries)
    )


def test_every_script_has_lines_that_answer_nothing(scripts: Slice) -> None:
    answers = {each for query in scripts.queries for each in query.relevant}
    idle = Counter(
        document.id.split("-")[0]
        for document in scripts.documents
        if document.id not in answers
    )

    assert set(idle) == set(SCRIPTS)
    assert min(idle.values()) >= 7


@pytest.mark.parametrize("script", LETTERS)
def test_queries_are_written_in_their_script(script: str, scripts: Slice) -> None:
    for query in scripts.queries:
        if query.category == script:
            letters = [each for each in query.text if each.isalpha()]
            assert letters
            assert all(
                re.match(LETTERS[script], unicodedata.name(each)) for each in letters
            )


def test_queries_beyond_latin_letters_have_no_vector(scripts: Slice) -> None:
    model = TrigramModel()

    got = {query.category for query in scripts.queries if model.embed(query.text).any()}
    assert got == {"latin", "linebreaks"}


def test_one_document_of_a_script_with_marks_is_stored_decomposed(
    scripts: Slice,
) -> None:
    decomposed = [
        document.id
        for document in scripts.documents
        if not unicodedata.is_normalized("NFC", document.text)
    ]

    assert [identity.split("-")[0] for identity in decomposed] == [
        *("latin", "cyrillic", "korean"),
    ]


def test_queries_are_composed(scripts: Slice) -> None:
    assert all(
        unicodedata.is_normalized("NFC", query.text) for query in scripts.queries
    )


def test_korean_nouns_stand_with_a_particle_in_the_answer(
    scripts: Slice, texts: dict[str, str]
) -> None:
    for query in scripts.queries:
        if query.category == "korean":
            answer = unicodedata.normalize("NFC", texts[query.relevant[0]])
            words = re.findall(r"\w+", answer)
            assert all(
                any(word.startswith(noun) for word in words)
                for noun in query.text.split()
            )
            assert any(noun not in words for noun in query.text.split())


def test_words_asked_for_are_parted_by_a_break_and_not_by_a_space(
    scripts: Slice, texts: dict[str, str]
) -> None:
    for query in scripts.queries:
        if query.category != "linebreaks":
            continue
        answer = texts[query.relevant[0]].lower()
        for word in query.text.lower().split():
            before, after = answer.split(word)
            assert before.endswith(BREAKS) or after.startswith(BREAKS)


def test_no_escape_is_left_in_a_text(texts: dict[str, str]) -> None:
    assert not any("\\" in text for text in texts.values())
