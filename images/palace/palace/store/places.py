"""Wings and rooms taken out of Postgres, with what lies in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import asyncpg


class Removed(NamedTuple):
    """Sequence numbers of what went."""

    drawers: list[int]
    fragments: list[int]


async def remove_wing(
    connection: asyncpg.Connection, wing: UUID, rooms: Sequence[UUID]
) -> Removed:
    """Delete a wing, its *rooms* (all of them) and their contents.

    Vectors, mentions and links hang on the rows and go with them.
    """
    fragments = await connection.fetch(
        "select f.seq from fragments f join documents d on d.seq = f.document"
        " where d.room = any($1::uuid[])",
        rooms,
    )
    for table in ("documents", "facts"):
        await connection.execute(
            f"delete from {table} where room = any($1::uuid[])", rooms
        )
    drawers = await connection.fetch(
        "delete from drawers where room = any($1::uuid[]) returning seq", rooms
    )
    await connection.execute("delete from rooms where wing = $1", wing)
    await connection.execute("delete from wings where id = $1", wing)
    return Removed([row[0] for row in drawers], [row[0] for row in fragments])
