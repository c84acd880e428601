"""Drawers over HTTP: create, batch, read, list, delete, vectors, duplicates."""

from __future__ import annotations

import hashlib
import uuid

import pytest

from tests.running import RunningDaemon, axis

BODY = {
    "id", "room", "name", "content", "content_hash", "source", "tags", "embedding",
    "provenance", "valid_from", "valid_to", "created_at", "updated_at", "created",
}  # fmt: skip


def test_a_new_drawer_has_every_field(daemon: RunningDaemon) -> None:
    got = daemon.create("The first drawer.", room="fields", requested_by="me")

    assert set(got) == BODY
    assert got["created"] is True
    assert got["content_hash"] == hashlib.sha256(b"The first drawer.").hexdigest()
    assert got["source"] == {"kind": "manual", "uri": None, "agent": None}
    assert got["provenance"] == {"requested_by": "me", "job_id": None}
    assert (got["name"], got["tags"], got["embedding"]) == (None, [], None)
    assert (got["valid_to"], got["valid_from"][-1]) == (None, "Z")


def test_an_identical_drawer_is_answered_with_the_first(daemon: RunningDaemon) -> None:
    first = daemon.create("Say this once.", room="once")
    answer = daemon.client.post(
        "/api/wings/w/rooms/once/drawers", json={"content": "Say this once."}
    )

    assert answer.status_code == 200
    assert answer.json() == {**first, "created": False}


def test_a_superseded_copy_does_not_block_the_text(daemon: RunningDaemon) -> None:
    first = daemon.create("It was so.", room="again")
    daemon.supersede(first["id"], "It is otherwise.")

    again = daemon.create("It was so.", room="again")

    assert again["id"] != first["id"]


def test_wing_and_room_are_addressed_by_id_too(daemon: RunningDaemon) -> None:
    first = daemon.create("By name.", wing="addressed", room="here")
    wings = {w["name"]: w["id"] for w in daemon.client.get("/api/wings").json()}

    again = daemon.create("By id.", wing=wings["addressed"], room=first["room"])

    assert again["room"] == first["room"]


def test_an_unknown_id_of_a_wing_or_room_is_not_made(daemon: RunningDaemon) -> None:
    nowhere = str(uuid.uuid4())
    daemon.create("Here.", wing="real", room="r")
    for place, code in (
        (f"{nowhere}/rooms/r", "memcastle::palace::wing_not_found"),
        (f"real/rooms/{nowhere}", "memcastle::palace::room_not_found"),
    ):
        answer = daemon.client.post(
            f"/api/wings/{place}/drawers", json={"content": "x"}
        )
        assert (answer.status_code, answer.json()["code"]) == (404, code)


def test_a_taken_name_is_refused(daemon: RunningDaemon) -> None:
    daemon.create("One text.", room="named", name="plan")
    answer = daemon.client.post(
        "/api/wings/w/rooms/named/drawers", json={"content": "Other.", "name": "plan"}
    )

    assert answer.status_code == 409
    assert answer.json()["code"] == "memcastle::palace::drawer_name_taken"


def test_odd_but_legal_text_comes_back_unchanged(daemon: RunningDaemon) -> None:
    content = "  \u00e9\u0301 \U0001f3f0 \u202e right-to-left \\ \" ' \x7f \r\n end  "

    made = daemon.create(content, room="odd")

    got = daemon.client.get(f"/api/drawers/{made['id']}").json()
    assert got["content"] == content


def test_a_batch_is_answered_in_order_and_is_one_transaction(
    daemon: RunningDaemon,
) -> None:
    drawers = [
        {"wing": "batch", "room": f"r{n % 3}", "content": f"number {n}"}
        for n in range(40)
    ]
    drawers.append(drawers[0])

    answer = daemon.client.post("/api/drawers/batch", json={"drawers": drawers})

    got = answer.json()["drawers"]
    assert answer.status_code == 200
    assert [drawer["content"] for drawer in got] == [d["content"] for d in drawers]
    assert [drawer["created"] for drawer in got] == [True] * 40 + [False]
    assert got[40]["id"] == got[0]["id"]


def test_a_batch_with_one_bad_drawer_makes_none(daemon: RunningDaemon) -> None:
    drawers = [
        {"wing": "allornone", "room": "r", "content": "good"},
        {"wing": "allornone", "room": "r", "content": "  "},
    ]

    answer = daemon.client.post("/api/drawers/batch", json={"drawers": drawers})

    names = [wing["name"] for wing in daemon.client.get("/api/wings").json()]
    assert answer.status_code == 400
    assert "allornone" not in names


def test_a_batch_with_a_taken_name_makes_none(daemon: RunningDaemon) -> None:
    drawers = [
        {"wing": "taken", "room": "r", "content": "good"},
        {"wing": "taken", "room": "r", "content": "one", "name": "n"},
        {"wing": "taken", "room": "r", "content": "two", "name": "n"},
    ]

    answer = daemon.client.post("/api/drawers/batch", json={"drawers": drawers})

    names = [wing["name"] for wing in daemon.client.get("/api/wings").json()]
    assert answer.status_code == 409
    assert "taken" not in names


