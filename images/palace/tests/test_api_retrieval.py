"""Searches over documents and facts, with a provider that can be told to fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from palace.wire.retrieval import FoundFragments, RecalledFacts
from tests.providing import DIMENSION, Provider
from tests.running import RunningDaemon


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
    database_url: str,
    tmp_path_factory: pytest.TempPathFactory,
    provider: Pets,
) -> Iterator[RunningDaemon]:
    folder = tmp_path_factory.mktemp("daemon")
    with RunningDaemon.start(database_url, folder, **settings_for(provider)) as daemon:
        yield daemon


@pytest.fixture
def failing(provider: Pets) -> Iterator[Pets]:
    provider.is_failing = True
    yield provider
    provider.is_failing = False


def settings_for(provider: Pets) -> dict[str, str]:
    return {
        "EMBEDDINGS_URL": provider.url,
        "EMBEDDINGS_MODEL": "pets",
        "EMBEDDINGS_DIMENSION": str(DIMENSION),
    }


def put(
    daemon: RunningDaemon, wing: str, texts: Mapping[str, str], room: str = "r"
) -> dict[str, str]:
    """Put documents into a wing in their order; return their ids by name."""
    answer = daemon.client.post(
        "/api/documents/batch",
        json={
            "documents": [
                {"wing": wing, "room": room, "name": name, "content": text}
                for name, text in texts.items()
            ]
        },
    )
    assert answer.status_code == 200, answer.text
    return {each["name"]: each["id"] for each in answer.json()["documents"]}


def post(daemon: RunningDaemon, path: str, **fields: object) -> dict[str, Any]:
    """Search; the answer must be 200 and hold to its model."""
    answer = daemon.client.post(path, json=fields)
    assert answer.status_code == 200, answer.text
    model = RecalledFacts if path == "/api/facts/search" else FoundFragments
    model.model_validate(answer.json())
    return dict(answer.json())


def ask(daemon: RunningDaemon, query: str, **fields: object) -> dict[str, Any]:
    return post(daemon, "/api/documents/search", query=query, **fields)


def refused(daemon: RunningDaemon, path: str, **fields: object) -> httpx.Response:
    answer = daemon.client.post(path, json=fields)
    assert answer.status_code == 400, answer.text
    return answer


def names(answer: Mapping[str, Any]) -> list[str]:
    return [hit["name"] for hit in answer["hits"]]


@pytest.fixture(scope="module")
def animals(daemon: RunningDaemon) -> str:
    """A wing of a few documents."""
    texts = {
        "cat": "cat cat sleeps",
        "both": "cat dog",
        "dog": "dog dog barks",
        "tea": "tea at four",
        "silent": "nothing of that sort, sleeps",
    }
    put(daemon, "animals", texts)
    return "animals"


def test_vector_ranks_by_cosine_down_to_the_threshold(
    daemon: RunningDaemon, animals: str
) -> None:
    got = ask(daemon, "cat", mode="vector", wing=animals)

    assert names(got) == ["cat", "both"]
    assert [hit["score"] for hit in got["hits"]] == pytest.approx([1.0, 0.5**0.5])
    assert (got["mode"], got["effective"], got["degraded"]) == (
        "vector",
        "vector",
        None,
    )


def test_keyword_ranks_by_words(daemon: RunningDaemon, animals: str) -> None:
    got = ask(daemon, "sleeps barks", mode="keyword", wing=animals)

    assert names(got) == ["dog", "cat", "silent"]
    assert got["hits"][0]["score"] == 1.0
    assert (got["effective"], got["scanned"], got["cut"]) == ("keyword", 5, False)


def test_hybrid_is_the_default_and_weighs_both(
    daemon: RunningDaemon, animals: str
) -> None:
    got = ask(daemon, "cat sleeps dog", wing=animals)

    assert (got["mode"], got["effective"]) == ("hybrid", "hybrid")
    # All three of the pool: cosine 1, then 0.71 twice, which stretch to 1, 0 and 0.
    # Of the words "both" has two, "cat" two of which one twice, "dog" one.
    assert names(got) == ["both", "cat", "dog"]
    assert got["scanned"] == 3


def test_a_hit_says_where_it_comes_from(daemon: RunningDaemon, animals: str) -> None:
    (hit,) = ask(daemon, "four", mode="keyword", wing=animals)["hits"]

    document = daemon.client.get(f"/api/documents/{hit['document_id']}").json()
    assert document["name"] == hit["name"] == "tea"
    assert (hit["wing"], hit["room"], hit["position"]) == ("animals", "r", 0)
    assert hit["content"] == "tea at four"


def test_only_modes_with_a_vector_ask_the_provider(
    daemon: RunningDaemon, animals: str, provider: Pets
) -> None:
    before = len(provider.batches)
    keyword = ask(daemon, "cat", mode="keyword", wing=animals)
    blank = ask(daemon, "  ", mode="vector", wing=animals)
    post(daemon, "/api/fragments/search", embedding=[1, 0, 0, 0], wing=animals)
    post(daemon, "/api/fragments/rank", query="cat", wing=animals)
    assert len(provider.batches) == before

    vector = ask(daemon, "cat", mode="vector", wing=animals)
    again = ask(daemon, "cat", mode="hybrid", wing=animals)

    # Twice for the same words: nothing of a query is kept.
    assert provider.batches[before:] == [["cat"], ["cat"]]
    assert keyword["timing"]["embed_ms"] is None
    assert vector["timing"]["embed_ms"] > 0
    assert again["timing"]["search_ms"] > 0
    assert blank["hits"] == []
    assert blank["degraded"] is None


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_failing_provider_leaves_the_keyword_ranking_and_is_told(
    daemon: RunningDaemon, animals: str, failing: Pets, mode: str
) -> None:
    keyword = ask(daemon, "sleeps dog", mode="keyword", wing=animals)
    asked = len(failing.batches)

    got = ask(daemon, "sleeps dog", mode=mode, wing=animals)

    assert len(failing.batches) > asked
    assert got["hits"] == keyword["hits"]
    assert (got["scanned"], got["cut"]) == (keyword["scanned"], keyword["cut"])
    assert (got["mode"], got["effective"]) == (mode, "keyword")
    reason = got["degraded"].pop("reason")
    assert "400" in reason
    assert got["degraded"] == {
        "from": mode, "to": "keyword", "code": "memcastle::embed::failed",
    }  # fmt: skip
    assert got["timing"]["embed_ms"] > 0


def test_the_modes_are_back_when_the_provider_is(
    daemon: RunningDaemon, animals: str, provider: Pets
) -> None:
    before = ask(daemon, "cat dog", wing=animals)
    provider.is_failing = True
    during = ask(daemon, "cat dog", wing=animals)
    provider.is_failing = False
    after = ask(daemon, "cat dog", wing=animals)

    assert during["effective"] == "keyword"
    assert after["effective"] == "hybrid"
    assert after["hits"] == before["hits"]


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_query_that_embeds_to_nothing_is_answered_by_keywords(
    daemon: RunningDaemon, animals: str, mode: str
) -> None:
    got = ask(daemon, "sleeps", mode=mode, wing=animals)

    assert names(got) == ["cat", "silent"]
    assert got["degraded"]["code"] == "memcastle::embed::zero_vector"


def test_a_fragment_without_a_vector_is_found_by_its_words(
    daemon: RunningDaemon, animals: str
) -> None:
    vector = ask(daemon, "cat dog tea car", mode="vector", wing=animals, threshold=-1)
    keyword = ask(daemon, "nothing", mode="keyword", wing=animals)

    assert "silent" not in names(vector)
    assert names(keyword) == ["silent"]


def test_equal_fragments_come_newest_first_in_every_mode(daemon: RunningDaemon) -> None:
    put(daemon, "equals", dict.fromkeys("abcdefg", "cat dog"))
    newest_first = list("gfedcba")

    for mode in ("hybrid", "vector", "keyword"):
        got = ask(daemon, "cat", mode=mode, wing="equals")
        assert names(got) == newest_first, mode
        assert len({hit["score"] for hit in got["hits"]}) == 1
    raw = post(daemon, "/api/fragments/search", embedding=[1, 0, 0, 0], wing="equals")
    rank = post(daemon, "/api/fragments/rank", query="cat", wing="equals")
    assert names(raw) == names(rank) == newest_first


def test_a_small_scope_in_a_large_palace_is_ranked_alike(daemon: RunningDaemon) -> None:
    texts = {"one": "cat dog", "two": "cat tea cat", "three": "dog cat red"}
    put(daemon, "small", texts, room="alone")
    alone = {
        mode: ask(daemon, "cat red", mode=mode, wing="small", room="alone")["hits"]
        for mode in ("hybrid", "vector", "keyword")
    }

    put(daemon, "crowd", {f"c{i}": f"cat red car {i}" for i in range(60)})
    put(daemon, "small", {f"s{i}": f"cat red dog {i}" for i in range(60)}, room="other")

    for mode, hits in alone.items():
        got = ask(daemon, "cat red", mode=mode, wing="small", room="alone")
        assert got["hits"] == hits, mode


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_an_unknown_place_holds_nothing(
    daemon: RunningDaemon, animals: str, mode: str
) -> None:
    for place in ({"wing": "nowhere"}, {"wing": animals, "room": "nowhere"}):
        got = ask(daemon, "cat", mode=mode, **place)
        assert (got["hits"], got["scanned"]) == ([], 0)


def test_an_updated_document_is_found_by_its_new_text_only(
    daemon: RunningDaemon,
) -> None:
    ids = put(daemon, "changing", {"a": "cat first", "b": "tea", "c": "cat"})

    answer = daemon.client.put(
        f"/api/documents/{ids['a']}", json={"content": "dog second"}
    )

    assert answer.status_code == 200, answer.text
    for mode in ("hybrid", "vector", "keyword"):
        assert names(ask(daemon, "cat", mode=mode, wing="changing")) == ["c"], mode
        assert names(ask(daemon, "dog", mode=mode, wing="changing")) == ["a"], mode
    assert ask(daemon, "first", mode="keyword", wing="changing")["hits"] == []


def test_an_updated_document_is_the_newest(daemon: RunningDaemon) -> None:
    ids = put(daemon, "renewed", {name: f"cat {name}" for name in "abc"})

    daemon.client.put(f"/api/documents/{ids['a']}", json={"content": "cat x"})

    for mode in ("hybrid", "vector", "keyword"):
        assert names(ask(daemon, "cat", mode=mode, wing="renewed")) == ["a", "c", "b"]


def test_a_document_is_never_missing_while_it_is_updated(
    daemon: RunningDaemon,
) -> None:
    ids = put(daemon, "busy", {"a": "cat 0"})
    found: list[list[str]] = []

    def update() -> None:
        with httpx.Client(base_url=daemon.url, trust_env=False) as client:
            for number in range(60):
                answer = client.put(
                    f"/api/documents/{ids['a']}", json={"content": f"cat {number}"}
                )
                assert answer.status_code == 200, answer.text

    with ThreadPoolExecutor(1) as pool:
        updating = pool.submit(update)
        while not updating.done():
            found.append(names(ask(daemon, "cat", mode="keyword", wing="busy")))
        updating.result()

    assert len(found) > 10
    assert found == [["a"]] * len(found)


def test_a_deleted_document_is_found_no_more_nor_counted(daemon: RunningDaemon) -> None:
    put(daemon, "whole", {"a": "cat sleeps", "b": "dog sleeps long"})
    ids = put(
        daemon, "shrunk", {"a": "cat sleeps", "x": "cat cat", "b": "dog sleeps long"}
    )

    assert daemon.client.delete(f"/api/documents/{ids['x']}").status_code == 204

    for mode in ("hybrid", "vector", "keyword"):
        whole = ask(daemon, "cat sleeps", mode=mode, wing="whole")
        shrunk = ask(daemon, "cat sleeps", mode=mode, wing="shrunk")
        assert [(hit["name"], hit["score"]) for hit in shrunk["hits"]] == [
            (hit["name"], hit["score"]) for hit in whole["hits"]
        ]


def test_a_later_fragment_of_a_long_document_is_found(daemon: RunningDaemon) -> None:
    filling = "all of this is filling " * 120
    put(daemon, "long", {"long": f"{filling}\n\nthe cat is here\n\n{filling}"})

    got = ask(daemon, "cat", mode="vector", wing="long")

    assert names(got) == ["long"]
    assert got["hits"][0]["position"] >= 1
    assert "the cat is here" in got["hits"][0]["content"]


def test_a_limit_above_the_pool_is_cut_and_told(daemon: RunningDaemon) -> None:
    put(daemon, "many", {f"d{number}": f"cat {number}" for number in range(45)})

    for mode, pool, usual in (("vector", 20, 20), ("hybrid", 40, 20)):
        default = ask(daemon, "cat", mode=mode, wing="many")
        over = ask(daemon, "cat", mode=mode, wing="many", limit=100)
        assert (len(default["hits"]), default["cut"]) == (usual, False)
        assert (len(over["hits"]), over["cut"]) == (pool, True)
    keyword = ask(daemon, "cat", mode="keyword", wing="many", limit=100)
    assert (len(keyword["hits"]), keyword["cut"]) == (45, False)


def test_a_threshold_takes_the_place_of_the_configured_one(
    daemon: RunningDaemon, animals: str
) -> None:
    high = ask(daemon, "cat", mode="vector", wing=animals, threshold=0.9)
    low = ask(daemon, "cat", mode="vector", wing=animals, threshold=-1)

    assert names(high) == ["cat"]
    assert names(low) == ["cat", "both", "tea", "dog"]


def test_a_raw_search_has_neither_threshold_nor_words(
    daemon: RunningDaemon, animals: str
) -> None:
    got = post(
        daemon, "/api/fragments/search", embedding=[3, 0, 0.1, 0], wing=animals, limit=3
    )

    assert names(got) == ["cat", "both", "tea"]
    assert (got["mode"], got["effective"]) == ("raw-vector", "raw-vector")
    assert got["timing"]["embed_ms"] is None


@pytest.mark.parametrize("embedding", [[], [1, 2], [0, 0, 0, 0], [1, 2, 3, "x"]])
def test_an_unusable_vector_is_refused_by_name(
    daemon: RunningDaemon, embedding: Sequence[object]
) -> None:
    answer = refused(daemon, "/api/fragments/search", embedding=embedding)

    assert answer.json()["code"] == "memcastle::input::invalid"
    assert "embedding" in answer.json()["error"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("mode", "semantic"), ("limit", 0), ("limit", 10_001), ("threshold", "x")],
)
def test_an_unusable_field_is_refused_by_name(
    daemon: RunningDaemon, field: str, value: object
) -> None:
    answer = refused(daemon, "/api/documents/search", query="cat", **{field: value})

    assert field in answer.json()["error"]


def test_ranks_differ_by_ranker_and_stemming(daemon: RunningDaemon) -> None:
    texts = {
        "configures": "the man configures it",
        "configuration": "a configuration",
        "vacation": "the vacation",
    }
    put(daemon, "words", texts)

    def ranked(**fields: object) -> list[str]:
        query = {"query": "the configuring", "wing": "words", **fields}
        return sorted(names(post(daemon, "/api/fragments/rank", **query)))

    assert ranked() == ["configuration", "configures"]
    assert ranked(stemming=False) == []
    assert ranked(ranker="document") == ["configures", "vacation"]
    assert ranked(ranker="document", stemming=True) == sorted(texts)


def test_a_rank_holds_every_match_unless_limited(daemon: RunningDaemon) -> None:
    put(daemon, "lots", {f"d{number}": f"cat {number}" for number in range(120)})

    everything = post(daemon, "/api/fragments/rank", query="cat", wing="lots")
    some = post(daemon, "/api/fragments/rank", query="cat", wing="lots", limit=5)

    assert len(everything["hits"]) == everything["scanned"] == 120
    assert some["hits"] == everything["hits"][:5]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("première réunion à Genève", "reunion geneve"),
        ("Встреча в Москве", "москве"),
        ("서울에서 만나요", "서울"),
        ("東京で会いましょう", "東京"),
        ("我们在北京见面", "北京"),
        ("party 🎉 tonight", "🎉"),
        ("first line\nsecond\tline", "second"),
    ],
)
def test_no_script_is_lost_on_the_way(
    daemon: RunningDaemon, text: str, query: str
) -> None:
    wing = f"script {query.split(maxsplit=1)[0]}"
    put(daemon, wing, {"other": "plain words", "wanted": text})

    for mode in ("hybrid", "vector", "keyword"):
        assert names(ask(daemon, query, mode=mode, wing=wing)) == ["wanted"], mode


def note(daemon: RunningDaemon, wing: str, *facts: Mapping[str, object]) -> None:
    answer = daemon.client.post(
        "/api/facts",
        json={
            "facts": [
                {"wing": wing, "room": "r", "category": "identity", **fact}
                for fact in facts
            ]
        },
    )
    assert answer.status_code == 200, answer.text


def recall(daemon: RunningDaemon, query: str, wing: str, **fields: object) -> list[str]:
    got = post(
        daemon, "/api/facts/search", query=query, wing=wing, **{"room": "r", **fields}
    )
    assert (got["mode"], got["effective"], got["degraded"]) == (
        "lexical",
        "lexical",
        None,
    )
    return [fact["text"] for fact in got["facts"]]


def test_facts_are_called_up_by_words_and_freshness(daemon: RunningDaemon) -> None:
    note(
        daemon,
        "facts",
        {"kind": "current", "text": "old tea", "valid_at": "2026-01-01T00:00:00Z"},
        {"kind": "current", "text": "fresh tea", "valid_at": "2026-01-20T00:00:00Z"},
        {"kind": "durable", "text": "likes tea", "confidence": 0.1},
        {"kind": "durable", "text": "likes coffee", "confidence": 0.9},
    )

    at_end = recall(daemon, "tea", "facts", now="2026-01-21T00:00:00Z")
    stand_in = recall(daemon, "submarine", "facts")

    assert at_end == ["likes tea", "fresh tea", "old tea"]
    assert stand_in == ["likes coffee", "likes tea"]
    assert recall(daemon, "tea", "facts", limit=1) == ["likes tea"]
    assert recall(daemon, "what about the", "facts") == []
    assert recall(daemon, "tea", "facts", room="nowhere") == []
    assert recall(daemon, "tea", "nowhere") == []


def test_a_current_fact_fades_by_the_given_moment(daemon: RunningDaemon) -> None:
    text = {"kind": "current", "text": "dentist", "confidence": 1.0}
    note(daemon, "fading", {**text, "valid_at": "2026-01-01T00:00:00Z"})

    got = post(
        daemon, "/api/facts/search",
        query="dentist", wing="fading", room="r", now="2026-01-15T00:00:00Z",
    )  # fmt: skip

    (fact,) = got["facts"]
    assert fact["prior"] == pytest.approx(0.36787944)
    assert fact["score"] == fact["prior"] * fact["relevance"]
    assert (got["scanned"], got["cut"]) == (1, False)


def test_an_unreadable_moment_is_refused_by_name(daemon: RunningDaemon) -> None:
    answer = refused(
        daemon, "/api/facts/search", query="tea", wing="w", room="r", now="yesterday"
    )

    assert "now" in answer.json()["error"]


def test_searches_are_reading(daemon: RunningDaemon, animals: str) -> None:
    answer = daemon.client.post(
        "/api/documents/search",
        json={"query": "cat", "wing": animals},
        headers={"x-memcastle-mode": "read_only"},
    )

    assert answer.status_code == 200
