"""Read what images there are, and what they resolved to when a person last looked.

`images/images.toml` is written by people, `images/images.lock` by
`harness images --lock` alone. Both are checked here, whole, before anything is built:
a name that nothing defines or a digest that is none is told with its place in the file.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import UsageError
from harness.runtime.images.archive import whole_file

AbsolutePath = Annotated[str, Field(pattern=r"^/[A-Za-z0-9._+/*-]*$")]
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
Package = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
Reference = Annotated[
    str, Field(pattern=r"^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}$")
]


class Part(BaseModel):
    """Base of every part of both files: frozen, and no key that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Account(Part):
    """The user a root file system is made for; user and group share one id."""

    name: Name
    id: Annotated[int, Field(ge=1, le=65533)]
    home: AbsolutePath


class Debian(Part):
    """What all root file systems have in common."""

    suite: Name
    leave_out: tuple[AbsolutePath, ...] = ()
    """Shell patterns of absolute paths; `*` matches any characters, slashes too."""


class Root(Part):
    """A root file system made of Debian's packages."""

    packages: tuple[Package, ...] = ()
    """Beside the essential ones, and what these depend on."""
    account: Account
    leave_out: tuple[AbsolutePath, ...] = ()
    """As in `Debian`, for this root alone."""
    files: Mapping[AbsolutePath, str] = Field(default_factory=dict)
    """Text files that exist before any of *packages* is configured."""
    run: tuple[str, ...] = ()
    """Commands that run inside when all packages are there."""


class WheelLayer(Part):
    """Python packages from wheels, by the hashes of a lock file."""

    kind: Literal["wheels"]
    lock: str
    only: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    into: AbsolutePath
    compile_in: Name | None = None
    """Root whose Python compiles the layer; none leaves the sources alone."""


class FileLayer(Part):
    """Files of this repository: one file, or a folder with all below it."""

    kind: Literal["files"]
    source: str
    into: AbsolutePath
    executable: bool = False
    compile_in: Name | None = None


LayerSource = Annotated[WheelLayer | FileLayer, Field(discriminator="kind")]


class ImageSource(Part):
    """An image: a root, layers on it, and how a container of it starts."""

    role: Literal["postgres", "palace", "embedder"]
    major: int | None = None
    """Postgres' major version; only where the role is `postgres`."""
    build: Literal["debug", "release"] | None = None
    """The daemon's build; only where the role is `palace`."""
    registry: Reference | None = None
    root: Name
    layers: tuple[Name, ...] = ()
    user: Annotated[str, Field(pattern=r"^[1-9][0-9]*:[1-9][0-9]*$")]
    entrypoint: Annotated[tuple[str, ...], Field(min_length=1)]
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = Field(default_factory=dict)
    folder: AbsolutePath = "/"
    writable: tuple[AbsolutePath, ...] = ()
    """Where a container may write: each wants a tmpfs that `user` owns."""
    stop_signal: str = "SIGTERM"

    @model_validator(mode="after")
    def _role_has_its_key(self) -> "ImageSource":
        wanted = (self.role == "postgres", self.role == "palace")
        if (self.major is not None, self.build is not None) != wanted:
            raise ValueError(
                "an image with the role 'postgres' has a major, one with 'palace' a "
                f"build; role {self.role!r} has major {self.major!r}, "
                f"build {self.build!r}"
            )
        return self


