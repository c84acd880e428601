"""Pair every Postgres with every build of the daemon."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from harness.runtime.images.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Cell:
    """One pairing of the matrix.

    Attributes:
        name: Short and unique, fit for a job's name or a folder: `postgres-17-debug`.
        postgres: Name of the Postgres image.
        palace: Name of the daemon's image.
        major: Postgres' major version.
        build: `debug` or `release`.
    """

    name: str
    postgres: str
    palace: str
    major: int
    build: Literal["debug", "release"]


def cells(catalogue: Catalogue) -> tuple[Cell, ...]:
    """Give all pairings: oldest Postgres first, and `debug` before `release`."""
    images = catalogue.images.items()
    found = [
        Cell(f"{postgres}-{daemon.build}", postgres, palace, store.major, daemon.build)
        for postgres, store in images
        for palace, daemon in images
        if store.major is not None and daemon.build is not None
    ]
    return tuple(sorted(found, key=lambda cell: (cell.major, cell.build, cell.name)))


def as_json(found: Sequence[Cell]) -> str:
    """Write cells in the form in which a workflow's `strategy.matrix` reads them."""
    return json.dumps({"include": [asdict(cell) for cell in found]})
