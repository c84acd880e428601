"""The catalogue of images and its lock, read with suspicion."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import ExitCode, UsageError
from harness.runtime.images.catalogue import (
    Lock,
    LockedImage,
    Pins,
    read_catalogue,
    read_lock,
    read_pins,
    write_lock,
)

CLONE = Path(__file__).resolve().parents[4]
DIGEST = f"sha256:{'ab' * 32}"

SMALL = """
version = 1
epoch = 1
[debian]
suite = "trixie"
[roots.bare]
account = { name = "someone", id = 5, home = "/" }
[images.store]
role = "postgres"
major = 17
root = "bare"
user = "5:5"
entrypoint = ["postgres"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "images.toml"
    path.write_text(text)
    return path


def a_lock(images: Mapping[str, LockedImage]) -> Lock:
    return Lock(
        architecture="amd64", builders={}, roots={}, layers={}, images=dict(images)
    )


def a_locked_image(inputs: str = DIGEST) -> LockedImage:
    return LockedImage(id=DIGEST, manifest=DIGEST, inputs=inputs, size=1)


def test_the_clone_has_both_versions_of_postgres_and_both_builds() -> None:
    images = read_pins(CLONE).catalogue.images.values()

    assert {image.major for image in images if image.role == "postgres"} == {17, 18}
    assert {image.build for image in images if image.role == "palace"} == {
        "debug",
        "release",
    }


def test_the_clones_embedder_is_one_image_with_the_daemons_packages() -> None:
    catalogue = read_pins(CLONE).catalogue
    (embedder,) = (
        image for image in catalogue.images.values() if image.role == "embedder"
    )
    daemon = catalogue.image("palace-release")

    assert (embedder.major, embedder.build) == (None, None)
    # The same layers first: an engine that has the daemon has most of it already.
    assert (embedder.root, embedder.layers[0]) == (daemon.root, daemon.layers[0])


def test_no_image_of_the_clone_runs_as_root() -> None:
    images = read_pins(CLONE).catalogue.images.values()

    assert [image.user for image in images if image.user.startswith("0")] == []


def test_a_small_catalogue_is_read(tmp_path: Path) -> None:
    found = read_catalogue(written(tmp_path, SMALL))

    assert found.image("store").entrypoint == ("postgres",)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('root = "bare"', 'root = "gone"', "'gone'"),
        ('user = "5:5"', 'user = "0:0"', "images.store.user"),
        ('user = "5:5"', 'user = "root"', "images.store.user"),
        ("major = 17", 'build = "debug"', "role"),
        ('role = "postgres"', 'role = "embedder"', "role"),
        ("major = 17", "major = 17\ncolour = 1", "images.store.colour"),
        ("version = 1", "version = 2", "version"),
        (
            "major = 17",
            'major = 17\nregistry = "host/name:tag"',
            "images.store.registry",
        ),
        ('id = 5, home = "/"', 'id = 5, home = "/$(id)"', "roots.bare.account.home"),
        ("version = 1", "version = ", "cannot be read"),
    ],
)
def test_a_fault_is_told_with_its_place(
    tmp_path: Path, right: str, wrong: str, told: str
) -> None:
    assert right in SMALL
    with pytest.raises(UsageError) as caught:
        read_catalogue(written(tmp_path, SMALL.replace(right, wrong)))

    assert told in caught.value.what
    assert caught.value.where == str(tmp_path / "images.toml")
    assert caught.value.exit_code == ExitCode.USAGE


def test_an_unknown_image_is_told_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'other'; there are store"):
        read_catalogue(written(tmp_path, SMALL)).image("other")


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    lock = a_lock({"store": a_locked_image()})
    write_lock(lock, tmp_path / "images.lock")

    assert read_lock(tmp_path / "images.lock") == lock


def test_a_lock_with_a_short_digest_is_refused(tmp_path: Path) -> None:
    write_lock(a_lock({"store": a_locked_image()}), tmp_path / "images.lock")
    path = tmp_path / "images.lock"
    path.write_text(path.read_text().replace(DIGEST, DIGEST[:-1]))

    with pytest.raises(UsageError, match=r"images\.store\.id"):
        read_lock(path)


def test_a_locked_image_counts_only_for_the_inputs_it_was_made_from(
    tmp_path: Path,
) -> None:
    catalogue = read_catalogue(written(tmp_path, SMALL))
    lock = a_lock({"store": a_locked_image(inputs=DIGEST)})
    pins = Pins(tmp_path, catalogue, lock)
    other = f"sha256:{'cd' * 32}"

    assert pins.locked("store", DIGEST, "amd64") == a_locked_image()
    assert pins.locked("store", other, "amd64") is None
    assert pins.locked("store", DIGEST, "arm64") is None
    assert replace(pins, lock=None).locked("store", DIGEST, "amd64") is None
