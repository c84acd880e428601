"""Two daemons asked in turn: in which order, and what each side is left with."""

import random
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from harness.daemon.client import DaemonClient
from harness.dataset.configurations import CONFIGURATIONS
from harness.dataset.model import Dataset
from harness.dataset.vectors.concepts import DIMENSION, ConceptModel
from harness.measure.ab.interleave import Pair, interleave
from harness.measure.invariants import InvariantChecks
from harness.measure.passes import Asker, Names, PassSettings
from harness.measure.progress import SilentProgress
from harness.measure.seeding import seed
from harness.measure.target import meet
from tests.datafiles import a_data_file, read
from tests.fake_palace import Answer, FakePalace
from tests.fakes import FakeTime, transport

LEXICAL, SEMANTIC, HYBRID, EXPAND = CONFIGURATIONS
Seconds = Callable[[], float]


class Paced:
    """A fake whose searches take as long as they are told, and are noted."""

    def __init__(
        self, name: str, time: FakeTime, log: list[tuple[str, str]], takes: Seconds
    ) -> None:
        self.palace = FakePalace()
        self._name = name
        self._time = time
        self._log = log
        self._takes = takes

    def handle(self, method: str, target: str, body: bytes) -> Answer:
        """Answer one request, later."""
        reply = self.palace.handle(method, target, body)
        if target == "/api/search":
            self._log.append((self._name, self.palace.requests[-1].json["text"]))
            self._time.advance(self._takes())
        return reply


class Bench:
    """A base and a candidate behind one clock that moves only when they work."""

    def __init__(self, dataset: Dataset, *, repetitions: int) -> None:
        self.time = FakeTime()
        self.log: list[tuple[str, str]] = []
        self._dataset = dataset
        self._repetitions = repetitions

    def asker(self, name: str, takes: Seconds = lambda: 0.01) -> Asker:
        """Seed one side and return what asks it."""
        paced = Paced(name, self.time, self.log, takes)
        client = DaemonClient(
            "http://palace",
            transport=transport(paced, self.time, first_byte_s=0.0, body_s=0.0),
            time=self.time.time,
        )
        target = meet(client, dimension=DIMENSION, allow_nonempty=False)
        model = ConceptModel(self._dataset.concepts)
        seeded = seed(target, self._dataset, model, scale=0, advance=lambda _: None)
        queries = self._dataset.queries
        return Asker(
            client=client,
            dataset=self._dataset,
            seeded=seeded,
            query_vectors={query.id: model.embed(query.text) for query in queries},
            profile=target.profile,
            settings=PassSettings(
                limit=10, cutoffs=(1, 10), repetitions=self._repetitions
            ),
            checks=InvariantChecks(self._dataset),
            names=Names(seeded.document_of),
        )


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Three queries take part in lexical search: oven, release day, limit."""
    return read(tmp_path, a_data_file())


def run(base: Asker, candidate: Asker, *, base_first: bool = True) -> Pair:
    return interleave(
        (base, candidate), LEXICAL, SilentProgress(), base_first=base_first
    )


def ratios(pair: Pair) -> list[float]:
    return [
        median(candidate.service_ms) / median(base.service_ms)
        for base, candidate in zip(pair[0].rankings, pair[1].rankings, strict=True)
    ]


def test_who_is_first_is_swapped_with_every_query_and_from_pass_to_pass(
    dataset: Dataset,
) -> None:
    bench = Bench(dataset, repetitions=2)
    run(bench.asker("A"), bench.asker("B"))

    texts = ["oven", "oven", "release day", "release day", "limit", "limit"]
    assert [text for _, text in bench.log] == texts * 3
    names = "".join(name for name, _ in bench.log)
    scored, first, second = names[:6], names[6:12], names[12:]
    assert scored == "ABBAAB"
    assert first == "BAABBA"
    assert second == "ABBAAB"


def test_the_candidate_can_begin(dataset: Dataset) -> None:
    bench = Bench(dataset, repetitions=1)
    run(bench.asker("A"), bench.asker("B"), base_first=False)

    assert "".join(name for name, _ in bench.log) == "BAABBA" + "ABBAAB"


def test_each_query_is_first_on_either_side_equally_often(dataset: Dataset) -> None:
    bench = Bench(dataset, repetitions=4)
    run(bench.asker("A"), bench.asker("B"))

    timed = bench.log[6:]
    firsts = timed[::2]
    for text in ("oven", "release day", "limit"):
        assert sorted(name for name, asked in firsts if asked == text) == list("AABB")


def test_each_side_has_its_own_times_one_a_pass(dataset: Dataset) -> None:
    bench = Bench(dataset, repetitions=3)
    base, candidate = run(bench.asker("A"), bench.asker("B", lambda: 0.012))

    for ranking in base.rankings:
        assert ranking.service_ms == pytest.approx((10.0,) * 3)
    for ranking in candidate.rankings:
        assert ranking.service_ms == pytest.approx((12.0,) * 3)
    assert base.latency is not None
    assert candidate.latency is not None
    assert base.latency.service.samples == 9
    # The other side's time is not in it: 9 requests in 90 ms and in 108 ms.
    assert base.latency.queries_per_second == pytest.approx(100.0)
    assert candidate.latency.queries_per_second == pytest.approx(9 / 0.108)


def test_both_sides_are_scored_on_the_answers_that_were_asked_for(
    dataset: Dataset,
) -> None:
    bench = Bench(dataset, repetitions=1)
    base, candidate = run(bench.asker("A"), bench.asker("B"))

    assert base.queries == candidate.queries == 3
    assert base.metrics == candidate.metrics
    assert [each.hits for each in base.rankings] == [
        each.hits for each in candidate.rankings
    ]


def test_without_repetitions_nothing_is_timed(dataset: Dataset) -> None:
    bench = Bench(dataset, repetitions=0)
    base, _ = run(bench.asker("A"), bench.asker("B"))

    assert base.latency is None
    assert base.rankings[0].service_ms == ()


def test_a_drift_of_the_machine_slows_both_sides_alike(dataset: Dataset) -> None:
    bench = Bench(dataset, repetitions=10)
    drift = {"seconds": 0.01}

    def slower_and_slower() -> float:
        drift["seconds"] *= 1.01
        return drift["seconds"]

    base = bench.asker("A", slower_and_slower)
    pair = run(base, bench.asker("B", slower_and_slower))

    # A block of one side and then the other would have found 1.01^33, or 39 %.
    assert ratios(pair) == pytest.approx([1.0] * 3, abs=0.011)


def test_a_spike_on_one_request_moves_no_median(dataset: Dataset) -> None:
    bench = Bench(dataset, repetitions=5)
    chance = random.Random(1)
    pair = run(
        bench.asker("A"),
        bench.asker("B", lambda: 0.5 if chance.random() < 0.1 else 0.01),
    )

    assert ratios(pair) == pytest.approx([1.0] * 3)


def test_each_side_is_held_against_its_own_first_answer(dataset: Dataset) -> None:
    bench = Bench(dataset, repetitions=2)
    base, candidate = bench.asker("A"), bench.asker("B")
    run(base, candidate)

    checked = {each.name: each.checked for each in candidate.checks.results()}
    assert checked["repeatable"] > 0
    assert checked == {each.name: each.checked for each in base.checks.results()}
