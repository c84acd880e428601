"""One table of vectors a profile, and the statements that search it.

Vectors are stored at unit length: cosine does not look at length, and this keeps a
very long or very short vector from overflowing single precision. Rows are stored in
the page where they fit one (`STORAGE PLAIN`): out of line, a scan takes three to four
times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import asyncpg
import numpy as np
from numpy.typing import NDArray

from palace.errors import StartupError
from palace.settings import Profile
from palace.store.copying import copied

Vector = NDArray[np.float32]

HNSW_M = 16
HNSW_EF_CONSTRUCTION = 64
# pgvector indexes a `vector` of at most this many dimensions; such a row of four
# bytes a component is also the longest that surely fits a page.
MAX_INDEXED_DIMENSION = 2000
_COPY_FROM = 16


class Owner(NamedTuple):
    """What a table of vectors belongs to."""

    table: str
    """The table whose `seq` numbers the vectors."""
    prefix: str
    """How the table of vectors is named, before the profile's number."""
    is_swept: bool = False
    """Whether a trigger deletes the vectors of deleted rows, instead of a foreign key.

    A foreign key is looked up for each row, three times what writing a vector costs.
    """


DRAWERS = Owner("drawers", "vectors")
FRAGMENTS = Owner("fragments", "fragment_vectors", is_swept=True)


class Near(NamedTuple):
    """A drawer or fragment and how near it is: 1 - cosine distance."""

    seq: int
    score: float


class VectorTable:
    """The vectors of one profile.

    Args:
        profile: Whose vectors these are.
        number: The profile's id in Postgres, from which the table is named.
        owner: What has the vectors, drawers or fragments of documents.
        newest_first: Which of two equal scores comes first in a search.
    """

    def __init__(
        self,
        profile: Profile,
        number: int,
        owner: Owner = DRAWERS,
        *,
        newest_first: bool = False,
    ) -> None:
        self.profile = profile
        self.number = number
        self._owner = owner
        self.name = f"{owner.prefix}_{number:d}"
        self.index_name = f"{self.name}_hnsw"
        self.has_index = False
        # The score itself is what is ordered by, in the single precision it is shown
        # in, so equal scores fall back to ingestion order; and no index can serve
        # such an expression, so an exact search can never be an approximate one.
        score = "(1 - (v <=> $1))::float4"
        tail = f"order by score desc, seq{' desc' if newest_first else ''} limit $2"
        self._all = f"select seq, {score} as score from {self.name} {tail}"
        self._picked = (
            f"select seq, {score} as score from {self.name}"
            f" where seq = any($3::bigint[]) {tail}"
        )
        inside = (
            "case when seq between $4 and $5"
            " then get_bit($3::bytea, seq - $4) = 1 else false end"
        )
        self._scanned = (
            f"select seq, {score} as score from {self.name} where {inside} {tail}"
        )
        nearest = "order by v <=> $1 limit $2"
        outer = "select seq, (1 - distance)::float4 as score from ({}) near {}"
        self._indexed = outer.format(
            f"select seq, v <=> $1 as distance from {self.name} {nearest}", tail
        )
        self._indexed_inside = outer.format(
            f"select seq, v <=> $1 as distance from {self.name}"
            f" where {inside} {nearest}",
            tail,
        )

    @property
    def can_index(self) -> bool:
        """Whether pgvector can build an HNSW index over this many dimensions."""
        return self.profile.dimension <= MAX_INDEXED_DIMENSION

    async def create(self, connection: asyncpg.Connection) -> None:
        """Make the table if it is missing, and see whether it has a valid index."""
        reference = ""
        if not self._owner.is_swept:
            reference = f" references {self._owner.table} (seq) on delete cascade"
        await connection.execute(
            f"create table if not exists {self.name} ("
            f" seq bigint primary key{reference},"
            f" v vector({self.profile.dimension:d}) not null)"
        )
        if self._owner.is_swept:
            await self._sweep_after_deletes(connection)
        if self.can_index:
            await connection.execute(
                f"alter table {self.name} alter column v set storage plain"
            )
        await self.see_index(connection)

    async def _sweep_after_deletes(self, connection: asyncpg.Connection) -> None:
        """Have Postgres delete the vectors of what is deleted, once a statement."""
        await connection.execute(
            f"""
            create or replace function delete_{self.name}() returns trigger
            language plpgsql as $$
            begin
                delete from {self.name} where seq in (select seq from gone);
                return null;
            end
            $$;
            create or replace trigger delete_{self.name}
            after delete on {self._owner.table} referencing old table as gone
            for each statement execute function delete_{self.name}()
            """
        )

    async def see_index(self, connection: asyncpg.Connection) -> None:
        """Look up whether a finished HNSW index is there."""
        self.has_index = bool(
            await connection.fetchval(
                "select indisvalid from pg_index where indexrelid = to_regclass($1)",
                self.index_name,
            )
        )

    async def put(
        self, connection: asyncpg.Connection, vectors: Sequence[tuple[int, Vector]]
    ) -> None:
        """Write vectors of drawers that have none yet or whose one they replace."""
        await connection.executemany(
            f"insert into {self.name} (seq, v) values ($1, $2)"
            " on conflict (seq) do update set v = excluded.v",
            vectors,
        )

    async def put_by_id(
        self, connection: asyncpg.Connection, drawer: UUID, vector: Vector
    ) -> int | None:
        """Write the vector of one drawer; return its number, None if there is none."""
        seq: int | None = await connection.fetchval(
            f"insert into {self.name} (seq, v) select seq, $2 from drawers"
            " where id = $1 on conflict (seq) do update set v = excluded.v"
            " returning seq",
            drawer,
            vector,
        )
        return seq

    async def add(
        self, connection: asyncpg.Connection, vectors: Sequence[tuple[int, Vector]]
    ) -> None:
        """Write vectors of drawers that were just made."""
        if len(vectors) < _COPY_FROM:
            await self.put(connection, vectors)
        else:
            await connection.copy_to_table(
                self.name,
                source=copied(vectors),
                columns=["seq", "v"],
                format="binary",
            )

    async def embedded(self, connection: asyncpg.Connection) -> list[int]:
        """Return which drawers have a vector here."""
        return [
            record[0]
            for record in await connection.fetch(f"select seq from {self.name}")
        ]

    async def search_all(
        self, connection: asyncpg.Connection, query: Vector, limit: int
    ) -> list[Near]:
        """Return the nearest of all, exactly."""
        return _near(await connection.fetch(self._all, query, limit))

    async def search_picked(
        self,
        connection: asyncpg.Connection,
        query: Vector,
        limit: int,
        seqs: NDArray[np.int64],
    ) -> list[Near]:
        """Return the nearest of a few drawers, exactly, fetched one by one."""
        return _near(await connection.fetch(self._picked, query, limit, seqs.tolist()))

    async def search_scanned(
        self,
        connection: asyncpg.Connection,
        query: Vector,
        limit: int,
        seqs: NDArray[np.int64],
    ) -> list[Near]:
        """Return the nearest of many drawers, exactly, by reading the whole table."""
        return _near(await connection.fetch(self._scanned, query, limit, *_bits(seqs)))

    async def search_indexed(
        self,
        connection: asyncpg.Connection,
        query: Vector,
        limit: int,
        seqs: NDArray[np.int64] | None,
    ) -> list[Near]:
        """Return near drawers by the HNSW index: fast, and not surely the nearest."""
        if seqs is None:
            return _near(await connection.fetch(self._indexed, query, limit))
        return _near(
            await connection.fetch(self._indexed_inside, query, limit, *_bits(seqs))
        )


