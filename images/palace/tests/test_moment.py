"""A search answers for one moment, whatever is committed while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

import pytest

from palace.core import Palace
from palace.scope import Filter, Now, Window
from palace.search import Answer, Query, Ranking, search, semantic
from palace.settings import Settings
from palace.store import drawers as store
from palace.versions import delete, supersede
from tests.running import RunningDaemon, axis

OLD, NEW = "The bin is emptied on Monday", "The bin is emptied on Tuesday"

Change = Callable[[Palace], Awaitable[object]]


def searched(
    url: str, query: Query, change: Change, monkeypatch: pytest.MonkeyPatch, at: str
) -> Answer:
    """Search, and make *change* just before the function named *at* runs."""
    owner = semantic if at == "nearest" else store
    original = getattr(owner, at)

    async def run() -> Answer:
        palace = Palace(Settings(database_url=url))
        await palace.open()

        async def late(*given: object, **named: object) -> object:
            await change(palace)
            return await original(*given, **named)

        monkeypatch.setattr(owner, at, late)
        try:
            return await search(palace, query)
        finally:
            await palace.close()

    return asyncio.run(run())


@pytest.fixture
def drawer(database_url: str, tmp_path: Path) -> dict[str, str]:
    """One drawer with a vector, in a palace that no daemon holds any more."""
    with RunningDaemon.start(database_url, tmp_path) as daemon:
        room = tmp_path.name.replace("_", "-")
        made = daemon.create(OLD, room=room, embedding=axis(0))
    return {**made, "place": room}


def corrected(drawer: str) -> Change:
    return lambda palace: supersede(
        palace, UUID(drawer), content=NEW, tags=None, requested_by="test"
    )


@pytest.mark.parametrize(
    ("ranking", "at"),
    [
        (Ranking.LEXICAL, "by_seq"),
        (Ranking.HYBRID, "by_seq"),
        (Ranking.HYBRID, "nearest"),
    ],
)
@pytest.mark.parametrize(
    "time", [Now.CURRENT, Now.ALL, Window(2**52, 2**52 + 1)], ids=str
)
def test_a_correction_in_between_changes_no_hit(
    database_url: str,
    drawer: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    time: Now | Window,
    ranking: Ranking,
    at: str,
) -> None:
    query = Query(
        text="bin emptied",
        ranking=ranking,
        filter=Filter(room=drawer["place"], time=time),
        vector=axis(0),
    )
    answer = searched(database_url, query, corrected(drawer["id"]), monkeypatch, at)

    (hit,) = answer.hits
    assert str(hit.row.id) == drawer["id"]
    assert (hit.row.valid_to, hit.row.superseded_by) == (None, None)
    assert hit.row.updated_at == hit.row.created_at
    assert set(hit.signals) >= {"lexical"}


def test_a_drawer_deleted_in_between_is_left_out(
    database_url: str, drawer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = Query(text="bin emptied", filter=Filter(room=drawer["place"]))
    answer = searched(
        database_url,
        query,
        lambda palace: delete(palace, UUID(drawer["id"])),
        monkeypatch,
        "by_seq",
    )

    assert answer.hits == []
