"""Documents: put in, recognised, replaced, deleted, listed, and apart from drawers."""

from __future__ import annotations

import concurrent.futures
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from palace.wire import documents as wire
from tests.providing import DIMENSION, Provider
from tests.running import RunningDaemon

# Cut at 1,750 characters; 40 characters a line.
LONG = "".join(f"line {number:04d} says that the cat slept.\n" for number in range(100))


class Pets(Provider):
    """Knows four words and nothing else: other texts have the zero vector."""

    def vector(self, text: str) -> list[float]:
        words = text.lower().split()
        counts = [float(words.count(word)) for word in ("cat", "dog", "tea", "car")]
        return [*counts, *[0.0] * (self.dimension - DIMENSION)]


@pytest.fixture(scope="module")
def provider() -> Iterator[Pets]:
    with Pets() as provider:
        yield provider


@pytest.fixture(scope="module")
def daemon(
    database_url: str, tmp_path_factory: pytest.TempPathFactory, provider: Pets
) -> Iterator[RunningDaemon]:
    with RunningDaemon.start(
        database_url,
        tmp_path_factory.mktemp("daemon"),
        EMBEDDINGS_URL=provider.url,
        EMBEDDINGS_MODEL="pets",
        EMBEDDINGS_DIMENSION=str(DIMENSION),
    ) as daemon:
        yield daemon


@pytest.fixture(autouse=True)
def well_provider(provider: Pets) -> None:
    """Every test begins with a provider that works and was asked nothing."""
    provider.is_failing = False
    provider.dimension = DIMENSION
    provider.batches.clear()


def document(
    content: str, *, wing: str = "w", room: str = "r", name: str = "n"
) -> dict[str, str]:
    return {"wing": wing, "room": room, "name": name, "content": content}


def put(daemon: RunningDaemon, content: str, **fields: str) -> dict[str, Any]:
    answer = daemon.client.post("/api/documents", json=document(content, **fields))
    assert answer.status_code == 200, answer.text
    wire.IngestedDocument.model_validate(answer.json())
    return dict(answer.json())


def put_all(daemon: RunningDaemon, *documents: dict[str, str]) -> list[dict[str, Any]]:
    answer = daemon.client.post("/api/documents/batch", json={"documents": documents})
    assert answer.status_code == 200, answer.text
    wire.IngestedDocuments.model_validate(answer.json())
    return list(answer.json()["documents"])


def fragments(daemon: RunningDaemon, document_id: str) -> list[dict[str, Any]]:
    answer = daemon.client.get(f"/api/documents/{document_id}/fragments")
    assert answer.status_code == 200, answer.text
    wire.Fragments.model_validate(answer.json())
    return list(answer.json()["fragments"])


def counts(daemon: RunningDaemon) -> dict[str, int]:
    found = daemon.client.get("/api/status").json()["counts"]
    return {
        name: found[name] for name in ("documents", "fragments", "fragments_embedded")
    }


