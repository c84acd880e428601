"""The file that keeps what a real service answered, and its content in memory.

The file has one JSON object a line. A text is known by its hash only, and a vector is
kept as the bits of its 32-bit floats, so that what is played back is the very same.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
import structlog
from numpy.typing import NDArray

from embedder.errors import SERVER_ERROR, Refused, StartupError
from embedder.record import Record, Space, UnusableLine, parse_line, written
from embedder.wire import Wanted

_LOG = structlog.get_logger(__name__)


class Recording:
    """The vectors of a file, in memory, and the file when it may grow.

    Args:
        name: The file's, for messages.
        descriptor: Of the file, opened to append; None: only to be read.
    """

    def __init__(self, name: str, descriptor: int | None = None) -> None:
        self.name = name
        self._descriptor = descriptor
        self._spaces: dict[tuple[str, int | None], Space] = {}

    @classmethod
    def read(cls, path: Path) -> Recording:
        """Load a file that stays as it is.

        Raises:
            StartupError: It cannot be read, or a line of it cannot be used.
        """
        recording = cls(path.name)
        try:
            data = path.read_bytes()
        except OSError as problem:
            raise _unreadable(path, problem) from problem
        recording._load(path, data)
        return recording

    @classmethod
    def extend(cls, path: Path) -> Recording:
        """Load a file, made when missing, to append to it.

        A last line that a kill left unfinished is cut off the file.

        Raises:
            StartupError: It cannot be opened, somebody else records to it, or a line
                of it cannot be used.
        """
        try:
            # Appending is the system's business, so nothing is ever written over.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as problem:
            raise _unreadable(path, problem) from problem
        recording = cls(path.name, descriptor)
        try:
            _lock(descriptor, path)
            data = path.read_bytes()
            whole = recording._load(path, data)
            if whole < len(data):
                os.ftruncate(descriptor, whole)
            elif data and not data.endswith(b"\n"):
                os.write(descriptor, b"\n")
        except BaseException:
            recording.close()
            raise
        return recording

    def models(self) -> list[str]:
        """Return the names of the models it has vectors of, sorted."""
        return sorted({model for model, _ in self._spaces})

    def missing(self, wanted: Wanted) -> list[str]:
        """Return the texts that it has no vector of, each once, in order."""
        space = self._spaces.get((wanted.model, wanted.dimension))
        known = space.vectors if space else {}
        texts = dict.fromkeys(wanted.texts)
        return [text for text in texts if digest(text) not in known]

    def vectors(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return one row a text; none of them may be missing."""
        space = self._spaces[wanted.model, wanted.dimension]
        joined = b"".join(space.vectors[digest(text)] for text in wanted.texts)
        return np.frombuffer(joined, "<f4").reshape(-1, space.dimension)

    def add(
        self, wanted: Wanted, texts: Sequence[str], vectors: NDArray[np.float32]
    ) -> None:
        """Keep the vectors of *texts*, in memory once they are in the file.

        A text that got its vector in the meantime keeps it.

        Raises:
            Refused: They do not have the length of those before, or the file cannot
                be written; it then ends with the last whole line.
        """
        for text, vector in zip(texts, vectors, strict=True):
            record = Record(
                wanted.model,
                len(vector),
                wanted.dimension is not None,
                digest(text),
                vector.astype("<f4").tobytes(),
            )
            space = self._spaces.get(record.space)
            if space is not None and space.dimension != record.dimension:
                raise Refused(
                    502,
                    f"The upstream answered {record.dimension} numbers, and before"
                    f" {space.dimension}, for the model {wanted.model!r:.80}.",
                    kind=SERVER_ERROR,
                    code="upstream_unusable",
                )
            if space is None or record.digest not in space.vectors:
                self._append(written(record))
                self._keep(record)

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _load(self, path: Path, data: bytes) -> int:
        """Keep every line, and return how many bytes the whole ones are."""
        whole = 0
        for number, line in enumerate(data.splitlines(keepends=True), 1):
            try:
                self._keep(parse_line(line))
            except UnusableLine as problem:
                if not line.endswith(b"\n"):
                    _LOG.warning("torn_line_dropped", file=self.name, line=number)
                    break
                raise StartupError(
                    f"{path}:{number}: {problem}. Remove the line, or record again."
                ) from None
            whole += len(line)
        return whole

    def _keep(self, record: Record) -> None:
        space = self._spaces.setdefault(record.space, Space(record.dimension, {}))
        if space.dimension != record.dimension:
            raise UnusableLine(
                f"the vector has {record.dimension} numbers, those before it"
                f" {space.dimension}"
            )
        if space.vectors.setdefault(record.digest, record.vector) != record.vector:
            raise UnusableLine("the text has another vector in a line before")

    def _append(self, line: bytes) -> None:
        # One call a line: a kill between two of them leaves whole lines only.
        assert self._descriptor is not None
        end = os.fstat(self._descriptor).st_size
        problem = "it took a part of a line only"
        try:
            if os.write(self._descriptor, line) == len(line):
                return
        except OSError as error:
            problem = error.strerror or type(error).__name__
        os.ftruncate(self._descriptor, end)
        raise Refused(
            500,
            f"{self.name} cannot be written: {problem}.",
            kind=SERVER_ERROR,
            code="record_failed",
        )


def digest(text: str) -> bytes:
    """Return what a text is known by: the SHA-256 of its UTF-8."""
    return sha256(text.encode()).digest()


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        raise StartupError(
            f"EMBEDDER_RECORD={str(path)!r}: another embedder records to it."
        ) from problem


def _unreadable(path: Path, problem: OSError) -> StartupError:
    return StartupError(f"{str(path)!r} cannot be opened: {problem.strerror}.")
