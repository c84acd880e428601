"""Whatever is wrong, the answer is JSON with a code that says what."""

from __future__ import annotations

import socket
import uuid

import pytest

from tests.running import RunningDaemon, axis

INVALID = "memcastle::input::invalid"


def vector(*changes: object) -> str:
    """A body with an embedding of 768 whose first components are replaced."""
    numbers = [*changes, *[0.5] * (768 - len(changes))]
    return '{"embedding": [' + ", ".join(str(number) for number in numbers) + "]}"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("{", "body"),
        ("", "body"),
        ("[1]", "body"),
        (vector("NaN"), "embedding"),
        (vector("Infinity"), "embedding"),
        (vector("-Infinity"), "embedding"),
        (vector("1e400"), "embedding"),
        (vector('"1"'), "embedding"),
        (vector("null"), "embedding"),
        ('{"embedding": [1, 2]}', "embedding"),
        ('{"embedding": []}', "embedding"),
        ('{"embedding": [' + "0," * 767 + "0]}", "embedding"),
        (vector(1)[:-1] + ', "profile": "nope"}', "profile"),
    ],
)
def test_an_unusable_vector_is_refused_naming_its_field(
    daemon: RunningDaemon, body: str, field: str
) -> None:
    drawer = daemon.create(f"drawer {uuid.uuid4()}")["id"]

    answer = daemon.client.put(f"/api/drawers/{drawer}/embedding", content=body)

    assert (answer.status_code, answer.json()["code"]) == (400, INVALID)
    assert answer.json()["error"].startswith(f"invalid {field}: ")


@pytest.mark.parametrize("ranking", ["semantic", "hybrid", "auto"])
@pytest.mark.parametrize(
    "embedding", ["[1, 2]", "[]", "[" + ", ".join(["NaN"] * 768) + "]"]
)
def test_an_unusable_query_vector_is_refused(
    daemon: RunningDaemon, ranking: str, embedding: str
) -> None:
    body = f'{{"text": "x", "ranking": "{ranking}", "query_embedding": {embedding}}}'

    answer = daemon.client.post("/api/search", content=body)

    assert answer.status_code == 400
    assert answer.json()["error"].startswith("invalid query_embedding: ")


@pytest.mark.parametrize("extremes", [(1e-300, 1e-310), (1e300, -1e300), (1e39,)])
def test_very_long_and_very_short_vectors_are_compared_right(
    daemon: RunningDaemon, extremes: tuple[float, ...]
) -> None:
    # As single-precision numbers these overflow or vanish; their direction does not.
    wing = f"extreme-{extremes[0]}"
    first, *rest = extremes
    numbers = [first, *rest, *[0.0] * (768 - len(extremes))]
    daemon.create("extreme", wing=wing, embedding=numbers)

    (hit,) = daemon.search(
        ranking="semantic", query_embedding=numbers, filter={"wing": wing}
    ).json()

    assert hit["score"] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/drawers/{}"),
        ("DELETE", "/api/drawers/{}"),
        ("GET", "/api/drawers/{}/history"),
        ("GET", "/api/drawers/{}/duplicates"),
        ("GET", "/api/drawers/{}/mentions"),
        ("GET", "/api/entities/{}"),
        ("GET", "/api/jobs/{}"),
    ],
)
def test_malformed_and_unknown_ids_are_told_apart(
    daemon: RunningDaemon, method: str, path: str
) -> None:
    malformed = daemon.client.request(method, path.format("nonsense"))
    unknown = daemon.client.request(method, path.format(uuid.uuid4()))

    assert (malformed.status_code, malformed.json()["code"]) == (400, INVALID)
    assert malformed.json()["error"].startswith("invalid id: ")
    assert unknown.status_code == 404
    assert unknown.json()["code"].endswith("_not_found")


def test_a_vector_for_an_unknown_drawer_is_not_found(daemon: RunningDaemon) -> None:
    answer = daemon.client.put(
        f"/api/drawers/{uuid.uuid4()}/embedding", json={"embedding": axis(0)}
    )

    assert (answer.status_code, answer.json()["code"]) == (
        404,
        "memcastle::palace::drawer_not_found",
    )


@pytest.mark.parametrize(
    ("wing", "room", "field"),
    [
        ("%20w", "r", "wing"),
        ("w", "r%20", "room"),
        ("w%00", "r", "wing"),
        ("w", "r%0A", "room"),
    ],
)
def test_unusable_names_in_a_path_are_refused(
    daemon: RunningDaemon, wing: str, room: str, field: str
) -> None:
    answer = daemon.client.post(
        f"/api/wings/{wing}/rooms/{room}/drawers", json={"content": "x"}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, INVALID)
    assert answer.json()["error"].startswith(f"invalid {field}: ")


