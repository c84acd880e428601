"""Write image layers and archives whose every byte follows from their inputs.

An engine's own builder stamps clocks, host names and random ids into what it builds.
These writers take nothing from the machine: members are sorted or kept in the order of
their source, owners are numbers, times are one constant, JSON is canonical. So the id
of an image (the SHA-256 of its configuration) is known before an engine loads it.

The archive is both a Docker archive (`manifest.json`) and an OCI layout (`index.json`),
because old engines read only the first and new ones name images by the second.
"""

import hashlib
import io
import json
import secrets
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

BLOCK = 512
CHUNK = 1 << 20

LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of a layer: a file, or a symbolic link where `target` is set.

    Attributes:
        path: Absolute path in the image.
        data: The file's bytes; empty for a link.
        mode: Permission bits; a link's are ignored.
        target: Where a symbolic link points.
    """

    path: PurePosixPath
    data: bytes = b""
    mode: int = 0o644
    target: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer's tar on disk. `digest` names the uncompressed bytes (`sha256:...`)."""

    path: Path
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class Settings:
    """How a container of the image starts when nobody says otherwise.

    Attributes:
        user: `uid:gid` in numbers, so that no name has to exist in the image.
        environment: Variables; written sorted by name.
    """

    user: str
    entrypoint: tuple[str, ...]
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "/"
    labels: Mapping[str, str] = field(default_factory=dict)
    stop_signal: str = "SIGTERM"


@dataclass(frozen=True, slots=True)
class Image:
    """A whole image: its layers, and the documents that name them.

    Attributes:
        reference: Name and tag the engine gives it when it loads the archive.
        config: Canonical JSON of the configuration.
        layers: Bottom first.
    """

    reference: str
    config: bytes
    layers: tuple[Layer, ...]

    @property
    def id(self) -> str:
        """What engines with Docker's own image store call the image."""
        return digest_of(self.config)

    @property
    def manifest(self) -> bytes:
        """The OCI manifest: what names the image in a registry."""
        return canonical_json(
            {
                "schemaVersion": 2,
                "mediaType": MANIFEST_TYPE,
                "config": _descriptor(CONFIG_TYPE, self.id, len(self.config)),
                "layers": [
                    _descriptor(LAYER_TYPE, layer.digest, layer.size)
                    for layer in self.layers
                ],
            }
        )

    @property
    def manifest_digest(self) -> str:
        """What a registry, and an engine on containerd's image store, call it."""
        return digest_of(self.manifest)

    @property
    def size(self) -> int:
        """Bytes of all layers, uncompressed."""
        return sum(layer.size for layer in self.layers)


def digest_of(data: bytes) -> str:
    """Name bytes as registries do: `sha256:` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def canonical_json(document: object) -> bytes:
    """Write JSON in the one form: sorted keys, no blanks, ASCII only."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def make_image(
    name: str,
    layers: tuple[Layer, ...],
    settings: Settings,
    *,
    architecture: str,
    epoch: int,
) -> Image:
    """Join *layers* into an image; *epoch* (seconds) is the time it claims to be from.

    The tag is the start of the id, so that two builds never fight over one name.
    """
    created = _timestamp(epoch)
    config = canonical_json(
        {
            "architecture": architecture,
            "os": "linux",
            "created": created,
            "config": {
                "User": settings.user,
                "Entrypoint": list(settings.entrypoint),
                "Cmd": list(settings.command) or None,
                "Env": [f"{k}={v}" for k, v in sorted(settings.environment.items())],
                "WorkingDir": settings.folder,
                "Labels": dict(settings.labels),
                "StopSignal": settings.stop_signal,
            },
            "rootfs": {
                "type": "layers",
                "diff_ids": [layer.digest for layer in layers],
            },
            "history": [
                {"created": created, "created_by": "memory-harness"} for _ in layers
            ],
        }
    )
    tag = digest_of(config).removeprefix("sha256:")[:12]
    # A name without a host would be looked for in somebody's registry.
    return Image(f"localhost/memory-harness/{name}:{tag}", config, layers)