def _near(records: list[asyncpg.Record]) -> list[Near]:
    return [Near(record[0], record[1]) for record in records]


def _bits(seqs: NDArray[np.int64]) -> tuple[bytes, int, int]:
    """Return ascending numbers as a bit string, with the first and last of them.

    One bit a number is 12 kB for 100,000 drawers; the numbers would be 800 kB.
    """
    first, last = int(seqs[0]), int(seqs[-1])
    inside = np.zeros(last - first + 1, np.bool_)
    inside[seqs - first] = True
    return np.packbits(inside, bitorder="little").tobytes(), first, last


def unit_vector(values: Sequence[float] | Vector, dimension: int) -> Vector:
    """Return a caller's vector at unit length.

    Raises:
        ValueError: Another length than *dimension*, not finite, or all zero.
    """
    wide = np.asarray(values, np.float64)
    if wide.shape != (dimension,):
        raise ValueError(f"{wide.size} components, wanted {dimension}")
    if not np.isfinite(wide).all():
        place = int(np.flatnonzero(~np.isfinite(wide))[0])
        raise ValueError(f"component {place} is {wide[place]}, not a finite number")
    largest = float(np.abs(wide).max())
    if largest == 0.0:
        raise ValueError("all components are 0, which has no direction")
    # Scaled first, so that squares neither overflow nor vanish.
    wide = wide / largest
    return (wide / np.sqrt(wide @ wide)).astype(np.float32)


async def open_tables(
    connection: asyncpg.Connection, profiles: Sequence[Profile]
) -> dict[str, VectorTable]:
    """Make or find the table of each configured profile.

    Raises:
        StartupError: A profile was made with another dimension or metric before.
    """
    tables = {}
    for profile in profiles:
        await connection.execute(
            "insert into profiles (name, dimension, metric) values ($1, $2, $3)"
            " on conflict (name) do nothing",
            profile.name,
            profile.dimension,
            profile.metric,
        )
        (record,) = await connection.fetch(
            "select id, dimension, metric from profiles where name = $1", profile.name
        )
        if (record["dimension"], record["metric"]) != (
            profile.dimension,
            profile.metric,
        ):
            raise StartupError(
                f"Profile {profile.name!r} holds {record['metric']} vectors of"
                f" {record['dimension']} components, not {profile.metric} of"
                f" {profile.dimension}. Give the new space another name."
            )
        tables[profile.name] = VectorTable(profile, record["id"])
        await tables[profile.name].create(connection)
    return tables
