"""Layers and archives whose bytes follow from their inputs alone."""

import hashlib
import io
import json
import tarfile
from pathlib import Path, PurePosixPath

import pytest

from harness.runtime.images.archive import (
    Entry,
    Image,
    Settings,
    archive_chunks,
    canonical_json,
    make_image,
    write_archive,
    write_layer,
)

EPOCH = 1_700_000_000
ENTRIES = (
    Entry(PurePosixPath("/opt/b/late"), b"late", 0o755),
    Entry(PurePosixPath("/opt/a"), b"early"),
    Entry(PurePosixPath("/opt/link"), target="a"),
)


def an_image(folder: Path) -> Image:
    layer = write_layer(ENTRIES, folder / "layer.tar", epoch=EPOCH)
    settings = Settings(
        user="7:8", entrypoint=("/opt/a",), environment={"Z": "1", "A": "2"}
    )
    return make_image("thing", (layer,), settings, architecture="amd64", epoch=EPOCH)


def members(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        files = [(member.name, tar.extractfile(member)) for member in tar]
    return {name: file.read() for name, file in files if file is not None}


def test_order_of_the_entries_does_not_reach_the_layer(tmp_path: Path) -> None:
    one = write_layer(ENTRIES, tmp_path / "one.tar", epoch=EPOCH)
    two = write_layer(reversed(ENTRIES), tmp_path / "two.tar", epoch=EPOCH)

    assert one.digest == two.digest


def test_a_layer_is_named_by_the_hash_of_its_bytes(tmp_path: Path) -> None:
    layer = write_layer(ENTRIES, tmp_path / "one.tar", epoch=EPOCH)

    raw = (tmp_path / "one.tar").read_bytes()
    assert layer.digest == f"sha256:{hashlib.sha256(raw).hexdigest()}"
    assert layer.size == len(raw)


def test_members_carry_the_given_time_and_belong_to_root(tmp_path: Path) -> None:
    write_layer(ENTRIES, tmp_path / "one.tar", epoch=EPOCH)

    with tarfile.open(tmp_path / "one.tar") as tar:
        found = [(m.name, m.mode, m.uid, m.gid, m.uname, m.mtime) for m in tar]
    assert found == [
        ("opt", 0o755, 0, 0, "", EPOCH),
        ("opt/a", 0o644, 0, 0, "", EPOCH),
        ("opt/b", 0o755, 0, 0, "", EPOCH),
        ("opt/b/late", 0o755, 0, 0, "", EPOCH),
        ("opt/link", 0o777, 0, 0, "", EPOCH),
    ]


@pytest.mark.parametrize("path", ["relative", "/up/../out"])
def test_a_path_that_leaves_the_root_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="no absolute path"):
        write_layer([Entry(PurePosixPath(path))], tmp_path / "x.tar", epoch=EPOCH)


def test_one_path_twice_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    twice = Entry(PurePosixPath("/a"))
    with pytest.raises(ValueError, match="twice"):
        write_layer([twice, twice], tmp_path / "x.tar", epoch=EPOCH)

    assert list(tmp_path.iterdir()) == []


def test_the_id_is_the_hash_of_the_configuration(tmp_path: Path) -> None:
    image = an_image(tmp_path)

    assert image.id == f"sha256:{hashlib.sha256(image.config).hexdigest()}"
    assert image.reference.endswith(f":{image.id[7:19]}")


def test_the_configuration_is_canonical_and_names_the_layers(tmp_path: Path) -> None:
    image = an_image(tmp_path)

    config = json.loads(image.config)
    assert image.config == canonical_json(config)
    assert config["rootfs"]["diff_ids"] == [image.layers[0].digest]
    assert config["created"] == "2023-11-14T22:13:20Z"
    assert config["config"]["Env"] == ["A=2", "Z=1"]
    assert config["config"]["User"] == "7:8"


def test_two_archives_of_one_image_are_the_same_bytes(tmp_path: Path) -> None:
    write_archive(an_image(tmp_path / "here"), tmp_path / "one.tar")
    write_archive(an_image(tmp_path / "there"), tmp_path / "two.tar")

    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()


def test_an_archive_is_whole_in_both_of_its_forms(tmp_path: Path) -> None:
    image = an_image(tmp_path)
    found = members(b"".join(archive_chunks(image)))

    docker = json.loads(found["manifest.json"])[0]
    assert found[docker["Config"]] == image.config
    layers = [found[name] for name in docker["Layers"]]
    assert layers == [image.layers[0].path.read_bytes()]
    named = json.loads(found["index.json"])["manifests"][0]["digest"]
    oci = json.loads(found[f"blobs/sha256/{named.removeprefix('sha256:')}"])
    assert oci["config"]["digest"] == image.id
    assert [layer["digest"] for layer in oci["layers"]] == [image.layers[0].digest]


def test_every_blob_of_an_archive_is_named_by_its_hash(tmp_path: Path) -> None:
    found = members(b"".join(archive_chunks(an_image(tmp_path))))

    blobs = {n: d for n, d in found.items() if n.startswith("blobs/sha256/")}
    assert len(blobs) == 3
    hashes = {f"blobs/sha256/{hashlib.sha256(d).hexdigest()}" for d in blobs.values()}
    assert blobs.keys() == hashes
