"""What every container is started with, and how a machine is shared out."""

import pytest

from harness.runtime.container.hardening import (
    GIB,
    Limits,
    Writable,
    daemon_limits,
    embedder_limits,
    postgres_limits,
    restrictions,
)


def test_no_restriction_is_left_out() -> None:
    limits = Limits(memory_bytes=GIB, cpus=2, pids=100)

    assert (
        restrictions(limits, "5:6").items()
        >= {
            "user": "5:6",
            "read_only": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges:true"],
            "mem_limit": GIB,
            "memswap_limit": GIB,
            "nano_cpus": 2_000_000_000,
            "pids_limit": 100,
            "use_config_proxy": False,
        }.items()
    )


def test_writable_folder_belongs_to_the_user_and_runs_nothing() -> None:
    options = Writable("/data", 4096).options("999:998").split(",")

    assert {"noexec", "nosuid", "nodev", "size=4096", "mode=0700"} <= set(options)
    assert {"uid=999", "gid=998"} <= set(options)


@pytest.mark.parametrize("memory", [4 * GIB, 7 * GIB, 256 * GIB])
@pytest.mark.parametrize("cpus", [1, 2, 64])
def test_all_together_fit_the_machine(memory: int, cpus: int) -> None:
    shares = (
        postgres_limits(memory, cpus),
        daemon_limits(memory, cpus),
        embedder_limits(memory, cpus),
    )

    assert sum(share.memory_bytes for share in shares) <= memory
    assert all(1 <= share.cpus <= cpus for share in shares)
