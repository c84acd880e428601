"""Where a command's output goes, and that it can go there.

An exit code belongs to the verdict. So a reader who went away changes nothing, output
that cannot be written is named, and a report's place is looked at before measuring.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from harness.errors import PrerequisiteError, UsageError


class KeptInterrupt(KeyboardInterrupt):
    """An interruption after the report was written; *path* holds it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(str(path))


@contextmanager
def kept(path: Path | None) -> Iterator[None]:
    """Show what came out; an interruption in here does not undo the report at *path*.

    Raises:
        KeptInterrupt: It was interrupted, and there is a report.
    """
    try:
        yield
    except KeyboardInterrupt as interruption:
        if path is None:
            raise
        raise KeptInterrupt(path) from interruption


def emit(data: bytes) -> None:
    """Write *data* to standard output; a reader who went away is no fault.

    Raises:
        PrerequisiteError: Standard output takes no more.
    """
    with _written():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def flush() -> None:
    """Write out what was printed so far.

    Raises:
        PrerequisiteError: Standard output takes no more.
    """
    with _written():
        sys.stdout.flush()


def open_missing_streams() -> None:
    """Give output that was closed by the caller somewhere to go: nowhere."""
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def cannot_write(error: OSError) -> PrerequisiteError:
    """Name what keeps standard output from being written."""
    silence()
    return PrerequisiteError(
        f"standard output cannot be written: {error.strerror}.",
        remedy="Give it room, or --out a file for the report.",
    )


def silence() -> None:
    """Send whatever is still printed nowhere, what the interpreter flushes included."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        silence()
    except OSError as error:
        raise cannot_write(error) from error


def refuse_unwritable(path: Path | None, *inputs: Path | None) -> None:
    """Fail before measuring where the result could not be written after it.

    Args:
        path: Where the result shall go; ``None``: to a new file of our own.
        inputs: Files the same command reads; the result must not replace one.

    Raises:
        UsageError: *path* is no file's path, or is one of *inputs*.
        PrerequisiteError: The folder may not be written.
    """
    if path is None:
        return
    try:
        _refuse(path, inputs)
    except OSError as error:
        if error.errno == errno.EACCES:
            raise _closed(path, "a folder above it is closed to you") from error
        raise UsageError(
            f"{str(path)!r} cannot hold a result: {error.strerror}.",
            remedy="Give a file's path.",
        ) from error


def _refuse(path: Path, inputs: tuple[Path | None, ...]) -> None:
    target = path.absolute()
    found = _facts(target)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise UsageError(
            f"{str(path)!r} is no regular file.", remedy="Give a file's path."
        )
    for given in inputs:
        if given is not None and given.resolve() == target.resolve():
            raise UsageError(
                f"{str(path)!r} is what this command reads: the result would replace"
                " it.",
                remedy="Give the result a file of its own.",
            )
    folder = next(part for part in target.parents if _facts(part) is not None)
    if not folder.is_dir():
        raise UsageError(
            f"{str(folder)!r} is no folder, so {str(path)!r} cannot lie in it.",
            remedy="Give a file's path.",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _closed(path, "its folder may not be written")


def _facts(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _closed(path: Path, why: str) -> PrerequisiteError:
    return PrerequisiteError(
        f"{str(path)!r} cannot be written: {why}.",
        remedy="Choose another place, or have its folder opened to you.",
    )