def hits(daemon: RunningDaemon, query: str, **fields: object) -> list[tuple[str, int]]:
    """Return the documents and positions of the hits, best first."""
    answer = daemon.client.post(
        "/api/documents/search", json={"query": query, **fields}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["degraded"] is None
    return [(hit["document_id"], hit["position"]) for hit in answer.json()["hits"]]


def refused(answer: httpx.Response) -> tuple[int, str]:
    assert {"error", "code", "help"} == set(answer.json())
    return answer.status_code, answer.json()["code"]


def test_a_document_is_stored_cut_and_embedded(daemon: RunningDaemon) -> None:
    made = put(daemon, LONG, wing="store", name="lines.txt")

    got = daemon.client.get(f"/api/documents/{made['id']}").json()
    cut = fragments(daemon, made["id"])

    wire.DocumentWithContent.model_validate(got)
    assert (made["created"], made["version"], made["fragments"]) == (True, 1, len(cut))
    assert made["fragments"] == 3
    del made["created"]
    assert got == {**made, "content": LONG}
    assert [each["position"] for each in cut] == [0, 1, 2]
    assert all(each["embedded"] for each in cut)
    assert [each["content"] for each in cut] == [
        LONG[each["start"] : each["end"]] for each in cut
    ]
    assert (cut[0]["start"], cut[-1]["end"]) == (0, len(LONG))


def test_offsets_count_code_points(daemon: RunningDaemon) -> None:
    text = "👩\u200d👧 e\u0301 漢字 " * 400
    cut = fragments(daemon, put(daemon, text, wing="points")["id"])

    assert len(cut) > 1
    for each in cut:
        assert each["content"] == text[each["start"] : each["end"]]


def test_the_same_again_is_the_same_document_and_is_not_embedded_again(
    daemon: RunningDaemon, provider: Pets
) -> None:
    first = put(daemon, "a cat", wing="again")
    asked = len(provider.batches)
    second = put(daemon, "a cat", wing="again")

    assert (first.pop("created"), second.pop("created")) == (True, False)
    assert second == first
    assert len(provider.batches) == asked


@pytest.mark.parametrize(
    "other",
    [
        document("a dog", wing="other"),
        document("a cat", wing="other", name="m"),
        document("a cat", wing="other", room="s"),
        document("a cat", wing="others"),
        document("a cat ", wing="other"),
    ],
)
def test_another_place_name_or_text_is_another_document(
    daemon: RunningDaemon, other: dict[str, str]
) -> None:
    (first, second) = put_all(daemon, document("a cat", wing="other"), other)

    assert first["id"] != second["id"]
    assert second["created"]


def test_an_id_follows_from_place_name_and_text_in_any_palace(
    daemon: RunningDaemon,
) -> None:
    made = put(daemon, "a text", wing="wing", room="room", name="name")
    by_id = daemon.client.get("/api/wings").json()
    (wing,) = (each["id"] for each in by_id if each["name"] == "wing")

    # Worked out by Python's `uuid5`, and by `sha1sum` of the namespace's bytes, then
    # wing, room, name and text with a zero byte between.
    assert made["id"] == "da200cc1-157b-5107-8823-f0d2d53f662c"
    assert uuid.UUID(made["id"]).version == 5
    again = put(daemon, "a text", wing=wing, room="room", name="name")
    assert again["id"] == made["id"]


def test_a_batch_is_stored_in_the_order_of_its_list(daemon: RunningDaemon) -> None:
    sent = [document("a cat", wing="order", name=f"n{n}") for n in range(30)]
    made = put_all(daemon, *sent, sent[3])

    assert [each["name"] for each in made[:30]] == [each["name"] for each in sent]
    assert made[30] == {**made[3], "created": False}
    # All equal: the newest first is the last of the list.
    found = hits(daemon, "cat", wing="order", mode="vector", limit=20)
    assert [each for each, _ in found] == [each["id"] for each in made[29:9:-1]]


def test_an_empty_batch_is_fine(daemon: RunningDaemon) -> None:
    assert put_all(daemon) == []


def test_a_batch_is_all_or_nothing(daemon: RunningDaemon) -> None:
    before = counts(daemon)
    answer = daemon.client.post(
        "/api/documents/batch",
        json={"documents": [document("fine", wing="half"), document(" ", wing="half")]},
    )

    assert refused(answer) == (400, "memcastle::input::invalid")
    assert "content" in answer.json()["error"]
    assert counts(daemon) == before
    assert "half" not in [
        wing["name"] for wing in daemon.client.get("/api/wings").json()
    ]


def test_blank_fragments_are_not_sent_and_zero_vectors_not_kept(
    daemon: RunningDaemon, provider: Pets
) -> None:
    text = "cat" + "\n" * 4000 + "unheard-of"
    cut = fragments(daemon, put(daemon, text, wing="blank")["id"])

    sent = [text for batch in provider.batches for text in batch]
    assert [each for each in cut if not each["content"].strip()]
    assert sent == [each["content"] for each in cut if each["content"].strip()]
    assert [each["embedded"] for each in cut] == [
        "cat" in each["content"] for each in cut
    ]
    # Without a vector it is found by its words all the same.
    assert len(hits(daemon, "unheard", wing="blank", mode="keyword")) == 1
    assert len(hits(daemon, "cat", wing="blank", mode="vector")) == 1


@pytest.mark.parametrize("number", range(4))
def test_concurrent_identical_documents_are_one(
    daemon: RunningDaemon, number: int
) -> None:
    sent = [document(f"cat {n}", wing=f"race{number}") for n in range(20)]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: put_all(daemon, *sent), range(4)))

    assert len({tuple(each["id"] for each in batch) for batch in made}) == 1
    assert sum(each["created"] for batch in made for each in batch) == 20
    listed = daemon.client.get(f"/api/wings/race{number}/rooms/r/documents").json()
    assert len(listed) == 20


