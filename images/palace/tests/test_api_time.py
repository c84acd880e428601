"""Supersession and validity over HTTP."""

from __future__ import annotations

import uuid

import pytest

from tests.running import RunningDaemon, axis


def test_both_versions_meet_at_one_instant(daemon: RunningDaemon) -> None:
    first = daemon.create("The bin is emptied on Monday", room="bins", name="bins")

    answer = daemon.supersede(first["id"], "The bin is emptied on Tuesday")

    old, new = answer["superseded"], answer["replacement"]
    assert old["valid_to"] == new["valid_from"]
    assert old["id"] == first["id"]
    assert old["superseded_by"] == new["id"]
    assert (new["name"], new["room"]) == ("bins", first["room"])
    assert new["valid_to"] is None
    # Left out of this answer, and there in the stored drawer.
    assert "supersedes" not in new
    stored = daemon.client.get(f"/api/drawers/{new['id']}").json()
    assert stored["supersedes"] == first["id"]


def test_tags_pass_on_unless_others_are_given(daemon: RunningDaemon) -> None:
    first = daemon.create("tagless")
    tagged = daemon.client.post(
        f"/api/drawers/{first['id']}/supersede",
        json={"content": "tagged", "tags": ["a", "b"]},
    ).json()["replacement"]

    kept = daemon.supersede(tagged["id"], "tagged, again")["replacement"]

    assert kept["tags"] == ["a", "b"]
    assert daemon.found(text="tagged again", filter={"tags": ["b", "a"]}) == [
        kept["id"]
    ]


def test_without_a_text_the_drawer_is_only_closed(daemon: RunningDaemon) -> None:
    first = daemon.create("This ends here")

    answer = daemon.supersede(first["id"], None)

    assert answer["replacement"] is None
    assert answer["superseded"]["valid_to"] is not None
    assert daemon.found(text="ends here") == []


def test_a_closed_drawer_cannot_be_closed_again(daemon: RunningDaemon) -> None:
    first = daemon.create("Only once")
    daemon.supersede(first["id"], "Twice")

    answer = daemon.client.post(
        f"/api/drawers/{first['id']}/supersede", json={"content": "Thrice"}
    )

    assert answer.status_code == 409
    assert answer.json()["code"] == "memcastle::palace::drawer_superseded"


def test_a_blank_replacement_and_an_unknown_drawer_are_refused(
    daemon: RunningDaemon,
) -> None:
    first = daemon.create("Keep me")
    blank = daemon.client.post(
        f"/api/drawers/{first['id']}/supersede", json={"content": " "}
    )
    unknown = daemon.client.post(
        f"/api/drawers/{uuid.uuid4()}/supersede", json={"content": "x"}
    )

    assert blank.status_code == 400
    assert blank.json()["error"].startswith("invalid content: ")
    assert (unknown.status_code, unknown.json()["code"]) == (
        404,
        "memcastle::palace::drawer_not_found",
    )


def test_history_is_the_whole_chain_from_any_version(daemon: RunningDaemon) -> None:
    first = daemon.create("plan a")["id"]
    second = daemon.supersede(first, "plan b")["replacement"]["id"]
    third = daemon.supersede(second, "plan c")["replacement"]["id"]

    for asked in (first, second, third):
        history = daemon.client.get(f"/api/drawers/{asked}/history").json()
        assert history["drawer"] == asked
        assert [version["id"] for version in history["versions"]] == [
            first, second, third,
        ]  # fmt: skip


def test_a_replacement_has_no_vector(daemon: RunningDaemon) -> None:
    first = daemon.create("pictured", wing="pic", embedding=axis(0))["id"]
    daemon.supersede(first, "not pictured")
    scope = {"wing": "pic"}

    now = daemon.search(ranking="semantic", query_embedding=axis(0), filter=scope)
    ever = daemon.found(
        ranking="semantic", query_embedding=axis(0),
        filter={**scope, "temporal": "all"},
    )  # fmt: skip

    assert now.json() == []
    assert now.headers["x-palace-plan"] == "none;rows=0"
    assert ever == [first]


@pytest.mark.parametrize("ranking", ["lexical", "semantic", "hybrid"])
def test_every_ranking_sees_the_versions_of_its_time(
    daemon: RunningDaemon, ranking: str
) -> None:
    wing = f"time-{ranking}"
    first = daemon.create("meeting on monday", wing=wing, embedding=axis(0))
    between = daemon.now()
    second = daemon.supersede(first["id"], "meeting on friday")["replacement"]
    daemon.client.put(
        f"/api/drawers/{second['id']}/embedding", json={"embedding": axis(0)}
    )
    after = daemon.now()

    def found(temporal: object) -> list[str]:
        return daemon.found(
            text="meeting", ranking=ranking, query_embedding=axis(0),
            filter={"wing": wing, "temporal": temporal},
        )  # fmt: skip

    boundary = second["valid_from"]
    assert found("current") == [second["id"]]
    assert found("all") == [first["id"], second["id"]]
    assert found({"as_of": between}) == [first["id"]]
    assert found({"as_of": after}) == [second["id"]]
    assert found({"as_of": first["valid_from"]}) == [first["id"]]
    assert found({"as_of": boundary}) == [second["id"]]
    assert found({"between": {"from": between, "until": boundary}}) == [first["id"]]
    assert found({"between": {"from": between, "until": after}}) == [
        first["id"], second["id"],
    ]  # fmt: skip
    assert found({"between": {"from": boundary, "until": after}}) == [second["id"]]
    assert found({"as_of": "2001-01-01T00:00:00Z"}) == []


def test_the_clock_of_status_lies_between_writes(daemon: RunningDaemon) -> None:
    before = daemon.create("tick")["valid_from"]
    now = daemon.now()
    after = daemon.create("tock")["valid_from"]

    assert before < now < after


def test_an_edge_counts_only_while_it_is_valid(daemon: RunningDaemon) -> None:
    seed = daemon.create("Quillon sharpened the blade", wing="edge-time")["id"]
    near = daemon.create("The forge was cold", wing="edge-time")["id"]
    person = daemon.mention(seed, "Quillon")["entity"]["id"]
    place = daemon.mention(near, "Forge", "place")["entity"]["id"]
    before = daemon.now()
    daemon.client.post(f"/api/entities/{person}/relations", json={"to": place})

    past = daemon.found(
        text="blade", ranking="lexical", expand=True,
        filter={"temporal": {"as_of": before}},
    )  # fmt: skip

    assert past == [seed]
    assert daemon.found(text="blade", ranking="lexical", expand=True) == [seed, near]
