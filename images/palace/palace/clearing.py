"""A wing removed for good, with all that is in it."""

from __future__ import annotations

from palace.core import Palace
from palace.store import places as store


async def remove_wing(palace: Palace, name_or_id: str) -> None:
    """Remove a wing, its rooms, and their drawers, documents and facts.

    Entities stay: they belong to the whole palace. What mentioned them is gone.

    Raises:
        NotFound: There is no such wing.
    """
    async with palace.write() as write:
        memory = palace.memory
        wing = memory.catalog.wing(name_or_id)
        rooms = [room.id for room in memory.catalog.rooms(wing)]
        removed = await store.remove_wing(write.connection, wing.id, rooms)

        def forget() -> None:
            for seq in removed.drawers:
                memory.remove(seq)
            for seq in removed.fragments:
                memory.fragments.remove(seq)
            memory.catalog.remove_wing(wing)

        write.after_commit(forget)