def test_concurrent_batches_keep_their_own_order(daemon: RunningDaemon) -> None:
    batches = [
        [document(f"cat {n}", wing="lanes", name=f"{lane}-{n:03d}") for n in range(40)]
        for lane in range(4)
    ]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda batch: put_all(daemon, *batch), batches))

    listed = daemon.client.get(
        "/api/wings/lanes/rooms/r/documents", params={"limit": 1000}
    ).json()
    for lane in "0123":
        names = [each["name"] for each in listed if each["name"][0] == lane]
        assert names == sorted(names)
        assert len(names) == 40


def test_an_update_replaces_the_fragments_under_the_same_id(
    daemon: RunningDaemon,
) -> None:
    made = put(daemon, LONG, wing="update")
    other = put(daemon, "a cat", wing="update", name="other")
    before = counts(daemon)
    old = {each["id"] for each in fragments(daemon, made["id"])}

    answer = daemon.client.put(
        f"/api/documents/{made['id']}", json={"content": "a cat"}
    )

    got = answer.json()
    wire.Document.model_validate(got)
    assert (got["id"], got["version"], got["fragments"]) == (made["id"], 2, 1)
    assert got["created_at"] == made["created_at"] < got["updated_at"]
    (new,) = fragments(daemon, made["id"])
    assert (new["content"], new["id"] in old) == ("a cat", False)
    assert counts(daemon) == {
        **before,
        "fragments": before["fragments"] - 2,
        "fragments_embedded": before["fragments_embedded"] - 2,
    }
    assert hits(daemon, "slept", wing="update", mode="keyword") == []
    # It was ingested last now, so it comes first of the two that say the same.
    assert hits(daemon, "cat", wing="update", mode="vector") == [
        (made["id"], 0),
        (other["id"], 0),
    ]


def test_what_was_updated_is_recognised_by_its_new_text_only(
    daemon: RunningDaemon,
) -> None:
    made = put(daemon, "the old cat", wing="new text")
    daemon.client.put(f"/api/documents/{made['id']}", json={"content": "the new cat"})

    same = put(daemon, "the new cat", wing="new text")
    old = put(daemon, "the old cat", wing="new text")
    again = put(daemon, "the old cat", wing="new text")

    assert (same["id"], same["created"], same["version"]) == (made["id"], False, 2)
    assert old["created"]
    assert old["id"] != made["id"]
    assert (again["id"], again["created"]) == (old["id"], False)
    got = daemon.client.get(f"/api/documents/{made['id']}").json()
    assert got["content"] == "the new cat"


def test_a_deleted_document_is_gone_and_may_come_again(daemon: RunningDaemon) -> None:
    before = counts(daemon)
    made = put(daemon, LONG, wing="delete")

    assert daemon.client.delete(f"/api/documents/{made['id']}").status_code == 204

    assert counts(daemon) == before
    assert hits(daemon, "cat", wing="delete", mode="hybrid") == []
    for answer in (
        daemon.client.get(f"/api/documents/{made['id']}"),
        daemon.client.get(f"/api/documents/{made['id']}/fragments"),
        daemon.client.put(f"/api/documents/{made['id']}", json={"content": "x"}),
        daemon.client.delete(f"/api/documents/{made['id']}"),
    ):
        assert refused(answer) == (404, "memcastle::palace::document_not_found")
    again = put(daemon, LONG, wing="delete")
    assert (again["id"], again["created"]) == (made["id"], True)


