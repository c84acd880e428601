"""Write `images.lock` anew: what every image resolves to today."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from harness.errors import PrerequisiteError
from harness.runtime.engine import Engine
from harness.runtime.images.build import Builder, Notify
from harness.runtime.images.catalogue import (
    Lock,
    LockedImage,
    LockedLayer,
    LockedRoot,
    Pins,
    write_lock,
)
from harness.runtime.images.debian import builder_versions
from harness.runtime.images.recipe import image_recipe
from harness.runtime.images.shelf import Shelf
from harness.runtime.images.store import Store


def lock_images(
    pins: Pins,
    engine: Engine,
    *,
    newest: bool = False,
    cache: Path | None = None,
    notify: Notify = lambda _: None,
    labels: Mapping[str, str] | None = None,
) -> Lock:
    """Build every image and write the lock.

    Nothing is left in the engine: what a lock names is loaded by who needs it.

    Args:
        pins: The clone's catalogue and its lock so far.
        engine: Where Python is compiled; its architecture is the lock's.
        newest: Build all from nothing with Debian's newest packages. Without it the
            locked versions are kept, and only what changed is built.
        cache: Folder for layers and wheels; the clone's `.cache/images` by default.
        notify: Told in a few words what happens.
        labels: Labels for the containers a build needs, so that a sweep finds them.

    Raises:
        PrerequisiteError: A tool, the network, the engine or a registry is missing.
    """
    asked = replace(pins, lock=None) if newest else pins
    shelf = Shelf(cache or pins.clone / ".cache" / "images")
    with Store(engine, labels) as store, shelf.alone():
        builder = Builder(asked, shelf, store, notify, anew=newest)
        lock = _lock(builder, store)
    changed = outdated(replace(pins, lock=lock))
    if changed:
        raise PrerequisiteError(
            f"the sources of {changed[0]} changed while the lock was being made.",
            remedy="Start again when nobody edits them.",
        )
    write_lock(lock, pins.clone / "images" / "images.lock")
    return lock


def outdated(pins: Pins) -> tuple[str, ...]:
    """Name the images whose sources changed since the lock was written.

    Raises:
        UsageError: A source of an image cannot be read.
    """
    lock = pins.lock
    if lock is None:
        return tuple(pins.catalogue.images)
    return tuple(
        name
        for name in pins.catalogue.images
        if name not in lock.images
        or lock.images[name].inputs != image_recipe(pins, name, lock.architecture)
    )


def _lock(builder: Builder, store: Store) -> Lock:
    catalogue = builder.pins.catalogue
    images = {name: _image(builder, store, name) for name in sorted(catalogue.images)}
    roots = {name: builder.root(name) for name in sorted(catalogue.roots)}
    layers = {name: builder.layer(name) for name in sorted(catalogue.layers)}
    return Lock.model_validate(
        {
            "version": 1,
            "architecture": builder.architecture,
            "builders": builder_versions(),
            "roots": {
                name: LockedRoot(
                    digest=kept.layer.digest,
                    size=kept.layer.size,
                    packages=kept.facts.packages,
                )
                for name, kept in roots.items()
            },
            "layers": {
                name: LockedLayer(
                    digest=kept.layer.digest,
                    size=kept.layer.size,
                    wheels=kept.facts.wheels,
                )
                for name, kept in layers.items()
            },
            "images": images,
        }
    )


def _image(builder: Builder, store: Store, name: str) -> LockedImage:
    built = builder.build(name)
    reference = builder.pins.catalogue.image(name).registry
    there = store.pull(reference) if reference else None
    if reference and there is None:
        raise PrerequisiteError(
            f"{name} cannot be pulled, so the lock cannot say what the registry holds.",
            where=reference,
            remedy="Mend the reference in images/images.toml, or take it out.",
        )
    return LockedImage(
        id=built.image.id,
        manifest=built.image.manifest_digest,
        inputs=built.inputs,
        size=built.image.size,
        registry=reference,
        registry_id=there,
    )
