"""Say what an image is made of as one hash, without building anything.

Two clones with the same hash would build the same image. It covers the catalogue's
words, the repository's files and the hashes in lock files; the versions of Debian's
packages are no input but a result, which the lock holds.
"""

from harness.errors import PrerequisiteError
from harness.runtime.images.archive import Entry, canonical_json, digest_of
from harness.runtime.images.catalogue import FileLayer, Pins
from harness.runtime.images.files import entries
from harness.runtime.images.wheels import Pinned, Target, choose, read_requirements

FORMAT = 1
"""Raised when the writers change a byte, so that nothing old is taken for new."""

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
"""Architectures as images name them, and as `uname -m` does."""


def root_recipe(pins: Pins, name: str, architecture: str) -> str:
    """Hash what the root *name* is made of."""
    catalogue = pins.catalogue
    return _hash(
        "root",
        architecture,
        catalogue.epoch,
        catalogue.debian.model_dump(),
        catalogue.roots[name].model_dump(),
    )


def layer_recipe(pins: Pins, name: str, architecture: str) -> str:
    """Hash what the layer *name* is made of, the root that compiles it included.

    Raises:
        UsageError: A lock file or a source of the layer cannot be read.
    """
    layer = pins.catalogue.layers[name]
    content: object
    if isinstance(layer, FileLayer):
        content = [_entry(entry) for entry in entries(layer, pins.clone)]
    else:
        content = [str(pinned) for pinned in requirements(pins, name, architecture)]
    compiler = layer.compile_in and root_recipe(pins, layer.compile_in, architecture)
    words = layer.model_dump(exclude={"lock", "source"})
    return _hash("layer", architecture, pins.catalogue.epoch, words, content, compiler)


def image_recipe(pins: Pins, name: str, architecture: str) -> str:
    """Hash what the image *name* is made of.

    Raises:
        UsageError: There is no such image, or one of its sources cannot be read.
    """
    source = pins.catalogue.image(name)
    words = source.model_dump(exclude={"registry", "writable"})
    layers = [layer_recipe(pins, layer, architecture) for layer in source.layers]
    root = root_recipe(pins, source.root, architecture)
    return _hash("image", name, architecture, words, root, layers)


def requirements(pins: Pins, name: str, architecture: str) -> tuple[Pinned, ...]:
    """Give the packages of the wheel layer *name*, as its lock file pins them.

    Raises:
        UsageError: The lock file cannot be read, or lacks a package.
    """
    layer = pins.catalogue.layers[name]
    if isinstance(layer, FileLayer):
        raise TypeError(f"{name!r} is a layer of files")
    locked = read_requirements(pins.clone / layer.lock, target_of(architecture))
    return choose(locked, layer.only, layer.leave_out)


def target_of(architecture: str) -> Target:
    """Say for which interpreter and machine an image of *architecture* is made.

    Raises:
        PrerequisiteError: Nobody knows the architecture.
    """
    if architecture not in MACHINES:
        raise PrerequisiteError(
            f"images are made for {' and '.join(MACHINES)}; the engine runs "
            f"{architecture!r}.",
            remedy="Use --runtime embedded.",
        )
    return Target(machine=MACHINES[architecture])


def _entry(entry: Entry) -> object:
    return [str(entry.path), digest_of(entry.data), entry.mode]


def _hash(*parts: object) -> str:
    return digest_of(canonical_json([FORMAT, *parts]))
