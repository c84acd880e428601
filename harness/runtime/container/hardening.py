"""What a container may not do, in one place, as arguments of the engine's client.

All containers get the same: a user of their own, nothing to write to but named tmpfs
folders, no capability, no way to gain one, and a ceiling on memory, processors and
processes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from docker.types import LogConfig, Mount

MIB = 2**20
GIB = 2**30

NETWORK_OPTIONS: Mapping[str, str] = {
    # Nothing inside reaches the world: packets that leave carry an address that
    # nobody answers. An `internal` network would publish no port at all.
    "com.docker.network.bridge.enable_ip_masquerade": "false",
    # Should a port ever be published without an address, it is loopback all the same.
    "com.docker.network.bridge.host_binding_ipv4": "127.0.0.1",
}

TMPFS_RULES = "rw,noexec,nosuid,nodev"
LOG_BYTES = "16m"


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one container.

    Attributes:
        memory_bytes: Of memory, what lies in its tmpfs folders included; no swap.
        cpus: Processors' worth of time.
        pids: Processes and threads.
        shm_bytes: Of shared memory, beside the other tmpfs folders.
    """

    memory_bytes: int
    cpus: int
    pids: int
    shm_bytes: int = 64 * MIB


@dataclass(frozen=True, slots=True)
class Writable:
    """A folder in memory that the container's user owns."""

    path: str
    size_bytes: int
    mode: int = 0o700

    def options(self, user: str) -> str:
        """Write the mount options; *user* is ``uid:gid``, in numbers."""
        uid, _, gid = user.partition(":")
        size = f"size={self.size_bytes},mode={self.mode:04o}"
        return f"{TMPFS_RULES},{size},uid={uid},gid={gid or uid}"


def postgres_limits(memory_bytes: int, cpus: int) -> Limits:
    """Share out a machine: half of its memory, since the data lies in memory too.

    Args:
        memory_bytes: What the engine's machine has.
        cpus: The engine's processors.
    """
    return Limits(
        memory_bytes=min(memory_bytes // 2, 8 * GIB),
        cpus=min(cpus, 4),
        pids=256,
        # A parallel index build takes as much as maintenance_work_mem from here.
        shm_bytes=512 * MIB,
    )


def daemon_limits(memory_bytes: int, cpus: int) -> Limits:
    """Share out a machine: a quarter of its memory for the daemon."""
    return Limits(
        memory_bytes=min(memory_bytes // 4, 4 * GIB), cpus=min(cpus, 4), pids=128
    )


def embedder_limits(memory_bytes: int, cpus: int) -> Limits:
    """Share out a machine: an eighth of its memory for the embedder."""
    return Limits(
        memory_bytes=min(memory_bytes // 8, GIB),
        cpus=min(cpus, 2),
        # NumPy alone may start 64 threads, whatever share of the processors it has.
        pids=128,
    )


def restrictions(limits: Limits, user: str) -> dict[str, object]:
    """Give the engine's arguments that hold for every container of ours."""
    return {
        "user": user,
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "mem_limit": limits.memory_bytes,
        # Equal to the memory: a run that swaps measures the disk.
        "memswap_limit": limits.memory_bytes,
        "nano_cpus": limits.cpus * 10**9,
        "pids_limit": limits.pids,
        "shm_size": limits.shm_bytes,
        # An image's own health check would run commands in the middle of a measurement.
        "healthcheck": {"test": ["NONE"]},
        # The client's configuration may name a proxy with a password in it.
        "use_config_proxy": False,
        "log_config": LogConfig(
            type="json-file", config={"max-size": LOG_BYTES, "max-file": "1"}
        ),
    }


def read_only_file(source: str, target: str) -> Mount:
    """Mount one file; an engine that cannot see it refuses, and makes no folder."""
    return Mount(target=target, source=source, type="bind", read_only=True)
