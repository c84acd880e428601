"""Linking entities to drawers, and entities to each other."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from palace import convergence
from palace.clock import to_datetime
from palace.convergence import Likeness, entity_key
from palace.core import Palace
from palace.errors import EmptyLabel, InvalidInput, NotFound
from palace.names import checked_text
from palace.store import drawers
from palace.store import entities as store
from palace.store.entities import EntityRow

# Together they fit an index entry of Postgres, at four bytes a character.
_LONGEST = {"name": 512, "kind": 64}


class Mention(NamedTuple):
    """A link from a drawer to an entity, and whether it was made just now."""

    drawer: UUID
    entity: EntityRow
    created: bool


async def mention(palace: Palace, drawer: UUID, name: str, kind: str) -> Mention:
    """Link the entity that a name stands for to a drawer, making it if it is new.

    Raises:
        EmptyLabel: Name or kind is blank.
        NotFound: No such drawer.
    """
    name, kind = _label("name", name), _label("kind", kind).lower()
    async with palace.write() as write:
        connection = write.connection
        row = await drawers.by_id(connection, drawer)
        if row is None:
            raise NotFound("drawer", str(drawer))
        now = to_datetime(palace.clock.stamp())
        entity = await _converge(connection, name, kind, now)
        created = await store.mention(
            connection,
            row.seq,
            entity.seq,
            confidence=entity.similarity,
            now=now,
        )
        return Mention(drawer, await store.by_seq(connection, entity.seq), created)


async def of_drawer(palace: Palace, drawer: UUID) -> list[EntityRow]:
    """Return the entities a drawer mentions, in the order they were linked.

    Raises:
        NotFound: No such drawer.
    """
    async with palace.read() as connection:
        row = await drawers.by_id(connection, drawer)
        if row is None:
            raise NotFound("drawer", str(drawer))
        return await store.mentioned(connection, row.seq)


async def find(palace: Palace, entity: UUID) -> EntityRow:
    """Return one entity.

    Raises:
        NotFound: There is none with this id.
    """
    async with palace.read() as connection:
        row = await store.by_id(connection, entity)
    if row is None:
        raise NotFound("entity", str(entity))
    return row


async def listed(
    palace: Palace,
    *,
    kind: str | None,
    name: str | None,
    limit: int,
) -> list[EntityRow]:
    """Return entities by name, narrowed by kind and by what the name contains."""
    for field, value in (("kind", kind), ("name", name)):
        if value is not None:
            checked_text(field, value)
    async with palace.read() as connection:
        return await store.listed(
            connection,
            kind=None if kind is None else kind.strip().lower(),
            name=name,
            limit=limit,
        )


async def relate(
    palace: Palace, entity: UUID, target: UUID, kind: str
) -> tuple[str, bool]:
    """Draw an edge between two entities; return its kind and whether it is new.

    Raises:
        EmptyLabel: The kind is blank.
        InvalidInput: The two are one.
        NotFound: One of them does not exist.
    """
    kind = _label("kind", kind).lower()
    if entity == target:
        raise InvalidInput("to", "an entity cannot relate to itself")
    async with palace.write() as write:
        ends = []
        for end in (entity, target):
            row = await store.by_id(write.connection, end)
            if row is None:
                raise NotFound("entity", str(end))
            ends.append(row.seq)
        now = to_datetime(palace.clock.stamp())
        created = await store.relate(write.connection, *ends, kind=kind, now=now)
    return kind, created


def _label(field: str, value: str) -> str:
    label = checked_text(field, value.strip())
    if not label:
        raise EmptyLabel(field)
    if len(label) > _LONGEST[field]:
        raise InvalidInput(field, f"it has more than {_LONGEST[field]} characters")
    return label


async def _converge(
    connection: asyncpg.Connection, name: str, kind: str, now: datetime
) -> Likeness:
    """Return the entity that a name stands for, and how sure that is."""
    exact = await store.named(connection, name, kind)
    if exact is not None:
        return Likeness(exact, convergence.EXACT)
    key = entity_key(name)
    found = await _spelt_otherwise(connection, key, kind) if key else None
    if found is None:
        return await _new(connection, name, kind, now)
    await store.add_alias(connection, found.seq, (name, key), found.similarity, now)
    return found


async def _spelt_otherwise(
    connection: asyncpg.Connection, key: str, kind: str
) -> Likeness | None:
    """Return the entity whose name, alias or nearly whose name has this key."""
    same = await store.keyed(connection, key, kind)
    if same is not None:
        return Likeness(same, convergence.SAME_KEY)
    alias = await store.aliased(connection, key, kind)
    if alias is not None:
        return Likeness(alias, convergence.ALIAS)
    near = await store.candidates(connection, len(key), kind, within=1)
    return convergence.typo_of(key, near)


async def _new(
    connection: asyncpg.Connection, name: str, kind: str, now: datetime
) -> Likeness:
    """Make an entity, with links to those it might be."""
    key = entity_key(name)
    near = await store.candidates(connection, len(key), kind, within=2)
    seq = await store.insert(
        connection, uuid.uuid4(), kind=kind, name=name, key=key, now=now
    )
    await store.link_possibly_same(
        connection, seq, convergence.possibly_same(key, near)
    )
    return Likeness(seq, convergence.EXACT)
