"""The embed job: a vector for every drawer that the provider's profile lacks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import asyncpg

from palace.core import Palace
from palace.errors import EmbeddingNotConfigured
from palace.provider import ZERO_VECTOR, ProviderFailed
from palace.store import jobs
from palace.store.jobs import JobRow
from palace.store.vectors import VectorTable, unit_vector

# MemCastle's sizes: drawers a pass, texts a request, characters of each.
_PASS = 32
_BATCH = 16
_CHARACTERS = 8000


async def embed_missing(palace: Palace, job: JobRow) -> dict[str, int]:
    """Embed drawers without a vector, oldest first, of one wing or of all.

    Returns:
        How many were embedded.

    Raises:
        ProviderFailed: The provider failed; what was embedded before stays.
    """
    table = palace.provider_table
    if palace.provider is None or table is None:
        raise EmbeddingNotConfigured
    done = 0
    after = 0
    while True:
        async with palace.read() as connection:
            drawers = await _without_vector(connection, table, job.wing, after)
        if not drawers:
            return {"embedded": done}
        after = drawers[-1][0]
        rest = iter(drawers)
        while batch := list(islice(rest, _BATCH)):
            done += await _embed_batch(palace, table, batch)
            await _note_progress(palace, job, done)


async def _without_vector(
    connection: asyncpg.Connection, table: VectorTable, wing: str | None, after: int
) -> list[tuple[int, str]]:
    records = await connection.fetch(
        "select d.seq, d.content from drawers d"
        " join rooms r on r.id = d.room join wings w on w.id = r.wing"
        f" where not exists (select from {table.name} v where v.seq = d.seq)"
        " and ($1::text is null or w.name = $1) and d.seq > $2"
        " order by d.seq limit $3",
        wing,
        after,
        _PASS,
    )
    return [(record[0], record[1]) for record in records]


async def _embed_batch(
    palace: Palace, table: VectorTable, batch: Sequence[tuple[int, str]]
) -> int:
    """Embed some drawers and store those vectors whose drawer is still there."""
    if palace.provider is None:
        raise EmbeddingNotConfigured
    found = await palace.provider.embed([_excerpt(text) for _, text in batch])
    try:
        units = [unit_vector(vector, table.profile.dimension) for vector in found]
    except ValueError as problem:
        raise ProviderFailed(ZERO_VECTOR, str(problem)) from problem
    async with palace.write() as write:
        drawers, profile = palace.memory.table, table.profile.name
        vectors = [
            (seq, unit)
            for (seq, _), unit in zip(batch, units, strict=True)
            if drawers.row_of(seq) is not None
        ]
        await table.put(write.connection, vectors)

        def note() -> None:
            for seq, _ in vectors:
                drawers.set_embedded(seq, profile)

        write.after_commit(note)
    return len(vectors)


def _excerpt(text: str) -> str:
    """Return what is embedded of a text; a blank start, however long, is no text."""
    return (
        text[:_CHARACTERS] if text[:_CHARACTERS].strip() else text.strip()[:_CHARACTERS]
    )


async def _note_progress(palace: Palace, job: JobRow, done: int) -> None:
    async with palace.write() as write:
        await jobs.set_fields(
            write.connection,
            job.id,
            {
                "progress_current": done,
                "progress_total": done + palace.n_without_vector,
                "progress_message": f"embedded {done} drawers",
            },
        )
