"""Links between drawers that say the same or nearly the same, in Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from palace.clock import rfc3339
from palace.similarity import EXACT, NORMALIZED, THRESHOLD
from palace.store.drawers import Body


class Link(NamedTuple):
    """That one drawer says the same or nearly the same as an older one."""

    newer: int
    older: int
    kind: str
    similarity: float


class FoundLink(NamedTuple):
    """A link as seen from one of its drawers."""

    other: UUID
    is_older: bool
    kind: str
    similarity: float
    created_at: datetime


async def add(
    connection: asyncpg.Connection, links: Sequence[Link], now: datetime
) -> None:
    """Note which drawers are alike; nothing is merged, and no ranking changes."""
    await connection.executemany(
        "insert into drawer_links (newer, older, kind, similarity, created_at)"
        " values ($1, $2, $3, $4, $5) on conflict do nothing",
        [(*link, now) for link in links],
    )


async def of_drawer(connection: asyncpg.Connection, seq: int) -> list[FoundLink]:
    """Return a drawer's links from either side, most alike first."""
    records = await connection.fetch(
        "select d.id, l.newer = $1, l.kind, l.similarity, l.created_at"
        " from drawer_links l"
        " join drawers d on d.seq = case l.newer when $1 then l.older else l.newer end"
        " where l.newer = $1 or l.older = $1"
        " order by l.similarity desc, d.seq",
        seq,
    )
    return [FoundLink(*record) for record in records]


def link_body(link: FoundLink) -> Body:
    """Return a link as callers see it, with what it was decided by."""
    return {
        "drawer": str(link.other),
        "side": "older" if link.is_older else "newer",
        "kind": link.kind,
        "similarity": link.similarity,
        "signals": {
            "same_hash": link.kind == EXACT,
            "same_fingerprint": link.kind in (EXACT, NORMALIZED),
            "similarity": link.similarity,
            "threshold": THRESHOLD,
        },
        "created_at": rfc3339(link.created_at),
    }
