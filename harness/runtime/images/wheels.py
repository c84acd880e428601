"""Put Python packages into an image from wheels that a lock file names by hash.

Wheels are fetched outside the image, for the image's Python and not for ours, and
checked against the lock; unpacking them needs no network and no installer, so the
version of neither can change a byte. Scripts are left out: their first line would name
an interpreter of this machine, and an image starts its program as a module.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from harness.errors import PrerequisiteError, UsageError
from harness.runtime.images.archive import Entry

TIMEOUT_S = 600

INSTALLED_BY = b"memory-harness\n"

DROPPED_DATA = ("scripts", "headers", "data")
"""Kinds of files of a wheel that no image needs; see PEP 427 for the kinds."""


@dataclass(frozen=True, slots=True)
class Target:
    """The interpreter and machine that wheels are chosen for.

    Attributes:
        python: As `(3, 13)`.
        machine: As `uname -m` prints it: `x86_64`, `aarch64`.
        glibc: Minor version of the C library 2.x; wheels may ask for an older one.
    """

    python: tuple[int, int] = (3, 13)
    machine: str = "x86_64"
    glibc: int = 41

    @property
    def markers(self) -> dict[str, str]:
        """What environment markers see; everything that a lock file may ask."""
        version = ".".join(map(str, self.python))
        return {
            "implementation_name": "cpython",
            "implementation_version": f"{version}.0",
            "os_name": "posix",
            "platform_machine": self.machine,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": "Linux",
            "platform_version": "",
            "python_full_version": f"{version}.0",
            "python_version": version,
            "sys_platform": "linux",
            "extra": "",
        }

    def options(self) -> Iterator[str]:
        """Yield the options by which pip chooses wheels for this target."""
        digits = "".join(map(str, self.python))
        yield from ("--python-version", ".".join(map(str, self.python)))
        yield from ("--implementation", "cp", "--abi", f"cp{digits}")
        yield from ("--abi", "abi3", "--abi", "none")
        # pip takes a platform literally, so every older C library is named as well.
        for minor in range(self.glibc, 4, -1):
            yield from ("--platform", f"manylinux_2_{minor}_{self.machine}")
        yield from ("--platform", f"manylinux2014_{self.machine}")
        yield from ("--platform", f"linux_{self.machine}")


@dataclass(frozen=True, slots=True)
class Pinned:
    """One package of a lock file."""

    name: str
    version: str
    hashes: frozenset[str]

    def __str__(self) -> str:
        hashes = "".join(f" --hash=sha256:{digest}" for digest in sorted(self.hashes))
        return f"{self.name}=={self.version}{hashes}"


def read_requirements(path: Path, target: Target) -> tuple[Pinned, ...]:
    """Read the packages that the lock file at *path* wants on *target*, by name.

    Raises:
        UsageError: A line is not `name==version` with a SHA-256 of its files.
    """
    try:
        text = path.read_text()
    except OSError as error:
        raise UsageError(
            f"the lock file cannot be read: {error.strerror}.",
            where=str(path),
            remedy="Write it with `just lock`.",
        ) from error
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        stripped = line.partition(" #")[0].strip()
        if stripped and not stripped.startswith("#"):
            pinned = _pinned(stripped, path, target)
            if pinned is not None:
                found.append(pinned)
    return tuple(sorted(found, key=lambda pinned: pinned.name))


def choose(
    pinned: Iterable[Pinned], only: Sequence[str], leave_out: Sequence[str]
) -> tuple[Pinned, ...]:
    """Keep the packages named in *only* (all, where it is empty), less *leave_out*.

    Raises:
        UsageError: A name in *only* is no package of the lock file.
    """
    by_name = {package.name: package for package in pinned}
    missing = [name for name in only if name not in by_name]
    if missing:
        raise UsageError(f"the lock file has no package {missing[0]!r}.")
    names = only or by_name
    return tuple(by_name[name] for name in sorted(names) if name not in leave_out)


def fetch(pinned: Sequence[Pinned], target: Target, folder: Path) -> tuple[Path, ...]:
    """Bring the wheel of every package into *folder*; what lies there is checked again.

    Raises:
        PrerequisiteError: pip is missing, or a wheel with a listed hash cannot be had.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not _complete(pinned, folder):
        listed = folder / "requirements.txt"
        listed.write_text("".join(f"{package}\n" for package in pinned))
        _download(listed, target, folder)
    wheels = tuple(sorted(folder.glob("*.whl")))
    for wheel in wheels:
        _check_hash(wheel, pinned)
    return wheels


