"""Who started a container, written so that anybody can tell whether he still lives.

A process id alone is reused, and means nothing after a restart or in another
namespace. So the label says which boot the process belongs to and when it started, and
a second one which machine and which namespace of process ids it was seen in. Where
these do not tell, the owner counts as alive: a leftover costs disk, a swept live run
costs somebody's measurement.
"""

import hashlib
import os
import platform
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

PROC = Path("/proc")
MACHINE_ID = Path("/etc/machine-id")
STARTED_FIELD = 19
"""Place of the start time among the fields after the name in ``/proc/PID/stat``."""

ENDED_STATES = ("Z", "X")
"""A process that ended and was not asked for yet owns nothing any more."""

Life = Literal["alive", "dead", "unknown"]


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that owns what carries its labels.

    Attributes:
        pid: Its process id.
        boot: Random id of the boot it ran in; the host's name where there is none.
        started: When it started, in a form that only equality is asked of.
        place: Machine and namespace of process ids, ``machine:namespace``.
    """

    pid: int
    boot: str
    started: str
    place: str

    def __str__(self) -> str:
        return f"{self.pid}@{self.boot}@{self.started}"

    @classmethod
    def ourselves(cls) -> "Owner":
        """Describe the process that calls."""
        pid = os.getpid()
        return cls(pid, _boot(), started(pid) or "", _place())

    @classmethod
    def parse(cls, text: str, place: str) -> "Owner | None":
        """Read the labels back; none where they are not ours."""
        pid, _, rest = text.partition("@")
        boot, _, since = rest.rpartition("@")
        if not (pid.isascii() and pid.isdigit() and boot and since and place):
            return None
        return cls(int(pid), boot, since, place)

    def life(self) -> Life:
        """Tell whether the process lives, as far as can be seen from here."""
        machine, _, namespace = self.place.partition(":")
        our_machine, _, our_namespace = _place().partition(":")
        if self.boot != _boot():
            # The same machine has been started anew since; another one tells nothing.
            return "dead" if machine and machine == our_machine else "unknown"
        if namespace != our_namespace:
            return "unknown"
        return "alive" if started(self.pid) == self.started else "dead"


def started(pid: int) -> str | None:
    """Say when the process *pid* started; none where it ended or never was."""
    if PROC.joinpath("self").exists():
        return _started_by_proc(pid)
    ended = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.defpath, "LC_ALL": "C"},
    )
    return "-".join(ended.stdout.split()) or None


def _started_by_proc(pid: int) -> str | None:
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in brackets may itself hold brackets and spaces.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in ENDED_STATES else fields[STARTED_FIELD]


@cache
def _boot() -> str:
    with suppress(OSError):
        boot = PROC / "sys" / "kernel" / "random" / "boot_id"
        return boot.read_text(encoding="ascii").strip()
    return platform.node() or "host"


@cache
def _place() -> str:
    machine = ""
    with suppress(OSError):
        machine = MACHINE_ID.read_text(encoding="ascii").strip()
    # Hashed: the id of a machine is to be kept from whoever may list containers.
    digest = hashlib.sha256(machine.encode()).hexdigest()[:16] if machine else ""
    namespace = ""
    with suppress(OSError):
        namespace = str((PROC / "self" / "ns" / "pid").stat().st_ino)
    return f"{digest}:{namespace}"
