"""Layers that are kept, and not believed."""

from pathlib import Path, PurePosixPath

from harness.runtime.images.archive import Entry, write_layer
from harness.runtime.images.shelf import Facts, Kept, Shelf

KEY = f"sha256:{'ab' * 32}"


def kept(shelf: Shelf) -> Kept:
    entry = Entry(PurePosixPath("/a"), b"a")
    layer = write_layer([entry], shelf.path(KEY), epoch=1)
    return shelf.put(KEY, Facts(digest=layer.digest, packages={"libc6": "1"}))


def test_what_was_kept_is_found_again(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)

    assert shelf.get(KEY) is None
    assert kept(shelf) == shelf.get(KEY)


def test_a_layer_that_somebody_touched_is_not_believed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    kept(shelf)
    raw = bytearray(shelf.path(KEY).read_bytes())
    raw[600] ^= 1
    shelf.path(KEY).write_bytes(raw)

    assert shelf.get(KEY) is None


def test_a_layer_without_its_facts_is_not_believed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    kept(shelf)
    shelf.path(KEY).with_suffix(".json").write_text("{}")

    assert shelf.get(KEY) is None
