"""The wings and rooms there are, in memory: small, and needed by every request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from palace.errors import NotFound
from palace.names import as_id


class Wing(NamedTuple):
    """A part of the palace."""

    id: UUID
    name: str
    created_at: datetime


class Room(NamedTuple):
    """A room of one wing; its name is its own within that wing only."""

    id: UUID
    wing: Wing
    name: str
    created_at: datetime


class Catalog:
    """Wings and rooms by id and by name, in order of creation."""

    def __init__(self) -> None:
        self._wings: dict[UUID, Wing] = {}
        self._wing_named: dict[str, Wing] = {}
        self._rooms: dict[UUID, Room] = {}
        self._room_named: dict[tuple[UUID, str], Room] = {}

    @property
    def n_wings(self) -> int:
        """How many wings there are."""
        return len(self._wings)

    @property
    def n_rooms(self) -> int:
        """How many rooms there are in all wings."""
        return len(self._rooms)

    def add_wing(self, wing: Wing) -> None:
        """Note a wing that Postgres holds."""
        self._wings[wing.id] = wing
        self._wing_named[wing.name] = wing

    def add_room(self, room: Room) -> None:
        """Note a room that Postgres holds; its wing is noted with it."""
        if room.wing.id not in self._wings:
            self.add_wing(room.wing)
        self._rooms[room.id] = room
        self._room_named[room.wing.id, room.name] = room

    def remove_wing(self, wing: Wing) -> None:
        """Forget a wing and its rooms."""
        for room in list(self.rooms(wing)):
            del self._rooms[room.id]
            del self._room_named[wing.id, room.name]
        del self._wings[wing.id]
        del self._wing_named[wing.name]

    def find_wing(self, name_or_id: str) -> Wing | None:
        """Return the wing with this name or id, or None."""
        found = as_id(name_or_id)
        if found is not None:
            return self._wings.get(found)
        return self._wing_named.get(name_or_id)

    def find_room(self, wing: Wing, name_or_id: str) -> Room | None:
        """Return the room of *wing* with this name or id, or None."""
        found = as_id(name_or_id)
        if found is None:
            return self._room_named.get((wing.id, name_or_id))
        room = self._rooms.get(found)
        return room if room is not None and room.wing.id == wing.id else None

    def wing(self, name_or_id: str) -> Wing:
        """Return the wing with this name or id.

        Raises:
            NotFound: There is none.
        """
        wing = self.find_wing(name_or_id)
        if wing is None:
            raise NotFound("wing", name_or_id)
        return wing

    def room(self, wing: Wing, name_or_id: str) -> Room:
        """Return the room of *wing* with this name or id.

        Raises:
            NotFound: There is none in that wing.
        """
        room = self.find_room(wing, name_or_id)
        if room is None:
            raise NotFound("room", name_or_id)
        return room

    def room_of(self, room: UUID) -> Room:
        """Return the room with this id, which a drawer says it is in."""
        return self._rooms[room]

    def wings(self) -> Iterator[Wing]:
        """Iterate the wings in order of creation."""
        return iter(self._wings.values())

    def rooms(self, wing: Wing) -> Iterator[Room]:
        """Iterate the rooms of *wing* in order of creation."""
        return (room for room in self._rooms.values() if room.wing.id == wing.id)
