"""Mentions over HTTP, and how spellings converge."""

from __future__ import annotations

import uuid

import pytest

from tests.running import RunningDaemon


def test_a_mention_is_made_once(daemon: RunningDaemon) -> None:
    drawer = daemon.create("Alice came")["id"]
    url = f"/api/drawers/{drawer}/mentions"
    body = {"name": "Alice Example", "kind": " Person "}

    first = daemon.client.post(url, json=body)
    again = daemon.client.post(url, json=body)

    assert (first.status_code, first.json()["created"]) == (201, True)
    assert (again.status_code, again.json()["created"]) == (200, False)
    assert first.json()["drawer"] == drawer
    assert first.json()["entity"]["kind"] == "person"
    assert daemon.client.get(url).json() == [first.json()["entity"]]


@pytest.mark.parametrize(
    ("canonical", "spelling"),
    [
        ("Acme Corp", "ACME-corp"),
        ("St. John's", "st johns"),
        ("Postgres", "Postgers"),
    ],
)
def test_spellings_converge_and_the_canonical_name_stays(
    daemon: RunningDaemon, canonical: str, spelling: str
) -> None:
    drawer = daemon.create(f"about {canonical}")["id"]
    first = daemon.mention(drawer, canonical, "org")["entity"]

    again = daemon.mention(drawer, spelling, "org")["entity"]

    assert again["id"] == first["id"]
    assert again["name"] == canonical
    assert again["aliases"] == [spelling]


def test_an_alias_converges_on_its_entity(daemon: RunningDaemon) -> None:
    drawer = daemon.create("aliases")["id"]
    first = daemon.mention(drawer, "Kubernetes", "tool")["entity"]
    daemon.mention(drawer, "Kubernets", "tool")

    # Two edits from the name, none from the alias.
    again = daemon.mention(drawer, "kubernets", "tool")["entity"]

    assert again["id"] == first["id"]


def test_kinds_do_not_converge_unless_one_is_other(daemon: RunningDaemon) -> None:
    drawer = daemon.create("kinds")["id"]
    person = daemon.mention(drawer, "Mercury", "person")["entity"]
    planet = daemon.mention(drawer, "Mercury", "planet")["entity"]
    other = daemon.mention(drawer, "Mercury", "other")["entity"]

    assert person["id"] != planet["id"]
    assert other["id"] == person["id"]


def test_two_candidates_make_a_new_entity(daemon: RunningDaemon) -> None:
    drawer = daemon.create("doubt")["id"]
    one = daemon.mention(drawer, "Marlena", "cat")["entity"]
    two = daemon.mention(drawer, "Verlene", "cat")["entity"]
    three = daemon.mention(drawer, "Merlena", "cat")["entity"]

    # One edit from Marlena alone, so a typo; Varlene is one from Verlene.
    assert three["id"] == one["id"]
    assert daemon.mention(drawer, "Varlene", "cat")["entity"]["id"] == two["id"]


def test_names_without_letters_are_told_apart(daemon: RunningDaemon) -> None:
    drawer = daemon.create("signs")["id"]
    one = daemon.mention(drawer, "!!!", "band")["entity"]
    two = daemon.mention(drawer, "???", "band")["entity"]

    assert one["id"] != two["id"]


@pytest.mark.parametrize(
    "body", [{"name": " ", "kind": "x"}, {"name": "x", "kind": ""}]
)
def test_a_blank_label_is_refused(daemon: RunningDaemon, body: dict[str, str]) -> None:
    drawer = daemon.create("blank label", room=uuid.uuid4().hex[:8])["id"]
    answer = daemon.client.post(f"/api/drawers/{drawer}/mentions", json=body)

    assert (answer.status_code, answer.json()["code"]) == (
        400,
        "memcastle::graph::empty_label",
    )


def test_entities_are_listed_by_name_and_kind(daemon: RunningDaemon) -> None:
    drawer = daemon.create("listing")["id"]
    for name in ("Zed Listed", "Amy Listed"):
        daemon.mention(drawer, name, "listed")

    every = daemon.client.get("/api/entities", params={"kind": "listed"}).json()
    some = daemon.client.get("/api/entities", params={"name": "zed l"}).json()

    assert [entity["name"] for entity in every] == ["Amy Listed", "Zed Listed"]
    assert [entity["name"] for entity in some] == ["Zed Listed"]
    one = daemon.client.get(f"/api/entities/{some[0]['id']}").json()
    assert one == some[0]


def test_relations_are_made_once_and_never_to_oneself(daemon: RunningDaemon) -> None:
    drawer = daemon.create("relations")["id"]
    one = daemon.mention(drawer, "Node One", "node")["entity"]["id"]
    two = daemon.mention(drawer, "Other Two", "node")["entity"]["id"]
    url = f"/api/entities/{one}/relations"

    made = daemon.client.post(url, json={"to": two})
    again = daemon.client.post(url, json={"to": two})
    self = daemon.client.post(url, json={"to": one})
    unknown = daemon.client.post(url, json={"to": str(uuid.uuid4())})

    assert (made.status_code, again.status_code) == (201, 200)
    assert made.json() == {
        "source": one, "target": two, "kind": "relates_to", "created": True,
    }  # fmt: skip
    assert (self.status_code, unknown.status_code) == (400, 404)
