"""Build what the catalogue describes, layer by layer.

A changed daemon makes one layer anew and nothing else. Compiling Python is done by the
image's own interpreter, in a container of the engine the image is for.
"""

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from harness.errors import PrerequisiteError
from harness.runtime.images.archive import (
    Entry,
    Image,
    Layer,
    Settings,
    canonical_json,
    digest_of,
    make_image,
    write_layer,
)
from harness.runtime.images.catalogue import FileLayer, Pins, WheelLayer
from harness.runtime.images.debian import drift, make_root
from harness.runtime.images.files import entries
from harness.runtime.images.recipe import (
    MACHINES,
    image_recipe,
    layer_recipe,
    requirements,
    root_recipe,
    target_of,
)
from harness.runtime.images.shelf import Facts, Kept, Shelf
from harness.runtime.images.store import IMAGE_LABEL, Store
from harness.runtime.images.wheels import fetch, hashes_of, unpack

Notify = Callable[[str], None]
"""Told in a few words what a build does next; a step can take a minute."""


@dataclass(frozen=True, slots=True)
class Built:
    """A finished image.

    Attributes:
        image: Its documents and layers.
        inputs: Hash of everything it was made of.
        drifted: Packages whose version is not the locked one, each in a few words.
        made: Layers that had to be made; empty where all of them were kept.
    """

    image: Image
    inputs: str
    drifted: tuple[str, ...]
    made: tuple[str, ...]


