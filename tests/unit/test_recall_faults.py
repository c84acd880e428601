"""Every fault of the embedder: what is lost during it, and that it passes."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from harness.daemon.client import DaemonClient
from harness.daemon.documents import DocumentsClient
from harness.daemon.embedder import EmbedderControl
from harness.dataset.recall.tiers import recall_corpus
from harness.errors import DaemonDiedError
from harness.measure.recall.faults import FAULTS, FaultMatrix, sample
from harness.measure.recall.library import Library
from harness.measure.recall.modes import Asker
from harness.measure.recall.proof import Checks
from harness.measure.recall.rows import KEYWORD, MAIN, Row
from harness.measure.recall.watch import Watch
from harness.measure.recall.ways import BySearch
from harness.report.model import Violation
from harness.report.recall import FaultResult
from tests.fake_palace import answer
from tests.fake_recall import CODES, FakeDocuments, FakeEmbedder
from tests.fakes import FakeTime, transport

QUERIES = recall_corpus("smoke").queries


@dataclass
class Desk:
    """A matrix with its fakes."""

    matrix: FaultMatrix
    checks: Checks
    palace: FakeDocuments
    embedder: FakeEmbedder
    time: FakeTime

    def run(self) -> dict[tuple[str, str], FaultResult]:
        """Run the matrix; give its results by fault and mode."""
        return {
            (each.fault, each.mode): each for each in self.matrix.run(lambda _: None)
        }

    @property
    def violations(self) -> list[Violation]:
        """What broke a rule."""
        return [
            each for invariant in self.checks.results() for each in invariant.violations
        ]


def a_desk() -> Desk:
    time = FakeTime()
    embedder = FakeEmbedder()
    palace = FakeDocuments(embedder)
    client = DaemonClient(
        "http://daemon", transport=transport(palace, time), time=time.time
    )
    control = EmbedderControl(
        "http://embedder",
        "http://embedder/v1",
        transport=transport(embedder, time),
        time=time.time,
    )
    library = Library(DocumentsClient(client.door), "http://daemon")
    library.write(MAIN, recall_corpus("smoke").documents, lambda _: None)
    checks = Checks(trigrams=True)
    watch = Watch(control, "trigram-384", 384)
    asker = Asker(
        library=library,
        clock=time.time.clock,
        watch=watch,
        checks=checks,
        limit=20,
        cutoffs=(5,),
        repetitions=0,
    )
    row = Row(KEYWORD, MAIN, BySearch("keyword"))
    keyword = {
        query.id: tuple(each.document for each in asker.ask(row, query).ranking)
        for query in QUERIES
    }
    return Desk(
        FaultMatrix(asker, watch, QUERIES, keyword), checks, palace, embedder, time
    )


def test_every_fault_meets_both_modes_that_embed() -> None:
    got = a_desk().run()
    assert list(got) == [(f, mode) for f in FAULTS for mode in ("vector", "hybrid")]
    assert len(got) == 20


def test_fault_costs_recall_and_nothing_once_it_is_over() -> None:
    desk = a_desk()
    got = desk.run()
    for kind, code in CODES.items():
        for mode in ("vector", "hybrid"):
            result = got[kind, mode]
            assert result.healthy_recall == result.recovered_recall == 1.0
            assert result.fault_recall is not None
            assert result.drop == 1.0 - result.fault_recall
            assert result.drop > 0.5
            assert result.effective == {"keyword": 6}
            assert result.codes == {code: 6}
            assert result.queries_to_recover == 0
            assert result.ingest == "refused"
    assert desk.violations == []


@pytest.mark.parametrize("kind", ["ok", "slow"])
def test_no_fault_and_a_slow_answer_cost_no_quality(kind: str) -> None:
    for mode in ("vector", "hybrid"):
        result = a_desk().run()[kind, mode]
        assert result.drop == 0
        assert result.effective == {mode: 6}
        assert result.codes == {}
        assert result.ingest == "stored"


def test_what_reached_the_embedder_is_counted_during_the_fault_alone() -> None:
    got = a_desk().run()
    assert got["error", "vector"].embedder.requests == 6
    assert got["refuse", "vector"].embedder.requests == 0


def test_latency_is_told_before_and_during_the_fault() -> None:
    result = a_desk().run()["error", "vector"]
    assert result.healthy_p50_ms == pytest.approx(3.0)
    assert result.fault_p50_ms == pytest.approx(3.0)
    assert result.fault_max_ms == pytest.approx(3.0)


def test_embedder_is_set_healthy_after_each_fault() -> None:
    desk = a_desk()
    desk.run()
    wanted = [kind for fault in FAULTS for kind in (fault, "ok", fault, "ok")]
    assert desk.embedder.faults == wanted


def test_slow_and_rate_limited_are_told_how_long() -> None:
    desk = a_desk()
    told: list[Mapping[str, object]] = []
    handle = desk.embedder.handle

    def listening(method: str, target: str, body: bytes) -> object:
        reply = handle(method, target, body)
        if method == "PUT":
            told.append(desk.embedder.fault)
        return reply

    desk.embedder.handle = listening  # type: ignore[assignment] # the same, overheard
    desk.run()
    assert {"kind": "slow", "delay_s": 0.1} in told
    assert {"kind": "rate_limited", "retry_after_s": 1.0} in told
    assert {"kind": "timeout"} in told


def test_daemon_that_stays_degraded_is_seen_to_recover_late() -> None:
    desk = a_desk()
    desk.palace.lingers = 3
    result = desk.run()["error", "vector"]
    assert result.queries_to_recover == 3
    assert result.recovered_recall is not None
    assert result.recovered_recall < 1.0


def test_daemon_that_stays_degraded_throughout_has_not_recovered() -> None:
    desk = a_desk()
    desk.palace.lingers = 100
    assert desk.run()["error", "vector"].queries_to_recover is None


def test_search_that_fails_instead_is_a_finding_and_counts_as_nothing_found() -> None:
    desk = a_desk()
    desk.palace.opens = False
    result = desk.run()["error", "hybrid"]
    assert result.effective == {"(failed)": 6}
    assert (result.fault_recall, result.fault_p50_ms) == (0.0, None)
    assert result.recovered_recall == 1.0
    found = [
        each
        for each in desk.violations
        if each.configuration == "document-hybrid during error"
    ]
    assert len(found) == 6
    assert "failed instead of falling open" in found[0].reason


def test_ranking_between_healthy_and_keyword_is_a_finding() -> None:
    desk = a_desk()
    desk.palace.finds_nothing_open = True
    desk.run()
    names = {each.configuration for each in desk.violations}
    assert names == {
        f"document-{mode} during {kind}"
        for mode in ("vector", "hybrid")
        for kind in CODES
    }


def test_half_a_document_is_seen_in_the_counts() -> None:
    desk = a_desk()
    desk.palace.keeps_half = True
    got = desk.run()
    assert got["half", "vector"].ingest == "half stored"
    assert got["ok", "vector"].ingest == "stored"


def test_one_document_is_sent_in_a_fault_for_both_modes() -> None:
    desk = a_desk()
    got = desk.run()
    names = {each["name"] for each in desk.palace.documents.values()}
    assert {name for name in names if name.startswith("fault-")} == {
        "fault-ok.txt",
        "fault-slow.txt",
    }
    assert {got["ok", mode].ingest for mode in ("vector", "hybrid")} == {"stored"}
    assert {got["nan", mode].ingest for mode in ("vector", "hybrid")} == {"refused"}


def test_daemon_that_does_not_count_leaves_ingest_untold() -> None:
    desk = a_desk()
    desk.palace.faults["GET", "/api/status"] = answer({})
    assert {each.ingest for each in desk.run().values()} == {None}


def test_dead_daemon_ends_the_run_and_the_fault() -> None:
    desk = a_desk()

    def dying(_mode: object, _hits: object) -> object:
        if desk.embedder.fault["kind"] == "error":
            raise DaemonDiedError("the daemon ended with exit code 9.")
        return _hits

    desk.palace.rewrite = dying  # type: ignore[assignment] # raises what a door would
    with pytest.raises(DaemonDiedError):
        desk.run()
    assert desk.embedder.fault == {"kind": "ok"}


@pytest.mark.parametrize(
    ("count", "most", "wanted"),
    [(6, 10, [0, 1, 2, 3, 4, 5]), (40, 4, [0, 10, 20, 30]), (5, 2, [0, 2])],
)
def test_sample_is_spread_evenly(count: int, most: int, wanted: list[int]) -> None:
    queries = recall_corpus("1k").queries[:count]
    got = [int(query.id.removeprefix("q-")) for query in sample(queries, most)]
    assert got == wanted
