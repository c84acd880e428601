"""Whole ``harness longmemeval`` commands in their own place, and what they leave."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.haystacks import write_haystacks
from harness.report.quality import quality_json
from harness.report.store import load
from harness.runtime.folders import PREFIX

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 120.0


@dataclass(frozen=True)
class Place:
    """Temporary files, a data file and reports, where nothing else writes."""

    top: Path
    data: Path

    @property
    def temporary(self) -> Path:
        """The temporary folder of every command."""
        return self.top / "tmp"

    @property
    def environment(self) -> dict[str, str]:
        """Variables of every command."""
        return dict(os.environ) | {"TMPDIR": str(self.temporary)}

    def report(self, name: str) -> Path:
        """Name the file of a report; its journals lie beside it."""
        return self.top / name / "report.json"

    def start(self, name: str, *options: str) -> subprocess.Popen[str]:
        """Start a command that measures the data file."""
        report = self.report(name)
        report.parent.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "harness", "longmemeval", str(self.data)]
        return subprocess.Popen(
            [*command, "--runtime", "embedded", "--out", str(report), *options],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, name: str, *options: str) -> bytes:
        """Run such a command to its end; return the quality view of its report."""
        process = self.start(name, *options)
        _, errors = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, errors
        return self.quality(name)

    def quality(self, name: str) -> bytes:
        """Return the quality view of a report, with scores."""
        return quality_json(load(self.report(name)), evidence=True)

    def journals(self, name: str) -> list[Path]:
        """List the journals beside a report."""
        return sorted(self.report(name).parent.glob("*.jsonl"))

    def asked(self, name: str) -> int:
        """Count the questions in the journals beside a report."""
        return sum(
            path.read_bytes().count(b'\n{"kind":"question"')
            for path in self.journals(name)
        )

    def await_asked(self, name: str, process: subprocess.Popen[str], more: int) -> None:
        """Wait until a command has asked some more questions, or has ended."""
        give_up = time.monotonic() + LIMIT_S
        wanted = self.asked(name) + more
        while self.asked(name) < wanted and process.poll() is None:
            assert time.monotonic() < give_up
            time.sleep(0.02)

    def processes(self) -> dict[int, str]:
        """Find what runs for any command here: by its folders in argument or variable.

        A zombie has neither.
        """
        mark, found = str(self.temporary), {}
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                said = [*process.cmdline(), *process.environ().values()]
                if any(mark in each for each in said):
                    found[process.pid] = " ".join(process.cmdline())
        return found

    def left(self, limit_s: float = 10.0) -> list[str]:
        """Name processes and folders that stay; empty as soon as there are none."""
        give_up = time.monotonic() + limit_s
        while True:
            folders = [path.name for path in self.temporary.glob(f"{PREFIX}*")]
            left = [*self.processes().values(), *folders]
            if not left or time.monotonic() > give_up:
                return left
            time.sleep(0.1)


@contextmanager
def a_place(questions: int, scale: float) -> Iterator[Place]:
    """Make a place with a generated data file, and remove it at the end."""
    # Not pytest's own: that is too long for a socket and closed to other accounts.
    top = Path(tempfile.mkdtemp(prefix="mht-"))
    top.chmod(0o755)
    place = Place(top, top / "haystacks.json")
    place.temporary.mkdir()
    place.temporary.chmod(0o1777)
    try:
        write_haystacks(place.data, questions, scale=scale)
        yield place
    finally:
        shutil.rmtree(top)
