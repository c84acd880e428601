"""JSON files that are whole or absent, and are read with suspicion.

Reports and baselines both live in such files. A reader never sees half of one, and
what is read may have been written by anybody: its size, its text and its numbers are
checked before any model looks at it.
"""

import contextlib
import json
import os
import secrets
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from harness.errors import PrerequisiteError, ReportFormatError, UsageError

MAX_BYTES = 256 * 1024 * 1024
"""Largest file that is read; a report of 500 queries has a few MiB."""

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class JsonFile:
    """A file that held one JSON object, read but not yet understood."""

    path: Path
    raw: bytes
    fields: Mapping[str, object]

    def refuse(self, what: str, remedy: str = "") -> ReportFormatError:
        """Make the error that says *what* is wrong with this file."""
        return ReportFormatError(what, where=str(self.path), remedy=remedy)


def read_json(path: Path) -> JsonFile:
    """Read the one JSON object that *path* holds.

    Repeated keys, ``NaN`` and ``Infinity`` are refused: the first would silently lose
    a value, and no comparison with the others can fail.

    Raises:
        ReportFormatError: The file cannot be read, is too large, or holds no object.
    """
    raw = _read_bytes(path)
    try:
        document: object = json.loads(
            raw.decode("utf-8"),
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_keys,
        )
    except (ValueError, RecursionError) as error:
        kind = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ReportFormatError(f"not a JSON file: {kind}.", where=str(path)) from error
    if not isinstance(document, dict):
        raise ReportFormatError(
            f"the file holds a JSON {type(document).__name__}, not an object.",
            where=str(path),
        )
    return JsonFile(path, raw, document)


def check_version(file: JsonFile, *, kind: str, version: int) -> None:
    """Refuse a file of another version of its format, saying who must change.

    Raises:
        ReportFormatError: ``version`` is not *version*.
    """
    found = file.fields.get("version")
    if type(found) is int and found > version:
        raise file.refuse(
            f"written by a newer harness: {kind} version {found}; "
            f"this one reads {version}.",
            "Update the harness, or write the file again with this one.",
        )
    if type(found) is not int or found != version:
        raise file.refuse(
            f"{kind} version {found!r} does not exist; this harness reads {version}."
        )


def parse(file: JsonFile, model: type[Model], *, kind: str) -> Model:
    """Turn the file into *model*, without bending any value into another type.

    Raises:
        ReportFormatError: The first field that does not fit, by its JSON path.
    """
    try:
        return model.model_validate_json(file.raw, strict=True)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
        first = problems[0]
        place = ".".join(str(step) for step in first["loc"]) or "the whole file"
        more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
        message = first["msg"][:1].lower() + first["msg"][1:]
        raise file.refuse(
            f"not a whole {kind}: {place}: {message}, "
            f"found {_short(first['input'])}{more}."
        ) from error


def write_whole(path: Path, data: bytes) -> None:
    """Put *data* into *path* so that a reader sees all of it or what was there before.

    Missing folders are made. A file that is replaced keeps its mode; a new one gets
    what the process's umask allows, as any file a person writes.

    Raises:
        UsageError: *path* is a folder or a device.
        PrerequisiteError: The file system refuses.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A rename would put a file in the place of, say, /dev/null.
        raise UsageError("not an ordinary file.", where=str(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _beside(target) as (descriptor, temporary):
            _write_all(descriptor, data)
            if target.exists():
                os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
            os.fsync(descriptor)
            temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise PrerequisiteError(
            f"cannot be written: {error.strerror or error}.",
            where=str(path),
            remedy="Choose another place with --out, or make room there.",
        ) from error


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[tuple[int, Path]]:
    # tempfile would make it 0600, and a report is for others to read too.
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        yield descriptor, temporary
    finally:
        os.close(descriptor)
        temporary.unlink(missing_ok=True)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folder(folder: Path) -> None:
    # Without this the rename itself may be lost with the machine's power. Some
    # file systems cannot do it; the file is whole either way.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_bytes(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            # To open a pipe is to wait for its writer.
            raise ReportFormatError(
                "a pipe or a device, not a regular file.", where=str(path)
            )
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ReportFormatError(
            f"cannot be read: {error.strerror or error}.", where=str(path)
        ) from error
    if len(raw) > MAX_BYTES:
        raise ReportFormatError(
            f"larger than the {MAX_BYTES // 1024 // 1024} MiB a report may have.",
            where=str(path),
        )
    return raw


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
