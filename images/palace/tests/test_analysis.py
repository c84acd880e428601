"""What becomes a term, and what two spellings of one word have in common."""

# ruff: noqa: RUF001 - characters that look like others are what is tested here

from __future__ import annotations

import string
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace.lexical import terms


def test_words_are_lower_case_and_stemmed() -> None:
    assert terms("The Deployments RUNNING") == ["the", "deploy", "run"]


def test_repeats_and_order_are_kept() -> None:
    assert terms("red blue red") == ["red", "blue", "red"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("py311", ["py", "311"]),
        ("3.14", ["3", "14"]),
        ("on-call", ["on", "call"]),
        ("snake_case", ["snake", "case"]),
        ("m²", ["m", "2"]),
    ],
)
def test_runs_are_cut_between_letters_and_digits_and_at_punctuation(
    text: str, wanted: list[str]
) -> None:
    assert terms(text) == wanted


# Pairs of the published sample vocabulary of the English Snowball stemmer.
@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("consistency", "consist"),
        ("consoled", "consol"),
        ("knightly", "knight"),
        ("knives", "knive"),
        ("kneeling", "kneel"),
    ],
)
def test_stems_are_those_of_the_english_snowball_stemmer(word: str, stem: str) -> None:
    assert terms(word) == [stem]


@pytest.mark.parametrize(
    "text", ["", " \n\t", "?", "?!...", "'", "''", "---", "’“”—…", "\x00", "_"]
)
def test_punctuation_alone_leaves_no_term(text: str) -> None:
    assert terms(text) == []


def test_a_query_of_punctuation_is_empty() -> None:
    assert terms('?! \' — "..." ()') == []


@pytest.mark.parametrize("mark", list(string.punctuation + "’‘“”«»…—、。？！"))
def test_attached_punctuation_changes_nothing(mark: str) -> None:
    assert terms(f"{mark}dentist{mark} tomorrow{mark}") == terms("dentist tomorrow")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Bob's", ["bob"]),
        ("Bob’s", ["bob"]),
        ("don't", ["don"]),
        ("they've", ["they"]),
        ("O'Brien", ["o", "brien"]),
        ("l'hôtel", ["l", "hotel"]),
        ("'tis", ["tis"]),
        ("1990's", ["1990"]),
        ("plan s", ["plan", "s"]),
    ],
)
def test_an_english_ending_goes_with_its_apostrophe(
    text: str, wanted: list[str]
) -> None:
    assert terms(text) == wanted


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Crème Brûlée", "creme brulee"),
        ("naïve", "naive"),
        ("Ørsted Łódź æther", "orsted lodz aether"),
        ("Straße", "STRASSE"),
        ("İstanbul ısı", "istanbul isi"),
        ("Ｆｕｌｌ ﬁne", "full fine"),
        ("ΣΟΦΌΣ", "σοφος"),
        ("ёлка", "елка"),
        ("за\u0301мок", "замок"),
        ("שָׁלוֹם", "שלום"),
        ("كِتَاب", "كتاب"),
        ("co\u00adoperate", "cooperate"),
        ("٢٠٢٤", "2024"),
        ("1️⃣", "1"),
        ("ﾄｳｷｮｳ", "トウキョウ"),
    ],
)
def test_spellings_of_one_word_are_one(one: str, other: str) -> None:
    assert terms(one) == terms(other)
    assert terms(one) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [("мой", "мои"), ("か", "が"), ("ї", "і"), ("हिन्दी", "हनद"), ("각", "가")],
)
def test_marks_that_make_another_letter_are_kept(one: str, other: str) -> None:
    assert terms(one) != terms(other)


@given(st.text())
def test_composed_and_decomposed_text_are_one(text: str) -> None:
    # Some code points are not stable under case folding before decomposition; both
    # forms must meet all the same.
    composed = unicodedata.normalize("NFC", text)
    assert terms(unicodedata.normalize("NFD", composed)) == terms(composed)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("東京都", ["東", "京", "都", "東京", "京都"]),
        ("水", ["水"]),
        ("학교에서", ["학", "교", "에", "서", "학교", "교에", "에서"]),
        ("猫とcat", ["猫", "と", "猫と", "cat"]),
        ("東京。大阪", ["東", "京", "東京", "大", "阪", "大阪"]),
        ("ดี", ["ดี"]),
    ],
)
def test_unspaced_scripts_give_characters_and_pairs(
    text: str, wanted: list[str]
) -> None:
    assert terms(text) == wanted


@given(
    st.text(alphabet="東京都水猫가나다", min_size=1, max_size=12),
    st.data(),
)
def test_any_part_of_an_unspaced_run_has_only_terms_of_the_run(
    run: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(start + 1, len(run)))

    assert set(terms(run[start:end])) <= set(terms(run))


@pytest.mark.parametrize(
    "text", ["Привет", "नमस्ते", "سلام", "γειά", "שלום", "გამარჯობა"]
)
def test_spaced_scripts_keep_whole_words(text: str) -> None:
    assert len(terms(text)) == 1


def test_emoji_are_gaps() -> None:
    assert terms("🎉 party🎉time 👩‍👩‍👧 🇫🇷 👍🏽 ❤️") == ["parti", "time"]


def test_very_long_words_are_kept_whole_and_unstemmed() -> None:
    word = "running" * 1000

    assert terms(word) == [word]


def test_a_lone_surrogate_is_a_gap() -> None:
    assert terms("a\ud800b") == ["a", "b"]


@given(st.text(st.characters(codec=None)))
def test_terms_are_never_empty_and_made_of_no_punctuation(text: str) -> None:
    for term in terms(text):
        assert term
        assert {unicodedata.category(char)[0] for char in term} <= {"L", "M", "N"}


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_blank_cuts_everywhere(left: str, right: str) -> None:
    assert terms(f"{left} . {right}") == terms(left) + terms(right)


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_case_does_not_matter(text: str) -> None:
    assert terms(text.upper()) == terms(text.upper().lower())


def test_every_character_can_be_analysed() -> None:
    for code in range(0, sys.maxunicode + 1, 7):
        terms(f"x{chr(code)}y")


def test_threads_get_the_same_stems() -> None:
    words = [
        f"{stem}{end}"
        for stem in ("walk", "runn", "organ")
        for end in ("ing", "ed", "s", "ization", "izations", "er")
    ]
    text = " ".join(words * 50)

    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(terms, [text] * 16))

    assert got == [terms(text)] * 16
