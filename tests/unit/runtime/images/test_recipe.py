"""One hash for all that an image is made of."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.runtime.images.catalogue import Lock, LockedImage, read_pins, write_lock
from harness.runtime.images.locking import outdated
from harness.runtime.images.recipe import image_recipe

CATALOGUE = """
version = 1
epoch = 1
[debian]
suite = "trixie"
[roots.bare]
account = { name = "someone", id = 5, home = "/" }
[layers.program]
kind = "files"
source = "program"
into = "/opt/program"
[images.daemon]
role = "palace"
build = "debug"
root = "bare"
layers = ["program"]
user = "5:5"
entrypoint = ["program"]
writable = ["/tmp"]
"""


def a_clone(folder: Path) -> Path:
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "images.toml").write_text(CATALOGUE)
    (folder / "program").mkdir()
    (folder / "program" / "main.py").write_text("1")
    return folder


def recipe(clone: Path) -> str:
    return image_recipe(read_pins(clone), "daemon", "amd64")


def rewrite(clone: Path, old: str, new: str) -> None:
    path = clone / "images" / "images.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def change_program(clone: Path) -> None:
    (clone / "program" / "main.py").write_text("2")


def add_file(clone: Path) -> None:
    (clone / "program" / "more.py").write_text("")


def change_suite(clone: Path) -> None:
    rewrite(clone, "trixie", "forky")


def change_time(clone: Path) -> None:
    rewrite(clone, "epoch = 1", "epoch = 2")


def change_user(clone: Path) -> None:
    rewrite(clone, '"5:5"', '"6:6"')


def leave_caches(clone: Path) -> None:
    (clone / "program" / "__pycache__").mkdir()
    (clone / "program" / "__pycache__" / "main.pyc").write_text("1")
    (clone / "program" / ".hidden").write_text("1")


def change_modes(clone: Path) -> None:
    (clone / "program" / "main.py").chmod(0o600)


def add_a_registry(clone: Path) -> None:
    name = f"somewhere/daemon@sha256:{'ab' * 32}"
    rewrite(clone, "user =", f'registry = "{name}"\nuser =')


@pytest.mark.parametrize(
    "change", [change_program, add_file, change_suite, change_time, change_user]
)
def test_whatever_reaches_the_image_changes_the_hash(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    clone = a_clone(tmp_path)
    before = recipe(clone)
    change(clone)

    assert recipe(clone) != before


@pytest.mark.parametrize("change", [leave_caches, change_modes, add_a_registry])
def test_what_does_not_reach_the_image_leaves_the_hash(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    clone = a_clone(tmp_path)
    before = recipe(clone)
    change(clone)

    assert recipe(clone) == before


def test_two_clones_of_the_same_files_have_one_hash(tmp_path: Path) -> None:
    assert recipe(a_clone(tmp_path / "one")) == recipe(a_clone(tmp_path / "two"))


def test_a_lock_is_out_of_date_once_a_source_changes(tmp_path: Path) -> None:
    clone = a_clone(tmp_path)
    assert outdated(read_pins(clone)) == ("daemon",)
    digest = f"sha256:{'ab' * 32}"
    locked = LockedImage(id=digest, manifest=digest, inputs=recipe(clone), size=1)
    lock = Lock(
        architecture="amd64",
        builders={},
        roots={},
        layers={},
        images={"daemon": locked},
    )
    write_lock(lock, clone / "images" / "images.lock")
    assert outdated(read_pins(clone)) == ()

    change_program(clone)

    assert outdated(read_pins(clone)) == ("daemon",)
