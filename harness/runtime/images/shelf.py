"""Keep finished layers under the hash of what they were made of.

What was kept is hashed again before it is used: a file that somebody touched, or that a
full disk cut short, is made anew instead of being believed.
"""

import contextlib
import fcntl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, ValidationError

from harness.runtime.images.archive import Layer, layer_at, whole_file
from harness.runtime.images.catalogue import Digest, Part


class Facts(Part):
    """What is known of a kept layer beside its bytes."""

    digest: Digest
    packages: Mapping[str, str] = Field(default_factory=dict)
    """Debian packages in it and their versions; a root has them."""
    asked: Mapping[str, str] = Field(default_factory=dict)
    """The versions that were asked for, which need not be the ones that came."""
    wheels: Mapping[str, Digest] = Field(default_factory=dict)
    """Wheel files in it and their hashes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A finished layer and what is known of it."""

    layer: Layer
    facts: Facts


@dataclass(frozen=True, slots=True)
class Shelf:
    """The folder where layers are kept; made when the first one comes."""

    folder: Path

    def path(self, key: str) -> Path:
        """Say where the layer of *key* (`sha256:...`) lies, or would lie."""
        return self.folder / "layers" / f"{key.removeprefix('sha256:')}.tar"

    def get(self, key: str) -> Kept | None:
        """Give the layer of *key*; none where it is not kept or not whole."""
        path = self.path(key)
        try:
            facts = Facts.model_validate_json(path.with_suffix(".json").read_bytes())
            layer = layer_at(path)
        except (OSError, ValidationError):
            return None
        return Kept(layer, facts) if layer.digest == facts.digest else None

    def put(self, key: str, facts: Facts) -> Kept:
        """Keep the layer that was written to `path(key)`, with what is known of it."""
        path = self.path(key)
        with whole_file(path.with_suffix(".json")) as stream:
            stream.write(facts.model_dump_json(indent=1).encode())
        return Kept(Layer(path, facts.digest, path.stat().st_size), facts)

    def wheels(self, key: str) -> Path:
        """Say in which folder the wheels of the layer of *key* lie."""
        return self.folder / "wheels" / key.removeprefix("sha256:")[:32]

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Let one process at a time build here; the others wait for its layers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "busy").open("w") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield
