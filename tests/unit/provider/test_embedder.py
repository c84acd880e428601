"""Texts in, vectors out: every text has its own, and what was done to it is counted."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from harness.errors import UsageError
from harness.provider.failures import (
    DimensionError,
    ProviderAwayError,
    TextsRefusedError,
)
from harness.provider.options import EmbeddingOptions
from harness.provider.plan import Estimator, estimate
from tests.fake_endpoint import (
    Answer,
    FakeEndpoint,
    an_embedder,
    refusal,
    row_of,
)

LONG = " ".join(f"w{number}" for number in range(100))
SHORT = EmbeddingOptions(tokens_per_text=30)


def test_each_text_gets_its_own_vector_in_the_order_of_the_call() -> None:
    endpoint = FakeEndpoint()
    options = EmbeddingOptions(texts_per_request=3)
    texts = [f"text {number}" for number in range(10)]
    with an_embedder(endpoint, options=options) as embedder:
        found = embedder.embed_documents(texts)
    assert [[part.text for part in parts] for parts in found] == [[t] for t in texts]
    assert all(
        (parts[0].vector == row_of(text)).all()
        for parts, text in zip(found, texts, strict=True)
    )
    assert sorted(map(len, endpoint.sent)) == [1, 3, 3, 3]


def test_blank_text_is_never_sent_and_alignment_is_kept() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        found = embedder.embed_documents(["", "one", " \n", "two", "\t"])
        counts = embedder.counts
    assert [len(parts) for parts in found] == [0, 1, 0, 1, 0]
    assert found[3][0].text == "two"
    assert endpoint.sent == [["one", "two"]]
    assert (counts.texts, counts.empty) == (5, 3)


def test_nothing_but_blank_texts_sends_no_request() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        assert embedder.embed_documents(["", " "]) == [[], []]
        assert embedder.embed_documents([]) == []
    assert endpoint.sent == []


def test_blank_query_is_an_error_that_names_it() -> None:
    with (
        an_embedder(FakeEndpoint()) as embedder,
        pytest.raises(TextsRefusedError, match="blank query"),
    ):
        embedder.embed_queries(["one", " "])


def test_text_given_twice_is_asked_for_once() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        found = embedder.embed_documents(["same", "other", "same"])
    assert endpoint.sent == [["same", "other"]]
    assert (found[0][0].vector == found[2][0].vector).all()


def test_control_tokens_of_a_model_are_sent_as_they_are() -> None:
    endpoint = FakeEndpoint()
    text = "he wrote <|endoftext|> and <|im_start|>"
    with an_embedder(endpoint) as embedder:
        embedder.embed_documents([text])
    assert endpoint.sent == [[text]]


def test_half_a_character_does_not_fail_its_batch() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        found = embedder.embed_documents(["broken \ud83d", "whole"])
        counts = embedder.counts
    assert endpoint.sent == [["broken \ufffd", "whole"]]
    assert found[0][0].text == "broken \ufffd"
    assert counts.mended == 1


def test_query_and_document_of_one_text_have_one_vector() -> None:
    with an_embedder(FakeEndpoint()) as embedder:
        embedded = embedder.submit(["one"], ["one"]).result()
    assert (embedded.documents[0][0].vector == embedded.queries[0]).all()
    assert embedded.queries[0].dtype == np.float32


def test_requests_go_out_side_by_side_but_no_more_than_allowed() -> None:
    endpoint = FakeEndpoint(latency_s=0.01)
    options = EmbeddingOptions(texts_per_request=1, in_flight=3)
    with an_embedder(endpoint, options=options) as embedder:
        embedder.embed_documents([str(number) for number in range(12)])
    assert endpoint.most_at_once == 3


def test_dimension_is_probed_before_anything_else() -> None:
    endpoint = FakeEndpoint(dimension=7)
    with an_embedder(endpoint) as embedder:
        assert embedder.dimension == 7
    assert len(endpoint.asked) == 1


def test_other_dimension_than_configured_is_an_error_at_the_start() -> None:
    endpoint = FakeEndpoint(dimension=1536)
    with pytest.raises(DimensionError) as caught:
        an_embedder(endpoint, dimension=1024)
    assert "length 1536" in caught.value.what
    assert "1024" in caught.value.what
    assert "1536" in caught.value.remedy


def test_model_that_shortens_its_vectors_is_asked_to() -> None:
    endpoint = FakeEndpoint(dimension=8, shortens=True)
    with an_embedder(endpoint, dimension=3) as embedder:
        (vector,) = embedder.embed_queries(["one"])
    assert (vector == row_of("one", 3)).all()


def test_field_for_the_dimension_is_sent_only_where_it_is_needed() -> None:
    endpoint = FakeEndpoint(dimension=4)
    with an_embedder(endpoint, dimension=4):
        pass
    assert b"dimensions" not in endpoint.requests[0].content


def test_endpoint_that_knows_no_such_field_is_a_mismatch() -> None:
    endpoint = FakeEndpoint(dimension=4)
    endpoint.meet = lambda _texts: (
        refusal(400, "unknown field") if len(endpoint.asked) > 1 else None
    )
    with pytest.raises(DimensionError, match="length 4"):
        an_embedder(endpoint, dimension=3)


def test_long_text_is_embedded_in_fragments_that_keep_the_limit() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint, options=SHORT) as embedder:
        found = embedder.embed_documents(["short", LONG])
        counts = embedder.counts
    assert len(found[0]) == 1
    assert len(found[1]) == 4
    assert {w for part in found[1] for w in part.text.split()} == set(LONG.split())
    assert not any(part.is_truncated for part in found[1])
    assert (counts.chunked, counts.truncated, counts.fragments) == (1, 0, 5)


def test_truncated_text_is_whole_but_its_vector_is_of_the_beginning() -> None:
    endpoint = FakeEndpoint()
    options = EmbeddingOptions(tokens_per_text=30, oversize="truncate")
    with an_embedder(endpoint, options=options) as embedder:
        found = embedder.embed_documents(["short", LONG])
        counts = embedder.counts
    (part,) = found[1]
    assert (part.text, part.is_truncated) == (LONG, True)
    assert not found[0][0].is_truncated
    assert LONG.startswith(endpoint.sent[0][1])
    assert (counts.chunked, counts.truncated) == (0, 1)


def test_long_query_is_never_cut_in_parts() -> None:
    with an_embedder(FakeEndpoint(), options=SHORT) as embedder:
        vectors = embedder.embed_queries([LONG, "short"])
        assert embedder.counts.truncated == 1
    assert len(vectors) == 2


def too_long(limit: int, status: int, message: str) -> FakeEndpoint:
    """Refuse requests with a text of more than *limit* characters."""

    def meet(texts: Sequence[str]) -> Answer:
        return refusal(status, message) if max(map(len, texts)) > limit else None

    return FakeEndpoint(meet)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8192 tokens"),
        (400, "the input length exceeds the context length"),
        (413, "Payload"),
        (422, "Input validation error: `inputs` must have less than 512 tokens"),
        (500, "input is too large to process. increase the physical batch size"),
    ],
)
def test_text_that_only_the_endpoint_finds_too_long_is_cut_further(
    status: int, message: str
) -> None:
    endpoint = too_long(200, status, message)
    with an_embedder(endpoint) as embedder:
        found = embedder.embed_documents(["short", LONG, "other"])
        counts = embedder.counts
    assert [len(parts) > 1 for parts in found] == [False, True, False]
    assert {w for part in found[1] for w in part.text.split()} == set(LONG.split())
    assert max(len(part.text) for part in found[1]) <= 200
    assert counts.chunked == 1


def test_text_that_is_found_too_long_however_short_is_refused_by_name() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        endpoint.meet = lambda _texts: refusal(400, "maximum context length is 0")
        with pytest.raises(TextsRefusedError, match="maximum context length"):
            embedder.embed_documents(["tiny"])


def test_endpoint_that_takes_fewer_texts_gets_fewer() -> None:
    endpoint = FakeEndpoint(
        lambda texts: (
            refusal(413, "batch size 9 > maximum allowed batch size 4")
            if len(texts) > 4
            else None
        )
    )
    texts = [f"text {number}" for number in range(9)]
    with an_embedder(endpoint) as embedder:
        found = embedder.embed_documents(texts)
        assert embedder.counts.splits > 0
    assert [parts[0].text for parts in found] == texts


def test_failure_of_one_request_breaks_off_the_others() -> None:
    endpoint = FakeEndpoint()
    options = EmbeddingOptions(texts_per_request=1)
    with an_embedder(endpoint, options=options) as embedder:
        endpoint.latency_s = 0.02
        endpoint.meet = lambda texts: refusal(401) if texts == ["0"] else None
        with pytest.raises(Exception, match="401"):
            embedder.embed_documents([str(number) for number in range(100)])
    assert len(endpoint.sent) < 20


def test_closing_leaves_a_silent_endpoint_at_once() -> None:
    endpoint = FakeEndpoint()
    embedder = an_embedder(endpoint)
    endpoint.latency_s = 600
    future = embedder.submit(["one"])
    embedder.close()
    embedder.close()
    assert future.cancelled()


def test_progress_is_told_the_texts_that_are_done() -> None:
    done: list[int] = []
    with an_embedder(FakeEndpoint(), advance=done.append) as embedder:
        embedder.embed_documents(["one", "", "two"])
        embedder.embed_queries(["three"])
    assert done == [3, 1]


def test_estimate_says_what_is_then_sent() -> None:
    endpoint = FakeEndpoint()
    options = EmbeddingOptions(tokens_per_text=30, tokens_per_request=50)
    documents = ["short", LONG, "", "short", "another one"]
    wanted = estimate(documents, ["query"], options)
    with an_embedder(endpoint, options=options) as embedder:
        embedder.submit(documents, ["query"]).result()
        counts = embedder.counts
    assert wanted.requests == len(endpoint.asked) == counts.requests
    assert (wanted.tokens, wanted.fragments) == (counts.tokens, counts.fragments)
    assert (wanted.texts, wanted.oversize) == (6, 1)


def test_estimate_counts_what_the_cache_will_have_once() -> None:
    estimator = Estimator(EmbeddingOptions())
    estimator.add(["same", "one"])
    estimator.add(["same"])
    assert (estimator.total.fragments, estimator.total.requests) == (2, 2)
    assert estimator.total.tokens == 2


def test_rule_for_long_texts_is_named_with_its_limit() -> None:
    with an_embedder(FakeEndpoint()) as embedder:
        assert embedder.oversize == "chunk above 8192 tokens"


@pytest.mark.parametrize(
    "options", [{"in_flight": 0}, {"timeout_s": -1.0}, {"texts_per_request": 2049}]
)
def test_option_that_cannot_work_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        EmbeddingOptions(**options)  # type: ignore[arg-type]  # that is what is tested


def test_probe_that_fails_leaves_nothing_running() -> None:
    before = threading.active_count()
    with pytest.raises(ProviderAwayError):
        an_embedder(FakeEndpoint(lambda _texts: refusal(503)))
    assert threading.active_count() == before
