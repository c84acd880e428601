"""Pulling by digest, against a real registry on loopback."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import docker
import httpx
import pytest

from harness.errors import PrerequisiteError
from harness.runtime.engine import Engine
from harness.runtime.images.archive import (
    Entry,
    Image,
    Settings,
    make_image,
    write_layer,
)
from harness.runtime.images.catalogue import Lock, LockedImage, read_pins, write_lock
from harness.runtime.images.resolve import Resolver
from harness.runtime.images.store import IMAGE_LABEL, DigestError, Store
from tests.docker.lacking import lacking

pytestmark = pytest.mark.docker

CATALOGUE = """
version = 1
epoch = 1
[debian]
suite = "trixie"
[roots.bare]
account = {{ name = "someone", id = 5, home = "/" }}
[images.thing]
role = "palace"
build = "debug"
registry = "{registry}"
root = "bare"
user = "5:5"
entrypoint = ["/thing"]
"""

OTHER = f"sha256:{'ab' * 32}"


@dataclass(frozen=True)
class Registry:
    """A registry server, and the folder where it keeps what it was sent."""

    address: str
    folder: Path

    def blob(self, digest: str) -> Path:
        """Give the file that holds the bytes of *digest*."""
        name = digest.removeprefix("sha256:")
        blobs = self.folder / "docker" / "registry" / "v2" / "blobs" / "sha256"
        return blobs / name[:2] / name / "data"


@dataclass(frozen=True)
class Published:
    """An image that only the registry has."""

    image: Image
    reference: str


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    program = shutil.which("docker-registry")
    if program is None:
        lacking("docker-registry is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = tmp_path / "registry.yml"
    folder = tmp_path / "registry"
    config.write_text(
        "version: 0.1\nlog: {level: error}\n"
        f"storage: {{filesystem: {{rootdirectory: {folder}}}}}\n"
        f"http: {{addr: '127.0.0.1:{port}'}}\n"
    )
    log = (tmp_path / "registry.log").open("wb")
    process = subprocess.Popen([program, "serve", str(config)], stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/v2/", process)
        yield Registry(f"127.0.0.1:{port}", folder)
    finally:
        process.terminate()
        process.wait(10)
        log.close()


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(500):
        assert process.poll() is None, "the registry ended"
        try:
            httpx.get(url, timeout=1)
        except httpx.TransportError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the registry did not come up")


@pytest.fixture
def published(
    registry: Registry, engine: Engine, client: docker.DockerClient, tmp_path: Path
) -> Iterator[Published]:
    """Push a small image of our own, and take it out of the engine again."""
    entry = Entry(PurePosixPath("/thing"), tmp_path.name.encode())
    layer = write_layer([entry], tmp_path / "layer.tar", epoch=1)
    settings = Settings(user="5:5", entrypoint=("/thing",))
    image = make_image(
        "thing", (layer,), settings, architecture=engine.architecture, epoch=1
    )
    name = f"{registry.address}/thing"
    with Store(engine) as store:
        store.load(image)
        client.images.get(image.reference).tag(name, "one")
        told = client.api.push(name, "one", stream=True, decode=True)
        digests = [line["aux"]["Digest"] for line in told if "aux" in line]
        for held in (f"{name}:one", image.reference):
            store.remove(held)
        assert store.find(image.id) is None
        yield Published(image, f"{name}@{digests[0]}")
        store.remove(image.id)


def a_resolver(folder: Path, engine: Engine, reference: str) -> Resolver:
    (folder / "images").mkdir(exist_ok=True)
    text = CATALOGUE.format(registry=reference)
    (folder / "images" / "images.toml").write_text(text)
    return Resolver(read_pins(folder), engine)


def a_lock(folder: Path, published: Published, registry_id: str) -> None:
    image = published.image
    locked = LockedImage(
        id=OTHER,
        manifest=OTHER,
        inputs=OTHER,
        size=1,
        registry=published.reference,
        registry_id=registry_id,
    )
    lock = Lock(
        architecture="amd64",
        builders={},
        roots={},
        layers={},
        images={image.reference.split("/")[-1].split(":")[0]: locked},
    )
    (folder / "images").mkdir(exist_ok=True)
    write_lock(lock, folder / "images" / "images.lock")


def test_an_image_is_pulled_by_its_digest_and_then_it_is_present(
    tmp_path: Path, engine: Engine, published: Published
) -> None:
    with a_resolver(tmp_path, engine, published.reference) as resolver:
        first = resolver.resolve("thing")
        second = resolver.resolve("thing")

    assert (first.origin, second.origin) == ("pulled", "present")
    assert first.id == second.id == published.image.id
    assert first.digest == published.reference.partition("@")[2]


def test_the_locked_id_makes_a_pulled_image_a_locked_one(
    tmp_path: Path, engine: Engine, published: Published
) -> None:
    a_lock(tmp_path, published, published.image.id)

    with a_resolver(tmp_path, engine, published.reference) as resolver:
        found = resolver.resolve("thing")

    assert (found.locked, found.cautions) == (True, ())


def test_another_image_than_the_locked_one_is_refused_and_removed(
    tmp_path: Path, engine: Engine, published: Published
) -> None:
    a_lock(tmp_path, published, OTHER)

    with a_resolver(tmp_path, engine, published.reference) as resolver:
        with pytest.raises(DigestError, match=r"images\.lock names"):
            resolver.resolve("thing")
        assert not resolver.holds(published.image.id)


@pytest.mark.parametrize("part", ["manifest", "layer", "config"])
def test_what_was_tampered_with_in_the_registry_is_refused(
    tmp_path: Path, engine: Engine, registry: Registry, published: Published, part: str
) -> None:
    digest = published.reference.partition("@")[2]
    manifest = httpx.get(
        f"http://{registry.address}/v2/thing/manifests/{digest}",
        headers={"Accept": "application/vnd.docker.distribution.manifest.v2+json"},
    ).json()
    digests = {
        "manifest": digest,
        "layer": manifest["layers"][0]["digest"],
        "config": manifest["config"]["digest"],
    }
    blob = registry.blob(digests[part])
    changed = bytearray(blob.read_bytes())
    # The same length and still JSON, so that only a hash can tell.
    place = len(changed) // 2 if part == "layer" else changed.rfind(b"1")
    changed[place] ^= 3
    blob.write_bytes(changed)

    with a_resolver(tmp_path, engine, published.reference) as resolver:
        with pytest.raises(DigestError):
            resolver.resolve("thing")
        assert not resolver.holds(published.image.id)


def test_a_digest_the_registry_does_not_have_leads_to_a_build(
    tmp_path: Path,
    engine: Engine,
    registry: Registry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reference = f"{registry.address}/thing@{OTHER}"

    # The build then fails for want of its tool: it is what comes after the registry.
    with (
        a_resolver(tmp_path, engine, reference) as resolver,
        pytest.raises(PrerequisiteError, match="mmdebstrap is not installed"),
    ):
        resolver.resolve("thing")


def test_a_registry_that_is_away_leads_to_a_build(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with (
        a_resolver(tmp_path, engine, f"127.0.0.1:9/thing@{OTHER}") as resolver,
        pytest.raises(PrerequisiteError, match="mmdebstrap is not installed"),
    ):
        resolver.resolve("thing")


def test_a_loaded_image_has_the_id_that_was_predicted(
    tmp_path: Path, engine: Engine
) -> None:
    layer = write_layer(
        [Entry(PurePosixPath("/a"), tmp_path.name.encode())],
        tmp_path / "layer.tar",
        epoch=1,
    )
    settings = Settings(user="5:5", entrypoint=("/a",))
    image = make_image(
        "thing", (layer,), settings, architecture=engine.architecture, epoch=1
    )
    with Store(engine) as store:
        first = store.load(image)
        store.remove(image.reference)
        gone = store.find(image.id)
        second = store.load(image)
        store.remove(image.reference)

    assert (first, gone, second) == (image.id, None, image.id)


def test_a_layer_that_changed_after_it_was_hashed_is_refused(
    tmp_path: Path, engine: Engine
) -> None:
    entry = Entry(PurePosixPath("/a"), tmp_path.name.encode())
    layer = write_layer([entry], tmp_path / "layer.tar", epoch=1)
    settings = Settings(user="5:5", entrypoint=("/a",))
    image = make_image(
        "thing", (layer,), settings, architecture=engine.architecture, epoch=1
    )
    raw = bytearray(layer.path.read_bytes())
    raw[512] ^= 1
    layer.path.write_bytes(raw)

    with Store(engine) as store:
        with pytest.raises(PrerequisiteError):
            store.load(image)
        assert store.find(image.id) is None


def test_images_that_nobody_keeps_are_taken_out(
    tmp_path: Path, engine: Engine, client: docker.DockerClient
) -> None:
    ids = []
    with Store(engine) as store:
        listed = client.images.list(filters={"label": IMAGE_LABEL})
        others = {str(image.id) for image in listed}
        for name in ("kept", "gone"):
            entry = Entry(PurePosixPath("/a"), f"{tmp_path.name} {name}".encode())
            layer = write_layer([entry], tmp_path / f"{name}.tar", epoch=1)
            settings = Settings(
                user="5:5", entrypoint=("/a",), labels={IMAGE_LABEL: name}
            )
            image = make_image(
                name, (layer,), settings, architecture=engine.architecture, epoch=1
            )
            ids.append(store.load(image))

        removed = store.remove_built(keep={*others, ids[0]})
        there = [store.find(found) for found in ids]
        store.remove_built(keep=others)

    assert removed == 1
    assert there == [ids[0], None]
