"""What is said of an image that is not the pinned one."""

from pathlib import Path

from harness.runtime.images.archive import Image
from harness.runtime.images.build import Built
from harness.runtime.images.catalogue import Catalogue, Lock, LockedImage, Pins
from harness.runtime.images.resolve import differences

INPUTS = f"sha256:{'ab' * 32}"
OTHER = f"sha256:{'cd' * 32}"
IMAGE = Image("localhost/thing:1", b"{}", ())


def some_pins(
    *, locked_id: str = IMAGE.id, inputs: str = INPUTS, registry: str | None = None
) -> Pins:
    account = {"name": "someone", "id": 5, "home": "/"}
    image = {
        "role": "palace",
        "build": "debug",
        "root": "bare",
        "user": "5:5",
        "entrypoint": ("/thing",),
        "registry": registry,
    }
    catalogue = Catalogue.model_validate(
        {
            "version": 1,
            "epoch": 1,
            "debian": {"suite": "trixie"},
            "roots": {"bare": {"account": account}},
            "images": {"thing": image},
        }
    )
    locked = LockedImage(id=locked_id, manifest=OTHER, inputs=inputs, size=1)
    lock = Lock(
        architecture="amd64",
        builders={},
        roots={},
        layers={},
        images={"thing": locked},
    )
    return Pins(Path("/clone"), catalogue, lock)


def said(pins: Pins, *drifted: str, architecture: str = "amd64") -> tuple[str, ...]:
    built = Built(IMAGE, INPUTS, drifted, ("thing",))
    return differences(pins, "thing", built, architecture)


def test_nothing_is_said_of_the_locked_image() -> None:
    assert said(some_pins()) == ()


def test_packages_that_moved_are_named_and_then_counted() -> None:
    (found,) = said(some_pins(), "a 1 -> 2", "b 1 -> 2", "c 1 -> 2", "d 1 -> 2")

    assert found == (
        "Debian packages differ from images.lock: "
        "a 1 -> 2, b 1 -> 2, c 1 -> 2 and 1 more."
    )


def test_other_bytes_from_the_same_packages_are_told() -> None:
    (found,) = said(some_pins(locked_id=OTHER))

    assert IMAGE.id in found
    assert OTHER in found


def test_a_lock_of_other_sources_is_told() -> None:
    wanted = ("images.lock was written from other sources than these.",)

    assert said(some_pins(inputs=OTHER)) == wanted
    assert said(some_pins(), architecture="arm64") == wanted


def test_a_build_in_place_of_a_pull_is_told() -> None:
    reference = f"somewhere/thing@{OTHER}"

    (found,) = said(some_pins(registry=reference))

    assert found == f"Built here, because {reference} could not be pulled."
