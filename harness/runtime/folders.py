"""The folder one run lives in, and the sweeping of those whose owner is dead.

An owner holds a lock on a file in its folder for as long as it lives. The kernel lets
go of the lock however the owner ends, so there is no process id to mistake for
another's: not after a restart, and not between containers that share a temporary
folder.
"""

import fcntl
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.errors import PrerequisiteError
from harness.runtime.signals import undisturbed

PREFIX = "memory-harness-"
OWNER_FILE = "owner.json"
VARIABLES = ("TMPDIR", "TEMP", "TMP")
REMEDY = "Set TMPDIR to a folder that can be written to."
UNCLAIMED_S = 60.0
"""A folder without an owner file is somebody's who has just made it, for this long."""


@contextmanager
def run_folder(parent: Path | None = None) -> Iterator[Path]:
    """Make a private folder, and remove it with all it holds at the end.

    Folders of dead owners beside it are swept first.

    Args:
        parent: Where to make it; the machine's temporary folder by default.

    Raises:
        PrerequisiteError: No folder can be made there.
    """
    parent = temporary_folder() if parent is None else parent
    sweep(parent)
    with undisturbed():
        folder, lock = _made_and_claimed(parent)
    try:
        yield folder
    finally:
        with undisturbed():
            remove(folder)
            os.close(lock)


def temporary_folder() -> Path:
    """Find the machine's temporary folder: the one its variable names, if one does.

    Python's own search passes over a folder that it cannot write to, and a run would
    fill another disk than the one somebody chose.

    Raises:
        PrerequisiteError: The variable names no folder, or there is none at all.
    """
    for name in VARIABLES:
        value = os.environ.get(name)
        if value:
            folder = Path(value).absolute()
            # `Path.is_dir` raises where a folder above is closed to us.
            usable = os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)  # noqa: PTH112
            if not usable:
                raise PrerequisiteError(
                    f"{name} is {value!r}, which is no folder that can be written to.",
                    remedy=REMEDY,
                )
            return folder
    try:
        return Path(tempfile.gettempdir())
    except OSError as error:
        raise PrerequisiteError(
            f"there is no temporary folder: {error.strerror}.", remedy=REMEDY
        ) from error


def sweep(parent: Path) -> list[Path]:
    """Remove run folders in *parent* that are ours and whose owner is dead.

    Other users' folders, living owners' folders, links and plain files are left alone,
    and so is whatever cannot be removed: sweeping never stops a run.

    Returns:
        The folders removed.
    """
    removed = []
    for folder in sorted(parent.glob(f"{PREFIX}*")):
        with suppress(OSError):
            if _is_ours(folder) and _remove_if_dead(folder):
                removed.append(folder)
    return removed


def remove(folder: Path) -> None:
    """Remove a run folder, its owner file last so that a half-removed one is swept.

    Where something stays, because a program still writes there, the owner file does
    too: without it the folder would pass for one that is just being made.
    """
    for entry in _entries(folder):
        if entry.name == OWNER_FILE:
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            with suppress(OSError):
                Path(entry.path).unlink()
    if {entry.name for entry in _entries(folder)} <= {OWNER_FILE}:
        shutil.rmtree(folder, ignore_errors=True)


def _made_and_claimed(parent: Path) -> tuple[Path, int]:
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    except OSError as error:
        raise PrerequisiteError(
            f"no folder can be made in {str(parent)!r}: {error.strerror}.",
            remedy=REMEDY,
        ) from error
    return folder, _claim(folder)


def _claim(folder: Path) -> int:
    """Lock an owner file and only then give it its name: none is seen unlocked."""
    unnamed = folder / f".{OWNER_FILE}"
    descriptor = os.open(unnamed, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # For a person who looks; the lock alone decides.
    facts = {"pid": os.getpid(), "started_at": time.strftime("%FT%TZ", time.gmtime())}
    os.write(descriptor, json.dumps(facts).encode())
    unnamed.rename(folder / OWNER_FILE)
    return descriptor


def _is_ours(folder: Path) -> bool:
    facts = folder.lstat()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid()


def _remove_if_dead(folder: Path) -> bool:
    try:
        lock = os.open(folder / OWNER_FILE, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        if time.time() - folder.lstat().st_mtime < UNCLAIMED_S:
            return False
        remove(folder)
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        remove(folder)
        return True
    finally:
        os.close(lock)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
