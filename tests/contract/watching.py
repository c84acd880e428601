"""Whether processes that a test started still do anything."""

import subprocess
import time


def is_running(pid: int) -> bool:
    """Tell whether a process still does anything; a zombie does not."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


def still_running(processes: dict[str, int], limit_s: float = 2.0) -> list[str]:
    """Name those that run on after *limit_s* seconds; empty as soon as none does."""
    give_up = time.monotonic() + limit_s
    while True:
        left = [name for name, pid in processes.items() if is_running(pid)]
        if not left or time.monotonic() > give_up:
            return left
        time.sleep(0.02)
