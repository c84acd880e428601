"""Killed at any moment, the same command goes on and ends with the same report."""

import random
import signal
import time
from collections.abc import Iterator

import pytest

from tests.contract.haystack_commands import Place, a_place

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

QUESTIONS = 20
KILLS = 10
SEED = 5


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with a_place(QUESTIONS, scale=1.0) as made:
        yield made


@pytest.fixture(scope="module")
def undisturbed(place: Place) -> bytes:
    return place.run("undisturbed")


def kill_at_some_moment(
    moments: random.Random, place: Place, name: str, *options: str
) -> None:
    """Start the command, and kill it while it starts or a way into the questions."""
    process = place.start(name, *options)
    if moments.random() < 0.5:
        place.await_asked(name, process, 1)
        time.sleep(moments.uniform(0.0, 0.4))
    else:
        time.sleep(moments.uniform(0.0, 3.0))
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "it was over before it was killed"


@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["alone", "spread"])
def test_a_run_killed_ten_times_ends_with_the_undisturbed_report(
    place: Place, undisturbed: bytes, options: tuple[str, ...]
) -> None:
    name = f"killed{len(options)}"
    moments, asked = random.Random(SEED), [0]
    for _ in range(KILLS):
        kill_at_some_moment(moments, place, name, *options)
        asked.append(place.asked(name))

    assert asked == sorted(asked), "what was asked is never lost"
    assert 0 < asked[-1] < QUESTIONS
    assert place.run(name, *options) == undisturbed
    assert place.journals(name) == []
    assert place.left() == []
