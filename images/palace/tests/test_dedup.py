"""What becomes of a draft, decided without a database."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest

from palace.catalog import Room, Wing
from palace.dedup import Draft, Known, NewDrawer, Settled, settle
from palace.errors import DrawerNameTaken
from palace.store.drawers import DrawerRow

_LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
ROOM = Room(uuid.uuid4(), Wing(uuid.uuid4(), "w", _LONG_AGO), "r", _LONG_AGO)
OTHER = Room(uuid.uuid4(), ROOM.wing, "other", _LONG_AGO)


def draft(content: str, name: str | None = None, room: Room = ROOM) -> Draft:
    return Draft.of(NewDrawer("w", room.name, content, name), room)


def stored(
    content: str, seq: int = 1, name: str | None = None, room: Room = ROOM
) -> DrawerRow:
    return draft(content, name, room).row(seq, 1_000_000)


def settled(wanted: Draft, *known: DrawerRow) -> Settled:
    return settle(Known(known), wanted, 9, 2_000_000)


def test_an_unnamed_copy_is_not_made() -> None:
    first = stored("The cat sat.")

    got = settled(draft("The cat sat."), first)

    assert (got.row, got.is_new, got.links) == (first, False, [])


def test_a_copy_in_another_room_is_made() -> None:
    got = settled(draft("The cat sat."), stored("The cat sat.", room=OTHER))

    assert (got.is_new, got.links) == (True, [])


def test_a_named_copy_is_made_and_linked_as_exact() -> None:
    got = settled(draft("The cat sat.", "cat"), stored("The cat sat."))

    assert got.is_new
    assert got.links == [(9, 1, "exact", 1.0)]


def test_the_same_words_are_made_and_linked_as_normalized() -> None:
    got = settled(draft("the CAT -- sat"), stored("The cat sat."))

    assert got.is_new
    assert got.links == [(9, 1, "normalized", 1.0)]


def test_texts_without_words_are_not_alike() -> None:
    got = settled(draft("???"), stored("!!!"))

    assert (got.is_new, got.links) == (True, [])


def test_the_same_name_with_the_same_text_changes_nothing() -> None:
    first = stored("The cat sat.", name="cat")

    assert settled(draft("The cat sat.", "cat"), first) == (first, False, [])


def test_the_same_name_with_another_text_is_refused() -> None:
    with pytest.raises(DrawerNameTaken, match="'cat'"):
        settled(draft("The dog ran.", "cat"), stored("The cat sat.", name="cat"))


def test_a_draft_knows_those_settled_before_it() -> None:
    known = Known([])
    first = settle(known, draft("The cat sat."), 1, 1_000_000)

    again = settle(known, draft("The cat sat."), 2, 2_000_000)

    assert (first.is_new, again.is_new) == (True, False)
    assert again.row == first.row


def test_links_are_eight_at_most() -> None:
    known = [stored("The cat sat.", seq, name=f"n{seq}") for seq in range(1, 13)]

    assert len(settled(draft("the cat sat"), *known).links) == 8
