"""The stand-in vectors are MemCastle's, to the bit.

The plain loops of `by_hand` are the reference: one 32-bit operation at a time, in
the order MemCastle's own model does them.
"""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness.dataset.filler import filler_texts
from harness.dataset.vectors.concepts import (
    DIMENSION,
    ConceptModel,
    fnv1a,
    words,
)

VEHICLES = {"sedan": "vehicle", "automobile": "vehicle"}


def by_hand(text: str, concepts: dict[str, str]) -> NDArray[np.float32]:
    vector = [np.float32(0)] * DIMENSION
    for word in words(text):
        hashed = fnv1a(concepts.get(word, word))
        vector[hashed % DIMENSION] += np.float32(1)
        for dimension, unit in enumerate(units(hashed)):
            vector[dimension] += np.float32(0.01) * unit
    total = np.float32(0)
    for value in vector:
        total += value * value
    if total == 0:
        vector[0] = np.float32(1)
        return np.array(vector)
    return np.array([value / np.sqrt(total) for value in vector])


def units(hashed: int) -> list[np.float32]:
    state = hashed | 1
    drawn = []
    for _ in range(DIMENSION):
        state ^= (state << 13) % 2**64
        state ^= state >> 7
        state ^= (state << 17) % 2**64
        drawn.append(np.float32(state >> 40) / np.float32(2**23) - np.float32(1))
    return drawn


def cosine(left: str, right: str, concepts: dict[str, str]) -> float:
    model = ConceptModel(concepts)
    return float(model.embed(left) @ model.embed(right))


@pytest.mark.parametrize(
    ("token", "hashed", "slot", "first_units"),
    [
        ("postgres", 0xD0D4074E, 334, [-0.590917, 0.310967, 0.970604]),
        ("database", 0xA165DDB8, 184, [-0.687239, -0.230758, 0.436877]),
        ("alice", 0x872213E7, 743, [-0.737975, 0.065585, 0.777930]),
        ("café", 0xA82B5049, 73, [-0.668960, -0.124346, -0.630175]),
        ("outage", 0xC2445A86, 390, [-0.617625, -0.369459, -0.344272]),
    ],
)
def test_tokens_hash_and_draw_as_published(
    token: str, hashed: int, slot: int, first_units: list[float]
) -> None:
    # A one-word vector is the slot plus the background, over their length.
    vector = ConceptModel({}).embed(token)
    scale = (1 + 0.01 * float(units(hashed)[slot])) / float(vector[slot])

    assert fnv1a(token) == hashed
    assert int(vector.argmax()) == slot
    assert vector[:3] * scale / 0.01 == pytest.approx(first_units, abs=2e-5)


def test_known_dimensions_of_one_word() -> None:
    vector = ConceptModel({}).embed("postgres")

    assert vector[[0, 1, 2, 334]] == pytest.approx(
        [-0.005839, 0.003073, 0.009590, 0.987171], abs=1e-6
    )


def test_known_dimensions_of_a_sentence() -> None:
    vector = ConceptModel(VEHICLES).embed("The sedan needs brakes")

    assert vector[[303, 442, 377]] == pytest.approx(
        [0.569905, 0.572486, 0.568235], abs=1e-6
    )


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ("sedan", "automobile", 1.0),
        ("sedan", "tomatoes", -0.0126),
        ("passport renewal", "tomatoes need staking", -0.0070),
    ],
)
def test_known_cosines(left: str, right: str, wanted: float) -> None:
    assert cosine(left, right, VEHICLES) == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize(
    "text",
    [
        "postgres",
        "The sedan needs brakes, and the SEDAN's automobile",
        "naïve café Ünïcode ΣΊΣΥΦΟΣ 東京 ½ x2",
        "word " * 70,
        " ".join(filler_texts(12)),
        "",
    ],
)
def test_vectors_equal_the_plain_loops_bit_for_bit(text: str) -> None:
    got = ConceptModel(VEHICLES).embed(text)

    assert got.dtype == np.float32
    assert got.tobytes() == by_hand(text, VEHICLES).tobytes()


@pytest.mark.parametrize("text", ["", "the of and", "… — !?"])
def test_a_text_without_words_gets_the_first_axis(text: str) -> None:
    vector = ConceptModel({}).embed(text)

    assert vector[0] == 1
    assert np.count_nonzero(vector) == 1


def test_words_are_lower_case_and_cut_at_what_is_no_letter_or_digit() -> None:
    got = words("Who's on the DC-10?  my_café № \uff12 x²")

    assert got == ["dc", "10", "café", "\uff12", "x²"]


def test_a_concept_stands_as_written() -> None:
    model = ConceptModel({"car": "The Vehicle", "the vehicle": "x", "bus": "the"})

    assert model.embed("car")[fnv1a("The Vehicle") % DIMENSION] > 0.9
    assert model.embed("bus")[fnv1a("the") % DIMENSION] > 0.9


def test_unrelated_texts_differ_but_stay_far_below_a_shared_concept() -> None:
    near = cosine("passport renewal", "compost bin aerated", {})
    far = cosine("passport renewal", "tomatoes need staking", {})

    assert near != far
    assert max(abs(near), abs(far)) < 0.1


def test_no_texts_give_no_rows() -> None:
    assert ConceptModel({}).embed_all([]).shape == (0, DIMENSION)


@given(st.text(max_size=80))
def test_every_vector_has_length_one(text: str) -> None:
    length = np.linalg.norm(ConceptModel({}).embed(text).astype(np.float64))

    assert length == pytest.approx(1, abs=1e-5)


@given(st.lists(st.text("abc ", max_size=30), max_size=12), st.randoms())
def test_a_vector_does_not_depend_on_its_company(
    texts: list[str], random: Random
) -> None:
    model = ConceptModel({"a": "b"})
    alone = {text: model.embed(text).tobytes() for text in texts}
    random.shuffle(texts)

    together = model.embed_all(texts)

    assert [row.tobytes() for row in together] == [alone[text] for text in texts]


def test_blocks_of_texts_leave_no_seam() -> None:
    texts = [*filler_texts(600), "lexical " * 300]
    model = ConceptModel({})

    together = model.embed_all(texts)

    for index in (0, 255, 256, 511, 512, 599, 600):
        assert together[index].tobytes() == model.embed(texts[index]).tobytes()
