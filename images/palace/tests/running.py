"""A real daemon as a child process, and the few calls that most tests make."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

_ROOT = Path(__file__).parent.parent
_START_S = 30.0
_STOP_S = 20.0


class RunningDaemon:
    """A started daemon with a client; leaving the block stops it."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, log: Path) -> None:
        self.process = process
        self.url = url
        self.client = httpx.Client(base_url=url, timeout=30, trust_env=False)
        self._log = log

    @classmethod
    def start(
        cls,
        database_url: str,
        folder: Path,
        *,
        flags: Sequence[str] = (),
        **settings: str,
    ) -> Self:
        """Start a daemon and wait until it listens; settings without `PALACE_`."""
        ready, log = folder / "ready.json", folder / "daemon.log"
        ready.unlink(missing_ok=True)
        process = spawn(
            database_url, log, flags=flags, READY_FILE=str(ready), **settings
        )
        deadline = time.monotonic() + _START_S
        while not ready.exists():
            if process.poll() is not None:
                raise AssertionError(
                    f"the daemon exited with {process.returncode}: {log.read_text()}"
                )
            if time.monotonic() > deadline:
                process.kill()
                process.wait()
                raise AssertionError(f"the daemon did not listen: {log.read_text()}")
            time.sleep(0.01)
        address = json.loads(ready.read_text())
        return cls(process, f"http://{address['host']}:{address['port']}", log)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, unless it has exited, and return the exit code."""
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(_STOP_S)

    def events(self) -> list[dict[str, Any]]:
        """Return what it has logged, one object a line."""
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def create(
        self, content: str, *, wing: str = "w", room: str = "r", **fields: object
    ) -> dict[str, Any]:
        """Create a drawer that must be new, and return it."""
        answer = self.client.post(
            f"/api/wings/{wing}/rooms/{room}/drawers",
            json={"content": content, **fields},
        )
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def supersede(self, drawer: str, content: str | None) -> dict[str, Any]:
        """Supersede a drawer and return the answer."""
        answer = self.client.post(
            f"/api/drawers/{drawer}/supersede", json={"content": content}
        )
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def mention(self, drawer: str, name: str, kind: str = "person") -> dict[str, Any]:
        """Link an entity to a drawer and return the answer."""
        answer = self.client.post(
            f"/api/drawers/{drawer}/mentions", json={"name": name, "kind": kind}
        )
        assert answer.status_code in (200, 201), answer.text
        return dict(answer.json())

    def search(self, **fields: object) -> httpx.Response:
        """Search; the answer must be 200."""
        answer = self.client.post("/api/search", json=fields)
        assert answer.status_code == 200, answer.text
        return answer

    def found(self, **fields: object) -> list[str]:
        """Search and return the ids of the hits, best first."""
        return [hit["id"] for hit in self.search(**fields).json()]

    def now(self) -> str:
        """Return the daemon's clock."""
        return str(self.client.get("/api/status").json()["now"])


def spawn(
    database_url: str, log: Path, *, flags: Sequence[str] = (), **settings: str
) -> subprocess.Popen[bytes]:
    """Start a daemon's process without waiting for it; its log goes to a file."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PALACE_")
    }
    named = {f"PALACE_{name}": value for name, value in settings.items()}
    environment = {
        "PALACE_DATABASE_URL": database_url,
        "PALACE_BIND": "127.0.0.1:0",
        "PALACE_AUTO_INDEX_AFTER_S": "0",
        **named,
    }
    with log.open("wb") as sink:
        return subprocess.Popen(
            [sys.executable, *flags, "-m", "palace"],
            cwd=_ROOT,
            env={**inherited, **environment},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
        )


def axis(place: int, dimension: int = 768) -> list[float]:
    """Return the unit vector along one axis."""
    return [float(number == place) for number in range(dimension)]


def blend(*weights: float, dimension: int = 768) -> list[float]:
    """Return a vector with these first components, the rest 0."""
    return [*weights, *[0.0] * (dimension - len(weights))]
