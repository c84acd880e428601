"""What is kept of the provider's vectors."""

from __future__ import annotations

import numpy as np
import pytest

from palace.documents.embedding import unit_rows
from palace.store.vectors import unit_vector


def rows(*vectors: list[float]) -> list[list[float] | None]:
    units = unit_rows(np.array(vectors, np.float32))
    return [None if unit is None else unit.tolist() for unit in units]


def test_vectors_are_kept_at_unit_length() -> None:
    assert rows([3.0, 4.0], [0.0, -2.0]) == [
        pytest.approx([0.6, 0.8]),
        [0.0, -1.0],
    ]


def test_a_zero_vector_is_no_vector() -> None:
    assert rows([0.0, 0.0], [1.0, 0.0], [-0.0, 0.0]) == [None, [1.0, 0.0], None]


@pytest.mark.parametrize("scale", [1e-38, 1e38])
def test_very_short_and_very_long_vectors_keep_their_direction(scale: float) -> None:
    assert rows([3 * scale, 3 * scale]) == [pytest.approx([0.70710678, 0.70710678])]


def test_no_vectors_are_none() -> None:
    assert unit_rows(np.empty((0, 3), np.float32)) == []


def test_a_row_is_what_it_would_be_alone() -> None:
    vectors = np.random.default_rng(7).normal(size=(50, 384)).astype(np.float32)

    for unit, vector in zip(unit_rows(vectors), vectors, strict=True):
        assert unit is not None
        np.testing.assert_allclose(unit, unit_vector(vector, 384), rtol=1e-6)
