"""Make the data folder of a fresh Postgres, quickly the second time.

``initdb`` takes about a second and always makes the same thing, so its outcome is kept
inside the clone and copied: a sixth of the time. What is kept holds no password and
lets nobody in. Whatever is wrong with it, ``initdb`` runs again.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from harness.errors import PrerequisiteError
from harness.runtime.process import Account, ChildProcess, Program

SUPERUSER = "postgres"

INITDB_FLAGS = (
    f"--username={SUPERUSER}",
    "--encoding=UTF8",
    # The locale in the environment would decide otherwise, and plain C neither lowers
    # nor matches accented capitals.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    # It lives as long as one run, and a busy disk would cost seconds.
    "--no-sync",
    # Who may come in is written for each run; until then nobody.
    "--auth=reject",
)

INITDB_LIMIT_S = 120.0
DATA = "data"
SIZES = "sizes.sha256"
UNUSED_S = 7 * 24 * 3600.0
"""What nobody has copied for so long belongs to programs that are gone."""


def make_cluster(
    data: Path, binaries: Path, account: Account | None, cache: Path | None
) -> bool:
    """Make *data* a cluster that nobody can log in to yet.

    Args:
        data: The folder to make; its parent exists.
        binaries: Folder with ``initdb``.
        account: Who owns the cluster; ``None`` for ourselves.
        cache: Where templates are kept; ``None`` for nowhere.

    Returns:
        True when a kept template served, false when ``initdb`` ran.

    Raises:
        PrerequisiteError: ``initdb`` failed; its last lines are in the message.
    """
    template = None if cache is None else cache / template_key(binaries)
    if template is not None and _copy_template(template, data, account):
        return True
    initialise(data, binaries, account)
    if template is not None:
        # A clone that cannot be written to, or a full disk: slower next time, no more.
        with suppress(OSError):
            _keep_template(template, data)
    return False


def template_key(binaries: Path) -> str:
    """Name what decides the outcome of ``initdb``: its programs and its flags."""
    facts = [(binaries / name).stat() for name in ("initdb", "postgres")]
    parts = [*INITDB_FLAGS, *(f"{fact.st_size} {fact.st_mtime_ns}" for fact in facts)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def initialise(data: Path, binaries: Path, account: Account | None) -> None:
    """Run ``initdb`` into *data*.

    Raises:
        PrerequisiteError: It failed; its last lines are in the message.
    """
    data.mkdir(mode=0o700)
    if account is not None:
        os.chown(data, *account)
    initdb = ChildProcess(
        Program(
            "initdb",
            (str(binaries / "initdb"), *INITDB_FLAGS, f"--pgdata={data}"),
            folder=data.parent,
            log=data.with_name("initdb.log"),
            account=account,
        )
    )
    try:
        finished = initdb.wait(INITDB_LIMIT_S)
    finally:
        initdb.kill()
    ending = initdb.ending() if finished else f"no end within {INITDB_LIMIT_S:.0f} s"
    if ending != "exit code 0":
        raise PrerequisiteError(
            f"initdb could not make a Postgres data folder ({ending}):\n"
            f"{initdb.last_lines()}",
            where=str(binaries),
            remedy="Is the temporary folder's disk full? TMPDIR chooses another.",
        )


def forget_template(binaries: Path, cache: Path | None) -> None:
    """Remove the kept template of *binaries*, after it has proved unusable."""
    if cache is not None:
        shutil.rmtree(cache / template_key(binaries), ignore_errors=True)


def _copy_template(template: Path, data: Path, account: Account | None) -> bool:
    try:
        wanted = (template / SIZES).read_text(encoding="ascii")
        shutil.copytree(template / DATA, data, copy_function=_copy_bytes)
        whole = _sizes(data) == wanted
        with suppress(OSError):  # a cache of somebody else's, or read only
            os.utime(template)
    except OSError:
        whole = False
    if not whole:
        shutil.rmtree(data, ignore_errors=True)
        shutil.rmtree(template, ignore_errors=True)
        return False
    data.chmod(0o700)
    if account is not None:
        for path in _tree(data):
            os.chown(path, *account, follow_symlinks=False)
    return True


def _keep_template(template: Path, data: Path) -> None:
    """Copy *data* beside *template* and give it its name in one step."""
    template.parent.mkdir(parents=True, exist_ok=True)
    for entry in template.parent.iterdir():
        if time.time() - entry.lstat().st_mtime > UNUSED_S:
            shutil.rmtree(entry, ignore_errors=True)
    unnamed = Path(tempfile.mkdtemp(prefix=".new-", dir=template.parent))
    try:
        shutil.copytree(data, unnamed / DATA, copy_function=_copy_bytes)
        (unnamed / SIZES).write_text(_sizes(data), encoding="ascii")
        unnamed.rename(template)
    finally:
        shutil.rmtree(unnamed, ignore_errors=True)


def _sizes(data: Path) -> str:
    """Sum up names and sizes; Postgres' own page checksums watch over the content."""
    lines = sorted(
        f"{path.relative_to(data)} {path.stat().st_size if path.is_file() else '/'}"
        for path in _tree(data)
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _tree(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.rglob("*")


def _copy_bytes(source: str, target: str) -> None:
    shutil.copyfile(source, target)
