"""The run's journal: a line a question, on the disk before the next one is asked.

A run that is killed goes on from here, and the report is made of nothing else. So a
line is whole or it is not there, and a journal is of one run's settings alone.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from pydantic import ValidationError

from harness.errors import PrerequisiteError, ReportFormatError, UsageError
from harness.measure.longmemeval.plan import Fingerprint
from harness.measure.longmemeval.records import (
    LINE,
    AnyLine,
    Embedding,
    Header,
    QuestionRecord,
    Start,
)

Warn = Callable[[str], None]

FIRST_BYTES = b'{"kind":"header","format":"harness-longmemeval-journal"'

GO_ON = "Give this run a journal of its own with --journal, or remove that file."


@dataclass(slots=True)
class Content:
    """What a journal holds."""

    header: Header | None = None
    starts: list[Start] = field(default_factory=list)
    embedded: dict[int, Embedding] = field(default_factory=dict)
    """By the number of the start, from 1; of a start without a model there is none."""
    records: dict[int, QuestionRecord] = field(default_factory=dict)
    """By index; of a question that failed and was asked again, the later one."""
    torn: bytes = b""
    """What stands behind the last whole line."""

    @property
    def done(self) -> set[int]:
        """Indices of the questions that need not be asked again."""
        return {index for index, each in self.records.items() if not each.failures}


def read_journal(path: Path) -> Content:
    """Read a journal; a torn last line is left out, and handed back as such.

    Raises:
        ReportFormatError: Another line cannot be read, the file is no journal, or it
            holds what no run writes.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReportFormatError(
            f"the journal cannot be read: {error.strerror or error}.", where=str(path)
        ) from error
    return _content(data, path)


def _content(data: bytes, path: Path) -> Content:
    content = Content()
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        whole = line.endswith(b"\n")
        try:
            value = orjson.loads(line) if whole else None
        except orjson.JSONDecodeError as error:
            if number == len(lines):
                content.torn = line
                break
            raise _bad(path, number, str(error)) from error
        if not whole:
            content.torn = line
            break
        _take(content, value, path, number)
    return content


def _take(content: Content, value: object, path: Path, number: int) -> None:
    try:
        line = LINE.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole line"
        raise _bad(path, number, f"{place}: {first['msg']}") from error
    if (number == 1) != isinstance(line, Header):
        raise _bad(path, number, "a header comes first, and only there")
    _require_written(content, line, path, number)
    match line:
        case Header():
            content.header = line
        case Start():
            content.starts.append(line)
        case Embedding():
            content.embedded[len(content.starts)] = line
        case QuestionRecord():
            earlier = content.records.get(line.index)
            if earlier is not None and not earlier.failures:
                raise _bad(path, number, f"question {line.index} is there already")
            content.records[line.index] = line


def _require_written(content: Content, line: AnyLine, path: Path, number: int) -> None:
    """Refuse a line that is well formed, and that no run writes here."""
    match line:
        case Embedding() | QuestionRecord() if not content.starts:
            raise _changed(path, f"line {number} is before any start of a run.")
        case QuestionRecord() if content.header is not None:
            why = line.fault(content.header)
            if why is not None:
                raise _changed(path, f"question {line.id!r} in line {number}: {why}.")


def _changed(path: Path, what: str) -> ReportFormatError:
    return ReportFormatError(
        what,
        where=str(path),
        remedy="The journal was changed after it was written. Remove the file to begin "
        "again.",
    )


def _bad(path: Path, number: int, why: str) -> ReportFormatError:
    return ReportFormatError(
        f"line {number} is no line of a journal: {why}.",
        where=str(path),
        remedy="Only the last line of a killed run may be torn. Remove the file to "
        "begin again.",
    )


def require_same(found: Mapping[str, object], wanted: Fingerprint, path: Path) -> None:
    """Refuse a journal of other settings, naming the first that differs.

    Raises:
        UsageError: The two are not of one run.
    """
    for name, value in wanted.items():
        if found.get(name) != value:
            raise UsageError(
                f"the journal is of another run: its {name} is {found.get(name)!r}, "
                f"here it is {value!r}.",
                where=str(path),
                remedy=GO_ON,
            )


class Journal:
    """A journal that is being written; nobody else writes it meanwhile."""

    def __init__(self, path: Path, descriptor: int, content: Content) -> None:
        self.path = path
        self.header = content.header
        self.done = content.done
        self.attempts = len(content.starts)
        """How many runs began to write here before this one."""
        self.embedded = content.embedded.get(self.attempts)
        """What the last of them asked of an endpoint."""
        self._descriptor = descriptor

    def begin(self, header: Header, start: Start) -> None:
        """Note that a run begins, or goes on.

        Raises:
            UsageError: The journal is of another run.
        """
        if self.header is None:
            self._append([header, start])
            self.header = header
        else:
            require_same(self.header.fingerprint, header.fingerprint, self.path)
            self._append([start])

    def add(self, record: QuestionRecord, embedding: Embedding | None = None) -> None:
        """Put a question on the disk, and before it what embedding took until now."""
        self._append([record] if embedding is None else [embedding, record])

    def note(self, embedding: Embedding) -> None:
        """Put in place of `embedded` what the last start's embedding took in all."""
        self._append([embedding])

    def _append(self, lines: Iterable[AnyLine]) -> None:
        data = b"".join(b"%s\n" % line.model_dump_json().encode() for line in lines)
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise _unwritable(self.path, error) from error


@contextmanager
def opened(path: Path, wanted: Fingerprint, warn: Warn) -> Iterator[Journal]:
    """Open a journal to write, made where it is missing, and lock it.

    A torn last line is cut off, and its question will be asked again.

    Args:
        path: The journal's file.
        wanted: What this run knows of its fingerprint before it meets a daemon.
        warn: Told what was cut off, and what is gone on from.

    Raises:
        UsageError: It is of another run, or another run is writing it.
        ReportFormatError: A line cannot be read.
        PrerequisiteError: The file system refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        _lock(descriptor, path)
        content = read_journal(path)
        if content.torn:
            _require_ours(content, path)
            warn(
                f"the last line of {path} is torn ({len(content.torn)} bytes): it is "
                "cut off, and its question asked again."
            )
            os.ftruncate(descriptor, path.stat().st_size - len(content.torn))
        if content.header is not None:
            require_same(content.header.fingerprint, wanted, path)
        yield Journal(path, descriptor, content)
    finally:
        os.close(descriptor)


def _require_ours(content: Content, path: Path) -> None:
    """Refuse to cut a file that only looks like a torn journal."""
    torn, ours = content.torn, FIRST_BYTES
    if content.header is None and torn[: len(ours)] != ours[: len(torn)]:
        raise ReportFormatError(
            "this is no journal.",
            where=str(path),
            remedy="Name a file of its own for the journal.",
        )


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UsageError(
            "another run is writing this journal.",
            where=str(path),
            remedy="Let it end, or give this run another with --journal.",
        ) from error
    except OSError:
        pass  # some network file systems have no locks


def _unwritable(path: Path, error: OSError) -> PrerequisiteError:
    return PrerequisiteError(
        f"the journal cannot be written: {error.strerror or error}.",
        where=str(path),
        remedy="Choose another place with --journal, or make room there.",
    )
