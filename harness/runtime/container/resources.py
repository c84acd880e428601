"""What a container has used up to now: processor time, memory, room for its data.

Read from the kernel's own counters on this machine where they can be seen, which costs
a tenth of a millisecond. Where the engine runs in a machine of its own, or we may not
look, a command inside the container reads the same counters.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import docker.errors

from harness.errors import PrerequisiteError
from harness.runtime.base import Reading
from harness.runtime.container.box import Box

GROUPS = Path("/sys/fs/cgroup")

PROCESSOR_FILES = ("cpuacct.usage", "cpu.stat")
MEMORY_FILES = ("memory.max_usage_in_bytes", "memory.peak")
NOTHING = Reading(cpu_s=None, peak_memory_bytes=None, disk_bytes=None)

NS_PER_S = 10**9
US_PER_S = 10**6

INSIDE = """
for file in cpuacct/cpuacct.usage cpu.stat; do
    [ -r /sys/fs/cgroup/$file ] && echo "cpu $(tr '\\n' ' ' </sys/fs/cgroup/$file)"
done
for file in memory/memory.max_usage_in_bytes memory.peak; do
    [ -r /sys/fs/cgroup/$file ] && echo "memory $(cat /sys/fs/cgroup/$file)"
done
[ -z "$1" ] || echo "disk $(stat -f -c '%b %f %S' "$1")"
"""
"""Reads version 1 and 2 of the kernel's control groups, as a container sees its own."""


@dataclass(frozen=True, slots=True)
class _Counters:
    """Files that hold one container's counters, here on this machine."""

    processor: Path
    memory: Path | None
    data: Path | None

    def read(self) -> Reading:
        return Reading(
            cpu_s=processor_seconds(_text(self.processor)),
            peak_memory_bytes=_whole(_text(self.memory)),
            disk_bytes=_used(self.data),
        )


def reader(box: Box, data: str | None) -> Callable[[], Reading]:
    """Find the cheapest way to read a container's counters, once.

    What cannot be read is ``None`` in each reading; a container that ended gives
    nothing at all, and raises nothing: saying so is the work of its check.

    Args:
        box: The container; it runs.
        data: Folder in it whose growth counts; none where it keeps no data.
    """
    counters = _counters(box.pid, data)
    if counters is not None and counters.read().cpu_s is not None:
        return counters.read
    return lambda: read_inside(box, data)


def read_inside(box: Box, data: str | None) -> Reading:
    """Read the counters with a command in the container."""
    try:
        _, printed = box.run("sh", "-c", INSIDE, "sh", data or "")
    except (PrerequisiteError, docker.errors.NotFound):
        return NOTHING
    lines = dict(line.partition(" ")[::2] for line in printed.splitlines())
    blocks = lines.get("disk", "").split()
    used = None
    if len(blocks) == 3 and all(map(str.isdigit, blocks)):
        total, free, size = map(int, blocks)
        used = (total - free) * size
    return Reading(
        cpu_s=processor_seconds(lines.get("cpu")),
        peak_memory_bytes=_whole(lines.get("memory")),
        disk_bytes=used,
    )


def processor_seconds(text: str | None) -> float | None:
    """Read seconds out of ``cpuacct.usage`` (nanoseconds) or ``cpu.stat``."""
    words = (text or "").split()
    if len(words) == 1 and words[0].isdigit():
        return int(words[0]) / NS_PER_S
    if "usage_usec" in words[:-1]:
        return int(words[words.index("usage_usec") + 1]) / US_PER_S
    return None


def groups_of(text: str) -> Mapping[str, str]:
    """Read ``/proc/PID/cgroup``: controller to path; version 2 has no name."""
    found = {}
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for controller in controllers.split(","):
            found[controller] = path
    return found


def _counters(pid: int, data: str | None) -> _Counters | None:
    if not pid:
        return None
    groups = groups_of(_text(Path(f"/proc/{pid}/cgroup")) or "")
    processor = _first(_candidates(groups, "cpuacct", PROCESSOR_FILES))
    if processor is None:
        return None
    memory = _first(_candidates(groups, "memory", MEMORY_FILES))
    inside = None
    if data is not None:
        inside = Path(f"/proc/{pid}/root{data}")
        if _used(inside) is None:
            # Another user's process: its files are not ours to see.
            return None
    return _Counters(processor, memory, inside)


def _candidates(
    groups: Mapping[str, str], controller: str, names: Iterable[str]
) -> Iterable[Path]:
    folders = []
    if controller in groups:
        folders.append(GROUPS / controller / groups[controller].lstrip("/"))
    if "" in groups:
        folders.append(GROUPS / groups[""].lstrip("/"))
    # Only a group of its own counts: the root's counters are the whole machine's.
    own = (folder for folder in folders if folder not in (GROUPS, GROUPS / controller))
    return (folder / name for folder in own for name in names)


def _first(paths: Iterable[Path]) -> Path | None:
    return next((path for path in paths if _text(path) is not None), None)


def _text(path: Path | None) -> str | None:
    if path is None:
        return None
    with suppress(OSError):
        return path.read_text(encoding="ascii")
    return None


def _whole(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isdigit() else None


def _used(folder: Path | None) -> int | None:
    if folder is None:
        return None
    with suppress(OSError):
        facts = os.statvfs(folder)
        return (facts.f_blocks - facts.f_bfree) * facts.f_frsize
    return None
