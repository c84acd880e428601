"""Making a root file system leaves nothing behind, however it ends."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.runtime.images.debian import WORK_PREFIX
from tests.docker.lacking import lacking

pytestmark = pytest.mark.docker

SCRIPT = """
import sys
from pathlib import Path
from harness.runtime.images.catalogue import Account, Debian, Root
from harness.runtime.images.debian import make_root
root = Root(account=Account(name="someone", id=5, home="/nonexistent"))
make_root(root, Debian(suite="trixie"), Path(sys.argv[1]), epoch=1, pinned={})
"""

PLACES = (Path("/dev/shm"), Path("/tmp"))


def left_by(pid: int) -> list[Path]:
    """List the work folders of a process."""
    return [left for place in PLACES for left in place.glob(f"{WORK_PREFIX}{pid}-*")]


def working_in(folder: Path) -> list[str]:
    """List the processes whose arguments name a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(folder) in arguments:
            found.append(arguments)
    return found


@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_a_build_that_is_ended_takes_its_processes_along(
    tmp_path: Path, name: str
) -> None:
    if shutil.which("mmdebstrap") is None:
        lacking("mmdebstrap is not installed")
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "root.tar")]
    process = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not any(list(f.glob("mmdebstrap.*/*")) for f in left_by(process.pid)):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    (folder,) = left_by(process.pid)
    time.sleep(2)

    process.send_signal(signal.Signals[name])
    code = process.wait(60)
    deadline = time.monotonic() + 30
    while working_in(folder) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert code != 0
    assert working_in(folder) == []
    assert not (tmp_path / "root.tar").exists()
    if name == "SIGINT":
        assert left_by(process.pid) == []
    else:
        # The next build takes it away; nobody of this one lives to do it.
        assert list(folder.glob("mmdebstrap.*")) == []
        shutil.rmtree(folder, ignore_errors=True)
