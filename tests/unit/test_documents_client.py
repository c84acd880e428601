"""What is sent about documents and facts, and what is made of the answers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness.daemon.client import DaemonClient
from harness.daemon.documents import DocumentsClient, NewDocument, NewFact
from harness.daemon.documents_wire import DocumentCounts
from harness.errors import DaemonError, DaemonProtocolError, HarnessError
from tests.fake_palace import Answer, FakePalace, answer, refusal
from tests.fakes import FakeTime, transport

OVEN = NewDocument(wing="w", room="r", name="oven", content="bread at 230")
PUMP = NewDocument(wing="w", room="r", name="pump", content="bar is pressure")

ADDED = {
    "id": "d1",
    "wing": "w",
    "room": "r",
    "name": "oven",
    "fragments": 1,
    "version": 1,
    "created": True,
    "created_at": "2026-01-01T00:00:00Z",
}
HIT = {
    "id": "f1",
    "document_id": "d1",
    "name": "oven",
    "wing": "w",
    "room": "r",
    "position": 0,
    "score": 0.5,
    "content": "bread at 230",
}
FOUND = {
    "mode": "vector",
    "effective": "keyword",
    "degraded": {
        "from": "vector",
        "to": "keyword",
        "code": "memcastle::embed::timeout",
        "reason": "no answer within 2 s",
    },
    "scanned": 12,
    "cut": False,
    "timing": {"embed_ms": 2000.5, "search_ms": 1.25},
    "hits": [HIT],
}
FACT = {
    "id": "x1",
    "text": "likes rye",
    "kind": "durable",
    "category": "identity",
    "score": 0.9,
    "relevance": 1.0,
    "prior": 0.9,
}


def a_client(palace: FakePalace, time: FakeTime | None = None) -> DocumentsClient:
    clock = time or FakeTime()
    client = DaemonClient(
        "http://palace", transport=transport(palace, clock), time=clock.time
    )
    return DocumentsClient(client.door)


def a_palace(method: str, path: str, answered: object, status: int = 200) -> FakePalace:
    palace = FakePalace()
    palace.faults[method, path] = answer(answered, status)
    return palace


def without(body: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in names}


# --- what is sent


def test_batch_is_sent_in_order_and_ids_come_back_in_that_order() -> None:
    answered = [ADDED, {**ADDED, "id": "d2", "name": "pump", "created": False}]
    palace = a_palace("POST", "/api/documents/batch", {"documents": answered})
    added, instants = a_client(palace).add_documents([OVEN, PUMP])

    assert palace.requests[-1].json == {
        "documents": [
            {"wing": "w", "room": "r", "name": "oven", "content": "bread at 230"},
            {"wing": "w", "room": "r", "name": "pump", "content": "bar is pressure"},
        ]
    }
    assert [(each.id, each.created) for each in added] == [("d1", True), ("d2", False)]
    assert instants.service_s == pytest.approx(0.003)


def test_search_leaves_to_the_daemon_what_it_does_not_name() -> None:
    palace = a_palace("POST", "/api/documents/search", FOUND)
    client = a_client(palace)
    client.search("bread", mode="vector")
    bare = palace.requests[-1].json
    client.search("bread", mode="hybrid", wing="w", room="r", limit=5, threshold=0.0)

    assert bare == {"query": "bread", "mode": "vector"}
    assert palace.requests[-1].json == {
        "query": "bread",
        "mode": "hybrid",
        "wing": "w",
        "room": "r",
        "limit": 5,
        "threshold": 0.0,
    }


def test_ranking_without_a_limit_asks_for_all_that_match() -> None:
    palace = a_palace("POST", "/api/fragments/rank", {**FOUND, "mode": "rank"})
    client = a_client(palace)
    client.rank("bread", wing="w")
    bare = palace.requests[-1].json
    client.rank("bread", ranker="document", stemming=False, limit=3)

    assert bare == {"query": "bread", "ranker": "search", "limit": None, "wing": "w"}
    assert palace.requests[-1].json == {
        "query": "bread",
        "ranker": "document",
        "stemming": False,
        "limit": 3,
    }


def test_vector_of_a_raw_search_arrives_as_the_same_numbers() -> None:
    palace = a_palace("POST", "/api/fragments/search", {**FOUND, "mode": "raw-vector"})
    vector = np.linspace(-1, 1, 384, dtype=np.float32)
    a_client(palace).search_vector(vector, limit=20)

    body = palace.requests[-1].json
    assert body["limit"] == 20
    assert np.array(body["embedding"], dtype=np.float32).tolist() == vector.tolist()


def test_vector_that_json_cannot_carry_is_not_sent() -> None:
    palace = FakePalace()
    with pytest.raises(HarnessError, match="finite"):
        a_client(palace).search_vector(np.array([np.nan], dtype=np.float32))
    assert palace.requests == []


def test_facts_are_sent_with_what_is_known_of_them_only() -> None:
    palace = a_palace("POST", "/api/facts", {"facts": [{"id": "x1"}, {"id": "x2"}]})
    known = NewFact(wing="w", room="r", kind="durable", text="rye", category="food")
    dated = NewFact(
        wing="w",
        room="r",
        kind="current",
        text="bakes",
        category="work",
        confidence=0.0,
        keywords=("oven",),
        fields={"since": "May"},
        valid_at="2026-01-01T00:00:00Z",
    )
    stored, _ = a_client(palace).add_facts([known, dated])

    bare, full = palace.requests[-1].json["facts"]
    assert "confidence" not in bare
    assert "valid_at" not in bare
    assert (full["confidence"], full["keywords"]) == (0.0, ["oven"])
    assert (full["fields"], full["valid_at"]) == (
        {"since": "May"},
        "2026-01-01T00:00:00Z",
    )
    assert [fact.id for fact in stored] == ["x1", "x2"]


def test_facts_are_found_as_of_a_given_moment() -> None:
    palace = a_palace(
        "POST",
        "/api/facts/search",
        {"facts": [FACT], "effective": "lexical", "scanned": 9, "cut": False},
    )
    found = a_client(palace).search_facts(
        "rye", wing="w", room="r", now="2026-02-01T00:00:00Z"
    )

    assert palace.requests[-1].json == {
        "query": "rye",
        "wing": "w",
        "room": "r",
        "now": "2026-02-01T00:00:00Z",
    }
    assert found.effective == "lexical"
    assert (found.scanned, found.cut) == (9, False)
    assert [(fact.id, fact.kind, fact.prior) for fact in found.facts] == [
        ("x1", "durable", 0.9)
    ]


def test_ids_are_encoded_into_paths() -> None:
    palace = FakePalace()
    client = a_client(palace)
    for call in (
        lambda: client.delete("../a"),
        lambda: client.update("../a", "text"),
        lambda: client.fragments("../a"),
        lambda: client.delete_fact("../a"),
    ):
        with pytest.raises(DaemonError):
            call()

    assert [(sent.method, sent.path) for sent in palace.requests] == [
        ("DELETE", "/api/documents/..%2Fa"),
        ("PUT", "/api/documents/..%2Fa"),
        ("GET", "/api/documents/..%2Fa/fragments"),
        ("DELETE", "/api/facts/..%2Fa"),
    ]


# --- what is made of answers


def test_answer_says_which_mode_ran_and_why_it_fell_open() -> None:
    palace = a_palace("POST", "/api/documents/search", FOUND)
    found = a_client(palace).search("bread", mode="vector")

    assert (found.mode, found.effective) == ("vector", "keyword")
    assert found.degraded == "memcastle::embed::timeout"
    assert found.degradation is not None
    assert (found.degradation.asked, found.degradation.ran) == ("vector", "keyword")
    assert (found.scanned, found.cut) == (12, False)
    assert (found.embed_ms, found.search_ms) == (2000.5, 1.25)
    assert [(hit.id, hit.document_id, hit.score) for hit in found.hits] == [
        ("f1", "d1", 0.5)
    ]
    assert found.instants.service_s == pytest.approx(0.003)


def test_healthy_answer_has_no_degradation() -> None:
    healthy = {**FOUND, "effective": "vector", "degraded": None}
    palace = a_palace("POST", "/api/documents/search", healthy)
    found = a_client(palace).search("bread", mode="vector")

    assert (found.degraded, found.degradation) == (None, None)


def test_figures_of_another_shape_count_as_not_told() -> None:
    vague = {**FOUND, "scanned": "many", "cut": 1, "timing": {"embed_ms": "long"}}
    palace = a_palace("POST", "/api/documents/search", vague)
    found = a_client(palace).search("bread", mode="vector")

    assert (found.scanned, found.cut) == (None, None)
    assert (found.embed_ms, found.search_ms) == (None, None)


def test_document_is_read_with_its_text_or_is_not_there() -> None:
    stored = {**without(ADDED, "created"), "content": "bread at 230"}
    palace = a_palace("GET", "/api/documents/d1", stored)
    palace.faults["GET", "/api/documents/d2"] = refusal(404, "not_found", "no")
    client = a_client(palace)

    document = client.document("d1")
    assert document is not None
    assert (document.content, document.version) == ("bread at 230", 1)
    assert client.document("d2") is None


def test_fragments_tell_where_they_lie_and_whether_they_have_a_vector() -> None:
    piece = {
        "id": "f1",
        "position": 0,
        "start": 0,
        "end": 12,
        "content": "bread at 230",
        "embedded": True,
    }
    palace = a_palace("GET", "/api/documents/d1/fragments", {"fragments": [piece]})
    (found,) = a_client(palace).fragments("d1")

    assert found.model_dump() == piece


def test_counts_and_constants_are_none_where_the_daemon_does_not_tell() -> None:
    palace = a_palace("GET", "/api/status", {"counts": {"documents": 3, "facts": "x"}})
    palace.faults["GET", "/api/config"] = answer({})
    client = a_client(palace)

    assert client.counts() == DocumentCounts(documents=3)
    assert client.constants() is None
    palace.faults["GET", "/api/status"] = answer({})
    palace.faults["GET", "/api/config"] = answer({"documents": {"preset": "recall"}})
    assert client.counts() == DocumentCounts()
    assert client.constants() == {"preset": "recall"}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (without(FOUND, "effective"), "effective: Field required"),
        (without(FOUND, "mode"), "mode: Field required"),
        (without(FOUND, "degraded"), "degraded: Field required"),
        (without(FOUND, "hits"), "hits: Field required"),
        ({**FOUND, "degraded": {"from": "vector"}}, "degraded.code: Field required"),
        ({**FOUND, "degraded": "timeout"}, "degraded: Input should be"),
        ({**FOUND, "effective": ""}, "effective: String should have at least"),
        ({**FOUND, "hits": [without(HIT, "score")]}, "hits.0.score: Field required"),
        ({**FOUND, "hits": [{**HIT, "score": "1"}]}, "hits.0.score: Input should be"),
        ({**FOUND, "hits": [{**HIT, "id": ""}]}, "hits.0.id"),
        (
            {**FOUND, "hits": [without(HIT, "document_id")]},
            "hits.0.document_id: Field required",
        ),
    ],
)
def test_answer_without_what_a_measurement_rests_on_names_route_and_field(
    found: object, message: str
) -> None:
    palace = a_palace("POST", "/api/documents/search", found)
    with pytest.raises(DaemonProtocolError) as caught:
        a_client(palace).search("bread", mode="vector")

    assert "POST /api/documents/search answered JSON of another shape" in (
        caught.value.what
    )
    assert message in caught.value.what


@pytest.mark.parametrize(
    ("answered", "message"),
    [
        ([ADDED], r"POST /api/documents/batch answered 1 documents to 2\."),
        (
            [{**ADDED, "name": "pump"}, ADDED],
            r"another order: documents\.0\.name is 'pump', wanted 'oven'\.",
        ),
        ([ADDED, without(ADDED, "created")], r"documents\.1\.created: Field required"),
        ([{**ADDED, "version": 0}, ADDED], r"documents\.0\.version"),
        ([{**ADDED, "fragments": "two"}, ADDED], r"documents\.0\.fragments"),
    ],
)
def test_batch_whose_answer_cannot_be_matched_is_refused(
    answered: list[object], message: str
) -> None:
    palace = a_palace("POST", "/api/documents/batch", {"documents": answered})
    with pytest.raises(DaemonProtocolError, match=message):
        a_client(palace).add_documents([OVEN, PUMP])


def test_facts_whose_number_differs_are_refused() -> None:
    palace = a_palace("POST", "/api/facts", {"facts": []})
    fact = NewFact(wing="w", room="r", kind="durable", text="rye", category="food")
    with pytest.raises(DaemonProtocolError, match="answered 0 facts to 1"):
        a_client(palace).add_facts([fact])


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.add(OVEN),
        lambda client: client.add_documents([OVEN]),
        lambda client: client.update("d1", "text"),
        lambda client: client.delete("d1"),
        lambda client: client.document("d1"),
        lambda client: client.fragments("d1"),
        lambda client: client.search("bread", mode="hybrid"),
        lambda client: client.search_vector(np.ones(3, dtype=np.float32)),
        lambda client: client.rank("bread"),
        lambda client: client.add_facts([]),
        lambda client: client.delete_fact("x1"),
        lambda client: client.search_facts("rye", wing="w", room="r"),
        lambda client: client.counts(),
        lambda client: client.constants(),
    ],
)
def test_refusal_tells_the_daemons_own_code_whatever_the_call(
    call: Callable[[DocumentsClient], object],
) -> None:
    class Refusing(FakePalace):
        def handle(self, method: str, target: str, body: bytes) -> Answer:
            super().handle(method, target, body)
            return refusal(503, "memcastle::embed::unreachable", "nobody listens")

    with pytest.raises(DaemonError, match="memcastle::embed::unreachable: nobody"):
        call(a_client(Refusing()))
