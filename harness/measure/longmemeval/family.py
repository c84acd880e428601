"""The journals of one run: its own, and one for each worker that took a part of it.

A run may be killed with two workers and gone on with three, or with none. So what is
left to ask is told from all journals together, and so is the report.
"""

import fcntl
import os
import re
from collections.abc import Callable
from pathlib import Path

from harness.errors import UsageError
from harness.measure.longmemeval.journal import GO_ON, read_journal, require_same
from harness.measure.longmemeval.plan import LongMemEvalPlan

QUESTION = b'{"kind":"question"'
"""How the line of a question begins."""

LETTING_GO_S = 30.0
"""How long workers whose parent was killed may take to clear up."""
POLL_S = 0.1


def shard_journal(journal: Path, number: int) -> Path:
    """Name the journal of one worker, beside the run's own."""
    return journal.with_name(f"{journal.stem}.shard-{number}{journal.suffix}")


def shard_journals(journal: Path) -> list[Path]:
    """List the journals of workers that there are, by their number."""
    stem, suffix = re.escape(journal.stem), re.escape(journal.suffix)
    name = re.compile(rf"{stem}\.shard-(\d+){suffix}")
    if not journal.parent.is_dir():
        return []
    numbers = [
        int(match[1])
        for path in journal.parent.iterdir()
        if (match := name.fullmatch(path.name))
    ]
    return [shard_journal(journal, number) for number in sorted(numbers)]


def journals_of(journal: Path) -> list[Path]:
    """List the journals of a run that hold anything; its own where none does."""
    every = [journal, *shard_journals(journal)]
    return [path for path in every if _size(path)] or [journal]


def left_to_ask(plan: LongMemEvalPlan, journal: Path) -> frozenset[int]:
    """Tell which questions have no outcome in any journal of the run, or a failed one.

    Raises:
        UsageError: One is of another run.
        ReportFormatError: One cannot be read.
    """
    done: set[int] = set()
    for path in journals_of(journal):
        if not _size(path):
            continue
        content = read_journal(path)
        if content.header is not None:
            require_same(content.header.fingerprint, plan.fingerprint(), path)
        done |= content.done
    return frozenset(range(plan.questions)) - done


def forget(journal: Path) -> None:
    """Remove the journals of a run."""
    for path in (journal, *shard_journals(journal)):
        path.unlink(missing_ok=True)


def await_free(path: Path, pause: Callable[[float], None]) -> None:
    """Wait until nobody writes a journal any more.

    Workers whose parent was killed are still ending their daemons when the same
    command runs again.

    Raises:
        UsageError: Somebody goes on writing it.
    """
    if not path.exists():
        return
    descriptor = os.open(path, os.O_RDWR)
    try:
        waited = 0.0
        while not _locked(descriptor):
            if waited > LETTING_GO_S:
                raise UsageError(
                    "another run is writing this journal.",
                    where=str(path),
                    remedy=GO_ON,
                )
            pause(POLL_S)
            waited += POLL_S
    finally:
        os.close(descriptor)


class Tail:
    """The whole lines that come to a journal, as they come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # A torn last line will be cut off by whoever writes on.
        self._at = path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0

    def lines(self) -> bytes:
        """Return what came since the last time, up to the last whole line."""
        if _size(self._path) <= self._at:
            return b""
        with self._path.open("rb") as file:
            file.seek(self._at)
            data = file.read()
        data = data[: data.rfind(b"\n") + 1]
        self._at += len(data)
        return data


def questions_in(lines: bytes) -> int:
    """Count the questions among whole lines of a journal."""
    return sum(line.startswith(QUESTION) for line in lines.splitlines())


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # some network file systems have no locks
    return True
