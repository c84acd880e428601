"""Faults in how vectors are kept and compared."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from uuid import UUID

import asyncpg
import numpy as np
from palace import drawers
from palace.core import Palace
from palace.drawers import Embedding
from palace.search import engine, semantic
from palace.store.connect import PalaceConnection
from palace.store.vectors import Vector, VectorTable, unit_vector

from faults.putting import put

_attach = drawers.attach
_checked = drawers.checked_embedding
_make_table = VectorTable.__init__

_OTHER = "other"


def _vectors_by(change: Callable[[Vector], Vector]) -> None:
    """Have every caller's vector kept and compared as another one."""

    def changed(values: Sequence[float] | Vector, dimension: int) -> Vector:
        return change(unit_vector(values, dimension))

    for module in (drawers, engine):
        put(module, "unit_vector", changed)


def _compared_by(score: str) -> None:
    """Have Postgres compare vectors in another way."""

    def make_table(table: VectorTable, *what: object, **how: object) -> None:
        _make_table(table, *what, **how)  # type: ignore[arg-type]  # passed on
        for name in ("_all", "_picked", "_scanned"):
            sound = getattr(table, name)
            faulty = sound.replace("(1 - (v <=> $1))", f"({score})")
            if faulty == sound:
                raise AttributeError(f"{name} does not compare as it did")
            setattr(table, name, faulty)

    put(VectorTable, "__init__", make_table)


def _two_profiles() -> None:
    """Configure a second vector space of the same dimension."""
    os.environ["PALACE_PROFILES"] = json.dumps(
        [
            {"name": "standin", "dimension": 768, "default": True},
            {"name": _OTHER, "dimension": 768},
        ]
    )


def half_of_each_vector_zeroed() -> None:
    """The second half of every vector is lost."""

    def half(vector: Vector) -> Vector:
        kept = vector.copy()
        kept[len(kept) // 2 :] = 0.0
        return kept if kept.any() else vector

    _vectors_by(half)


def vectors_of_one_bit() -> None:
    """Of every component, only the sign is kept."""
    _vectors_by(lambda vector: np.where(vector < 0, -1, 1).astype(np.float32))


def vectors_not_normalised() -> None:
    """Vectors are kept as they came, and compared by their inner product."""

    def raw(values: Sequence[float] | Vector, dimension: int) -> Vector:
        unit_vector(values, dimension)
        return np.asarray(values, np.float32)

    for module in (drawers, engine):
        put(module, "unit_vector", raw)
    _compared_by("-(v <#> $1)")


def euclidean_instead_of_cosine() -> None:
    """Vectors are kept as they came, and compared by their distance."""

    def raw(values: Sequence[float] | Vector, dimension: int) -> Vector:
        unit_vector(values, dimension)
        return np.asarray(values, np.float32)

    for module in (drawers, engine):
        put(module, "unit_vector", raw)
    _compared_by("1 / (1 + (v <-> $1))")


def query_in_another_profile() -> None:
    """The vectors of another profile are searched than the one that is named."""
    _two_profiles()

    def checked(
        palace: Palace, field: str, values: Sequence[float], profile: str | None
    ) -> Embedding:
        del profile
        return _checked(palace, field, values, _OTHER)

    put(engine, "checked_embedding", checked)


def corrections_in_another_profile() -> None:
    """The vector of a correction is kept in another profile than the one named."""
    _two_profiles()

    async def attach(palace: Palace, drawer: UUID, embedding: Embedding) -> None:
        other = palace.table_of(_OTHER)
        await _attach(palace, drawer, embedding._replace(table=other))

    put(drawers, "attach", attach)


def corrections_keep_the_old_vector() -> None:
    """A correction is found by the vector of the text that it replaced."""

    async def put_by_id(
        table: VectorTable, connection: asyncpg.Connection, drawer: UUID, _: Vector
    ) -> int | None:
        seq: int | None = await connection.fetchval(
            f"insert into {table.name} (seq, v) select new.seq, v from drawers new"
            f" join drawers old on old.id = new.supersedes"
            f" join {table.name} vectors on vectors.seq = old.seq"
            " where new.id = $1 returning seq",
            drawer,
        )
        return seq

    put(VectorTable, "put_by_id", put_by_id)


def index_searched_too_narrowly() -> None:
    """Every search goes by the approximate index, and through too little of it."""
    os.environ["PALACE_EXACT_LIMIT"] = "0"

    async def use(connection: PalaceConnection, breadth: int) -> None:
        del breadth
        await connection.execute(
            "set hnsw.ef_search = 4; set hnsw.iterative_scan = off"
        )

    put(PalaceConnection, "use_ef_search", use)
    put(semantic, "_INDEX_SHARE", 0.0)
