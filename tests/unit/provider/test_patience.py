"""What may be over soon is waited for, as long as the endpoint asks and no longer."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from harness.errors import ExitCode
from harness.provider.failures import ProviderAwayError
from harness.provider.options import EmbeddingOptions
from harness.provider.patience import Patience, TransientError, retry_after_s
from tests.fake_endpoint import Answer, FakeEndpoint, Pauses, an_embedder, refusal

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1.2.3", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds


def after(endpoint: FakeEndpoint, *answers: Answer) -> None:
    """Let the next requests meet *answers*, and all further ones the right answer."""
    left: Iterator[Answer] = iter(answers)
    endpoint.meet = lambda _texts: next(left, None)


def test_rate_limit_is_waited_for_as_long_as_the_endpoint_asks() -> None:
    pauses, endpoint = Pauses(), FakeEndpoint()
    with an_embedder(endpoint, patience=Patience(sleep=pauses.sleep)) as embedder:
        after(endpoint, refusal(429, Retry_After="17"))
        vectors = embedder.embed_queries(["one"])
        counts = embedder.counts
    assert len(vectors) == 1
    assert pauses.asked[0] == 17.0
    assert (counts.requests, counts.retries) == (3, 1)
    assert counts.waited_s >= 17.0


def test_rate_limit_holds_all_requests_back() -> None:
    pauses, endpoint = Pauses(), FakeEndpoint()
    options = EmbeddingOptions(texts_per_request=1, in_flight=1)
    patience = Patience(sleep=pauses.sleep, attempts=1)
    with an_embedder(endpoint, options=options, patience=patience) as embedder:
        after(endpoint, refusal(429, Retry_After="40"))
        with pytest.raises(ProviderAwayError):
            embedder.embed_documents(["one"])
        embedder.embed_documents(["two"])
    assert len(pauses.asked) == 1
    assert 39 < pauses.asked[0] <= 40


@pytest.mark.parametrize(
    "answer",
    [
        refusal(408),
        refusal(500),
        refusal(503),
        refusal(429),
        httpx.ConnectError("refused"),
        httpx.RemoteProtocolError("closed"),
        httpx.ReadTimeout("silent"),
    ],
)
def test_passing_failure_is_asked_again(answer: Answer) -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        after(endpoint, answer, answer)
        embedder.embed_documents(["one"])
    assert endpoint.sent == [["one"]] * 3


def test_pauses_double_up_to_the_longest() -> None:
    pauses, endpoint = Pauses(), FakeEndpoint()
    patience = Patience(sleep=pauses.sleep, attempts=5, longest_pause_s=1.5)
    with an_embedder(endpoint, patience=patience) as embedder:
        endpoint.meet = lambda _texts: refusal(500)
        with pytest.raises(ProviderAwayError):
            embedder.embed_documents(["one"])
    limits = [0.5, 1.0, 1.5, 1.5]
    assert len(pauses.asked) == len(limits)
    assert all(
        0.75 * limit <= pause <= limit
        for pause, limit in zip(pauses.asked, limits, strict=True)
    )


def test_endpoint_that_stays_away_ends_the_run() -> None:
    endpoint = FakeEndpoint(lambda _texts: refusal(503, "loading model"))
    with pytest.raises(ProviderAwayError) as caught:
        an_embedder(endpoint, patience=Patience(sleep=Pauses().sleep, attempts=3))
    assert len(endpoint.asked) == 3
    assert "503 (loading model)" in caught.value.what
    assert "asked 3 times" in caught.value.what
    assert caught.value.exit_code == ExitCode.UNAVAILABLE


def test_endpoint_that_never_answered_is_given_up_sooner() -> None:
    endpoint = FakeEndpoint(lambda _texts: httpx.ConnectError("Connection refused"))
    with pytest.raises(ProviderAwayError, match="Connection refused") as caught:
        an_embedder(endpoint)
    assert len(endpoint.asked) == 4
    assert "EVAL_EMBEDDINGS_URL" in caught.value.remedy


def test_words_about_many_requests_are_no_words_about_size() -> None:
    endpoint = FakeEndpoint()
    with an_embedder(endpoint) as embedder:
        after(endpoint, refusal(500, "too many concurrent requests"))
        embedder.embed_documents(["one", "two"])
        assert embedder.counts.splits == 0


def test_pause_beyond_our_patience_is_not_begun() -> None:
    pauses = Pauses()
    endpoint = FakeEndpoint(lambda _texts: refusal(429, Retry_After="86400"))
    with pytest.raises(ProviderAwayError, match="429"):
        an_embedder(endpoint, patience=Patience(sleep=pauses.sleep))
    assert pauses.asked == []


def test_silent_endpoint_is_left_after_the_time_out() -> None:
    endpoint = FakeEndpoint(latency_s=30)
    with pytest.raises(ProviderAwayError, match=r"did not answer within 0\.05 s"):
        an_embedder(
            endpoint,
            options=EmbeddingOptions(timeout_s=0.05),
            patience=Patience(sleep=Pauses().sleep, attempts=2),
        )
    assert len(endpoint.asked) == 2


async def _paused(problem: TransientError) -> list[float]:
    """Ask twice, the first time in vain; return the pauses in between."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    problems = [problem]

    async def ask() -> None:
        if problems:
            raise problems.pop()

    await Patience().retrying(lambda _: None, sleep)(ask)
    return slept


def test_at_once_from_a_busy_endpoint_is_not_taken_at_its_word() -> None:
    [pause] = asyncio.run(_paused(TransientError("busy", 0.0, for_all=True)))
    assert pause >= 0.25
