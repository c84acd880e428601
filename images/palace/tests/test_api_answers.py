"""Real answers hold to the models that the OpenAPI document is made of."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import BaseModel, TypeAdapter

from palace.wire import answers, documents, facts
from palace.wire import daemon as daemon_answers
from tests.running import RunningDaemon, axis


@pytest.fixture(scope="module")
def ids(daemon: RunningDaemon) -> dict[str, str]:
    """Ids of one of everything."""
    old = daemon.create("The kettle is in the kitchen", embedding=axis(0))["id"]
    daemon.create("the kettle is in the KITCHEN!", embedding=axis(1))
    new = daemon.supersede(old, "The kettle is in the shed")["replacement"]["id"]
    entity = daemon.mention(new, "Kettle", "thing")["entity"]["id"]
    other = daemon.create("Tea is made at four")["id"]
    daemon.mention(other, "Kettle", "thing")
    job = daemon.client.post("/api/jobs", json={"type": "index"}).json()["id"]
    return {"old": old, "new": new, "entity": entity, "job": job, "other": other}


Call = Callable[[RunningDaemon, dict[str, str]], object]


def get(path: str) -> Call:
    def call(daemon: RunningDaemon, ids: dict[str, str]) -> object:
        answer = daemon.client.get(path.format(**ids))
        assert answer.status_code == 200, answer.text
        return answer.json()

    return call


def post(path: str, body: dict[str, object]) -> Call:
    def call(daemon: RunningDaemon, ids: dict[str, str]) -> object:
        answer = daemon.client.post(path.format(**ids), json=body)
        assert answer.is_success, answer.text
        return answer.json()

    return call


@pytest.mark.parametrize(
    ("model", "call"),
    [
        (daemon_answers.Health, get("/api/health")),
        (daemon_answers.Status, get("/api/status")),
        (daemon_answers.Config, get("/api/config")),
        (list[answers.Wing], get("/api/wings")),
        (list[answers.Room], get("/api/wings/w/rooms")),
        (
            documents.IngestedDocument,
            post("/api/documents",
                 {"wing": "w", "room": "r", "name": "n", "content": "a text"}),
        ),
        (list[documents.Document], get("/api/wings/w/rooms/r/documents")),
        (
            facts.Facts,
            post("/api/facts", {"facts": [{"wing": "w", "room": "r", "kind": "durable",
                                           "text": "t", "category": "c"}]}),
        ),
        (list[answers.Drawer], get("/api/wings/w/rooms/r/drawers")),
        (answers.Drawer, get("/api/drawers/{old}")),
        (answers.History, get("/api/drawers/{old}/history")),
        (answers.Duplicates, get("/api/drawers/{old}/duplicates")),
        (list[answers.Entity], get("/api/drawers/{new}/mentions")),
        (list[answers.Entity], get("/api/entities")),
        (answers.Entity, get("/api/entities/{entity}")),
        (list[answers.Job], get("/api/jobs")),
        (answers.Job, get("/api/jobs/{job}")),
        (list[answers.SearchHit], get("/api/search?q=kettle&expand=true")),
        (
            list[answers.SearchHit],
            post("/api/search", {"text": "kettle shed", "expand": True,
                                 "ranking": "hybrid", "query_embedding": axis(1)}),
        ),
        (
            answers.CreatedDrawer,
            post("/api/wings/w/rooms/new/drawers", {"content": "made"}),
        ),
        (
            answers.CreatedBatch,
            post("/api/drawers/batch",
                 {"drawers": [{"wing": "w", "room": "b", "content": "b"}]}),
        ),
        (
            answers.Mention,
            post("/api/drawers/{other}/mentions", {"name": "Tea", "kind": "thing"}),
        ),
        (
            answers.SupersededDrawer,
            post("/api/drawers/{other}/supersede", {"content": "Tea at five"}),
        ),
    ],
)  # fmt: skip
def test_an_answer_is_what_its_model_says(
    daemon: RunningDaemon, ids: dict[str, str], model: type[BaseModel], call: Call
) -> None:
    TypeAdapter(model).validate_python(call(daemon, ids))


def test_status_counts_what_was_made(
    daemon: RunningDaemon, ids: dict[str, str]
) -> None:
    del ids
    before = daemon.client.get("/api/status").json()["counts"]
    daemon.create("counted", wing="status", embedding=axis(4))

    after = daemon.client.get("/api/status").json()["counts"]

    grown = {name: after[name] - before[name] for name in before if name != "vectors"}
    assert grown == {
        "wings": 1, "rooms": 1, "drawers": 1, "current": 1, "entities": 0,
        "mentions": 0, "documents": 0, "fragments": 0, "fragments_embedded": 0,
        "facts": 0,
    }  # fmt: skip
    assert after["vectors"]["standin"] == before["vectors"]["standin"] + 1


def test_config_tells_the_profiles(daemon: RunningDaemon) -> None:
    config = daemon.client.get("/api/config").json()

    assert config["backend"] == "postgres"
    assert config["embeddings"] == {"provider": "none", "model": None}
    assert config["profiles"] == [
        {
            "name": "standin",
            "dimension": 768,
            "metric": "cosine",
            "external": True,
            "default": True,
        }
    ]


def test_the_document_is_served(daemon: RunningDaemon) -> None:
    document = daemon.client.get("/api/openapi.json").json()

    assert document["info"]["title"] == "palace"
    assert "/api/search" in document["paths"]
