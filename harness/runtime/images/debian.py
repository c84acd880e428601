"""Make root file systems from Debian's packages, the same bytes each time.

`mmdebstrap` with a fixed time is reproducible by itself. What packages add of their own
(logs, caches, a made-up certificate) is left out while the tar is copied, so nothing
depends on which of them cleans up after itself (`rootfs`).

The archive offers no old versions for long. What the lock names is asked for by
version, so a newer one is taken only where the locked one is gone, and that is told.
"""

import os
import posixpath
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.errors import PrerequisiteError
from harness.runtime.images.archive import Layer
from harness.runtime.images.catalogue import Account, Debian, Root
from harness.runtime.images.rootfs import copy_root, read_packages

MIRROR_VARIABLE = "HARNESS_DEBIAN_MIRROR"
"""Names another archive, such as one that keeps old versions; empty: Debian's own."""

TIMEOUT_S = 900
"""A root takes half a minute on a fast line; past this the archive is not answering."""

GRACE_S = 20
"""How long an interrupted mmdebstrap may take to clean up after itself."""

WORK_PREFIX = "memory-harness-root-"

BUILDERS = ("mmdebstrap", "apt", "dpkg")

WORK_BYTES = 2 << 30
"""The largest root takes a third of this while its packages are unpacked."""

PREFERENCES = "/etc/apt/preferences.d/locked"


@dataclass(frozen=True, slots=True)
class RootLayer:
    """A root file system as a layer, and the version of every package in it."""

    layer: Layer
    packages: Mapping[str, str]


def make_root(
    root: Root,
    debian: Debian,
    path: Path,
    *,
    epoch: int,
    pinned: Mapping[str, str],
) -> RootLayer:
    """Build *root* into a layer at *path*, for the machine this runs on.

    Args:
        root: Packages, files and commands.
        debian: The suite, and what to leave out.
        path: Where the layer's tar goes.
        epoch: Seconds since 1970 that all files claim to be from.
        pinned: Versions to prefer, by package; from the lock.

    Raises:
        PrerequisiteError: mmdebstrap is missing, may not run here, or failed.
    """
    program = shutil.which("mmdebstrap")
    if program is None:
        raise PrerequisiteError(
            "mmdebstrap is not installed, and an image has to be built.",
            remedy="Install it (`apt-get install mmdebstrap`), name a registry in "
            "images/images.toml, or use --runtime embedded.",
        )
    with _workplace() as folder:
        raw = folder / "root.tar"
        arguments = _arguments(root, debian, folder, pinned)
        command = [program, *arguments, debian.suite, str(raw), *_mirror()]
        _run([*_leash(), *command], folder, epoch)
        packages = read_packages(raw)
        return RootLayer(
            copy_root(raw, path, (*debian.leave_out, *root.leave_out)), packages
        )


def builder_versions() -> dict[str, str]:
    """Ask dpkg for the versions of the programs that make a root, where it knows."""
    found = {}
    for name in BUILDERS:
        command = ["dpkg-query", "--show", "--showformat=${Version}", name]
        try:
            answer = subprocess.run(
                command, capture_output=True, text=True, check=False
            )
        except OSError:
            # Not a Debian machine: it can use these images, but not make them.
            return {}
        if answer.returncode == 0:
            found[name] = answer.stdout.strip()
    return found


def drift(found: Mapping[str, str], locked: Mapping[str, str]) -> list[str]:
    """Say which packages differ from the lock, one short text each, sorted by name."""
    names = sorted(found.keys() | locked.keys())
    return [
        f"{name} {locked.get(name, '(none)')} -> {found.get(name, '(none)')}"
        for name in names
        if found.get(name) != locked.get(name)
    ]


def _arguments(
    root: Root, debian: Debian, folder: Path, pinned: Mapping[str, str]
) -> Iterator[str]:
    yield "--variant=essential"
    yield "--quiet"
    if root.packages:
        yield f"--include={','.join(root.packages)}"
    if pinned:
        pins = folder / "pins"
        pins.write_text("".join(_pin(*pair) for pair in sorted(pinned.items())))
        yield f'--aptopt=Dir::Etc::Preferences "{pins}"'
    for pattern in debian.leave_out:
        # Never unpacking these saves time. What a root leaves out for itself may be
        # needed by a package's own script, so that goes at the end.
        if pattern.startswith("/usr/share/"):
            yield f"--dpkgopt=path-exclude={pattern}"
    yield _hook("essential", _account_script(root.account))
    for index, (name, text) in enumerate(sorted(root.files.items())):
        held = folder / f"file-{index}"
        held.write_text(text)
        yield _hook("essential", f'mkdir -p "$1{posixpath.dirname(name)}"')
        yield f"--essential-hook=upload {held} {name}"
    for command in root.run:
        yield _hook("customize", f'chroot "$1" {command}')


