"""Whose a container is, and whether he lives: never "dead" without a proof."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.runtime.container import owner as module
from harness.runtime.container.owner import Owner, started
from harness.runtime.container.session import (
    OWNER_LABEL,
    PLACE_LABEL,
    Session,
    owner_of,
)

US = Owner.ourselves()


def test_we_are_alive() -> None:
    assert US.life() == "alive"


def test_labels_are_read_back_as_they_were_written() -> None:
    session = Session.begin()

    assert owner_of(session.labels) == session.owner == US


def test_two_sessions_of_one_process_are_told_apart() -> None:
    assert Session.begin().id != Session.begin().id


def test_process_that_ended_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    since = started(child.pid)
    assert since is not None
    owner = replace(US, pid=child.pid, started=since)
    assert owner.life() == "alive"

    child.communicate()

    assert owner.life() == "dead"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="seen in /proc only")
def test_process_that_nobody_asked_for_yet_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    since = started(child.pid) or "0"
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    assert replace(US, pid=child.pid, started=since).life() == "dead"
    child.wait()


def test_process_id_that_was_given_to_another_is_dead() -> None:
    assert replace(US, started="1").life() == "dead"


def test_owner_from_before_a_restart_of_this_machine_is_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_place", lambda: "machine:1")

    assert replace(US, boot="earlier", place="machine:1").life() == "dead"


@pytest.mark.parametrize("place", ["another:1", ":1"])
def test_owner_on_another_or_an_unnamed_machine_cannot_be_judged(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_place", lambda: "machine:1")

    assert replace(US, boot="another", place=place).life() == "unknown"


def test_owner_in_another_namespace_cannot_be_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_place", lambda: "machine:1")

    assert replace(US, pid=1, place="machine:2").life() == "unknown"


@pytest.mark.parametrize(
    "labels",
    [
        {},
        {OWNER_LABEL: "1@boot@2"},
        {OWNER_LABEL: "1@boot", PLACE_LABEL: "m:1"},
        {OWNER_LABEL: "x@boot@2", PLACE_LABEL: "m:1"},
        {OWNER_LABEL: "1@@2", PLACE_LABEL: "m:1"},
    ],
)
def test_labels_that_are_not_whole_name_nobody(labels: dict[str, str]) -> None:
    assert owner_of(labels) is None


def test_place_gives_no_machine_id_away() -> None:
    machine_id = Path("/etc/machine-id")
    if not machine_id.exists() or not machine_id.read_text().strip():
        pytest.skip("this machine has no id to give away")

    assert machine_id.read_text().strip() not in US.place
