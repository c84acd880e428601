"""A real embedder as a child process, and the few calls that most tests make."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

_FOLDER = Path(__file__).resolve().parents[1]
_ROOT = _FOLDER.parents[1]
_START_S = 20.0
_STOP_S = 10.0
_PROMPT_S = 5.0

MODEL = "trigram-384"


class RunningEmbedder:
    """A started embedder with clients of both ports; leaving the block stops it."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self.log = folder / "embedder.log"
        facts = json.loads((folder / "ready.json").read_text())
        self.address: tuple[str, int] = (facts["host"], facts["port"])
        self.facts = facts
        host = facts["host"]
        self.url = f"http://{host}:{facts['port']}/v1"
        self.data = httpx.Client(base_url=self.url, timeout=_STOP_S, trust_env=False)
        # A connection for each request, and many of them at once.
        self._fresh = httpx.Client(
            base_url=self.url,
            limits=httpx.Limits(max_keepalive_connections=0),
            trust_env=False,
        )
        self.control = httpx.Client(
            base_url=f"http://{host}:{facts['control_port']}/control",
            timeout=_STOP_S,
            trust_env=False,
        )

    @classmethod
    def start(cls, folder: Path, **settings: str) -> Self:
        """Start one and wait until it listens; settings without `EMBEDDER_`."""
        ready = folder / "ready.json"
        ready.unlink(missing_ok=True)
        process = spawn(folder, READY_FILE=str(ready), **settings)
        deadline = time.monotonic() + _START_S
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                process.wait()
                log = (folder / "embedder.log").read_text()
                raise AssertionError(f"the embedder did not listen: {log}")
            time.sleep(0.01)
        return cls(process, folder)

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
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(_STOP_S)
        for client in (self.data, self._fresh, self.control):
            client.close()
        return code

    def post(
        self, texts: str | list[str], model: str = MODEL, **fields: object
    ) -> httpx.Response:
        """Ask for embeddings."""
        return self.data.post(
            "/embeddings", json={"model": model, "input": texts, **fields}
        )

    def embed(
        self, texts: str | list[str], model: str = MODEL, **fields: object
    ) -> list[list[float]]:
        """Ask for embeddings that must come, in order."""
        answer = self.post(texts, model, **fields)
        assert answer.status_code == 200, answer.text
        items = answer.json()["data"]
        assert [item["index"] for item in items] == list(range(len(items)))
        return [item["embedding"] for item in items]

    def ask(self, timeout_s: float = _STOP_S) -> int | str:
        """Ask for three texts on a new connection; return the status or what broke.

        May be called by many threads at once.
        """
        body = {"model": MODEL, "input": ["one", "two", "three"]}
        try:
            answer = self._fresh.post("/embeddings", json=body, timeout=timeout_s)
        except httpx.TransportError as problem:
            return type(problem).__name__
        return answer.status_code

    def turn(self, kind: object, **fields: object) -> None:
        """Switch a fault on, or with `ok` off."""
        answer = self.control.put("/fault", json={"kind": kind, **fields})
        assert answer.status_code == 200, answer.text

    def state(self) -> dict[str, Any]:
        """Return what the control port says."""
        return dict(self.control.get("/state").json())

    def reset(self) -> None:
        """Set the counts to zero."""
        assert self.control.post("/reset").status_code == 200

    def wait_for(self, **wanted: object) -> None:
        """Wait until the state has these values; a while later it is an error."""
        deadline = time.monotonic() + _PROMPT_S
        while True:
            state = self.state()
            got = {name: state[name] for name in wanted}
            if got == wanted:
                return
            assert time.monotonic() < deadline, f"{got} is not {wanted}"
            time.sleep(0.01)


def spawn(
    folder: Path, *, python_path: str = str(_ROOT), **settings: str
) -> subprocess.Popen[bytes]:
    """Start a process on ports that the system picks, logging into *folder*."""
    variables = {"BIND": "127.0.0.1:0", "CONTROL_BIND": "127.0.0.1:0", **settings}
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("EMBEDDER_")
    }
    with (folder / "embedder.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "embedder"],
            cwd=_FOLDER,
            env={
                **inherited,
                "PYTHONPATH": python_path,
                **{f"EMBEDDER_{name}": value for name, value in variables.items()},
            },
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
