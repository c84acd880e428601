"""The vector of a question, or the reason why there is none."""

from __future__ import annotations

import time
from typing import NamedTuple

from palace.core import Palace
from palace.provider import (
    DIMENSION_MISMATCH,
    UNCONFIGURED,
    ZERO_VECTOR,
    ProviderFailed,
)
from palace.store.vectors import Vector, VectorTable, unit_vector


class QueryVector(NamedTuple):
    """A question's direction, and the vectors it is compared with."""

    unit: Vector
    table: VectorTable


class Missing(NamedTuple):
    """Why a question has no vector."""

    code: str
    """Stable; one of `palace.provider.failures`."""
    reason: str
    """For a person, without the question and without the key."""


class Embedded(NamedTuple):
    """What came of asking the provider, and how long that took."""

    vector: QueryVector | Missing
    ms: float | None
    """None where no provider was asked."""


async def embed_query(palace: Palace, text: str) -> Embedded:
    """Have the provider embed a question that is not blank; never raises for it."""
    table = palace.fragment_vectors
    if palace.provider is None or table is None:
        reason = "no embedding provider is configured"
        return Embedded(Missing(UNCONFIGURED, reason), None)
    start = time.perf_counter()
    vector: QueryVector | Missing
    try:
        found = await palace.provider.embed_query(text)
    except ProviderFailed as problem:
        vector = Missing(problem.code, problem.message)
    else:
        vector = _compared(found, table)
    return Embedded(vector, (time.perf_counter() - start) * 1000)


def _compared(found: Vector, table: VectorTable) -> QueryVector | Missing:
    """Return a finite vector of the provider as a direction in *table*, if it is one.

    The provider is asked for vectors of the configured length. The profile can have
    another when it was set up by hand, and then no vector can be compared.
    """
    dimension = table.profile.dimension
    if len(found) != dimension:
        return Missing(
            DIMENSION_MISMATCH,
            f"the provider's vectors have {len(found)} components, profile"
            f" {table.profile.name!r} has {dimension}",
        )
    if not found.any():
        return Missing(ZERO_VECTOR, "the vector of the query is all zero")
    return QueryVector(unit_vector(found, dimension), table)
