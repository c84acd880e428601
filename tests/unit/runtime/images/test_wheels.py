"""Wheels for an image: chosen by a lock file, checked, and unpacked as they are."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from harness.errors import PrerequisiteError, UsageError
from harness.runtime.images.wheels import (
    Pinned,
    Target,
    choose,
    fetch,
    read_requirements,
    unpack,
)

HASH = "ab" * 32
TARGET = Target(python=(3, 13), machine="x86_64", glibc=41)
INTO = PurePosixPath("/site")


def a_lock(folder: Path, *lines: str) -> Path:
    path = folder / "requirements.lock"
    path.write_text("".join(f"{line} \\\n    --hash=sha256:{HASH}\n" for line in lines))
    return path


def a_wheel(folder: Path, files: dict[str, bytes], name: str = "thing") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, data in files.items():
            archive.writestr(inner, data)
    return path


def test_markers_are_asked_for_the_image_and_not_for_this_machine(
    tmp_path: Path,
) -> None:
    lock = a_lock(
        tmp_path,
        "a==1 ; python_full_version < '3.12'",
        "a==2 ; python_full_version >= '3.12'",
        "b==1 ; sys_platform == 'win32'",
        "c==1 ; platform_machine == 'x86_64'",
    )

    found = read_requirements(lock, TARGET)

    assert [(package.name, package.version) for package in found] == [
        ("a", "2"),
        ("c", "1"),
    ]


def test_a_package_keeps_every_hash_of_its_lines(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    other = "cd" * 32
    lock.write_text(
        f"# words\nA_b==1 \\\n  --hash=sha256:{HASH} \\\n  --hash=sha256:{other}\n"
    )

    assert read_requirements(lock, TARGET) == (
        Pinned("a-b", "1", frozenset({HASH, other})),
    )


@pytest.mark.parametrize("line", ["a>=1", "a", "a==1.*", "a==1,<2", "-r other.txt"])
def test_a_package_that_is_not_pinned_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError):
        read_requirements(a_lock(tmp_path, line), TARGET)


def test_a_package_without_a_hash_is_refused(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("a==1\n")

    with pytest.raises(UsageError, match="not pinned"):
        read_requirements(lock, TARGET)


def test_a_layer_takes_the_packages_it_names() -> None:
    pinned = [Pinned(name, "1", frozenset({HASH})) for name in ("a", "b", "c")]

    assert [p.name for p in choose(pinned, (), ("b",))] == ["a", "c"]
    assert [p.name for p in choose(pinned, ("c",), ())] == ["c"]
    with pytest.raises(UsageError, match="'d'"):
        choose(pinned, ("d",), ())


def test_a_wheel_that_lies_there_is_used_without_any_network(tmp_path: Path) -> None:
    wheel = a_wheel(tmp_path, {"thing.py": b"1"})
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()

    pinned = [Pinned("thing", "1.0", frozenset({digest}))]

    assert fetch(pinned, TARGET, tmp_path) == (wheel,)


def test_a_wheel_that_was_tampered_with_is_refused_and_removed(tmp_path: Path) -> None:
    wheel = a_wheel(tmp_path, {"thing.py": b"1"})

    with pytest.raises(PrerequisiteError, match="does not list"):
        fetch([Pinned("thing", "1.0", frozenset({HASH}))], TARGET, tmp_path)
    assert not wheel.exists()


def test_files_of_a_wheel_land_where_an_installer_puts_them(tmp_path: Path) -> None:
    wheel = a_wheel(
        tmp_path,
        {
            "thing/__init__.py": b"pure",
            "thing-1.0.data/platlib/thing/fast.so": b"fast",
            "thing-1.0.data/scripts/thing": b"#!python",
            "thing-1.0.data/headers/thing.h": b"header",
            "thing-1.0.dist-info/METADATA": b"Name: thing",
        },
    )

    found = {str(entry.path): entry.data for entry in unpack([wheel], INTO)}

    assert found == {
        "/site/thing/__init__.py": b"pure",
        "/site/thing/fast.so": b"fast",
        "/site/thing-1.0.dist-info/METADATA": b"Name: thing",
        "/site/thing-1.0.dist-info/INSTALLER": b"memory-harness\n",
    }


@pytest.mark.parametrize(
    "name", ["../out", "/out", "a/../../out", "thing-1.0.data/x/y", "thing-1.0.data/x"]
)
def test_a_wheel_that_leaves_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    wheel = a_wheel(tmp_path, {name: b""})

    with pytest.raises(ValueError, match=r"leaves its folder|unknown kind"):
        list(unpack([wheel], INTO))


def test_wheels_for_every_older_c_library_are_welcome() -> None:
    options = list(TARGET.options())

    assert "manylinux_2_41_x86_64" in options
    assert "manylinux_2_17_x86_64" in options
    assert "manylinux_2_42_x86_64" not in options


def test_pip_is_found_outside_of_an_environment_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bin" / "python"
    command = [sys.executable, "-m", "venv", "--without-pip", str(tmp_path)]
    subprocess.run(command, check=True)
    monkeypatch.setattr(sys, "executable", str(bare))
    folder = tmp_path / "wheels"
    pinned = [Pinned("thing", "1.0", frozenset({"0" * 64}))]
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)

    with pytest.raises(PrerequisiteError) as caught:
        fetch(pinned, TARGET, folder)

    assert "No module named pip" not in str(caught.value)
    assert "No matching distribution" in str(caught.value)