def _pin(package: str, version: str) -> str:
    # Above 1000 even a downgrade is allowed: the locked version wins wherever it is.
    return f"Package: {package}\nPin: version {version}\nPin-Priority: 1001\n\n"


def _account_script(account: Account) -> str:
    # Written before any package's script runs, so that they find the account made.
    user = f"{account.name}:x:{account.id}:{account.id}::{account.home}:/bin/sh"
    group = f"{account.name}:x:{account.id}:"
    return f'echo "{user}" >> "$1/etc/passwd"; echo "{group}" >> "$1/etc/group"'


def _hook(when: str, script: str) -> str:
    return f"--{when}-hook={script}"


def _mirror() -> list[str]:
    mirror = os.environ.get(MIRROR_VARIABLE, "")
    return [mirror] if mirror else []


@contextmanager
def _workplace() -> Iterator[Path]:
    """Make a folder to unpack packages in; it is gone afterwards, whatever happens.

    In memory where that can be: thousands of small files, each synced, take three times
    as long on a busy disk. The name tells whose it is, so that what a killed build left
    behind is found by the next one.
    """
    above = _fit_for_work(Path("/dev/shm")) or Path(tempfile.gettempdir())
    for left in above.glob(f"{WORK_PREFIX}*"):
        owner = left.name.removeprefix(WORK_PREFIX).partition("-")[0]
        # A mount in it would lead the removal out of it, to the machine's own devices.
        mounted = f" {left}/" in Path("/proc/self/mountinfo").read_text()
        if not mounted and not Path("/proc", owner).exists():
            shutil.rmtree(left, ignore_errors=True)
    prefix = f"{WORK_PREFIX}{os.getpid()}-"
    with tempfile.TemporaryDirectory(dir=above, prefix=prefix) as folder:
        # In a user namespace mmdebstrap's own user has to reach into the folder.
        Path(folder).chmod(0o755)
        yield Path(folder)


def _fit_for_work(folder: Path) -> Path | None:
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    free = found.f_bavail * found.f_frsize
    unfit = found.f_flag & (os.ST_NODEV | os.ST_NOEXEC | os.ST_RDONLY)
    return folder if free > WORK_BYTES and not unfit else None


def _leash() -> list[str]:
    # When we are killed outright, nobody is left to stop mmdebstrap but the kernel.
    program = shutil.which("setpriv")
    return [program, "--pdeathsig", "TERM"] if program else []


def _run(command: Sequence[str], folder: Path, epoch: int) -> None:
    environ = {
        "PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
        "LC_ALL": "C.UTF-8",
        "TMPDIR": str(folder),
        "SOURCE_DATE_EPOCH": str(epoch),
        # Compiled Python holds sets in the order of their hashes.
        "PYTHONHASHSEED": "0",
    }
    with (folder / "said").open("w+") as said:
        process = subprocess.Popen(
            command, env=environ, stdout=said, stderr=said, start_new_session=True
        )
        try:
            code = process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise PrerequisiteError(
                f"mmdebstrap was not done after {TIMEOUT_S} s.",
                remedy="Check the network, or name a nearer archive in "
                f"{MIRROR_VARIABLE}.",
            ) from error
        finally:
            _end(process)
        said.seek(0)
        output = said.read()
    if code != 0:
        raise PrerequisiteError(
            f"mmdebstrap failed with code {code}: {_last(output)}",
            remedy="It needs Debian's packages and either root or user namespaces. "
            f"{MIRROR_VARIABLE} names another archive.",
        )


def _end(process: "subprocess.Popen[bytes]") -> None:
    # Asked politely it takes down its own mounts; what it started shares its session.
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, signal_number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def _last(output: str) -> str:
    told = [line for line in output.splitlines() if line.startswith("E:")]
    return " ".join((told or output.splitlines() or ["it said nothing."])[-3:])
