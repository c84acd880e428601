"""A run over two workers and over a Dask cluster, with real daemons.

Whatever asks the questions, the report is the same to the bit, and nothing stays.
"""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest
from distributed import LocalCluster

from harness.errors import ExitCode
from harness.measure.longmemeval.crew import ENTRY
from tests.contract.haystack_commands import LIMIT_S, Place, a_place

pytestmark = pytest.mark.postgres

QUESTIONS = 10


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with a_place(QUESTIONS, scale=0.3) as made:
        yield made


@pytest.fixture(scope="module")
def alone(place: Place) -> bytes:
    quality = place.run("alone")
    assert b'"hit@1"' in quality
    return quality


@contextmanager
def a_cluster(workers: int, place: Place) -> Iterator[str]:
    """Start a Dask cluster of processes on loopback; yield its scheduler's address."""
    with LocalCluster(  # type: ignore[no-untyped-call]  # it has no types
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=True,
        # Not for this process, whose own children would be taken for a run's.
        env={"TMPDIR": str(place.temporary)},
    ) as cluster:
        yield cluster.scheduler_address


def workers_of(place: Place) -> list[int]:
    """Find the harness's own worker processes."""
    return [pid for pid, said in place.processes().items() if ENTRY in said]


def test_two_workers_give_the_report_of_one(place: Place, alone: bytes) -> None:
    assert place.run("two", "--workers", "2") == alone
    assert place.journals("two") == []
    assert place.left() == []


# The cluster's libraries run in this process, and what they will do away with one day
# is theirs to change. The harness is in another one, where this hides nothing.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_dask_cluster_gives_the_report_of_one_worker(
    place: Place, alone: bytes
) -> None:
    with a_cluster(2, place) as address:
        assert place.run("dask", "--scheduler", address) == alone
        assert place.journals("dask") == []
        assert workers_of(place) == []
    assert place.left() == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_leaves_nothing_and_goes_on(
    place: Place, alone: bytes, number: signal.Signals
) -> None:
    process = place.start(number.name, "--workers", "2")
    place.await_asked(number.name, process, 2)
    process.send_signal(number)
    _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == ExitCode.INTERRUPTED
    assert "The same command goes on from" in errors
    assert place.left(0) == []
    assert place.run(number.name, "--workers", "2") == alone


@pytest.mark.slow
def test_one_killed_worker_stops_the_others_and_the_run(
    place: Place, alone: bytes
) -> None:
    process = place.start("killed", "--workers", "2")
    place.await_asked("killed", process, 2)
    psutil.Process(workers_of(place)[0]).kill()
    _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == ExitCode.UNAVAILABLE
    assert "of 2 ended without a word (killed by SIGKILL)" in errors
    assert workers_of(place) == []
    # Fewer workers than before, as the message advises; they sweep the other's folder.
    assert place.run("killed") == alone
    assert place.left() == []


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(place: Place, alone: bytes) -> None:
    process = place.start("orphans", "--workers", "2")
    place.await_asked("orphans", process, 2)
    process.kill()
    process.communicate()
    # At once, while they still clear up: their journals are waited for.
    assert place.run("orphans", "--workers", "2") == alone
    assert place.left() == []


def test_an_error_of_a_worker_is_the_error_of_the_run(place: Place) -> None:
    process = place.start("refused", "--workers", "2", "--isolation", "shared")
    _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == ExitCode.USAGE
    assert "2 workers have 2 stores" in errors


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_named(place: Place) -> None:
    process = place.start("nobody", "--scheduler", "tcp://127.0.0.1:9")
    try:
        _, errors = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == ExitCode.UNAVAILABLE
    assert "tcp://127.0.0.1:9: no Dask scheduler answers within 10 s" in errors
