"""Each fault planted in the daemon turns a gate red, and nothing else does.

A fault meets only the gate that is known to catch it; ``python -m tests.mutants`` asks
them all, and lists what passes.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.mutants.catalogue import Fault, read_faults
from tests.mutants.ledger import bench_of
from tests.mutants.stand import Stand, stand
from tests.mutants.trial import Bench, Look, look, read_benches

CAUGHT = [fault for fault in read_faults() if bench_of(fault.name) is not None]
AT_ONCE = 2

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


@pytest.fixture(scope="module")
def shared() -> Iterator[Stand]:
    with stand() as started:
        yield started


@pytest.fixture(scope="module")
def benches() -> dict[str, Bench]:
    return read_benches()


@pytest.fixture(scope="module")
def looks(
    request: pytest.FixtureRequest, shared: Stand, benches: dict[str, Bench]
) -> Iterator[Mapping[Fault, Future[Look]]]:
    """Look at the faults of the chosen tests, some ahead of the test that asks."""
    marked = [
        item.callspec.params.get("fault")
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.originalname == test_a_planted_fault_turns_a_gate_red.__name__
    ]
    chosen = [fault for fault in marked if isinstance(fault, Fault)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            fault: pool.submit(look, shared, fault, benches[bench])
            for fault in chosen
            if (bench := bench_of(fault.name)) is not None
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("bench", ["core", "field", "again"])
def test_the_sound_daemon_passes(
    bench: str, shared: Stand, benches: dict[str, Bench]
) -> None:
    seen = look(shared, None, benches[bench])

    assert (seen.sight, seen.moved) == (None, 0)


@pytest.mark.parametrize("fault", CAUGHT, ids=lambda fault: fault.name)
def test_a_planted_fault_turns_a_gate_red(
    fault: Fault, looks: Mapping[Fault, Future[Look]]
) -> None:
    assert looks[fault].result().sight is not None
