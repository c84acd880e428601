"""Sweep a session when its owner is gone without having done so.

A small process reads a pipe from the harness. It is told over it what to sweep and
where; a last word says that nothing is left to do. When the pipe closes without that
word, the harness was killed, and this process removes what it left, within half a
second. It loads the engine's client only then: while a run lasts, it sleeps.

Run as a module: ``python -m harness.runtime.container.reaper``.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from harness.runtime.endpoints import Endpoint

MODULE = "harness.runtime.container.reaper"
DONE = "done"
LEAVE_S = 5.0
DEAF_TO = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Reaper:
    """The watching process, seen from the harness.

    Args:
        endpoint: The engine that holds the session's objects.
        session: The session's id.
    """

    def __init__(self, endpoint: Endpoint, session: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C and a shell's kill go to a whole group: this one must outlive us.
            start_new_session=True,
            cwd="/",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
        )
        certificates = endpoint.certificates and str(endpoint.certificates)
        self._tell(
            json.dumps(
                {"url": endpoint.url, "certificates": certificates, "session": session}
            )
        )

    def dismiss(self) -> None:
        """Say that everything is gone; the process ends."""
        self._tell(DONE)
        self._close()

    def release(self) -> None:
        """Leave the sweeping to it: for when our own could not be finished."""
        self._close()

    def _tell(self, line: str) -> None:
        # A reaper that somebody killed is no fault of the run: the next start sweeps.
        with suppress(BrokenPipeError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def _close(self) -> None:
        with suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            # Still sweeping; it ends by itself. Nobody will ask for its code.
            self._process.returncode = 0


def main() -> None:
    """Wait for the end of the pipe, and sweep unless told that it is done."""
    for number in DEAF_TO:
        signal.signal(number, signal.SIG_IGN)
    lines = sys.stdin.read().splitlines()
    if not lines or lines[-1] == DONE:
        return
    order = json.loads(lines[0])
    folder = order["certificates"]
    endpoint = Endpoint(order["url"], "the reaper", folder and Path(folder))
    _sweep(endpoint, order["session"])


def _sweep(endpoint: Endpoint, session: str) -> None:
    # Here and not above: 150 ms of work that a run which ends well never needs.
    from harness.runtime.container.sweep import sweep_session  # noqa: PLC0415
    from harness.runtime.engine import probe  # noqa: PLC0415

    client = probe(endpoint, timeout_s=30.0).client()
    try:
        sweep_session(client, session, until_quiet=True)
    finally:
        client.close()


if __name__ == "__main__":
    main()
