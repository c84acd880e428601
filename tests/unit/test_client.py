"""What the client sends, what it makes of answers, and how it names every fault."""

import socket
import threading
from collections.abc import Callable
from time import sleep

import httpx
import numpy as np
import orjson
import pytest

from harness.daemon.client import DaemonClient, NewDrawer
from harness.daemon.door import path_of
from harness.daemon.search import SearchRequest
from harness.daemon.timing import Instants
from harness.errors import (
    DaemonDiedError,
    DaemonError,
    DaemonProtocolError,
    HarnessError,
    UsageError,
)
from tests.fake_palace import Answer, FakePalace, answer, refusal
from tests.fakes import FakeTime, a_free_port, served, speaking, transport

VECTOR = np.linspace(-1, 1, 768, dtype=np.float32)
LEXICAL = SearchRequest(text="oven", ranking="lexical", limit=10, vector=VECTOR)


def a_client(palace: FakePalace, time: FakeTime | None = None) -> DaemonClient:
    clock = time or FakeTime()
    return DaemonClient(
        "http://palace", transport=transport(palace, clock), time=clock.time
    )


def a_search_answered(with_: Answer) -> Callable[[], object]:
    palace = FakePalace()
    palace.faults["POST", "/api/search"] = with_
    return lambda: a_client(palace).search(LEXICAL)


# --- what is sent


def test_search_sends_every_field_of_the_contract() -> None:
    palace = FakePalace()
    a_client(palace).search(
        SearchRequest(
            text="oven?",
            ranking="hybrid",
            limit=10,
            wing="home",
            temporal={"as_of": "2026-01-01T00:00:00Z"},
            vector=VECTOR,
            profile="standin",
        )
    )
    body = palace.requests[-1].json
    assert body.pop("query_embedding") == pytest.approx(VECTOR.tolist(), abs=1e-7)
    assert body == {
        "text": "oven?",
        "ranking": "hybrid",
        "limit": 10,
        "filter": {
            "wing": "home",
            "room": None,
            "tags": [],
            "source_kind": None,
            "temporal": {"as_of": "2026-01-01T00:00:00Z"},
        },
        "expand": False,
        "profile": "standin",
    }


def test_vector_arrives_as_the_same_float32_numbers() -> None:
    palace = FakePalace()
    a_client(palace).search(LEXICAL)
    sent = np.array(palace.requests[-1].json["query_embedding"], np.float32)
    assert sent.tobytes() == VECTOR.tobytes()


def test_profile_is_left_out_where_there_is_none() -> None:
    palace = FakePalace()
    drawer = palace.add("home", "kitchen", "text")
    client = a_client(palace)
    client.search(LEXICAL)
    client.put_embedding(drawer.id, VECTOR, profile=None)
    assert all("profile" not in sent.json for sent in palace.requests)


def test_token_is_sent_as_bearer() -> None:
    headers: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        headers.append(request.headers["Authorization"])
        return httpx.Response(404)

    client = DaemonClient(
        "http://palace", "s3cret", transport=httpx.MockTransport(handle)
    )
    assert client.status() is None
    assert headers == ["Bearer s3cret"]


@pytest.mark.parametrize("segment", ["a/b", "..", ".", "ü %41?#", "a b"])
def test_path_segment_is_one_segment_whatever_it_holds(segment: str) -> None:
    with served(FakePalace()) as url, DaemonClient(url) as client:
        created, _ = client.create_drawer(
            NewDrawer(wing=segment, room=segment, content="text")
        )
        stored = client.get_drawer(created.id)
    assert stored is not None
    assert (stored.wing, stored.room) == (segment, segment)


def test_slash_of_a_segment_is_encoded() -> None:
    assert path_of("wings", "a/b", "rooms") == "/api/wings/a%2Fb/rooms"


@pytest.mark.parametrize(
    "vector",
    [
        np.array([1.0, np.nan], np.float32),
        np.array([np.inf], np.float32),
        np.zeros((1, 2), np.float32),
        np.zeros(2, np.float64),
    ],
)
def test_vector_that_json_would_change_is_never_sent(vector: object) -> None:
    palace = FakePalace()
    assert isinstance(vector, np.ndarray)
    with pytest.raises(HarnessError, match="finite float32"):
        a_client(palace).put_embedding("id", vector, profile=None)
    assert palace.requests == []


@pytest.mark.parametrize("token", ["", "a\nb", "schlüssel"])
def test_token_no_header_can_carry_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(UsageError) as caught:
        DaemonClient("http://palace", token)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["palace:8420", "ftp://palace", "http://", "http://palace:port"]
)
def test_address_without_a_daemon_behind_it_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="no address of a daemon"):
        DaemonClient(url)