def unpack(wheels: Iterable[Path], into: PurePosixPath) -> Iterator[Entry]:
    """Yield the files that installing *wheels* puts below *into*.

    Raises:
        ValueError: A wheel holds a path that leaves its folder, or an unknown kind.
    """
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for info in archive.infolist():
                place = None if info.is_dir() else _place(info.filename, wheel)
                if place is None:
                    continue
                executable = (info.external_attr >> 16) & 0o111
                mode = 0o755 if executable else 0o644
                yield Entry(into / place, archive.read(info), mode)
        name, version = wheel.name.split("-")[:2]
        installer = into / f"{name}-{version}.dist-info" / "INSTALLER"
        yield Entry(installer, INSTALLED_BY)


def hashes_of(wheels: Iterable[Path]) -> dict[str, str]:
    """Give each wheel's file name and the digest of its bytes."""
    return {wheel.name: f"sha256:{_sha256(wheel)}" for wheel in wheels}


def _pinned(line: str, path: Path, target: Target) -> Pinned | None:
    hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})\b", line))
    text = line.partition("--hash=")[0].strip()
    try:
        requirement = Requirement(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no requirement.", where=str(path)) from error
    marker: Marker | None = requirement.marker
    if marker is not None and not marker.evaluate(target.markers):
        return None
    version = str(requirement.specifier).removeprefix("==")
    if not hashes or not re.fullmatch(r"[A-Za-z0-9.!+_-]+", version):
        raise UsageError(
            f"{text!r} is not pinned to one version and its hashes.",
            where=str(path),
            remedy="Write the file again with `just lock`.",
        )
    return Pinned(canonicalize_name(requirement.name), version, hashes)


def _complete(pinned: Sequence[Pinned], folder: Path) -> bool:
    names = {wheel.name.split("-")[0] for wheel in folder.glob("*.whl")}
    return {canonicalize_name(name) for name in names} == {p.name for p in pinned}


def _download(listed: Path, target: Target, folder: Path) -> None:
    command = [*_pip(), "download", "--quiet", "--no-deps"]
    command += ["--require-hashes", "--only-binary=:all:", "--dest", str(folder)]
    command += [*target.options(), "--requirement", str(listed)]
    try:
        answer = subprocess.run(
            command,
            env=_environ(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PrerequisiteError(
            f"pip had not fetched the wheels after {TIMEOUT_S} s.",
            remedy="Check the network, or use --runtime embedded.",
        ) from error
    if answer.returncode != 0:
        told = [line for line in answer.stderr.splitlines() if "ERROR" in line]
        raise PrerequisiteError(
            f"pip cannot fetch the wheels: {' '.join(told[:2]) or answer.stderr!r}.",
            where=str(listed),
            remedy="Check the network; a hash that does not fit means another file "
            "than the one that was locked.",
        )


def _pip() -> Sequence[str]:
    """Find a pip: the clone's environment has none, for it was filled from outside."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    programs = [found for name in ("pip3", "pip") if (found := shutil.which(name))]
    interpreters = dict.fromkeys((sys.executable, os.path.realpath(base)))
    candidates = [[python, "-m", "pip"] for python in interpreters]
    candidates += [[program] for program in programs]
    for pip in candidates:
        command = [*pip, "--version"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return pip
    raise PrerequisiteError(
        "no pip was found, and the wheels of an image have to be fetched.",
        remedy="On Debian `apt-get install python3-pip` brings one; or use "
        "--runtime embedded.",
    )


def _environ() -> Mapping[str, str]:
    # The environment may name indexes and proxies that are needed to reach any wheel.
    return {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}


def _check_hash(wheel: Path, pinned: Sequence[Pinned]) -> None:
    found = _sha256(wheel)
    name = canonicalize_name(wheel.name.split("-")[0])
    if not any(name == p.name and found in p.hashes for p in pinned):
        wheel.unlink()
        raise PrerequisiteError(
            f"its SHA-256 is {found}, which the lock file does not list for {name!r}.",
            where=str(wheel),
            remedy="It is removed; start again. If it comes back so, do not use it.",
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _place(name: str, wheel: Path) -> PurePosixPath | None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{wheel.name} holds {name!r}, which leaves its folder")
    head, *rest = path.parts
    if not head.endswith(".data"):
        return path
    kind = rest[0] if rest else ""
    if kind in {"purelib", "platlib"}:
        return PurePosixPath(*rest[1:])
    if kind in DROPPED_DATA:
        return None
    raise ValueError(f"{wheel.name} holds files of the unknown kind {kind!r}")
