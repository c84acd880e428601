"""Each fault planted in the daemon turns a gate red, and nothing else does.

A fault meets only the gate that is known to catch it; ``python -m tests.mutants`` asks
them all, and lists what passes.
"""

from collections.abc import Iterator

import pytest

from tests.mutants.catalogue import Fault, read_faults
from tests.mutants.ledger import bench_of
from tests.mutants.stand import Stand, stand
from tests.mutants.trial import Bench, look, read_benches

CAUGHT = [
    pytest.param(fault, bench, id=fault.name)
    for fault in read_faults()
    if (bench := bench_of(fault.name)) is not None
]

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


@pytest.fixture(scope="module")
def shared() -> Iterator[Stand]:
    with stand() as started:
        yield started


@pytest.fixture(scope="module")
def benches() -> dict[str, Bench]:
    return read_benches()


@pytest.mark.parametrize("bench", ["core", "field", "again"])
def test_the_sound_daemon_passes(
    bench: str, shared: Stand, benches: dict[str, Bench]
) -> None:
    seen = look(shared, None, benches[bench])

    assert (seen.sight, seen.moved) == (None, 0)


@pytest.mark.parametrize(("fault", "bench"), CAUGHT)
def test_a_planted_fault_turns_a_gate_red(
    fault: Fault, bench: str, shared: Stand, benches: dict[str, Bench]
) -> None:
    assert look(shared, fault, benches[bench]).sight is not None
