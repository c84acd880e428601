"""What becomes a term of a fragment: as published on ASCII, and nothing lost beyond."""

# ruff: noqa: RUF001 - characters that look like others are what is tested here

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palace.documents.analysis import document_terms, search_terms
from palace.documents.constants import RankingConstants

STOP_WORDS = re.findall(
    r"\w+",
    "a an and are as at be by for from has he in is it its of on that the to was were"
    " will with",
)
PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126))


@given(PRINTABLE)
def test_on_ascii_the_document_terms_are_the_published_ones(text: str) -> None:
    published = re.sub(r"[^a-z0-9\s]", " ", text.lower()).split()

    assert document_terms(text) == published


@given(PRINTABLE)
def test_on_ascii_the_search_terms_are_the_published_ones(text: str) -> None:
    published = [
        token
        for token in re.sub(r"[^a-z0-9\s]", " ", text.lower()).split()
        if token not in STOP_WORDS and (len(token) >= 2 or token.isdigit())
    ]

    assert search_terms(text, stemming=False) == published


def test_the_document_ranker_keeps_stop_words_short_words_and_endings() -> None:
    text = "The agent's a-b configuration, v2.0"

    assert document_terms(text) == [
        "the", "agent", "s", "a", "b", "configuration", "v2", "0",
    ]  # fmt: skip


# The families of the public bench's morphology slice: one stem each, query word first.
@pytest.mark.parametrize(
    "family",
    [
        "configuring configuration configured configures",
        "optimizing optimization optimized optimizes",
        "compressing compression compressed compresses",
        "validating validation validated validates",
        "deploying deployment deployed deploys",
        "scheduling scheduled schedules scheduler",
        "filtering filtered filters filterable",
        "rendering rendered renders renderer",
        "publishing published publishes publisher",
        "encrypting encryption encrypted encrypts",
    ],
)
def test_a_family_of_words_has_one_stem(family: str) -> None:
    assert len(set(search_terms(family, stemming=True))) == 1
    assert len(set(search_terms(family, stemming=False))) == 4


def test_words_with_a_number_at_their_end_have_no_stem() -> None:
    text = "configureing0 configureation0"

    assert search_terms(text, stemming=True) == ["configureing0", "configureation0"]


def test_which_words_are_left_out_or_stemmed_is_configured() -> None:
    constants = RankingConstants(
        search_stop_words=("cats",), search_least_length=1, search_stem_from=5
    )

    got = search_terms("a cats dogs runs running", stemming=True, constants=constants)

    assert got == ["a", "dogs", "runs", "run"]


@pytest.mark.parametrize(
    "separator", ["\n", "\t", "\r\n", "\v", "\f", "\u2028", "\xa0"]
)
def test_line_breaks_and_tabs_separate_words(separator: str) -> None:
    text = f"red{separator}apple"

    assert document_terms(text) == ["red", "apple"]
    assert search_terms(text, stemming=True) == ["red", "appl"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # Latin with accents, composed or not, and letters Unicode does not decompose.
        ("Café", ["cafe"]),
        (unicodedata.normalize("NFD", "Café"), ["cafe"]),
        ("Straße Łódź Ærø", ["strasse", "lodz", "aero"]),
        ("ﬁne ＡＢＣ１２", ["fine", "abc12"]),
        # Cyrillic: "й" is a letter of its own, "ё" is mostly written without its dots.
        ("Московский ЁЖ", ["московский", "еж"]),
        ("ΑΘΉΝΑ", ["αθηνα"]),
        # Hangul: characters, then pairs; the particle 에 does not hide 서울.
        ("서울에", ["서", "울", "에", "서울", "울에"]),
        (unicodedata.normalize("NFD", "서울"), ["서", "울", "서울"]),
        ("日本語", ["日", "本", "語", "日本", "本語"]),
        ("猫", ["猫"]),
        ("データ", ["デ", "ー", "タ", "デー", "ータ"]),
        ("第3回", ["第", "3", "回"]),
        ("हिन्दी", ["हिन्दी"]),
        ("٣٤", ["34"]),
        # Emoji, whatever their skin tone or their variation selector.
        ("🎉🎉 ok", ["🎉", "🎉", "ok"]),
        ("👍🏽 ❤️", ["👍", "❤"]),
        ("👩‍🚀", ["👩", "🚀"]),
        ("🇰🇷🇯🇵", ["🇰🇷", "🇯🇵"]),
        ("tea☕time", ["tea", "☕", "time"]),
        ("Acme™ ©2024", ["acme", "2024"]),
        ("→ ─ §", []),
    ],
)
def test_no_script_is_lost(text: str, wanted: list[str]) -> None:
    assert document_terms(text) == wanted


@pytest.mark.parametrize("text", ["猫", "서", "🎉", "5", "か"])
def test_one_character_is_enough_where_it_is_a_whole_word(text: str) -> None:
    assert search_terms(text, stemming=True) == [text]


@pytest.mark.parametrize("text", ["x", "я", "é"])
def test_one_letter_is_too_little_for_the_search_ranker(text: str) -> None:
    assert search_terms(text, stemming=True) == []


@given(st.text())
def test_any_text_has_the_same_terms_in_capitals_of_ascii(text: str) -> None:
    shouted = "".join(char.upper() if char.isascii() else char for char in text)

    assert document_terms(shouted) == document_terms(text)


@given(st.text())
def test_no_term_is_empty_or_holds_a_space(text: str) -> None:
    assert all(term and not re.search(r"\s", term) for term in document_terms(text))