def test_an_empty_batch_makes_nothing(daemon: RunningDaemon) -> None:
    answer = daemon.client.post("/api/drawers/batch", json={"drawers": []})

    assert (answer.status_code, answer.json()) == (200, {"drawers": []})


def test_a_batch_of_more_than_500_is_refused(daemon: RunningDaemon) -> None:
    drawers = [{"wing": "w", "room": "r", "content": str(n)} for n in range(501)]

    answer = daemon.client.post("/api/drawers/batch", json={"drawers": drawers})

    assert (answer.status_code, answer.json()["code"]) == (
        400,
        "memcastle::input::invalid",
    )


def test_vectors_come_with_a_drawer_or_after_it(daemon: RunningDaemon) -> None:
    first = daemon.create("with", wing="vec", embedding=axis(0))
    second = daemon.create("after", wing="vec")
    answer = daemon.client.put(
        f"/api/drawers/{second['id']}/embedding", json={"embedding": axis(1)}
    )

    got = daemon.found(
        ranking="semantic", query_embedding=axis(1), filter={"wing": "vec"}
    )

    assert (answer.status_code, answer.json()) == (200, {"embedded": True})
    assert got == [second["id"], first["id"]]


def test_a_later_vector_replaces_the_earlier(daemon: RunningDaemon) -> None:
    first = daemon.create("turned", wing="turn", embedding=axis(0))
    daemon.client.put(
        f"/api/drawers/{first['id']}/embedding", json={"embedding": axis(5)}
    )

    (hit,) = daemon.search(
        ranking="semantic", query_embedding=axis(5), filter={"wing": "turn"}
    ).json()

    assert hit["score"] == 1.0


def test_rooms_are_listed_with_their_drawers_page_by_page(
    daemon: RunningDaemon,
) -> None:
    made = [daemon.create(f"page {n}", wing="paged")["id"] for n in range(5)]
    daemon.supersede(made[0], "page 0, again")
    url = "/api/wings/paged/rooms/r/drawers"

    first = daemon.client.get(url, params={"limit": 2}).json()
    rest = daemon.client.get(url, params={"after": first[-1]["id"]}).json()
    every = daemon.client.get(url, params={"include_historical": True}).json()

    assert [drawer["id"] for drawer in first] == made[1:3]
    assert [drawer["id"] for drawer in rest][:2] == made[3:]
    assert [drawer["content"] for drawer in rest][2:] == ["page 0, again"]
    assert len(every) == 6


def test_wings_and_rooms_are_listed_with_counts(daemon: RunningDaemon) -> None:
    daemon.create("one", wing="counted", room="a")
    daemon.create("two", wing="counted", room="b")
    daemon.create("three", wing="counted", room="b")

    wings = {wing["name"]: wing for wing in daemon.client.get("/api/wings").json()}
    rooms = daemon.client.get("/api/wings/counted/rooms").json()

    assert (wings["counted"]["rooms"], wings["counted"]["drawers"]) == (2, 3)
    assert [(room["name"], room["drawers"]) for room in rooms] == [("a", 1), ("b", 2)]


def test_a_deleted_drawer_is_gone_from_every_search(daemon: RunningDaemon) -> None:
    made = daemon.create("ephemeral thought", wing="gone", embedding=axis(3))
    daemon.mention(made["id"], "Ephemera")

    answer = daemon.client.delete(f"/api/drawers/{made['id']}")
    again = daemon.client.delete(f"/api/drawers/{made['id']}")

    assert (answer.status_code, answer.content) == (204, b"")
    assert again.status_code == 404
    for ranking in ("lexical", "semantic", "hybrid"):
        assert (
            daemon.found(
                text="ephemeral",
                ranking=ranking,
                query_embedding=axis(3),
                filter={"wing": "gone"},
            )
            == []
        )


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("Feed the cat at noon!", "feed the CAT, at noon", "normalized"),
        ("Feed the dog at seven", "Feed teh dog at seven", "near"),
    ],
)
def test_alike_drawers_are_stored_and_linked_from_both_sides(
    daemon: RunningDaemon, first: str, second: str, kind: str
) -> None:
    older = daemon.create(first, room=kind)["id"]
    newer = daemon.create(second, room=kind)["id"]

    (down,) = daemon.client.get(f"/api/drawers/{newer}/duplicates").json()["similar"]
    (up,) = daemon.client.get(f"/api/drawers/{older}/duplicates").json()["similar"]

    assert (down["drawer"], down["side"], down["kind"]) == (older, "older", kind)
    assert (up["drawer"], up["side"], up["kind"]) == (newer, "newer", kind)
    assert down["similarity"] >= 0.9


def test_unlike_drawers_are_not_linked(daemon: RunningDaemon) -> None:
    daemon.create("The boiler is serviced in October", room="unlike")
    other = daemon.create("The boiler was replaced by Hans", room="unlike")["id"]

    got = daemon.client.get(f"/api/drawers/{other}/duplicates").json()

    assert got == {"drawer": other, "similar": []}