def test_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{a_free_port()}")
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{a_free_port()}")
    with served(FakePalace()) as url, DaemonClient(url) as client:
        assert client.count_wings() == 0


# --- what is taken


def test_answer_headers_tell_how_a_search_ran() -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/search"] = answer(
        [],
        X_Palace_Ranking="lexical",
        X_Palace_Degraded="memcastle::embed::failed",
        X_Palace_Plan="index;rows=7",
        X_Palace_Lexical="any",
    )
    got = a_client(palace).search(LEXICAL)
    assert (got.ranking, got.degraded) == ("lexical", "memcastle::embed::failed")
    assert (got.plan, got.lexical) == ("index;rows=7", "any")


def test_daemon_that_tells_nothing_of_how_it_ran_is_taken_as_it_is() -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/search"] = answer([{"id": "x", "score": 1}])
    got = a_client(palace).search(LEXICAL)
    assert (got.ranking, got.degraded, got.plan) == (None, None, None)
    assert [(hit.id, hit.score) for hit in got.hits] == [("x", 1.0)]


@pytest.mark.parametrize(
    ("hit", "expanded"),
    [
        ({"signals": {"lexical": 0.0}}, False),
        ({"signals": {"graph": 1.0}}, True),
        ({"via": ["alice"]}, True),
        ({"signals": {"lexical": 1.0, "graph": 1.0}, "via": ["alice"]}, False),
        ({"signals": {"lexical": None, "graph": 1.0}}, True),
        ({}, False),
    ],
)
def test_hit_is_expanded_when_only_the_graph_brought_it(
    hit: dict[str, object], expanded: bool
) -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/search"] = answer([{"id": "x", **hit}])
    got = a_client(palace).search(LEXICAL)
    assert [each.is_expanded for each in got.hits] == [expanded]


def test_status_of_another_shape_is_told_nothing() -> None:
    palace = FakePalace(features=None)
    status = a_client(palace).status()
    assert status is not None
    assert status.features is None
    assert status.counts is not None
    assert status.counts.drawers is None


def test_daemon_without_status_has_none() -> None:
    assert a_client(FakePalace(has_status=False)).status() is None


def test_drawer_is_read_from_its_history_where_there_is_no_other_route() -> None:
    palace = FakePalace(reads_drawers=False)
    stored = palace.add("home", "kitchen", "text")
    found = a_client(palace).get_drawer(stored.id)
    assert found is not None
    assert (found.id, found.content) == (stored.id, "text")


def test_unknown_drawer_is_none() -> None:
    assert a_client(FakePalace()).get_drawer("uuid-9") is None


# --- when it happened


def test_service_time_runs_from_sent_to_done() -> None:
    time = FakeTime()
    palace = FakePalace()
    client = DaemonClient(
        "http://palace",
        transport=transport(palace, time, first_byte_s=0.004, body_s=0.001),
        time=time.time,
    )
    got = client.search(LEXICAL).instants
    assert got.service_s == pytest.approx(0.005)
    assert got.first_byte_s == pytest.approx(0.004)


def test_late_request_is_counted_from_its_intended_start() -> None:
    time = FakeTime()
    client = a_client(FakePalace(), time)
    got = client.search(LEXICAL, intended=time.seconds - 0.1).instants
    assert got.response_s == pytest.approx(0.103)
    assert got.service_s == pytest.approx(0.003)


def test_instants_at_the_wire_lie_between_those_of_the_call() -> None:
    palace = FakePalace()
    with served(palace) as url, DaemonClient(url) as client:
        all_instants: list[Instants] = [client.health() for _ in range(3)]
    for got in all_instants:
        steps = [got.intended, got.sent, got.first_byte, got.done, got.returned]
        assert steps == sorted(steps)
        assert 0 < got.service_s < got.round_trip_s


def test_transport_that_hides_its_steps_gives_no_service_time() -> None:
    silent = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
    client = DaemonClient("http://palace", transport=silent)
    with pytest.raises(HarnessError, match="send_request_headers"):
        client.health()


def test_requests_share_one_connection() -> None:
    peers: list[object] = []
    palace = FakePalace()
    with served(palace) as url, DaemonClient(url) as client:
        original = palace.handle

        def handle(method: str, target: str, body: bytes) -> Answer:
            peers.append(threading.get_ident())
            return original(method, target, body)

        palace.handle = handle  # type: ignore[method-assign] # a spy on one instance
        for _ in range(3):
            client.health()
    # The server gives each connection a thread of its own.
    assert len(set(peers)) == 1