def test_documents_of_a_room_are_listed_a_page_at_a_time(
    daemon: RunningDaemon,
) -> None:
    sent = [document(f"page {n}", wing="list", name=f"n{n}") for n in range(5)]
    made = put_all(daemon, *sent, document("elsewhere", wing="list", room="s"))
    path = "/api/wings/list/rooms/r/documents"

    first = daemon.client.get(path, params={"limit": 2}).json()
    rest = daemon.client.get(path, params={"after": first[-1]["id"]}).json()

    for each in first:
        wire.Document.model_validate(each)
    assert [each["id"] for each in first + rest] == [each["id"] for each in made[:5]]
    unknown = daemon.client.get(path, params={"after": str(uuid.uuid4())})
    assert refused(unknown) == (404, "memcastle::palace::document_not_found")
    nowhere = daemon.client.get("/api/wings/list/rooms/none/documents")
    assert refused(nowhere) == (404, "memcastle::palace::room_not_found")


def test_documents_and_drawers_share_rooms_and_nothing_else(
    daemon: RunningDaemon,
) -> None:
    drawer = daemon.create("the cat of a drawer", wing="shared", room="both")
    made = put(daemon, "the cat of a document", wing="shared", room="both")

    rooms = daemon.client.get("/api/wings/shared/rooms").json()
    assert [(room["name"], room["drawers"]) for room in rooms] == [("both", 1)]
    assert daemon.found(text="cat", ranking="lexical", filter={"wing": "shared"}) == [
        drawer["id"]
    ]
    for mode in ("keyword", "vector", "hybrid"):
        assert hits(daemon, "cat", wing="shared", mode=mode) == [(made["id"], 0)]
    by_id = put(
        daemon, "the cat of a document", wing=rooms[0]["wing"], room=rooms[0]["id"]
    )
    assert (by_id["id"], by_id["created"]) == (made["id"], False)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": ""}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": "a\0b"}, "content"),
        ({"content": None}, "content"),
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": 7}, "name"),
        ({"wing": ""}, "wing"),
        ({"room": "a/b"}, "room"),
    ],
)
def test_an_unusable_field_is_named(
    daemon: RunningDaemon, change: dict[str, object], field: str
) -> None:
    body = {**document("fine", wing="fields"), **change}

    answer = daemon.client.post("/api/documents", json=body)

    assert refused(answer) == (400, "memcastle::input::invalid")
    assert answer.json()["error"].startswith(f"invalid {field}")


def test_a_field_of_a_batch_is_named_with_its_place(daemon: RunningDaemon) -> None:
    sent = [document("fine"), {"wing": "w", "room": "r", "name": "n"}]

    answer = daemon.client.post("/api/documents/batch", json={"documents": sent})

    assert answer.json()["error"].startswith("invalid documents[1].content")


def test_a_batch_of_more_than_500_is_refused(daemon: RunningDaemon) -> None:
    answer = daemon.client.post(
        "/api/documents/batch", json={"documents": [document("x")] * 501}
    )

    assert refused(answer) == (400, "memcastle::input::invalid")


def test_an_id_that_is_none_is_refused(daemon: RunningDaemon) -> None:
    for path in ("/api/documents/none", "/api/documents/none/fragments"):
        assert refused(daemon.client.get(path)) == (400, "memcastle::input::invalid")


def test_a_place_by_an_unknown_id_is_not_found(daemon: RunningDaemon) -> None:
    answer = daemon.client.post(
        "/api/documents", json=document("x", wing=str(uuid.uuid4()))
    )

    assert refused(answer) == (404, "memcastle::palace::wing_not_found")


def test_a_reader_may_search_and_not_write(daemon: RunningDaemon) -> None:
    headers = {"X-MemCastle-Mode": "read_only"}
    search = daemon.client.post(
        "/api/documents/search", json={"query": "x"}, headers=headers
    )
    write = daemon.client.post("/api/documents", json=document("x"), headers=headers)

    assert search.status_code == 200
    assert refused(write) == (403, "memcastle::mode::forbidden")
