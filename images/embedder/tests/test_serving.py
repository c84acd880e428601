"""The data port serves the harness's models over the OpenAI protocol."""

from __future__ import annotations

import base64
import concurrent.futures
import json
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from harness.dataset.vectors.concepts import ConceptModel
from harness.dataset.vectors.trigrams import TrigramModel
from numpy.typing import NDArray

from tests.serving import MODEL, RunningEmbedder

KEY = "sk-canary-7f3a9"


def bits(vectors: list[list[float]]) -> NDArray[np.float32]:
    return np.array(vectors, np.float64).astype(np.float32)


def some_texts(n_texts: int) -> list[str]:
    draw = random.Random(1)
    letters = "abcdefghijklmnop"
    words = ["".join(draw.choices(letters, k=draw.randint(1, 9))) for _ in range(200)]
    return [
        " ".join(draw.choices(words, k=draw.randint(1, 40))) for _ in range(n_texts)
    ]


def test_an_answer_has_the_protocols_shape(embedder: RunningEmbedder) -> None:
    answer = embedder.post(["configure0", "b"]).json()

    assert answer.keys() == {"object", "data", "model", "usage"}
    assert (answer["object"], answer["model"]) == ("list", MODEL)
    assert [item["index"] for item in answer["data"]] == [0, 1]
    assert {item["object"] for item in answer["data"]} == {"embedding"}
    assert answer["usage"]["total_tokens"] == answer["usage"]["prompt_tokens"] > 0


def test_trigrams_light_the_published_slots(embedder: RunningEmbedder) -> None:
    [vector] = embedder.embed("configure0")

    # recall-bench: 3 for the word, 1 for each trigram; buckets as published.
    strong, weak = vector[129], vector[96]
    assert [vector[slot] for slot in (72, 63)] == [weak] * 2
    assert strong == pytest.approx(3 * weak)


def test_trigrams_come_to_the_bit(embedder: RunningEmbedder) -> None:
    texts = some_texts(600)

    got = bits(embedder.embed(texts))

    assert (got == TrigramModel().embed_all(texts)).all()


def test_concepts_come_to_the_bit(embedder: RunningEmbedder) -> None:
    texts = some_texts(300)

    got = bits(embedder.embed(texts, "concept-768"))

    assert (got == ConceptModel({}).embed_all(texts)).all()


@pytest.mark.parametrize("model", ["trigram-384", "concept-768"])
def test_base64_holds_the_same_bits(embedder: RunningEmbedder, model: str) -> None:
    texts = some_texts(20)
    encoded = embedder.post(texts, model, encoding_format="base64").json()["data"]
    got = [
        np.frombuffer(base64.b64decode(item["embedding"]), "<f4") for item in encoded
    ]

    assert (np.array(got) == bits(embedder.embed(texts, model))).all()


def test_a_text_without_words_has_the_zero_vector(embedder: RunningEmbedder) -> None:
    assert embedder.embed([" ", "日本語"]) == [[0.0] * 384] * 2


def test_more_texts_than_are_taken_at_once_come_in_order(
    embedder: RunningEmbedder,
) -> None:
    texts = [f"word{number}" for number in range(2048)]

    got = bits(embedder.embed(texts))

    assert (got == TrigramModel().embed_all(texts)).all()


def test_models_are_listed(embedder: RunningEmbedder) -> None:
    listed = embedder.data.get("/models").json()

    assert [each["id"] for each in listed["data"]] == ["trigram-384", "concept-768"]


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"model": "gpt"}, 404, "model_not_found"),
        ({"dimensions": 768}, 400, None),
        ({"input": []}, 400, None),
    ],
)
def test_an_error_has_the_protocols_shape(
    embedder: RunningEmbedder, fields: dict[str, object], status: int, code: str | None
) -> None:
    answer = embedder.data.post(
        "/embeddings", json={"model": MODEL, "input": "a", **fields}
    )

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/embeddings", 405),
        ("POST", "/models", 405),
        ("GET", "/nothing", 404),
        ("GET", "/../control/state", 404),
    ],
)
def test_what_is_not_there_is_said(
    embedder: RunningEmbedder, method: str, path: str, status: int
) -> None:
    answer = embedder.data.request(method, path)

    assert (answer.status_code, answer.json()["error"]["type"]) == (
        status,
        "invalid_request_error",
    )
    assert embedder.state()["requests"] == 0


def test_a_body_that_is_too_large_is_refused(embedder: RunningEmbedder) -> None:
    body = b'{"input": "' + b"x" * (32 << 20) + b'"}'

    answer = embedder.data.post("/embeddings", content=body)

    assert answer.status_code == 413
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert len(embedder.embed("a")) == 1


def test_a_client_that_leaves_with_half_a_body_is_counted(
    embedder: RunningEmbedder,
) -> None:
    with socket.create_connection(embedder.address) as connection:
        connection.sendall(
            b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"
        )
        embedder.wait_for(open=1)

    embedder.wait_for(open=0, abandoned=1, inputs=0)


def test_concepts_are_read_from_words_and_from_a_data_set(tmp_path: Path) -> None:
    words = {"cat": "feline", "pixel": "feline"}
    for value in (words, {"name": "a set", "concepts": words}):
        file = tmp_path / "concepts.json"
        file.write_text(json.dumps(value))
        with RunningEmbedder.start(tmp_path, CONCEPTS=str(file)) as embedder:
            got = bits(embedder.embed(["cat", "pixel", "dog"], "concept-768"))

        wanted = ConceptModel(words).embed_all(["cat", "pixel", "dog"])
        assert (got == wanted).all()


@pytest.mark.parametrize(
    "authorization",
    [None, KEY, f"bearer {KEY}", f"Bearer {KEY[:-1]}", f"Bearer {KEY}x", "Bearer é"],
)
def test_a_key_is_asked_for(keyed: RunningEmbedder, authorization: str | None) -> None:
    headers = {}
    if authorization is not None:
        headers[b"Authorization"] = authorization.encode()
    for method, path in (("POST", "/embeddings"), ("GET", "/models")):
        answer = keyed.data.request(method, path, headers=headers, json={})

        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"
        assert KEY not in answer.text


def test_the_key_opens(keyed: RunningEmbedder) -> None:
    answer = keyed.data.post(
        "/embeddings",
        json={"model": MODEL, "input": "a"},
        headers={"Authorization": f"Bearer {KEY}"},
    )

    assert answer.status_code == 200


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEmbedder]:
    folder = tmp_path_factory.mktemp("keyed")
    with RunningEmbedder.start(folder, API_KEY=KEY) as embedder:
        yield embedder


def test_latency_is_added_and_overlaps(tmp_path: Path) -> None:
    with RunningEmbedder.start(tmp_path, LATENCY_MS="200") as embedder:

        def elapsed_s(_: int) -> float:
            began = time.monotonic()
            assert embedder.ask() == 200
            return time.monotonic() - began

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            times_s = list(pool.map(elapsed_s, range(8)))

        assert min(times_s) >= 0.2
        # One after the other they would take 1.6 s.
        assert max(times_s) < 1.0
        assert embedder.state()["latency_ms"] == 200.0