# --- how it fails


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        (
            refusal(500, "memcastle::internal", "boom"),
            DaemonError,
            "POST /api/search answered 500 (memcastle::internal: boom).",
        ),
        (
            refusal(503, "memcastle::store::unavailable", "Postgres is away"),
            DaemonError,
            "answered 503 (memcastle::store::unavailable: Postgres is away)",
        ),
        (
            refusal(401, "memcastle::auth::unauthorized", "no"),
            DaemonError,
            "answered 401",
        ),
        (
            refusal(400, "memcastle::input::invalid", "invalid profile: none such"),
            DaemonProtocolError,
            "invalid profile: none such",
        ),
        (Answer(302), DaemonProtocolError, "answered 302"),
        (
            Answer(502, b"<html>" + b"x" * 5000),
            DaemonError,
            "answered 502 (<html>xxx",
        ),
        (Answer(200, b""), DaemonProtocolError, "with an empty body"),
        (Answer(200, b"<html>"), DaemonProtocolError, "'<html>', which is not JSON"),
        (Answer(200, b"\xff\xfe"), DaemonProtocolError, "which is not JSON"),
        (Answer(200, b'[{"id": NaN}]'), DaemonProtocolError, "which is not JSON"),
        (answer({"hits": []}), DaemonProtocolError, "of another shape: the whole body"),
        (answer([{"score": 1}]), DaemonProtocolError, "0.id: Field required"),
        (answer([{"id": ""}]), DaemonProtocolError, "0.id"),
        (answer([{"id": 7}]), DaemonProtocolError, "0.id"),
        (answer([{"id": "x" * 513}]), DaemonProtocolError, "0.id"),
        (
            Answer(200, b"[]", {"Content-Encoding": "gzip"}),
            DaemonProtocolError,
            "POST /api/search cannot be understood (DecodingError: ",
        ),
        (
            Answer(500, b"boom", {"Content-Encoding": "gzip"}),
            DaemonProtocolError,
            "POST /api/search cannot be understood (DecodingError: ",
        ),
        (
            answer([{"id": "x", "score": "high"}]),
            DaemonProtocolError,
            "0.score: Input should be a valid number, found 'high'",
        ),
        (answer(None), DaemonProtocolError, "of another shape"),
    ],
)
def test_answer_that_cannot_be_used_is_named(
    reply: Answer, kind: type[DaemonError], message: str
) -> None:
    with pytest.raises(DaemonError) as caught:
        a_search_answered(reply)()
    error = caught.value
    assert type(error) is kind
    assert message in error.what
    assert "\n" not in error.what
    assert len(error.what) < 300
    assert error.where == "http://palace"
    assert error.remedy


def test_foreign_text_cannot_speak_to_the_terminal() -> None:
    with pytest.raises(DaemonError) as caught:
        a_search_answered(Answer(500, b"\x1b]0;mine\x07 \x1b[2J \xff"))()
    assert "answered 500 (\ufffd]0;mine\ufffd \ufffd[2J \ufffd)." in caught.value.what


def test_unreachable_daemon_is_named() -> None:
    url = f"http://127.0.0.1:{a_free_port()}"
    with DaemonClient(url) as client, pytest.raises(DaemonError) as caught:
        client.health()
    assert "GET /api/health found nobody listening" in caught.value.what
    assert caught.value.where == url


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n[",
        b"HTTP/1.1 200 OK\r\nContent-Le",
    ],
)
def test_connection_that_ends_before_the_answer_is_named(raw: bytes) -> None:
    with (
        speaking(raw) as url,
        DaemonClient(url) as client,
        pytest.raises(DaemonError, match="got no whole answer"),
    ):
        client.health()


def test_answer_that_does_not_come_is_named_with_the_time_waited() -> None:
    with (
        speaking(None) as url,
        DaemonClient(url, timeout_s=0.05) as client,
        pytest.raises(DaemonError, match=r"not answered within 0\.05 s"),
    ):
        client.health()


def test_answer_that_trickles_for_ever_is_cut_off() -> None:
    time = FakeTime()

    class Trickle(httpx.SyncByteStream):
        def __iter__(self):  # type: ignore[no-untyped-def] # httpx wants a generator
            while True:
                time.advance(1.0)
                yield b" "

    endless = httpx.MockTransport(lambda _: httpx.Response(200, stream=Trickle()))
    client = DaemonClient("http://palace", transport=endless, time=time.time)
    with pytest.raises(DaemonError, match="not answered within 30 s"):
        client.health()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b"{}",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 20,
        HEAD.replace(b"2", b"99") + b" " * 99,
    ],
    ids=["head", "headers", "informational", "body"],
)
def test_answer_that_drips_is_given_up_on_after_the_whole_time(raw: bytes) -> None:
    # Each byte comes well within the limit, which is for all of them.
    with (
        speaking(raw, pause_s=0.02) as url,
        DaemonClient(url, timeout_s=0.3) as client,
        pytest.raises(DaemonError, match=r"not answered within 0\.3 s"),
    ):
        client.health()


