"""Facts taken in and forgotten."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from palace.catalog import Room
from palace.clock import parse_rfc3339_ns, to_datetime
from palace.core import Palace
from palace.documents import facts_store, store
from palace.documents.facts_store import FactRow, Kind
from palace.errors import InvalidInput, NotFound
from palace.names import checked_text
from palace.places import RoomMaker, check_place


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A fact as a caller sends it; wing and room by name or id."""

    wing: str
    room: str
    kind: Kind
    text: str
    category: str
    confidence: float | None = None
    keywords: Sequence[str] = ()
    fields: dict[str, Any] | None = None
    valid_at: str | None = None
    """RFC 3339; None: when it is stored."""


class Noted(NamedTuple):
    """A stored fact and its room."""

    row: FactRow
    room: Room


async def add(palace: Palace, facts: Sequence[NewFact]) -> list[Noted]:
    """Store facts in one transaction, all or none, in the order given.

    Raises:
        InvalidInput: A field is unusable; the message names it.
        NotFound: A wing or room is given by an id that does not exist.
    """
    moments = [_checked_moment(palace, fact) for fact in facts]
    async with palace.write() as write:
        maker = RoomMaker(palace.memory.catalog, palace.clock, write)
        seqs = await store.next_seqs(write.connection, "facts", len(facts))
        noted = []
        for fact, valid_at, seq in zip(facts, moments, seqs, strict=True):
            room = await maker.room(fact.wing, fact.room)
            row = FactRow(
                seq=seq,
                id=uuid.uuid4(),
                room=room.id,
                kind=fact.kind,
                text=fact.text,
                category=fact.category,
                confidence=fact.confidence,
                keywords=fact.keywords,
                fields=fact.fields or {},
                valid_at=valid_at,
                created_at=to_datetime(palace.clock.stamp()),
            )
            noted.append(Noted(row, room))
        await facts_store.insert(write.connection, [each.row for each in noted])
    return noted


async def forget(palace: Palace, fact: UUID) -> None:
    """Remove a fact for good.

    Raises:
        NotFound: No such fact.
    """
    async with palace.write() as write:
        if not await facts_store.delete(write.connection, fact):
            raise NotFound("fact", str(fact))


def _checked_moment(palace: Palace, fact: NewFact) -> datetime | None:
    """Check everything about a fact and return when it became true, if it says so."""
    check_place(palace.memory.catalog, fact.wing, fact.room)
    for field, value in (("text", fact.text), ("category", fact.category)):
        if not value.strip():
            raise InvalidInput(field, "it cannot be blank")
        checked_text(field, value)
    for keyword in fact.keywords:
        checked_text("keywords", keyword)
    try:
        orjson.dumps(fact.fields)
        # Which writes NaN as null; the store would write it as it is, and fail.
        json.dumps(fact.fields, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise InvalidInput("fields", str(problem)) from problem
    if fact.valid_at is None:
        return None
    try:
        return to_datetime(parse_rfc3339_ns(fact.valid_at) // 1000)
    except (ValueError, OverflowError) as problem:
        raise InvalidInput("valid_at", str(problem)) from problem
