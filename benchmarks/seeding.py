"""How much of Postgres's own insert rate is left when seeding over HTTP."""

import asyncio
import time

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector.asyncpg import register_vector

from benchmarks.bench import BATCH, Row, fill, release_bench
from harness.dataset.filler import filler_texts
from harness.dataset.vectors.concepts import ConceptModel

ROWS = 5_000


def seeding() -> Row:
    """Seed drawers with vectors over HTTP, and insert the same rows one by one."""
    with release_bench() as bench:
        fill(bench.client, BATCH, vectors=True)
    ours, theirs = [], []
    for _ in range(3):
        with release_bench() as bench:
            began = time.perf_counter()
            fill(bench.client, ROWS, vectors=True)
            ours.append(ROWS / (time.perf_counter() - began))
            theirs.append(ROWS / asyncio.run(_insert(bench.database_url)))
    rate, plain = sorted(ours)[1], sorted(theirs)[1]
    return Row(
        f"seeding {ROWS:,} drawers with vectors, vectors made on the way",
        f"harness and daemon {rate:,.0f} rows/s",
        f"a loop of prepared INSERTs {plain:,.0f} rows/s",
        rate / plain,
        "at least 0.33",
        rate / plain >= 1 / 3,
    )


async def _insert(url: str) -> float:
    """Insert text and vector by a prepared statement, a row a commit; seconds."""
    texts = list(filler_texts(ROWS))
    vectors: NDArray[np.float32] = ConceptModel({}).embed_all(texts)
    connection = await asyncpg.connect(url)
    await register_vector(connection)
    await connection.execute(
        "create table plain (seq bigint generated always as identity primary key,"
        " content text not null, v vector(768) not null)"
    )
    await connection.execute("alter table plain alter column v set storage plain")
    insert = await connection.prepare("insert into plain (content, v) values ($1, $2)")
    began = time.perf_counter()
    for text, vector in zip(texts, vectors, strict=True):
        await insert.fetch(text, vector)
    took = time.perf_counter() - began
    await connection.close()
    return took