def test_request_that_is_not_taken_is_given_up_on() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        drawer = NewDrawer(wing="w", room="r", content="x" * 2**24)
        with (
            DaemonClient(url, timeout_s=0.2) as client,
            pytest.raises(DaemonError, match=r"not answered within 0\.2 s"),
        ):
            client.create_drawer(drawer)


def test_every_request_has_the_whole_time() -> None:
    with (
        served(FakePalace()) as url,
        DaemonClient(url, timeout_s=0.3) as client,
    ):
        for _ in range(4):
            client.health()
            sleep(0.1)


def test_path_too_long_for_a_request_is_named() -> None:
    client = a_client(FakePalace())
    with pytest.raises(DaemonProtocolError, match="cannot be understood") as caught:
        client.get_drawer("x" * 70_000)
    assert len(caught.value.what) < 500


def test_answer_without_end_is_cut_off() -> None:
    class Flood(httpx.SyncByteStream):
        def __iter__(self):  # type: ignore[no-untyped-def] # httpx wants a generator
            while True:
                yield bytes(2**22)

    endless = httpx.MockTransport(lambda _: httpx.Response(200, stream=Flood()))
    client = DaemonClient("http://palace", transport=endless)
    with pytest.raises(DaemonProtocolError, match="more than 64 MiB"):
        client.health()


def died() -> None:
    raise DaemonDiedError("Postgres ended with exit code 1.")


def test_dead_process_is_named_instead_of_a_refused_connection() -> None:
    url = f"http://127.0.0.1:{a_free_port()}"
    with (
        DaemonClient(url, check=died) as client,
        pytest.raises(DaemonDiedError, match="Postgres ended"),
    ):
        client.health()


def test_dead_process_is_named_instead_of_an_internal_error() -> None:
    palace = FakePalace()
    palace.faults["GET", "/api/wings"] = refusal(503, "x", "away")
    client = DaemonClient(
        "http://palace", transport=transport(palace), time=FakeTime().time, check=died
    )
    with pytest.raises(DaemonDiedError):
        client.count_wings()


def test_process_that_ends_just_after_hanging_up_is_still_named() -> None:
    time = FakeTime()
    palace = FakePalace()
    palace.faults["GET", "/api/wings"] = refusal(500, "x", "away")

    def check() -> None:
        if time.pauses:
            died()

    client = DaemonClient(
        "http://palace", transport=transport(palace, time), time=time.time, check=check
    )
    with pytest.raises(DaemonDiedError):
        client.count_wings()


def test_living_process_does_not_hide_a_refusal() -> None:
    palace = FakePalace()
    palace.faults["GET", "/api/wings"] = refusal(404, "x", "no such route")
    client = DaemonClient(
        "http://palace", transport=transport(palace), time=FakeTime().time, check=died
    )
    with pytest.raises(DaemonProtocolError, match="no such route"):
        client.count_wings()


def test_failed_write_is_not_sent_again() -> None:
    palace = FakePalace()
    path = "/api/wings/home/rooms/kitchen/drawers"
    palace.faults["POST", path] = refusal(503, "x", "away")
    with pytest.raises(DaemonError):
        a_client(palace).create_drawer(
            NewDrawer(wing="home", room="kitchen", content="text")
        )
    assert len(palace.requests) == 1


def test_batch_with_another_number_of_drawers_is_refused() -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/drawers/batch"] = answer({"drawers": []})
    drawer = NewDrawer(wing="home", room="kitchen", content="text", vector=VECTOR)
    with pytest.raises(DaemonProtocolError, match="0 drawers to 1"):
        a_client(palace).create_drawers([drawer], profile=None)


def test_supersede_without_a_replacement_is_refused() -> None:
    palace = FakePalace()
    palace.faults["POST", "/api/drawers/x/supersede"] = answer(
        {"superseded": {"id": "x"}, "replacement": None}
    )
    with pytest.raises(DaemonProtocolError, match="replacement"):
        a_client(palace).supersede("x", "text")


def test_interruption_passes_through() -> None:
    def handle(_: httpx.Request) -> httpx.Response:
        raise KeyboardInterrupt

    client = DaemonClient("http://palace", transport=httpx.MockTransport(handle))
    with pytest.raises(KeyboardInterrupt):
        client.health()


def test_body_is_compact_json() -> None:
    palace = FakePalace()
    a_client(palace).search(LEXICAL)
    sent = palace.requests[-1].body
    assert orjson.dumps(orjson.loads(sent)) == sent