def write_layer(entries: Iterable[Entry], path: Path, *, epoch: int) -> Layer:
    """Write *entries* as a layer, with the folders above them, owned by root.

    Raises:
        ValueError: Two entries have one path, or a path leaves the root.
    """
    found: dict[PurePosixPath, Entry] = {}
    for entry in entries:
        if not entry.path.is_absolute() or ".." in entry.path.parts:
            raise ValueError(f"{str(entry.path)!r} is no absolute path in an image")
        if entry.path in found:
            raise ValueError(f"{str(entry.path)!r} occurs twice in one layer")
        found[entry.path] = entry
    folders = {parent for member in found for parent in member.parents}
    folders.discard(PurePosixPath("/"))
    with (
        whole_file(path) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for member in sorted(folders | found.keys()):
            info, data = _member(member, found.get(member), epoch)
            tar.addfile(info, io.BytesIO(data))
    return layer_at(path)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open *path* for writing so that it appears only once all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("xb") as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def layer_at(path: Path) -> Layer:
    """Name the layer whose tar lies at *path*, by hashing it."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return Layer(path, f"sha256:{digest}", path.stat().st_size)


def archive_chunks(image: Image) -> Iterator[bytes]:
    """Stream *image* as the archive that `docker load` reads, chunk by chunk.

    The layers are read from their files as the consumer takes the chunks, so no second
    copy of them is made on disk or in memory.
    """
    small = _documents(image)
    blobs = {
        _blob(image.id): image.config,
        _blob(image.manifest_digest): image.manifest,
    }
    layers = {_blob(layer.digest): layer for layer in image.layers}
    for folder in ("blobs", "blobs/sha256"):
        yield _header(folder, 0, tarfile.DIRTYPE)
    for name in sorted(blobs | layers | small):
        if name in layers:
            yield from _file_chunks(name, layers[name])
        else:
            data = small.get(name) or blobs[name]
            yield _header(name, len(data)) + data + _padding(len(data))
    yield bytes(2 * BLOCK)


def write_archive(image: Image, path: Path) -> None:
    """Write *image* to *path* as an archive for `docker load`, whole or not at all."""
    with whole_file(path) as stream:
        for chunk in archive_chunks(image):
            stream.write(chunk)


def _documents(image: Image) -> dict[str, bytes]:
    tag = image.reference.rpartition(":")[2]
    entry = {
        "Config": _blob(image.id),
        "RepoTags": [image.reference],
        "Layers": [_blob(layer.digest) for layer in image.layers],
    }
    manifest = _descriptor(MANIFEST_TYPE, image.manifest_digest, len(image.manifest))
    manifest["annotations"] = {
        "io.containerd.image.name": image.reference,
        "org.opencontainers.image.ref.name": tag,
    }
    index = {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": [manifest]}
    return {
        "index.json": canonical_json(index),
        "manifest.json": canonical_json([entry]),
        "oci-layout": canonical_json({"imageLayoutVersion": "1.0.0"}),
    }


def _descriptor(kind: str, digest: str, length: int) -> dict[str, object]:
    return {"mediaType": kind, "digest": digest, "size": length}


def _blob(digest: str) -> str:
    return f"blobs/sha256/{digest.removeprefix('sha256:')}"


def _header(name: str, length: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = length, kind
    info.mode = 0o755 if kind == tarfile.DIRTYPE else 0o644
    return info.tobuf(tarfile.PAX_FORMAT)


def _padding(length: int) -> bytes:
    return bytes(-length % BLOCK)


def _file_chunks(name: str, layer: Layer) -> Iterator[bytes]:
    yield _header(name, layer.size)
    with layer.path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk
    yield _padding(layer.size)


def _member(
    path: PurePosixPath, entry: Entry | None, epoch: int
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(str(path).lstrip("/"))
    info.mtime = epoch
    if entry is None:
        info.type, info.mode = tarfile.DIRTYPE, 0o755
        return info, b""
    if entry.target:
        info.type, info.mode, info.linkname = tarfile.SYMTYPE, 0o777, entry.target
        return info, b""
    info.size, info.mode = len(entry.data), entry.mode
    return info, entry.data


def _timestamp(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
