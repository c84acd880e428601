"""A text that is on its way to one call is not asked for again by another."""

from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from harness.provider.embedder import EndpointEmbedder
from harness.provider.failures import ProviderRefusedError, TextsRefusedError
from harness.provider.options import EmbeddingOptions
from harness.provider.plan import Estimator
from tests.fake_endpoint import FakeEndpoint, an_embedder, refusal, row_of, vector_of
from tests.waiting import wait_until

LATENCY_S = 0.05
LONG = " ".join(f"w{number}" for number in range(100))


def vectors_of(embedder: EndpointEmbedder, *calls: Sequence[str]) -> list[list[bytes]]:
    """Make all calls at once; return what each of them got."""
    futures = [embedder.submit(texts) for texts in calls]
    return [
        [parts[0].vector.tobytes() for parts in future.result().documents]
        for future in futures
    ]


def test_a_text_of_two_calls_is_sent_once_and_both_have_its_vector() -> None:
    endpoint = FakeEndpoint(latency_s=LATENCY_S)
    with an_embedder(endpoint) as embedder:
        first, second = vectors_of(embedder, ["one", "both"], ["both", "two"])
        counts = embedder.counts
    assert endpoint.sent == [["one", "both"], ["two"]]
    assert [first[1], second[0]] == [row_of("both").tobytes()] * 2
    assert (counts.fragments, counts.joined, counts.cache_hits) == (4, 1, 0)


def test_what_is_sent_is_what_was_estimated_where_questions_share_texts(
    tmp_path: Path,
) -> None:
    shared = [f"filler {number}" for number in range(40)]
    calls = [[f"own {number}", *shared[number : number + 20]] for number in range(20)]
    options = EmbeddingOptions(texts_per_request=8)
    estimator = Estimator(options)
    for texts in calls:
        estimator.add(texts)

    endpoint = FakeEndpoint(latency_s=0.01)
    with an_embedder(endpoint, options=options, cache=tmp_path) as embedder:
        vectors_of(embedder, *calls)
        counts = embedder.counts
    assert counts.joined > 0
    assert (counts.requests, counts.tokens) == (
        estimator.total.requests,
        estimator.total.tokens,
    )
    assert sum(map(len, endpoint.sent)) == estimator.total.fragments


def test_a_call_that_is_broken_off_leaves_its_texts_to_those_who_wait() -> None:
    endpoint = FakeEndpoint(latency_s=0.2)
    with an_embedder(endpoint) as embedder:
        first = embedder.submit(["both"])
        wait_until(lambda: len(endpoint.asked) == 2)
        second = embedder.submit(["both"])
        wait_until(lambda: embedder.counts.joined == 1)
        first.cancel()
        (parts,) = second.result().documents
    assert (parts[0].vector == row_of("both")).all()
    assert endpoint.sent == [["both"], ["both"]]


def test_a_call_that_is_broken_off_breaks_off_no_other() -> None:
    endpoint = FakeEndpoint(latency_s=0.1)
    with an_embedder(endpoint) as embedder:
        first = embedder.submit(["both"])
        second = embedder.submit(["both"])
        wait_until(lambda: embedder.counts.joined == 1)
        second.cancel()
        assert len(first.result().documents) == 1
    assert endpoint.sent == [["both"]]


def test_a_text_without_a_vector_fails_every_call_that_has_it() -> None:
    endpoint = FakeEndpoint(latency_s=LATENCY_S)
    with an_embedder(endpoint) as embedder:
        endpoint.meet = lambda texts: (
            refusal(500, "unsupported value: NaN") if "bad" in texts else None
        )
        futures = [
            embedder.submit(texts) for texts in (["one", "bad"], ["bad", "two"], ["3"])
        ]
        errors = [future.exception() for future in futures]
    assert [type(error) for error in errors] == [
        TextsRefusedError,
        TextsRefusedError,
        type(None),
    ]
    places = [
        error.documents for error in errors if isinstance(error, TextsRefusedError)
    ]
    assert places == [(1,), (0,)]


def test_a_refused_key_fails_who_waits_too() -> None:
    endpoint = FakeEndpoint(latency_s=LATENCY_S)
    with an_embedder(endpoint) as embedder:
        endpoint.meet = lambda _texts: refusal(401)
        futures = [embedder.submit(["both"]) for _ in range(2)]
        for future in futures:
            with pytest.raises(ProviderRefusedError):
                future.result()


def test_texts_that_share_what_they_are_cut_into_wait_for_nobody() -> None:
    def meet(texts: Sequence[str]) -> httpx.Response | None:
        too_long = max(map(len, texts)) > 200
        return refusal(400, "maximum context length is 50") if too_long else None

    endpoint = FakeEndpoint(meet, latency_s=0.01)
    with an_embedder(endpoint) as embedder:
        futures = [
            embedder.submit(texts) for texts in ([LONG, "one"], ["one", LONG], [LONG])
        ]
        found = [future.result(timeout=10).documents for future in futures]
    first, second, third = found
    assert len(first[0]) > 1
    assert [part.text for part in first[0]] == [part.text for part in second[1]]
    assert [part.text for part in first[0]] == [part.text for part in third[0]]
    assert vector_of(first[0][0].text)[0] == pytest.approx(first[0][0].vector[0])
