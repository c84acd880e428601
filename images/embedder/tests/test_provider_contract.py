"""The daemon's own client against each fault: what it raises, and that it recovers."""

from __future__ import annotations

import asyncio

import pytest
from harness.dataset.vectors.trigrams import TrigramModel
from palace.provider import EmbeddingProvider, Patience, ProviderFailed

from tests.serving import MODEL, RunningEmbedder

TEXTS = ["one", "two", "three"]
ATTEMPTS = 2

FAILED = "memcastle::embed::failed"
TIMEOUT = "memcastle::embed::timeout"
UNREACHABLE = "memcastle::embed::unreachable"
RATE_LIMITED = "memcastle::embed::rate_limited"
MISMATCH = "memcastle::embed::dimension_mismatch"
NOT_FINITE = "memcastle::embed::not_finite"

FAULTS = [
    # What is switched on, the code of what the client raises, and its requests.
    ({"kind": "error"}, FAILED, ATTEMPTS),
    ({"kind": "rate_limited", "retry_after_s": 0}, RATE_LIMITED, ATTEMPTS),
    ({"kind": "timeout"}, TIMEOUT, ATTEMPTS),
    ({"kind": "slow", "delay_s": 5}, TIMEOUT, ATTEMPTS),
    ({"kind": "refuse"}, UNREACHABLE, 0),
    # A wrong answer would be as wrong the next time.
    ({"kind": "wrong_dimension"}, MISMATCH, 1),
    ({"kind": "nan"}, NOT_FINITE, 1),
    ({"kind": "nan", "spelling": "null"}, NOT_FINITE, 1),
    ({"kind": "garbage"}, FAILED, 1),
    ({"kind": "half"}, FAILED, 1),
]


def provider(embedder: RunningEmbedder, timeout_s: float = 0.5) -> EmbeddingProvider:
    return EmbeddingProvider(
        url=embedder.url,
        model=MODEL,
        dimension=384,
        timeout_s=timeout_s,
        patience=Patience(attempts=ATTEMPTS, first_wait_s=0.01),
    )


@pytest.mark.parametrize(("fault", "code", "n_requests"), FAULTS)
def test_each_fault_has_its_code_and_is_over_when_it_ends(
    embedder: RunningEmbedder, fault: dict[str, object], code: str, n_requests: int
) -> None:
    async def run() -> str:
        client = provider(embedder)
        try:
            # So that the fault also meets a connection that is there already.
            await client.embed(TEXTS)
            embedder.reset()
            embedder.turn(**fault)
            with pytest.raises(ProviderFailed) as caught:
                await client.embed(TEXTS)
            assert embedder.state()["requests"] == n_requests
            embedder.turn("ok")
            assert (await client.embed(TEXTS) == TrigramModel().embed_all(TEXTS)).all()
            return caught.value.code
        finally:
            await client.close()

    assert asyncio.run(run()) == code


@pytest.mark.parametrize("kind", ["error", "rate_limited", "timeout"])
def test_a_fault_that_passes_is_got_over(embedder: RunningEmbedder, kind: str) -> None:
    embedder.turn(kind, times=1)

    async def run() -> list[list[float]]:
        client = provider(embedder)
        try:
            return [vector.tolist() for vector in await client.embed(TEXTS)]
        finally:
            await client.close()

    assert asyncio.run(run()) == TrigramModel().embed_all(TEXTS).tolist()
    assert embedder.state()["by_fault"] == {kind: 1, "ok": 1}


def test_a_slow_answer_within_the_timeout_is_taken(embedder: RunningEmbedder) -> None:
    embedder.turn("slow", delay_s=0.2)

    async def run() -> int:
        client = provider(embedder, timeout_s=5)
        try:
            return len(await client.embed(TEXTS))
        finally:
            await client.close()

    assert asyncio.run(run()) == 3


def test_a_load_comes_back_in_order(embedder: RunningEmbedder) -> None:
    texts = [f"word{number} of many" for number in range(100)]

    async def run() -> list[list[float]]:
        client = provider(embedder, timeout_s=5)
        try:
            return [vector.tolist() for vector in await client.embed(texts)]
        finally:
            await client.close()

    assert asyncio.run(run()) == TrigramModel().embed_all(texts).tolist()
    assert embedder.state()["inputs"] == 100