@dataclass(slots=True)
class Builder:
    """Builds the images of one clone for the engine behind *store*.

    Attributes:
        pins: The catalogue, and the lock whose versions are asked for.
        shelf: Where layers are kept.
        store: The engine that runs what has to run inside an image.
        notify: Told what happens.
        anew: Make every layer again, whatever is kept.
    """

    pins: Pins
    shelf: Shelf
    store: Store
    notify: Notify
    anew: bool = False
    _done: dict[str, Kept] = field(default_factory=dict)
    _made: list[str] = field(default_factory=list)

    @property
    def architecture(self) -> str:
        """Architecture of the engine, which all images are made for."""
        return self.store.engine.architecture

    def build(self, name: str) -> Built:
        """Build the image *name*.

        Raises:
            UsageError: There is no such image, or a source of it cannot be read.
            PrerequisiteError: A tool, the network or the engine is missing.
        """
        source = self.pins.catalogue.image(name)
        inputs = image_recipe(self.pins, name, self.architecture)
        self._made.clear()
        root = self.root(source.root)
        layers = tuple(self.layer(layer).layer for layer in source.layers)
        settings = Settings(
            user=source.user,
            entrypoint=source.entrypoint,
            command=source.command,
            environment=source.environment,
            folder=source.folder,
            labels={IMAGE_LABEL: name},
            stop_signal=source.stop_signal,
        )
        image = self._image(name, (root.layer, *layers), settings)
        self._check_steady(
            name, inputs == image_recipe(self.pins, name, self.architecture)
        )
        locked = self._locked(source.root)
        drifted = tuple(drift(root.facts.packages, locked)) if locked else ()
        return Built(image, inputs, drifted, tuple(dict.fromkeys(self._made)))

    def root(self, name: str) -> Kept:
        """Give the root *name*, kept or made.

        One that was made when the same versions were asked for is taken, even if other
        versions came: the archive would not give the old ones today either.
        """
        key = root_recipe(self.pins, name, self.architecture)
        asked = self._locked(name)
        kept = self._done.get(key) or self._kept(key)
        if kept and (not asked or asked in (kept.facts.packages, kept.facts.asked)):
            self._done[key] = kept
            return kept
        self._check_machine()
        self._tell(name, "making the root file system from Debian's packages")
        catalogue = self.pins.catalogue
        made = make_root(
            catalogue.roots[name],
            catalogue.debian,
            self.shelf.path(key),
            epoch=catalogue.epoch,
            pinned=asked,
        )
        facts = Facts(digest=made.layer.digest, packages=made.packages, asked=asked)
        return self._keep(key, facts)

    def layer(self, name: str) -> Kept:
        """Give the layer *name*, kept or made."""
        source = self.pins.catalogue.layers[name]
        recipe = layer_recipe(self.pins, name, self.architecture)
        compiler = self.root(source.compile_in).layer if source.compile_in else None
        # The compiler's bytes come from its root, of which the recipe names no version.
        key = _joined(recipe, compiler.digest if compiler else "")
        kept = self._done.get(key) or self._kept(key)
        if kept:
            self._done[key] = kept
            return kept
        wheels: Mapping[str, str] = {}
        if isinstance(source, FileLayer):
            files = list(entries(source, self.pins.clone))
            steady = recipe == layer_recipe(self.pins, name, self.architecture)
            self._check_steady(name, steady)
        else:
            files, wheels = self._unpacked(name, source, recipe)
        path, epoch = self.shelf.path(key), self.pins.catalogue.epoch
        layer = write_layer(files, path, epoch=epoch)
        if compiler:
            self._tell(name, "compiling Python")
            files = self._compiled(layer, compiler, source.into)
            layer = write_layer(files, path, epoch=epoch)
        return self._keep(key, Facts(digest=layer.digest, wheels=wheels))

    def _unpacked(
        self, name: str, source: WheelLayer, recipe: str
    ) -> tuple[list[Entry], Mapping[str, str]]:
        pinned = requirements(self.pins, name, self.architecture)
        self._tell(name, f"fetching {len(pinned)} wheels")
        folder = self.shelf.wheels(recipe)
        wheels = fetch(pinned, target_of(self.architecture), folder)
        files = list(unpack(wheels, PurePosixPath(source.into)))
        return files, hashes_of(wheels)

    def _compiled(self, layer: Layer, compiler: Layer, folder: str) -> list[Entry]:
        settings = Settings(
            user="65534:65534",
            entrypoint=("/bin/false",),
            labels={IMAGE_LABEL: "compiler"},
        )
        image = self._image("compiler", (compiler,), settings)
        version = ".".join(map(str, target_of(self.architecture).python))
        command = [f"python{version}", "-m", "compileall", "-q", "-o", "0", "-o", "1"]
        # Times in compiled files would have to fit those of the sources; hashes that
        # nobody checks do not.
        command += ["--invalidation-mode", "unchecked-hash", folder]
        return self.store.run_on(image, layer, command, folder)

    def _image(self, name: str, layers: tuple[Layer, ...], settings: Settings) -> Image:
        epoch = self.pins.catalogue.epoch
        return make_image(
            name, layers, settings, architecture=self.architecture, epoch=epoch
        )

    def _locked(self, root: str) -> Mapping[str, str]:
        lock = self.pins.lock
        if lock is None or lock.architecture != self.architecture:
            return {}
        found = lock.roots.get(root)
        return found.packages if found else {}

    def _kept(self, key: str) -> Kept | None:
        return None if self.anew else self.shelf.get(key)

    def _keep(self, key: str, facts: Facts) -> Kept:
        self._done[key] = self.shelf.put(key, facts)
        return self._done[key]

    def _tell(self, name: str, step: str) -> None:
        self._made.append(name)
        self.notify(f"{name}: {step}")

    def _check_steady(self, name: str, steady: bool) -> None:
        # Otherwise a layer would be kept under the hash of other sources than its own.
        if not steady:
            raise PrerequisiteError(
                f"the sources of {name} changed while it was being built.",
                remedy="Start again when nobody edits them.",
            )

    def _check_machine(self) -> None:
        wanted = MACHINES.get(self.architecture)
        if platform.machine() != wanted:
            raise PrerequisiteError(
                f"the engine runs {self.architecture!r} images, and this machine "
                f"({platform.machine()}) cannot make them.",
                remedy="Build on such a machine, or name a registry in "
                "images/images.toml.",
            )


def _joined(recipe: str, compiler: str) -> str:
    if not compiler:
        return recipe
    return digest_of(canonical_json([recipe, compiler]))
