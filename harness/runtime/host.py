"""Facts about the machine that runs the harness, read from where the kernel puts them.

Nothing here identifies a machine or a user: no host name, no address, no path.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from harness.report.model import HostFacts

NO_LIMIT_BYTES = 2**60
"""Above this, cgroup v1's memory limit means that there is none."""


def read_host(root: Path = Path("/")) -> HostFacts:
    """Collect what is known of this machine; what is not known is ``None``.

    Args:
        root: Where ``proc`` and ``sys`` lie; another folder in tests.
    """
    proc = root / "proc"
    cgroups = root / "sys" / "fs" / "cgroup"
    membership = _text(proc / "self" / "cgroup") or ""
    return HostFacts(
        cpu=cpu_model(_text(proc / "cpuinfo") or "") or _sysctl_cpu(),
        cores=_usable_cores(),
        memory_bytes=memory_bytes(_text(proc / "meminfo") or "") or _sysconf_memory(),
        kernel=f"{platform.system()} {platform.release()}".strip() or None,
        python=_python(),
        cgroup_cpus=cgroup_cpus(cgroups, membership),
        cgroup_memory_bytes=cgroup_memory_bytes(cgroups, membership),
    )


def cpu_model(cpuinfo: str) -> str | None:
    """Find the processor's name in the text of ``/proc/cpuinfo``.

    x86 calls it ``model name``; small Arm boards name the board under ``Model``, and
    many Arm servers name nothing at all.
    """
    for wanted in ("model name", "cpu model", "Hardware", "Model", "cpu"):
        for line in cpuinfo.splitlines():
            name, _, value = line.partition(":")
            if name.strip() == wanted and value.strip():
                return " ".join(value.split())
    return None


def memory_bytes(meminfo: str) -> int | None:
    """Find the machine's memory in the text of ``/proc/meminfo``."""
    for line in meminfo.splitlines():
        name, _, value = line.partition(":")
        if name == "MemTotal":
            return int(value.split()[0]) * 1024
    return None


def cgroup_cpus(root: Path, membership: str) -> float | None:
    """Find how many processors' time we may use; ``None`` where there is no limit.

    Args:
        root: Where the cgroup file systems are mounted.
        membership: Text of ``/proc/self/cgroup``.
    """
    limits = []
    for folder in _folders(root, membership, "cpu"):
        with suppress(OSError, ValueError, IndexError, ZeroDivisionError):
            if (folder / "cpu.max").exists():  # version 2: "max 100000"
                quota, period = (folder / "cpu.max").read_text().split()[:2]
            else:
                quota = (folder / "cpu.cfs_quota_us").read_text()
                period = (folder / "cpu.cfs_period_us").read_text()
            if quota != "max" and int(quota) > 0:
                limits.append(int(quota) / int(period))
    return min(limits, default=None)


def cgroup_memory_bytes(root: Path, membership: str) -> int | None:
    """Find how much memory we may use; ``None`` where there is no limit.

    Args:
        root: Where the cgroup file systems are mounted.
        membership: Text of ``/proc/self/cgroup``.
    """
    limits = []
    for folder in _folders(root, membership, "memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            with suppress(OSError, ValueError):
                limit = int((folder / name).read_text())
                if limit < NO_LIMIT_BYTES:
                    limits.append(limit)
    return min(limits, default=None)


def _folders(root: Path, membership: str, controller: str) -> Iterator[Path]:
    """Walk from our own cgroup up to the root: the tightest limit on the way binds.

    In a container the path may be that of the host and not exist here; the walk then
    starts where the file system is mounted, which is the container's own group.
    """
    for line in membership.splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            mount = root
        elif controller in controllers.split(","):
            mount = root / controller
        else:
            continue
        inside = mount / path.strip("/")
        for folder in (inside, *inside.parents):
            yield folder
            if folder == mount:
                break


def _usable_cores() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _python() -> str:
    debug = " debug build" if hasattr(sys, "gettotalrefcount") else ""
    return f"{platform.python_implementation()} {platform.python_version()}{debug}"


def _sysconf_memory() -> int | None:
    with suppress(ValueError, OSError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _sysctl_cpu() -> str | None:
    if platform.system() != "Darwin":
        return platform.processor() or None
    with suppress(OSError, subprocess.CalledProcessError):
        command = ("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string")
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.strip()
    return None


def _text(path: Path) -> str | None:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return None
