"""Vectors on disk, so that no text is paid for twice and a re-run has the same bits.

One SQLite file serves any number of processes. A vector is kept under the endpoint,
the model, the dimension and the SHA-256 of its text, with a checksum over its text's
hash and its bytes: what does not match is named and never used. Each batch is a
transaction of its own, so a killed run loses at most the batches under way.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from harness.provider.failures import CacheError

FILE = "embeddings.sqlite3"
FORMAT = 1
"""1, 2026-11-30: the first."""

BUSY_TIMEOUT_S = 60.0
_ASKED_AT_ONCE = 500
_OTHER_FOLDER = "`--embedding-cache DIR` keeps vectors in another folder."

_SCHEMA = """
create table if not exists space (
    id integer primary key, endpoint text not null, model text not null,
    dimension integer not null, unique (endpoint, model, dimension)
);
create table if not exists vector (
    space integer not null references space, text blob not null,
    numbers blob not null, checksum integer not null, unique (space, text)
);
"""


class Shelf(Protocol):
    """Where the vectors of texts are looked for and put; texts go by their SHA-256."""

    def find(self, texts: Sequence[bytes]) -> dict[bytes, NDArray[np.float32] | None]:
        """Return what is there: a vector, or None for a text known to be too long."""
        ...

    def keep(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Put vectors there; where another was first, *vectors* is not looked at."""
        ...

    def mark_too_long(self, text: bytes) -> None:
        """Remember that the endpoint found this text too long."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


class NoShelf:
    """Keeps nothing."""

    def find(self, texts: Sequence[bytes]) -> dict[bytes, NDArray[np.float32] | None]:  # noqa: ARG002 - the protocol's words
        """Find nothing."""
        return {}

    def keep(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Forget them."""

    def mark_too_long(self, text: bytes) -> None:
        """Forget it."""

    def close(self) -> None:
        """Do nothing."""


class VectorCache:
    """The vectors that one model of one endpoint gave, in a file of a folder.

    Each process must open its own. One thread at a time may use it.

    Args:
        folder: Made where it is missing.
        endpoint: Host, port and path: `Endpoint.identity`.
        model: The endpoint's name for the model.
        dimension: Length of every vector.

    Raises:
        CacheError: The file is damaged, of another format, or cannot be opened.
    """

    def __init__(
        self, folder: Path, *, endpoint: str, model: str, dimension: int
    ) -> None:
        self.path = folder / FILE
        self._dimension = dimension
        with self._named():
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path,
                timeout=BUSY_TIMEOUT_S,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            with self._named():
                self._space = self._prepared(endpoint, model)
        except BaseException:
            self._database.close()
            raise

    def find(self, texts: Sequence[bytes]) -> dict[bytes, NDArray[np.float32] | None]:
        """Return what is there: a vector, or None for a text known to be too long.

        Raises:
            CacheError: A vector does not match its checksum, or the file is damaged.
        """
        found: dict[bytes, NDArray[np.float32] | None] = {}
        with self._named():
            for start in range(0, len(texts), _ASKED_AT_ONCE):
                some = texts[start : start + _ASKED_AT_ONCE]
                marks = ", ".join("?" * len(some))
                rows = self._database.execute(
                    "select text, numbers, checksum from vector"
                    f" where space = ? and text in ({marks})",
                    (self._space, *some),
                )
                for text, numbers, checksum in rows:
                    found[text] = self._checked(text, numbers, checksum)
        return found

    def keep(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Put vectors there in one transaction; a text that has one keeps it.

        So several processes that embed a text at the same time agree on its vector if
        they `find` it afterwards.

        Raises:
            CacheError: The file is damaged or cannot be written.
        """
        self._insert(
            (text, row.astype("<f4").tobytes()) for text, row in vectors.items()
        )

    def mark_too_long(self, text: bytes) -> None:
        """Remember that the endpoint found this text too long.

        Raises:
            CacheError: The file is damaged or cannot be written.
        """
        self._insert([(text, b"")])

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._database.close()

    def _insert(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        with self._named(), self._transaction():
            self._database.executemany(
                "insert or ignore into vector (space, text, numbers, checksum)"
                " values (?, ?, ?, ?)",
                ((self._space, *row, zlib.crc32(b"".join(row))) for row in rows),
            )

    def _checked(
        self, text: bytes, numbers: bytes, checksum: int
    ) -> NDArray[np.float32] | None:
        is_whole = len(numbers) in {0, 4 * self._dimension}
        if not is_whole or zlib.crc32(text + numbers) != checksum:
            raise self._damaged(f"the vector of text {text.hex()} is not what was kept")
        return np.frombuffer(numbers, "<f4").astype(np.float32) if numbers else None

    def _prepared(self, endpoint: str, model: str) -> int:
        self._database.execute("pragma journal_mode = wal")
        # A killed process loses nothing by it; only a power cut loses the last batches.
        self._database.execute("pragma synchronous = normal")
        with self._transaction():
            (found,) = self._database.execute("pragma user_version").fetchone()
            if found == 0:
                for statement in _SCHEMA.split(";"):
                    self._database.execute(statement)
                self._database.execute(f"pragma user_version = {FORMAT}")
            elif found != FORMAT:
                raise CacheError(
                    f"the file has format {found}, this harness reads {FORMAT}.",
                    where=str(self.path),
                    remedy=_OTHER_FOLDER,
                )
            names = (endpoint, model, self._dimension)
            self._database.execute(
                "insert or ignore into space (endpoint, model, dimension)"
                " values (?, ?, ?)",
                names,
            )
            (space,) = self._database.execute(
                "select id from space where endpoint = ? and model = ?"
                " and dimension = ?",
                names,
            ).fetchone()
        return int(space)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # Immediate, so that two processes wait for each other and never deadlock.
        self._database.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._database.execute("rollback")
            raise
        self._database.execute("commit")

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Raise what SQLite and the system raise as ours, naming the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._unusable(str(error)) from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from error

    def _damaged(self, how: str) -> CacheError:
        return CacheError(
            f"the embedding cache is damaged: {how}.",
            where=str(self.path),
            remedy=f"Delete it, with its -wal and -shm, to embed anew. {_OTHER_FOLDER}",
        )

    def _unusable(self, how: str) -> CacheError:
        return CacheError(
            f"the embedding cache cannot be used: {how}.",
            where=str(self.path),
            remedy=_OTHER_FOLDER,
        )
