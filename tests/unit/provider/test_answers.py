"""A vector is taken from an answer only when it surely belongs to its text."""

import json
from collections.abc import Callable, Sequence

import httpx
import numpy as np
import pytest

from harness.errors import ProviderError
from harness.provider.answer import Unusable, Vectors, read_vectors
from harness.provider.failures import (
    DimensionError,
    ProviderAnswerError,
    ProviderRefusedError,
    TextsRefusedError,
)
from tests.fake_endpoint import (
    Answer,
    FakeEndpoint,
    an_embedder,
    refusal,
    vector_of,
    vectors,
)

SHA256_OF_BAD = "2f05d4b689d270cafb02285f35f44866f7dc8a2d368a3f9d1124373eeab31fb1"
"""What `printf bad | sha256sum` says."""


def body(*items: object, **more: object) -> bytes:
    return json.dumps({"data": items, **more}).encode()


def item(index: object, embedding: object) -> object:
    return {"index": index, "embedding": embedding}


def refused(raw: bytes, n_texts: int = 1) -> str:
    found = read_vectors(raw, n_texts)
    assert isinstance(found, Unusable)
    return found.what


def rows(raw: bytes, n_texts: int) -> list[list[float]]:
    found = read_vectors(raw, n_texts)
    assert isinstance(found, Vectors)
    assert found.rows.dtype == np.float32
    listed: list[list[float]] = found.rows.tolist()
    return listed


def test_order_is_restored_by_index() -> None:
    assert rows(body(item(1, [3, 4]), item(0, [1.5, 2])), 2) == [[1.5, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ([item(0, [1.0])], "1 vectors for 2 texts"),
        ([item(0, [1.0]), item(0, [1.0])], "two vectors with index 0"),
        ([item(0, [1.0]), item(2, [1.0])], "index 2"),
        ([item(0, [1.0]), item(True, [1.0])], "index True"),
        ([item(0, [1.0]), item(None, [1.0])], "index None"),
        ([item(0, [1.0]), "x"], "index None"),
        ([item(0, [1.0]), item(1, [1.0, 2.0])], "lengths [1, 2]"),
        ([item(0, []), item(1, [])], "lengths [0]"),
        ([item(0, [1.0]), item(1, [True])], "something else than numbers at index 1"),
        ([item(0, [1.0]), item(1, "AAAA")], "something else than numbers at index 1"),
        ([item(0, [1.0]), item(1, [[1.0]])], "something else than numbers at index 1"),
    ],
)
def test_what_the_protocol_does_not_allow_is_refused(
    items: Sequence[object], says: str
) -> None:
    assert says in refused(body(*items), 2)


@pytest.mark.parametrize("raw", [b"", b"<html>", b"[]", b"7", b'{"data": {}}', b"\xff"])
def test_what_is_no_answer_at_all_is_refused(raw: bytes) -> None:
    assert refused(raw) == "no JSON object with a list `data`"


@pytest.mark.parametrize(
    "number", ["NaN", "-Infinity", "null", "1e39", f"NaN, {10**400}"]
)
def test_number_that_is_not_finite_stays_recognisable(number: str) -> None:
    raw = b'{"data": [{"index": 0, "embedding": [1.0, %s]}]}' % number.encode()
    found = read_vectors(raw, 1)
    assert isinstance(found, Vectors)
    assert not np.isfinite(found.rows).all()


def test_tokens_that_the_endpoint_counted_are_read() -> None:
    found = read_vectors(body(item(0, [1]), usage={"prompt_tokens": 7}), 1)
    assert isinstance(found, Vectors)
    assert found.tokens_billed == 7


def test_half_an_answer_is_refused_at_once_and_nothing_is_dropped() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        endpoint.meet = lambda texts: vectors([vector_of(text) for text in texts[:1]])
        with pytest.raises(ProviderAnswerError, match="1 vectors for 2 texts"):
            embedder.embed_documents(["one", "two"])
    assert len(endpoint.sent) == 1


def test_wrong_dimension_in_the_middle_of_a_run_is_an_error() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        endpoint.dimension = 5
        with pytest.raises(DimensionError, match="length 5, and of length 4"):
            embedder.embed_documents(["one"])


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (400, "EVAL_EMBEDDINGS_MODEL"),
        (401, "EVAL_EMBEDDINGS_API_KEY"),
        (403, "may not use this model"),
        (404, "EVAL_EMBEDDINGS_URL"),
        (418, "OpenAI-compatible"),
        (307, "OpenAI-compatible"),
    ],
)
def test_refusal_is_not_repeated_and_comes_with_a_remedy(
    status: int, remedy: str
) -> None:
    endpoint = FakeEndpoint(lambda _texts: refusal(status))
    with pytest.raises(ProviderRefusedError) as caught:
        an_embedder(endpoint)
    assert len(endpoint.asked) == 1
    assert remedy in caught.value.remedy
    assert str(status) in caught.value.what


def test_account_without_credit_is_not_asked_again() -> None:
    answer = httpx.Response(429, json={"error": {"code": "insufficient_quota"}})
    endpoint = FakeEndpoint(lambda _texts: answer)
    with pytest.raises(ProviderRefusedError) as caught:
        an_embedder(endpoint)
    assert len(endpoint.asked) == 1
    assert "credit" in caught.value.remedy


def test_endpoint_that_answers_without_end_is_left() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        endpoint.meet = lambda _texts: httpx.Response(200, content=b" " * (2 * 2**20))
        with pytest.raises(ProviderAnswerError, match="more than"):
            embedder.embed_documents(["one"])


def poisoned(texts: Sequence[str]) -> httpx.Response | None:
    """Answer NaN for the whole batch when one text is in it, as broken kernels do."""
    if "bad" not in texts:
        return None
    return vectors([[float("nan")] * 4] * len(texts))


def raising(texts: Sequence[str]) -> httpx.Response | None:
    """Fail the whole batch when one text is in it, as a service does that checks."""
    message = "failed to encode response: json: unsupported value: NaN"
    return refusal(500, message) if "bad" in texts else None


def one_row(texts: Sequence[str]) -> httpx.Response | None:
    return vectors([[None] * 4 if text == "bad" else vector_of(text) for text in texts])


def zero(texts: Sequence[str]) -> httpx.Response | None:
    return vectors([[0] * 4 if text == "bad" else vector_of(text) for text in texts])


@pytest.mark.parametrize("meet", [poisoned, raising, one_row, zero])
def test_text_without_a_finite_vector_is_isolated_and_named_by_its_hash(
    meet: Callable[[Sequence[str]], Answer],
) -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        endpoint.meet = meet
        with pytest.raises(TextsRefusedError) as caught:
            embedder.embed_documents(["a", "b", "bad", "c", "d"])
    assert [each.sha256 for each in caught.value.refused] == [SHA256_OF_BAD]
    assert SHA256_OF_BAD in caught.value.what
    assert isinstance(caught.value, ProviderError)
    assert caught.value.exit_code == 69
    alone = [texts for texts in endpoint.sent if texts == ["bad"]]
    assert len(alone) == 1
