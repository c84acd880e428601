"""The next questions are embedded meanwhile, but only so many, and none for nothing."""

import time
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from harness.provider.counts import Tally
from harness.provider.embedder import Embedded, EndpointEmbedder
from harness.provider.failures import ProviderRefusedError, TextsRefusedError
from harness.provider.options import EmbeddingOptions
from harness.provider.pipeline import Texts, embedding_ahead
from tests.fake_endpoint import FakeEndpoint, an_embedder, refusal
from tests.waiting import wait_until


def texts_of(number: int) -> Texts:
    return Texts([f"document {number}"], [f"query {number}"])


def counted(read: list[int], last: int = 100) -> Iterator[int]:
    for number in range(last):
        read.append(number)
        yield number


def test_items_come_in_order_each_with_its_own_vectors() -> None:
    with (
        an_embedder(FakeEndpoint(latency_s=0.001)) as embedder,
        embedding_ahead(embedder, range(20), texts_of) as items,
    ):
        found = [
            (number, future.result().documents[0][0].text) for number, future in items
        ]
    assert found == [(number, f"document {number}") for number in range(20)]


def test_no_more_is_read_than_is_asked_for_ahead() -> None:
    read: list[int] = []
    with (
        an_embedder(FakeEndpoint()) as embedder,
        embedding_ahead(embedder, counted(read), texts_of, ahead=3) as items,
    ):
        taken = [next(items)[0], next(items)[0]]
    assert taken == [0, 1]
    assert read == [0, 1, 2, 3, 4]


def test_next_items_are_asked_for_before_this_one_is_taken() -> None:
    endpoint = FakeEndpoint()
    with (
        an_embedder(endpoint) as embedder,
        embedding_ahead(embedder, range(3), texts_of, ahead=1) as items,
    ):
        next(items)[1].result()
        wait_until(lambda: len(endpoint.sent) == 2)
    assert endpoint.sent[1] == ["document 1", "query 1"]


def interrupted(embedder: EndpointEmbedder, taken: list[Future[Embedded]]) -> None:
    with embedding_ahead(embedder, range(10), texts_of) as items:
        taken.append(next(items)[1])
        raise KeyboardInterrupt


def test_leaving_early_breaks_off_what_nobody_will_take() -> None:
    endpoint = FakeEndpoint()
    taken: list[Future[Embedded]] = []
    with an_embedder(endpoint) as embedder:
        endpoint.latency_s = 600
        with pytest.raises(KeyboardInterrupt):
            interrupted(embedder, taken)
        assert taken[0].cancelled()
        endpoint.latency_s = 0
        assert len(embedder.embed_queries(["still serving"])) == 1


def test_failure_to_read_the_items_reaches_who_takes_them() -> None:
    def broken() -> Iterator[int]:
        yield 0
        raise ValueError("line 2")

    with (
        an_embedder(FakeEndpoint()) as embedder,
        embedding_ahead(embedder, broken(), texts_of) as items,
        pytest.raises(ValueError, match="line 2"),
    ):
        list(items)


def test_text_that_is_refused_fails_its_own_item_and_no_other() -> None:
    endpoint = FakeEndpoint()
    outcomes = []
    with an_embedder(endpoint) as embedder:
        endpoint.meet = lambda texts: (
            refusal(500, "unsupported value: NaN") if "document 1" in texts else None
        )
        with embedding_ahead(embedder, range(3), texts_of) as items:
            for number, future in items:
                error = future.exception()
                outcomes.append((number, type(error)))
    assert outcomes == [(0, type(None)), (1, TextsRefusedError), (2, type(None))]


def test_refused_key_ends_the_run_where_it_is_met() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        endpoint.meet = lambda _texts: refusal(401)
        with (
            pytest.raises(ProviderRefusedError),
            embedding_ahead(embedder, range(3), texts_of) as items,
        ):
            next(items)[1].result()


def test_endpoint_is_kept_busy_while_the_caller_works() -> None:
    endpoint = FakeEndpoint(latency_s=0.01)
    options = EmbeddingOptions(texts_per_request=1)
    with an_embedder(endpoint, options=options) as embedder:
        with embedding_ahead(embedder, range(40), texts_of) as items:
            for _number, future in items:
                future.result()
                time.sleep(0.002)
        counts = embedder.counts
    assert counts.busy_share is not None
    assert counts.busy_share >= 0.9


def test_busy_is_the_time_with_a_request_under_way() -> None:
    clock = iter([0.0, 1.0, 3.0, 4.0, 10.0, 12.0])
    tally = Tally(lambda: next(clock))
    with tally.request(), tally.request():
        pass
    with tally.request():
        pass
    counts = tally.snapshot()
    # Under way from 0 to 4, the inner one from 1 to 3, and again from 10 to 12.
    assert (counts.busy_s, counts.span_s, counts.flight_s) == (6.0, 12.0, 8.0)
    assert counts.busy_share == 0.5
    assert counts.mean_in_flight == pytest.approx(2 / 3)


def test_without_a_request_there_is_no_share() -> None:
    counts = Tally(time.monotonic).snapshot()
    assert counts.busy_share is None
    assert counts.mean_in_flight is None


def test_a_request_that_is_still_under_way_counts_until_now() -> None:
    clock = iter([0.0, 5.0, 8.0])
    tally = Tally(lambda: next(clock))
    with tally.request():
        counts = tally.snapshot()
    assert (counts.busy_s, counts.span_s, counts.flight_s) == (5.0, 5.0, 5.0)
    assert tally.snapshot().busy_s == 8.0


def test_the_probe_is_a_request_and_no_time_of_work() -> None:
    endpoint = FakeEndpoint(latency_s=0.05)
    with an_embedder(endpoint) as embedder:
        time.sleep(0.05)
        probed = embedder.counts
        endpoint.latency_s = 0.0
        embedder.embed_documents(["one"])
        worked = embedder.counts
    assert (probed.requests, probed.span_s, probed.busy_s) == (1, 0.0, 0.0)
    assert worked.requests == 2
    assert worked.span_s < 0.05
