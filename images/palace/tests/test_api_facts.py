"""Facts: put in, as they were sent, and deleted."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest

from palace.wire import facts as wire
from tests.running import RunningDaemon


def fact(text: str = "the user drinks tea", **fields: object) -> dict[str, object]:
    usual = {"wing": "w", "room": "r", "kind": "durable", "category": "identity"}
    return {**usual, "text": text, **fields}


def put(daemon: RunningDaemon, *facts: dict[str, object]) -> httpx.Response:
    return daemon.client.post("/api/facts", json={"facts": facts})


def stored(daemon: RunningDaemon, *facts: dict[str, object]) -> list[dict[str, Any]]:
    answer = put(daemon, *facts)
    assert answer.status_code == 200, answer.text
    wire.Facts.model_validate(answer.json())
    return list(answer.json()["facts"])


def n_facts(daemon: RunningDaemon) -> int:
    return int(daemon.client.get("/api/status").json()["counts"]["facts"])


def test_a_fact_is_stored_as_it_was_sent(daemon: RunningDaemon) -> None:
    sent = fact(
        kind="current",
        confidence=0.9,
        keywords=["tea", "Ωmega"],
        fields={"cup": {"size": 3}, "with": ["milk", None, 2**63]},
        valid_at="2024-03-01T12:00:00+02:00",
    )

    (got,) = stored(daemon, sent)

    assert uuid.UUID(got.pop("id")).version == 4
    assert got.pop("created_at") > "2024"
    assert got == {**sent, "valid_at": "2024-03-01T10:00:00.000000Z"}


def test_what_is_left_out_is_null_or_empty(daemon: RunningDaemon) -> None:
    (got,) = stored(daemon, fact())

    assert (got["confidence"], got["valid_at"]) == (None, None)
    assert (got["keywords"], got["fields"]) == ([], {})


def test_facts_come_back_in_the_order_sent(daemon: RunningDaemon) -> None:
    got = stored(daemon, *[fact(f"fact {n}") for n in range(20)])

    assert [each["text"] for each in got] == [f"fact {n}" for n in range(20)]
    assert stored(daemon) == []


def test_the_same_fact_twice_is_two_facts(daemon: RunningDaemon) -> None:
    one, other = stored(daemon, fact(), fact())

    assert one["id"] != other["id"]


def test_a_deleted_fact_is_gone(daemon: RunningDaemon) -> None:
    before = n_facts(daemon)
    (got,) = stored(daemon, fact("gone soon"))

    first = daemon.client.delete(f"/api/facts/{got['id']}")
    second = daemon.client.delete(f"/api/facts/{got['id']}")

    assert first.status_code == 204
    assert (second.status_code, second.json()["code"]) == (
        404,
        "memcastle::palace::fact_not_found",
    )
    assert n_facts(daemon) == before


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"text": " "}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"category": ""}, "category"),
        ({"kind": "eternal"}, "facts[0].kind"),
        ({"confidence": 1.1}, "facts[0].confidence"),
        ({"confidence": -0.1}, "facts[0].confidence"),
        ({"confidence": "0.5"}, "facts[0].confidence"),
        ({"keywords": ["a\0b"]}, "keywords"),
        ({"keywords": "tea"}, "facts[0].keywords"),
        ({"fields": ["tea"]}, "facts[0].fields"),
        ({"fields": {"n": 2**70}}, "fields"),
        ({"valid_at": "yesterday"}, "valid_at"),
        ({"valid_at": "2024-03-01T12:00:00"}, "valid_at"),
        ({"wing": ""}, "wing"),
        ({"room": "a/b"}, "room"),
    ],
)
def test_an_unusable_field_is_named_and_nothing_stored(
    daemon: RunningDaemon, change: dict[str, object], field: str
) -> None:
    before = n_facts(daemon)

    answer = put(daemon, {**fact("first"), **change}, fact("second"))

    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"invalid {field}:")
    assert n_facts(daemon) == before


@pytest.mark.parametrize("value", [rb'"\ud800"', b"NaN", b"-Infinity", b'{"b":[NaN]}'])
def test_what_the_store_cannot_hold_is_refused(
    daemon: RunningDaemon, value: bytes
) -> None:
    body = rb'{"facts":[{"wing":"w","room":"r","kind":"durable","text":"t",'
    body += rb'"category":"c","fields":{"a":' + value + rb"}}]}"

    answer = daemon.client.post("/api/facts", content=body)

    assert answer.status_code == 400
