"""The trigram vectors are those of recall-bench, bucket by bucket.

`by_hand` follows the published rules once more, feature by feature.
"""

import math
import re
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.dataset.vectors.trigrams import (
    DIMENSION,
    TrigramModel,
    bucket,
    features,
    words,
)

MODEL = TrigramModel()


def by_hand(text: str) -> list[float]:
    sums = [0] * DIMENSION
    for token in re.findall("[a-z0-9]+", text.lower()):
        sums[hashed(f"tok:{token}") % DIMENSION] += 3
        fenced = f"^{token}$"
        for start in range(len(fenced) - 2):
            sums[hashed(f"tri:{fenced[start : start + 3]}") % DIMENSION] += 1
    length = math.sqrt(sum(each * each for each in sums)) or 1.0
    return [each / length for each in sums]


def hashed(feature: str) -> int:
    value = 0x811C9DC5
    for character in feature:
        value = (value ^ ord(character)) * 0x01000193 % 2**32
    return value


def cosine(left: str, right: str) -> float:
    return float(MODEL.embed(left) @ MODEL.embed(right))


@pytest.mark.parametrize(
    ("feature", "slot"),
    [
        ("tok:configure0", 129),
        ("tok:many", 258),
        ("tri:^co", 96),
        ("tri:con", 72),
        ("tri:0$", 208),
        ("tri:e0$", 63),
        ("tri:^a$", 259),
    ],
)
def test_features_fall_into_the_published_buckets(feature: str, slot: int) -> None:
    assert bucket(feature) == slot


def test_a_character_beyond_16_bits_is_hashed_as_its_two_surrogates() -> None:
    assert bucket("🍕") == bucket("\ud83c\udf55")


def test_a_word_lights_itself_and_its_fenced_trigrams() -> None:
    assert features("rank7") == [
        "tok:rank7",
        *("tri:^ra", "tri:ran", "tri:ank", "tri:nk7", "tri:k7$"),
    ]


def test_a_single_letter_is_its_own_only_trigram() -> None:
    assert features("a") == ["tok:a", "tri:^a$"]


def test_whatever_is_no_plain_letter_or_digit_parts_words() -> None:
    assert words("Re-Index the CAFÉ_42,\nя b") == [
        *("re", "index", "the", "caf", "42", "b"),
    ]


def test_one_text_always_has_one_vector() -> None:
    text = "configure0 configureing0 many"

    assert MODEL.embed(text).tobytes() == TrigramModel().embed(text).tobytes()


def test_a_vector_has_384_floats_and_length_1() -> None:
    vector = MODEL.embed("system configure0 reconfigure0 configured0 time")

    assert vector.shape == (384,)
    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector.astype(float))) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("text", ["", " \n", "…!?", "поезд", "図書館"])
def test_a_text_without_tokens_has_the_zero_vector(text: str) -> None:
    assert not MODEL.embed(text).any()


def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    query = "configure0 configureing0 many"

    near = cosine(query, "system configure0 reconfigure0 configured0 time")
    far = cosine(query, "across federate5599 refederate5599 federate5599 agent")
    assert near == pytest.approx(0.636595, abs=5e-7)
    assert far < near / 2


def test_forms_of_one_word_are_near_without_sharing_it() -> None:
    assert cosine("configuring", "configuration") == pytest.approx(0.2927, abs=5e-5)
    assert cosine("configuring", "banana") == 0


@given(st.text(string.ascii_letters + string.digits + " -é🍕\n", max_size=60))
def test_vectors_are_those_made_by_hand(text: str) -> None:
    assert MODEL.embed(text).tolist() == np.array(by_hand(text), np.float32).tolist()


def test_a_vector_does_not_depend_on_its_neighbours() -> None:
    texts = [f"noise federate{number} agent" for number in range(600)]

    got = MODEL.embed_all(texts)

    for at in (0, 255, 256, 599):
        assert got[at].tobytes() == MODEL.embed(texts[at]).tobytes()


def test_no_texts_give_no_rows() -> None:
    assert MODEL.embed_all([]).shape == (0, 384)
