"""Read a root file system's tar, and copy it without what must not be in an image."""

import fnmatch
import posixpath
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.runtime.images.archive import Layer, layer_at, whole_file

STATUS = "./var/lib/dpkg/status"


def read_packages(tar: Path) -> dict[str, str]:
    """Read from a root's tar the name and version of every package installed in it."""
    with tarfile.open(tar) as members:
        status = members.extractfile(STATUS)
        if status is None:
            raise ValueError(f"{tar}: {STATUS} is not a file")
        text = status.read().decode()
    found = {}
    for paragraph in text.split("\n\n"):
        lines = (line.split(": ", 1) for line in paragraph.splitlines())
        fields = {line[0]: line[1] for line in lines if len(line) == 2}
        if fields.get("Status", "").endswith(" installed"):
            found[fields["Package"]] = fields["Version"]
    return dict(sorted(found.items()))


def copy_root(source: Path, path: Path, leave_out: Sequence[str]) -> Layer:
    """Copy a root's tar to a layer at *path* without what matches *leave_out*.

    The order stays: a hard link has to follow what it links to. A symbolic link goes
    when what it points to goes, since the name of such a link may be made up as well.
    """
    with tarfile.open(source) as members:
        gone = {
            posixpath.normpath("/" + member.name)
            for member in members
            if _matches("/" + posixpath.normpath(member.name), leave_out)
        }
    with (
        tarfile.open(source) as members,
        whole_file(path) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as copy,
    ):
        for member in _kept(members, gone):
            data = members.extractfile(member) if member.isreg() else None
            copy.addfile(member, data)
    return layer_at(path)


def _kept(members: tarfile.TarFile, gone: set[str]) -> Iterator[tarfile.TarInfo]:
    for member in members:
        name = posixpath.normpath("/" + member.name)
        if name == "/" or name in gone:
            continue
        if member.issym():
            target = posixpath.join(posixpath.dirname(name), member.linkname)
            if posixpath.normpath(target) in gone:
                continue
        if member.islnk() and posixpath.normpath("/" + member.linkname) in gone:
            raise ValueError(f"{name} is a hard link to a file that is left out")
        kept = tarfile.TarInfo(name.lstrip("/"))
        kept.type, kept.linkname = member.type, member.linkname.removeprefix("./")
        if member.issym():
            kept.linkname = member.linkname
        kept.size, kept.mode, kept.mtime = member.size, member.mode, int(member.mtime)
        kept.uid, kept.gid = member.uid, member.gid
        kept.offset, kept.offset_data = member.offset, member.offset_data
        kept.pax_headers = {
            key: value
            for key, value in member.pax_headers.items()
            if key.startswith("SCHILY.xattr.security.")
        }
        yield kept


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
