"""Get the images a run needs into the engine, and know exactly which they are.

The order: there already (by digest), pulled by digest, built. A registry that is away
leads to a build; a registry that sends other bytes than the digest promises ends
the run. Packages that moved on since the lock was written do not end it, for a clone
must start on any day, but every result says so; `strict` ends it there as well.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from harness.errors import PrerequisiteError
from harness.runtime.engine import Engine
from harness.runtime.images.archive import canonical_json, digest_of, whole_file
from harness.runtime.images.build import Builder, Built, Notify
from harness.runtime.images.catalogue import Digest, ImageSource, Part, Pins
from harness.runtime.images.recipe import image_recipe
from harness.runtime.images.shelf import Shelf
from harness.runtime.images.store import DigestError, Store

ROOM_BYTES = 1 << 30
"""What an engine needs free before a build: the largest image twice."""

SHOWN = 3
"""Packages that a caution names before it only counts the rest."""

Origin = Literal["present", "pulled", "loaded", "built"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """An image that is in the engine.

    Attributes:
        name: As in the catalogue.
        id: What the engine calls it, `sha256:...`; start containers by this.
        digest: What names its content anywhere: the id in Docker's own image store.
        origin: Whether it was there, pulled, loaded from kept layers, or built.
        locked: Whether it is the very image that `images.lock` names.
        cautions: What a reader of the results must know; empty where all is as locked.
        seconds: How long it took to get.
        source: Its entry in the catalogue: user, writable places, command.
    """

    name: str
    id: str
    digest: str
    origin: Origin
    locked: bool
    cautions: tuple[str, ...]
    seconds: float
    source: ImageSource


class _Record(Part):
    """What the last build of the same inputs came to."""

    id: Digest
    manifest: Digest
    locked: bool
    cautions: tuple[str, ...]


def differences(
    pins: Pins, name: str, built: Built, architecture: str
) -> tuple[str, ...]:
    """Say in sentences how a built image differs from what was pinned; empty: not."""
    found = []
    registry = pins.catalogue.image(name).registry
    if registry:
        found.append(f"Built here, because {registry} could not be pulled.")
    locked = pins.locked(name, built.inputs, architecture)
    if locked is None:
        found.append("images.lock was written from other sources than these.")
    if built.drifted:
        more = len(built.drifted) - SHOWN
        tail = f" and {more} more" if more > 0 else ""
        shown = ", ".join(built.drifted[:SHOWN])
        found.append(f"Debian packages differ from images.lock: {shown}{tail}.")
    elif locked and locked.id != built.image.id:
        found.append(
            f"The locked packages gave {built.image.id}, and images.lock names "
            f"{locked.id}: a tool that builds differs."
        )
    return tuple(found)


class Resolver:
    """Resolves the images of one clone in one engine.

    Args:
        pins: The clone's catalogue and lock.
        engine: Where the images shall be.
        cache: Folder for layers and wheels; the clone's `.cache/images` by default.
        notify: Told in a few words what happens.
        labels: Labels for the containers a build needs, so that a sweep finds them.
        strict: Refuse an image that is not the locked one.
    """

    def __init__(
        self,
        pins: Pins,
        engine: Engine,
        *,
        cache: Path | None = None,
        notify: Notify = lambda _: None,
        labels: Mapping[str, str] | None = None,
        strict: bool = False,
    ) -> None:
        self._pins = pins
        self._notify = notify
        self._strict = strict
        self._shelf = Shelf(cache or pins.clone / ".cache" / "images")
        self._store = Store(engine, labels)
        self._builder = Builder(pins, self._shelf, self._store, notify)

    def __enter__(self) -> "Resolver":
        return self

    def __exit__(self, *_: object) -> None:
        self._store.__exit__()

    def resolve(self, name: str) -> Resolved:
        """Get the image *name* into the engine.

        Raises:
            DigestError: What a registry or an engine holds is not what was pinned.
            PrerequisiteError: It is neither there nor can it be pulled or built, or it
                is not the locked one and `strict` was asked for.
            UsageError: There is no such image, or a source of it cannot be read.
        """
        start = time.perf_counter()
        source = self._pins.catalogue.image(name)
        inputs = image_recipe(self._pins, name, self._builder.architecture)
        found = (
            self._present(name, source, inputs)
            or self._pulled(name, source)
            or self._built(name, source, inputs)
        )
        if self._strict and not found.locked:
            raise PrerequisiteError(
                f"{name} is not the image that images.lock names: "
                f"{' '.join(found.cautions)}",
                where="images/images.lock",
                remedy="Review what changed, then run `just images --lock`.",
            )
        return replace(found, seconds=time.perf_counter() - start)

    def holds(self, digest: str) -> bool:
        """Whether the engine has an image of that digest now."""
        return self._store.find(digest) is not None

    def _present(self, name: str, source: ImageSource, inputs: str) -> Resolved | None:
        if source.registry:
            there = self._store.find(source.registry)
            if there:
                return self._from_registry(name, source, there, "present")
        locked = self._pins.locked(name, inputs, self._builder.architecture)
        if locked:
            there = self._store.find(locked.id, locked.manifest)
            if there:
                return Resolved(
                    name, there, locked.id, "present", True, (), 0.0, source
                )
        record = self._record(inputs)
        there = self._store.find(record.id, record.manifest) if record else None
        if record is None or there is None:
            return None
        return Resolved(
            name,
            there,
            record.id,
            "present",
            record.locked,
            record.cautions,
            0.0,
            source,
        )

    def _pulled(self, name: str, source: ImageSource) -> Resolved | None:
        if not source.registry:
            return None
        self._notify(f"{name}: pulling {source.registry}")
        there = self._store.pull(source.registry)
        if there is None:
            self._notify(f"{name}: the registry has it not, or does not answer")
            return None
        return self._from_registry(name, source, there, "pulled")

    def _from_registry(
        self, name: str, source: ImageSource, there: str, origin: Origin
    ) -> Resolved:
        reference = source.registry or ""
        lock = self._pins.lock
        entry = lock.images.get(name) if lock else None
        wanted = entry.registry_id if entry and entry.registry == reference else None
        if wanted and there != wanted:
            self._store.remove(reference)
            raise DigestError(
                f"the image is {there}, and images.lock names {wanted}.",
                where=reference,
                remedy="Do not use that registry before somebody looked into it.",
            )
        cautions = () if wanted else (f"images.lock does not know {reference}.",)
        digest = reference.rpartition("@")[2]
        return Resolved(
            name, there, digest, origin, bool(wanted), cautions, 0.0, source
        )

    def _built(self, name: str, source: ImageSource, inputs: str) -> Resolved:
        with self._shelf.alone():
            # Another run may have built it while this one waited.
            there = self._present(name, source, inputs)
            if there:
                return there
            self._store.engine.require_room(ROOM_BYTES)
            built = self._builder.build(name)
            cautions = differences(self._pins, name, built, self._builder.architecture)
            self._notify(f"{name}: loading it into the engine")
            there_id = self._store.load(built.image)
            locked = not cautions
            self._remember(built, locked=locked, cautions=cautions)
        origin: Origin = "built" if built.made else "loaded"
        return Resolved(
            name, there_id, built.image.id, origin, locked, cautions, 0.0, source
        )

    def _record_path(self, inputs: str) -> Path:
        lock = self._pins.lock
        roots = lock.model_dump()["roots"] if lock else {}
        key = digest_of(canonical_json([inputs, roots]))
        return self._shelf.folder / "images" / f"{key.removeprefix('sha256:')}.json"

    def _record(self, inputs: str) -> _Record | None:
        try:
            text = self._record_path(inputs).read_bytes()
            return _Record.model_validate_json(text)
        except (OSError, ValidationError):
            return None

    def _remember(
        self, built: Built, *, locked: bool, cautions: tuple[str, ...]
    ) -> None:
        record = _Record(
            id=built.image.id,
            manifest=built.image.manifest_digest,
            locked=locked,
            cautions=cautions,
        )
        with whole_file(self._record_path(built.inputs)) as stream:
            stream.write(record.model_dump_json(indent=1).encode())
