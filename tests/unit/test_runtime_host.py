"""Host facts, read from texts as kernels write them."""

from pathlib import Path

import pytest

from harness.runtime.host import (
    cgroup_cpus,
    cgroup_memory_bytes,
    cpu_model,
    memory_bytes,
    read_host,
)

X86 = """processor\t: 0
vendor_id\t: GenuineIntel
model\t\t: 106
model name\t: Intel(R) Xeon(R)   Platinum 8370C CPU @ 2.80GHz
processor\t: 1
model name\t: Intel(R) Xeon(R)   Platinum 8370C CPU @ 2.80GHz
"""
PI = "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n"
ARM_SERVER = "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (X86, "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz"),
        (PI, "Raspberry Pi 5 Model B Rev 1.0"),
        (ARM_SERVER, None),
        ("", None),
    ],
)
def test_cpu_is_named_as_the_kernel_names_it(text: str, wanted: str | None) -> None:
    assert cpu_model(text) == wanted


def test_memory_is_bytes() -> None:
    meminfo = "MemFree:  10 kB\nMemTotal:       24684096 kB\nMemAvailable: 1 kB\n"
    got = memory_bytes("MemFree: 1 kB\n"), memory_bytes(meminfo)
    assert got == (None, 24684096 * 1024)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return root


def test_version_2_limits_are_read(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {"box/cpu.max": "150000 100000\n", "box/memory.max": "2147483648\n"},
    )
    assert cgroup_cpus(root, "0::/box\n") == 1.5
    assert cgroup_memory_bytes(root, "0::/box\n") == 2 * 2**30


def test_tightest_limit_on_the_way_up_binds(tmp_path: Path) -> None:
    files = {
        "pod/cpu.max": "50000 100000\n",
        "pod/memory.max": "1000\n",
        "pod/box/cpu.max": "max 100000\n",
        "pod/box/memory.max": "max\n",
    }
    root = write(tmp_path, files)
    assert cgroup_cpus(root, "0::/pod/box\n") == 0.5
    assert cgroup_memory_bytes(root, "0::/pod/box\n") == 1000


def test_no_limit_is_none(tmp_path: Path) -> None:
    root = write(tmp_path, {"cpu.max": "max 100000\n", "memory.max": "max\n"})
    assert cgroup_cpus(root, "0::/\n") is None
    assert cgroup_memory_bytes(root, "0::/\n") is None


V1 = "4:memory:/docker/ab\n2:cpu,cpuacct:/docker/ab\n1:name=systemd:/\n0::/\n"


def test_version_1_limits_are_read(tmp_path: Path) -> None:
    files = {
        "cpu/docker/ab/cpu.cfs_quota_us": "200000\n",
        "cpu/docker/ab/cpu.cfs_period_us": "100000\n",
        "memory/docker/ab/memory.limit_in_bytes": "536870912\n",
    }
    root = write(tmp_path, files)
    assert cgroup_cpus(root, V1) == 2.0
    assert cgroup_memory_bytes(root, V1) == 512 * 2**20


def test_version_1_path_of_the_host_falls_back_to_the_mount(tmp_path: Path) -> None:
    files = {
        "cpu/cpu.cfs_quota_us": "100000\n",
        "cpu/cpu.cfs_period_us": "100000\n",
        "memory/memory.limit_in_bytes": "1048576\n",
    }
    root = write(tmp_path, files)
    assert cgroup_cpus(root, V1) == 1.0
    assert cgroup_memory_bytes(root, V1) == 2**20


def test_version_1_says_no_limit_with_minus_one_and_a_huge_number(
    tmp_path: Path,
) -> None:
    files = {
        "cpu/cpu.cfs_quota_us": "-1\n",
        "cpu/cpu.cfs_period_us": "100000\n",
        "memory/memory.limit_in_bytes": "9223372036854771712\n",
    }
    root = write(tmp_path, files)
    assert cgroup_cpus(root, V1) is None
    assert cgroup_memory_bytes(root, V1) is None


def test_a_machine_that_tells_nothing_is_still_described(tmp_path: Path) -> None:
    facts = read_host(tmp_path)
    assert facts.python.startswith(("CPython 3.", "PyPy 3."))
    assert facts.cgroup_cpus is None
    assert facts.cores is not None
    assert facts.cores >= 1
