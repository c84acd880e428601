"""How much of a whole `just eval` is neither starting, seeding nor asking."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bench import Row


def overhead() -> Row:
    """Run the command as a person does, three times; the median run counts."""
    shares = sorted(_one_run() for _ in range(3))
    share, wall, inside = shares[1]
    return Row(
        "a whole `just eval`, debug build",
        f"wall {wall:.2f} s",
        f"starting, seeding and asking {inside:.2f} s",
        share,
        "at most 20 % outside them",
        share <= 0.2,
    )


def _one_run() -> tuple[float, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "harness", "eval", "--out", str(report)],
            check=True,
            capture_output=True,
        )
        wall = time.perf_counter() - began
        phases = json.loads(report.read_bytes())["phases"]
    inside = sum(phase["seconds"] for phase in phases)
    return (wall - inside) / wall, wall, inside
