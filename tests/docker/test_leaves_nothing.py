"""However a run ends, the engine has afterwards what it had before, and no more."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar

import docker
import pytest

from harness.runtime.container.session import Session
from harness.runtime.container.sweep import sweep_session
from harness.runtime.containers import ContainerSetup, ContainersRuntime, sweep
from harness.runtime.engine import Engine
from tests.docker.leftovers import CLONE, Thing, a_setup, everything, ours

pytestmark = pytest.mark.docker

KILLS = 20
LONGEST_START_S = 4.0
REAPED_WITHIN_S = 10.0

HARNESS = """
import sys, time
from harness.runtime.containers import ContainersRuntime
from harness.runtime.engine import discover
from harness.runtime.signals import Terminated, unwinding
from tests.docker.leftovers import a_setup
try:
    with unwinding():
        setup = a_setup(discover(), "release")
        print(setup.session.id, flush=True)
        with ContainersRuntime(setup, reason="a test"):
            print("ready", flush=True)
            time.sleep(60)
except Terminated as ended:
    sys.exit(ended.exit_code)
"""


class Harness:
    """A harness of its own, to be ended from outside."""

    sessions: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HARNESS],
            env={**os.environ, "PYTHONPATH": str(CLONE)},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.session = self._line()
        self.sessions.append(self.session)

    def await_ready(self) -> None:
        """Wait until its daemon answers."""
        assert self._line() == "ready"

    def reaper(self) -> int | None:
        """Find the process that watches over it; none where there is none yet."""
        listed = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "-f", "container.reaper"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        return int(listed[0]) if listed else None

    def end(self, number: signal.Signals) -> int:
        """Send it a signal, wait, and give its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@pytest.fixture(scope="module")
def setup(engine: Engine) -> ContainerSetup:
    return a_setup(engine, "release")


@pytest.fixture
def before(engine: Engine, client: docker.DockerClient) -> Iterator[set[Thing]]:
    sweep(engine)
    found = everything(client)
    yield found
    # A test that fails must not make the next ones fail; nobody else's run is touched.
    while Harness.sessions:
        with suppress(docker.errors.APIError):
            sweep_session(client, Harness.sessions.pop())


def anew(setup: ContainerSetup) -> ContainerSetup:
    """Give a setup of the same images for a session of its own."""
    return replace(setup, session=Session.begin())


def test_normal_end_leaves_nothing(
    setup: ContainerSetup, client: docker.DockerClient, before: set[Thing]
) -> None:
    again = anew(setup)
    with ContainersRuntime(again, reason="a test"):
        assert sorted(ours(client, again.session)) == [
            "container",
            "container",
            "network",
        ]
    assert everything(client) - before == set()


def test_exception_leaves_nothing(
    setup: ContainerSetup, client: docker.DockerClient, before: set[Thing]
) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        ContainersRuntime(anew(setup), reason="a test"),
    ):
        raise ZeroDivisionError
    assert everything(client) - before == set()


@pytest.mark.parametrize("moment_s", [0.1, 0.4, 0.8, 1.6, None])
@pytest.mark.parametrize(
    ("number", "codes"),
    [
        (signal.SIGINT, {-signal.SIGINT}),
        (signal.SIGTERM, {128 + signal.SIGTERM}),
    ],
)
def test_signals_leave_nothing(
    client: docker.DockerClient,
    before: set[Thing],
    number: signal.Signals,
    codes: set[int],
    moment_s: float | None,
) -> None:
    harness = Harness()
    if moment_s is None:
        harness.await_ready()
    else:
        time.sleep(moment_s)
    assert harness.end(number) in codes
    assert everything(client) - before == set()


def test_killed_run_is_swept_by_the_process_that_watches_it(
    client: docker.DockerClient, before: set[Thing]
) -> None:
    harness = Harness()
    harness.await_ready()
    harness.end(signal.SIGKILL)

    assert left_after(client, before, REAPED_WITHIN_S) == set()


def test_killed_run_without_its_watcher_is_swept_by_the_next_start(
    setup: ContainerSetup, client: docker.DockerClient, before: set[Thing]
) -> None:
    harness = Harness()
    harness.await_ready()
    reaper = harness.reaper()
    assert reaper is not None
    os.kill(reaper, signal.SIGKILL)
    harness.end(signal.SIGKILL)
    left = everything(client) - before
    assert sorted(thing.kind for thing in left) == ["container", "container", "network"]

    with ContainersRuntime(anew(setup), reason="a test"):
        assert everything(client) & left == set()
    assert everything(client) - before == set()


def test_run_of_a_living_process_is_left_alone(
    engine: Engine, client: docker.DockerClient, before: set[Thing]
) -> None:
    harness = Harness()
    harness.await_ready()
    living = everything(client) - before

    sweep(engine)

    assert len(living) == 3
    assert everything(client) - before == living
    harness.end(signal.SIGTERM)
    assert everything(client) - before == set()


@pytest.mark.slow
def test_kills_at_random_moments_then_one_normal_run_leave_nothing(
    setup: ContainerSetup, client: docker.DockerClient, before: set[Thing]
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    caught = 0
    for kill in range(KILLS):
        harness = Harness()
        time.sleep(chance.uniform(0, LONGEST_START_S))
        reaper = harness.reaper()
        caught += reaper is not None
        # Every other time nobody is left to clear up.
        if kill % 2 and reaper is not None:
            os.kill(reaper, signal.SIGKILL)
        harness.end(signal.SIGKILL)

    with ContainersRuntime(anew(setup), reason="a test"):
        pass

    assert left_after(client, before, REAPED_WITHIN_S) == set(), f"seed {seed}"
    assert caught > KILLS // 2


def left_after(
    client: docker.DockerClient, before: set[Thing], limit_s: float
) -> set[Thing]:
    """Wait until nothing is left beyond *before*, and give what is after *limit_s*."""
    give_up = time.monotonic() + limit_s
    while True:
        left = everything(client) - before
        if not left or time.monotonic() > give_up:
            return left
        time.sleep(0.05)
