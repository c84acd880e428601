"""The kernel's counters in both versions of its control groups, as it writes them."""

import pytest

from harness.runtime.container.resources import groups_of, processor_seconds

VERSION_1 = """\
12:cpuset:/docker/abc
4:cpu,cpuacct:/docker/abc
3:memory:/docker/abc
1:name=systemd:/docker/abc
0::/system.slice/containerd.service
"""
VERSION_2 = "0::/system.slice/docker-abc.scope\n"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("722057327\n", 0.722057327),
        ("usage_usec 1500000\nuser_usec 900000\nsystem_usec 600000\n", 1.5),
        ("user_usec 1 usage_usec 2500000 ", 2.5),
        ("", None),
        (None, None),
        ("usage_usec", None),
        ("not a number", None),
    ],
)
def test_processor_time_is_read_in_seconds(
    text: str | None, seconds: float | None
) -> None:
    assert processor_seconds(text) == seconds


def test_groups_are_found_by_controller_in_version_1() -> None:
    groups = groups_of(VERSION_1)

    assert groups["cpuacct"] == groups["memory"] == "/docker/abc"


def test_the_one_group_of_version_2_has_no_name() -> None:
    assert groups_of(VERSION_2) == {"": "/system.slice/docker-abc.scope"}