class Catalogue(Part):
    """The whole of `images.toml`."""

    version: Literal[1]
    epoch: Annotated[int, Field(gt=0)]
    """Seconds since 1970 that every file and image claims to be from."""
    debian: Debian
    roots: Mapping[Name, Root]
    layers: Mapping[Name, LayerSource] = Field(default_factory=dict)
    images: Annotated[Mapping[Name, ImageSource], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_exist(self) -> "Catalogue":
        for name, layer in self.layers.items():
            _check(layer.compile_in, self.roots, f"layers.{name}.compile_in", "root")
        for name, image in self.images.items():
            _check(image.root, self.roots, f"images.{name}.root", "root")
            for layer_name in image.layers:
                _check(layer_name, self.layers, f"images.{name}.layers", "layer")
        return self

    def image(self, name: str) -> ImageSource:
        """Look up an image by its name.

        Raises:
            UsageError: There is none of that name.
        """
        try:
            return self.images[name]
        except KeyError:
            raise UsageError(
                f"no image is called {name!r}; there are {', '.join(self.images)}.",
                where="images/images.toml",
            ) from None


class LockedRoot(Part):
    """What a root file system resolved to."""

    digest: Digest
    size: int
    packages: Mapping[Package, str]
    """Every package in it, with its version."""


class LockedLayer(Part):
    """What a layer resolved to."""

    digest: Digest
    size: int
    wheels: Mapping[str, Digest] = Field(default_factory=dict)
    """Wheel files in it and their hashes."""


class LockedImage(Part):
    """What an image resolved to."""

    id: Digest
    manifest: Digest
    inputs: Digest
    """Hash of all that went in; another value means that the lock is out of date."""
    size: int
    registry: Reference | None = None
    registry_id: Digest | None = None
    """Id of the image that the registry holds under that digest."""


class Lock(Part):
    """The whole of `images.lock`."""

    version: Literal[1] = 1
    architecture: Literal["amd64", "arm64"]
    """Where it was made; images of another architecture have other digests."""
    builders: Mapping[str, str]
    """Programs whose version can change a byte: mmdebstrap, apt, dpkg."""
    roots: Mapping[Name, LockedRoot]
    layers: Mapping[Name, LockedLayer]
    images: Mapping[Name, LockedImage]


@dataclass(frozen=True, slots=True)
class Pins:
    """Both files of one clone.

    Attributes:
        clone: The repository's root; paths in the catalogue start there.
        lock: None before the first `harness images --lock`.
    """

    clone: Path
    catalogue: Catalogue
    lock: Lock | None

    def locked(self, name: str, inputs: str, architecture: str) -> LockedImage | None:
        """Give the lock's entry for an image, if it was made from these *inputs*."""
        if self.lock is None or self.lock.architecture != architecture:
            return None
        found = self.lock.images.get(name)
        return found if found is not None and found.inputs == inputs else None


def read_pins(clone: Path) -> Pins:
    """Read both files of the clone at *clone*.

    Raises:
        UsageError: One of them cannot be read or breaks a rule.
    """
    catalogue = read_catalogue(clone / "images" / "images.toml")
    lock = clone / "images" / "images.lock"
    return Pins(clone, catalogue, read_lock(lock) if lock.exists() else None)


def read_catalogue(path: Path) -> Catalogue:
    """Read `images.toml`.

    Raises:
        UsageError: It cannot be read or breaks a rule.
    """
    try:
        document = tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot be read: {error}.", where=str(path)) from error
    return _validated(Catalogue, document, path)


def read_lock(path: Path) -> Lock:
    """Read `images.lock`.

    Raises:
        UsageError: It cannot be read or breaks a rule.
    """
    try:
        text = path.read_text()
    except OSError as error:
        raise UsageError(f"cannot be read: {error}.", where=str(path)) from error
    try:
        return Lock.model_validate_json(text)
    except ValidationError as error:
        raise _fault(error, path) from error


def write_lock(lock: Lock, path: Path) -> None:
    """Write `images.lock` so that a change shows as few changed lines as it can."""
    with whole_file(path) as stream:
        stream.write(lock.model_dump_json(indent=1, exclude_none=True).encode() + b"\n")


Model = TypeVar("Model", bound=BaseModel)


def _validated(model: type[Model], document: object, path: Path) -> Model:
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise _fault(error, path) from error


def _fault(error: ValidationError, path: Path) -> UsageError:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"]) or "the whole file"
    return UsageError(f"{place}: {first['msg']}.", where=str(path))


def _check(
    name: str | None, known: Mapping[str, object], place: str, what: str
) -> None:
    if name is not None and name not in known:
        raise ValueError(f"{place} names {name!r}, and no {what} has that name")
