"""Wings and rooms made on demand, when the first drawer is put into them."""

from __future__ import annotations

import uuid

from palace.catalog import Catalog, Room, Wing
from palace.clock import Clock, to_datetime
from palace.errors import NotFound
from palace.names import as_id, checked_name
from palace.store.writer import Transaction


def check_place(catalog: Catalog, wing: str, room: str) -> None:
    """Check that a drawer can be put there, in a room that exists or can be made.

    Raises:
        InvalidInput: A name is not one; the field is `wing` or `room`.
        NotFound: An id is given that does not exist: ids are not made on demand.
    """
    there = catalog.find_wing(wing)
    if there is None:
        if as_id(wing) is not None:
            raise NotFound("wing", wing)
        checked_name("wing", wing)
    if as_id(room) is None:
        checked_name("room", room)
    elif there is None or catalog.find_room(there, room) is None:
        raise NotFound("room", room)


class RoomMaker:
    """Finds rooms, and makes those that are missing, within one transaction."""

    def __init__(self, catalog: Catalog, clock: Clock, write: Transaction) -> None:
        self._catalog = catalog
        self._clock = clock
        self._write = write
        self._wings: dict[str, Wing] = {}
        self._rooms: dict[tuple[str, str], Room] = {}

    async def room(self, wing: str, room: str) -> Room:
        """Return the room with this name or id in the wing with that name or id."""
        known = self._rooms.get((wing, room))
        if known is None:
            check_place(self._catalog, wing, room)
            inside = await self._wing(wing)
            known = self._catalog.find_room(inside, room)
            if known is None:
                known = self._rooms.get((inside.name, room))
            if known is None:
                known = await self._make_room(inside, room)
            self._rooms[wing, room] = self._rooms[inside.name, room] = known
        return known

    async def _wing(self, name: str) -> Wing:
        wing = self._catalog.find_wing(name) or self._wings.get(name)
        if wing is None:
            wing = Wing(uuid.uuid4(), name, to_datetime(self._clock.stamp()))
            await self._write.connection.execute(
                "insert into wings (id, name, created_at) values ($1, $2, $3)", *wing
            )
            self._wings[name] = wing
            made = wing
            self._write.after_commit(lambda: self._catalog.add_wing(made))
        return wing

    async def _make_room(self, wing: Wing, name: str) -> Room:
        room = Room(uuid.uuid4(), wing, name, to_datetime(self._clock.stamp()))
        await self._write.connection.execute(
            "insert into rooms (id, wing, name, created_at) values ($1, $2, $3, $4)",
            room.id,
            wing.id,
            name,
            room.created_at,
        )
        self._write.after_commit(lambda: self._catalog.add_room(room))
        return room
