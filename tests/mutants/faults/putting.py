"""How a fault gets into a daemon that is about to start."""

from __future__ import annotations

from types import ModuleType

from palace.search import engine, expansion, fusion, semantic

Owner = ModuleType | type

RANKERS: tuple[ModuleType, ...] = (engine, expansion, fusion, semantic)
"""The modules that put hits in order by `by_score`."""


def put(owner: Owner, name: str, fault: object) -> None:
    """Put something faulty in a sound thing's place.

    Raises:
        AttributeError: There is no such thing, so the fault would be none: the daemon
            was changed, and the fault has to follow.
    """
    if not hasattr(owner, name):
        raise AttributeError(f"{owner.__name__} has no {name!r} to put a fault into")
    setattr(owner, name, fault)
