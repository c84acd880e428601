"""Root file systems: what is left out, and what is said about versions."""

import io
import tarfile
from pathlib import Path

import pytest

from harness.errors import ExitCode, PrerequisiteError
from harness.runtime.images.catalogue import Account, Debian, Root
from harness.runtime.images.debian import drift, make_root
from harness.runtime.images.rootfs import copy_root, read_packages

ROOT = Root(account=Account(name="someone", id=5, home="/nonexistent"))

STATUS = """\
Package: libc6
Status: install ok installed
Version: 2.41-12
Description: library
 with a second line: not a field

Package: gone
Status: deinstall ok config-files
Version: 1
"""


def a_tar(path: Path, *members: tuple[str, bytes | None, str]) -> Path:
    """Write members of (name, data, link target); no data and no target: a folder."""
    with tarfile.open(path, "w") as tar:
        for name, data, target in members:
            info = tarfile.TarInfo(name)
            info.uname, info.mtime = "builder", 5
            if target:
                info.type = tarfile.SYMTYPE
                info.linkname = target
            elif data is None:
                info.type = tarfile.DIRTYPE
            else:
                info.size = len(data)
            tar.addfile(info, io.BytesIO(data or b""))
    return path


def names(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        return [member.name for member in tar]


def test_what_matches_is_left_out_and_the_order_stays(tmp_path: Path) -> None:
    source = a_tar(
        tmp_path / "in.tar",
        ("./", None, ""),
        ("./var/", None, ""),
        ("./var/log/", None, ""),
        ("./var/log/apt/a.log", b"now", ""),
        ("./etc/b", b"b", ""),
        ("./etc/a", b"a", ""),
    )

    copy_root(source, tmp_path / "out.tar", ["/var/log/*"])

    assert names(tmp_path / "out.tar") == ["var", "var/log", "etc/b", "etc/a"]


def test_a_link_goes_with_what_it_points_to(tmp_path: Path) -> None:
    source = a_tar(
        tmp_path / "in.tar",
        ("./etc/ssl/certs/made-up.pem", b"random", ""),
        ("./etc/ssl/certs/12ab34cd.0", None, "made-up.pem"),
        ("./etc/ssl/certs/other.0", None, "../kept.pem"),
    )

    copy_root(source, tmp_path / "out.tar", ["/etc/ssl/certs/made-up.pem"])

    assert names(tmp_path / "out.tar") == ["etc/ssl/certs/other.0"]


def test_names_of_this_machines_users_do_not_reach_a_layer(tmp_path: Path) -> None:
    source = a_tar(tmp_path / "in.tar", ("./a", b"a", ""))

    copy_root(source, tmp_path / "out.tar", [])

    with tarfile.open(tmp_path / "out.tar") as tar:
        assert [(m.uname, m.gname, m.mtime) for m in tar] == [("", "", 5)]


def test_versions_are_those_of_installed_packages(tmp_path: Path) -> None:
    tar = a_tar(tmp_path / "in.tar", ("./var/lib/dpkg/status", STATUS.encode(), ""))

    assert read_packages(tar) == {"libc6": "2.41-12"}


def test_drift_names_what_came_went_and_moved() -> None:
    found = drift({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "1", "d": "4"})

    assert found == ["b 1 -> 2", "c (none) -> 3", "d 4 -> (none)"]


def test_without_mmdebstrap_the_remedy_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(PrerequisiteError, match="mmdebstrap") as caught:
        make_root(ROOT, Debian(suite="trixie"), tmp_path / "r.tar", epoch=1, pinned={})
    assert caught.value.exit_code == ExitCode.UNAVAILABLE
    assert "apt-get install mmdebstrap" in caught.value.remedy


def test_mmdebstraps_own_words_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "mmdebstrap"
    program.write_text(
        "#!/bin/sh\necho 'I: fine' >&2\necho 'E: no line' >&2\nexit 25\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(PrerequisiteError, match="code 25: E: no line"):
        make_root(ROOT, Debian(suite="trixie"), tmp_path / "r.tar", epoch=1, pinned={})


def test_locked_versions_are_asked_for_and_the_account_is_made_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    program = tmp_path / "mmdebstrap"
    # Shows its arguments and the file with the pins, then fails: nothing is built.
    program.write_text(
        "#!/bin/sh\n"
        f'for a in "$@"; do echo "$a" >> {told}; done\n'
        f'cat "$(dirname $(eval echo \\${{$#}}))"/pins >> {told}\n'
        "exit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    root = ROOT.model_copy(update={"packages": ("zlib1g",)})

    with pytest.raises(PrerequisiteError):
        make_root(
            root,
            Debian(suite="trixie", leave_out=("/usr/share/doc/*", "/var/log/*")),
            tmp_path / "r.tar",
            epoch=1,
            pinned={"libc6": "2.41-12"},
        )

    lines = told.read_text().splitlines()
    assert "--include=zlib1g" in lines
    assert "--dpkgopt=path-exclude=/usr/share/doc/*" in lines
    assert not any("/var/log" in line for line in lines)
    assert any("someone:x:5:5::/nonexistent" in line for line in lines)
