"""One row: asked once to be scored, then timed; fragments stand for their documents."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from harness.daemon.client import DaemonClient
from harness.daemon.documents import DocumentsClient
from harness.daemon.embedder import EmbedderControl
from harness.dataset.recall.model import RecallDocument, RecallQuery
from harness.errors import DaemonError, DaemonProtocolError
from harness.measure.recall.library import Library
from harness.measure.recall.modes import Asker, Measured, skipped
from harness.measure.recall.proof import Checks
from harness.measure.recall.rows import MAIN, Row
from harness.measure.recall.watch import Watch
from harness.measure.recall.ways import ByFacts, ByRank, BySearch, ByVector, Way
from tests.fake_palace import Answer, answer
from tests.fake_recall import FakeDocuments, FakeEmbedder
from tests.fakes import FakeTime, transport

VECTOR = Row("document-vector", MAIN, BySearch("vector"))
OVEN = RecallDocument("oven", "the oven bakes bread")
PUMP = RecallDocument("pump", "the pump makes pressure")
LONG = RecallDocument("long", "the oven " * 300)
ASKED = RecallQuery("q", "oven bread", ("oven", "lost"), "kitchen")


@dataclass
class Desk:
    """An asker with its fakes."""

    asker: Asker
    palace: FakeDocuments
    embedder: FakeEmbedder


def a_desk(*, repetitions: int = 0, limit: int = 20, watched: bool = True) -> Desk:
    """Put an asker in front of a daemon that holds the three documents."""
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
    library.write(MAIN, [OVEN, PUMP, LONG], lambda _: None)
    asker = Asker(
        library=library,
        clock=time.time.clock,
        watch=Watch(control, "trigram-384", 384) if watched else None,
        checks=Checks(trigrams=True),
        limit=limit,
        cutoffs=(1, 5),
        repetitions=repetitions,
    )
    return Desk(asker, palace, embedder)


def measured(desk: Desk, row: Row = VECTOR) -> Measured:
    return desk.asker.measure(row, [ASKED], 3, lambda _: None)


def answering(desk: Desk, *hits: tuple[str, float], **changed: object) -> None:
    """Let every search find *hits*, by our names of documents."""
    library = desk.asker.library
    body: Mapping[str, Any] = {
        "mode": "vector",
        "effective": "vector",
        "degraded": None,
        "timing": {},
        "hits": [
            {
                "id": f"f{place}",
                "document_id": library.id_of.get((MAIN, name), name),
                "score": score,
            }
            for place, (name, score) in enumerate(hits)
        ],
    }
    desk.palace.faults["POST", "/api/documents/search"] = answer({**body, **changed})


def test_fragments_count_as_their_document_where_it_first_comes() -> None:
    desk = a_desk()
    answering(desk, ("long", 0.9), ("oven", 0.8), ("long", 0.7), ("pump", 0.6))
    (ranking,) = measured(desk).result.rankings
    got = [(hit.document, hit.score) for hit in ranking.hits]
    assert got == [("long", 0.9), ("oven", 0.8), ("pump", 0.6)]


def test_metrics_are_those_of_documents() -> None:
    desk = a_desk()
    answering(desk, ("long", 0.9), ("long", 0.8), ("oven", 0.7))
    metrics = measured(desk).result.metrics
    # One of two relevant documents, at the second rank of documents.
    assert metrics["recall@1"] == 0
    assert metrics["recall@5"] == 0.5
    assert metrics["mrr"] == 0.5
    ideal = 1 + 1 / math.log2(3)
    assert metrics["ndcg@5"] == pytest.approx(1 / math.log2(3) / ideal)
    assert metrics["ndcg_linear@5"] == metrics["ndcg@5"]


def test_reciprocal_rank_looks_at_the_whole_list() -> None:
    desk = a_desk()
    others = [(f"stray-{place}", 0.9) for place in range(12)]
    answering(desk, *others, ("oven", 0.1))
    metrics = measured(desk).result.metrics
    assert (metrics["recall@5"], metrics["mrr"]) == (0, 1 / 13)


def test_equal_scores_stay_in_the_order_of_the_daemon() -> None:
    desk = a_desk()
    answering(desk, ("pump", 0.5), ("oven", 0.5), ("long", 0.5))
    (ranking,) = measured(desk).result.rankings
    assert [hit.document for hit in ranking.hits] == ["pump", "oven", "long"]


def test_ranking_says_how_it_came_about() -> None:
    desk = a_desk()
    degraded = {"from": "vector", "to": "keyword", "code": "memcastle::embed::x"}
    answering(desk, ("oven", 0.5), effective="keyword", degraded=degraded)
    (ranking,) = measured(desk).result.rankings
    assert (ranking.effective, ranking.degraded) == ("keyword", "memcastle::embed::x")
    assert ranking.grades == {"oven": 1, "lost": 1}


def test_more_hits_than_asked_for_are_refused() -> None:
    desk = a_desk(limit=2)
    answering(desk, ("oven", 0.5), ("pump", 0.4), ("long", 0.3))
    with pytest.raises(DaemonProtocolError, match="3 hits came back where 2"):
        measured(desk)


def test_scores_that_rise_are_refused() -> None:
    desk = a_desk()
    answering(desk, ("oven", 0.5), ("pump", 0.6))
    with pytest.raises(DaemonProtocolError, match="rank 2 scores"):
        measured(desk)


def test_scores_of_facts_may_rise_from_kind_to_kind() -> None:
    desk = a_desk()
    desk.palace.faults["POST", "/api/facts/search"] = answer(
        {
            "facts": [
                {"id": "a", "kind": "durable", "score": 0.2},
                {"id": "b", "kind": "current", "score": 0.9},
            ],
            "effective": "lexical",
        }
    )
    (ranking,) = measured(desk, Row("facts", MAIN, ByFacts())).result.rankings
    assert [hit.score for hit in ranking.hits] == [0.2, 0.9]


def test_what_reaches_the_embedder_is_that_of_the_scored_pass() -> None:
    got = measured(a_desk(repetitions=3)).embedded
    assert got is not None
    assert (got.requests, got.inputs, got.p50_ms) == (1, 1, 2.0)


def test_without_a_watch_nothing_is_said_of_the_embedder() -> None:
    assert measured(a_desk(watched=False)).embedded is None


def test_latency_is_that_of_the_timed_passes_at_the_wire() -> None:
    latency = measured(a_desk(repetitions=4)).result.latency
    assert latency is not None
    assert latency.service.samples == 4
    assert latency.service.p50_ms == pytest.approx(3.0)
    assert latency.first_byte.p50_ms == pytest.approx(2.0)


def test_scored_pass_is_not_timed() -> None:
    assert measured(a_desk()).result.latency is None


def test_scan_that_was_cut_is_remembered() -> None:
    desk = a_desk()
    answering(desk, ("oven", 0.5), cut=True)
    assert measured(desk).cut
    assert not measured(a_desk()).cut


def test_skipped_row_has_its_place_and_no_figure() -> None:
    got = skipped(VECTOR, "nobody knows").result
    assert (got.name, got.ranking) == ("document-vector", "semantic")
    assert (got.queries, got.metrics, got.rankings) == (0, {}, ())
    assert (got.latency, got.corpus) == (None, None)
    assert got.skip_reason == "nobody knows"


@pytest.mark.parametrize(
    ("way", "path", "wanted"),
    [
        (
            BySearch("hybrid"),
            "/api/documents/search",
            {"query": "oven bread", "mode": "hybrid", "limit": 20},
        ),
        (
            BySearch("keyword"),
            "/api/documents/search",
            {"query": "oven bread", "mode": "keyword", "limit": 20},
        ),
        (
            ByRank("document", stemming=False),
            "/api/fragments/rank",
            {
                "query": "oven bread",
                "ranker": "document",
                "stemming": False,
                "limit": None,
            },
        ),
        (
            ByFacts("2026-01-31T12:00:00Z"),
            "/api/facts/search",
            {"query": "oven bread", "now": "2026-01-31T12:00:00Z"},
        ),
        (ByFacts(), "/api/facts/search", {"query": "oven bread"}),
    ],
)
def test_each_way_asks_what_it_is_named_for(
    way: Way, path: str, wanted: dict[str, object]
) -> None:
    desk = a_desk()
    measured(desk, Row("row", MAIN, way))
    (sent,) = desk.palace.sent("POST", path)
    assert sent.json == {**wanted, "wing": MAIN, "room": "corpus"}


def test_raw_search_sends_a_vector_made_here_and_no_words() -> None:
    desk = a_desk()
    measured(desk, Row("row", MAIN, ByVector()))
    (sent,) = desk.palace.sent("POST", "/api/fragments/search")
    assert sent.json.keys() == {"embedding", "wing", "room", "limit"}
    vector = desk.embedder.model.embed("oven bread")
    assert sent.json["embedding"] == pytest.approx(vector.tolist())


def test_every_way_ranks_the_oven_first() -> None:
    for way in (
        BySearch("hybrid"),
        BySearch("vector"),
        BySearch("keyword"),
        ByVector(),
        ByRank("document", stemming=False),
    ):
        (ranking,) = measured(a_desk(), Row("row", MAIN, way)).result.rankings
        assert ranking.hits[0].document == "oven"


def test_refused_score_is_named() -> None:
    desk = a_desk()
    # orjson reads no NaN, so a daemon that sends one is refused as no JSON.
    desk.palace.faults["POST", "/api/documents/search"] = Answer(
        body=b'{"hits":[{"score":NaN}]}'
    )
    with pytest.raises(DaemonProtocolError):
        measured(desk)


def test_embedder_that_somebody_resets_is_not_believed() -> None:
    desk = a_desk()
    measured(desk)
    desk.embedder.requests = 0
    with pytest.raises(DaemonError, match="counted"):
        measured(desk)