def test_percent_encoded_names_are_decoded(daemon: RunningDaemon) -> None:
    daemon.create("encoded", wing="Caf%C3%A9%20%3F", room="a%2Bb")

    got = daemon.found(text="encoded", filter={"wing": "Café ?", "room": "a+b"})

    assert len(got) == 1


@pytest.mark.parametrize(
    ("field", "value"), [("name", "a\x00b"), ("requested_by", "a\x00b")]
)
def test_a_nul_is_refused_wherever_it_would_be_stored(
    daemon: RunningDaemon, field: str, value: str
) -> None:
    answer = daemon.client.post(
        "/api/wings/w/rooms/r/drawers", json={"content": "nul", field: value}
    )

    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"invalid {field}: ")


@pytest.mark.parametrize("path", ["/api/entities?name=a%00", "/api/jobs?status=%00"])
def test_a_nul_in_a_query_string_is_refused(daemon: RunningDaemon, path: str) -> None:
    answer = daemon.client.get(path)

    assert (answer.status_code, answer.json()["code"]) == (400, INVALID)


def test_unknown_paths_and_methods_have_json_bodies(daemon: RunningDaemon) -> None:
    path = daemon.client.get("/api/nothing/here")
    root = daemon.client.get("/")
    method = daemon.client.delete("/api/search")

    assert (path.status_code, path.json()["code"]) == (
        404,
        "memcastle::http::not_found",
    )
    assert root.status_code == 404
    assert method.status_code == 405
    assert method.json()["code"] == "memcastle::http::method_not_allowed"
    assert method.headers["allow"] == "GET, POST"


@pytest.mark.parametrize(
    "path",
    [
        "/api/jobs?limit=0",
        "/api/jobs?limit=x",
        "/api/search?limit=-1",
        "/api/search?limit=1_0",
        "/api/search?limit=%205",
        "/api/search?limit=5%20",
        "/api/search?limit=%2B5",
        "/api/search?limit=%D9%A5",
        "/api/search?limit=5.0",
        "/api/jobs?limit=1_0",
        "/api/entities?limit=1_0",
        "/api/wings/w/rooms/r/drawers?limit=1_0",
    ],
)
def test_an_unusable_parameter_is_named(daemon: RunningDaemon, path: str) -> None:
    answer = daemon.client.get(path)

    assert answer.status_code == 400
    assert answer.json()["error"].startswith("invalid limit: ")


def test_a_body_over_the_cap_is_refused_unread(daemon: RunningDaemon) -> None:
    host, port = daemon.url.removeprefix("http://").split(":")
    head = (
        "POST /api/search HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Content-Length: {10**10}\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(head.encode() + b'{"text": "')
        with connection.makefile("rb") as stream:
            answer = stream.read().decode()

    assert answer.startswith("HTTP/1.1 413 ")
    assert "memcastle::input::too_large" in answer


@pytest.mark.parametrize(
    ("mode", "method", "path", "wanted"),
    [
        ("full", "GET", "/api/wings", 200),
        ("read_only", "GET", "/api/wings", 200),
        ("read_only", "POST", "/api/search", 200),
        ("read_only", "POST", "/api/wings/w/rooms/r/drawers", 403),
        ("read_only", "POST", "/api/shutdown", 403),
        ("disabled", "GET", "/api/wings", 403),
        ("disabled", "POST", "/api/search", 403),
        ("disabled", "GET", "/api/health", 200),
        ("everything", "GET", "/api/wings", 400),
    ],
)
def test_the_mode_header_narrows_what_a_request_may_do(
    daemon: RunningDaemon, mode: str, method: str, path: str, wanted: int
) -> None:
    answer = daemon.client.request(
        method,
        path,
        headers={"X-MemCastle-Mode": mode},
        json={} if method == "POST" else None,
    )

    assert answer.status_code == wanted
    if wanted == 403:
        assert answer.json()["code"] == "memcastle::mode::forbidden"


def test_every_error_has_three_texts(daemon: RunningDaemon) -> None:
    for answer in (
        daemon.client.get("/api/drawers/nonsense"),
        daemon.client.get("/nowhere"),
        daemon.client.post("/api/jobs", json={"type": "embed"}),
    ):
        body = answer.json()
        assert set(body) == {"error", "code", "help"}
        assert all(body.values())
