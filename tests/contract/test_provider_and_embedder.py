"""The harness's own client against a real endpoint, and every fault that this has."""

import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.daemon.embedder import EmbedderControl, FaultKind
from harness.dataset.vectors.trigrams import TrigramModel
from harness.errors import HarnessError
from harness.provider.credentials import ApiKey, Endpoint
from harness.provider.embedder import EndpointEmbedder
from harness.provider.failures import (
    DimensionError,
    ProviderAnswerError,
    ProviderAwayError,
    ProviderRefusedError,
    TextsRefusedError,
)
from harness.provider.options import EmbeddingOptions
from harness.provider.patience import Patience
from harness.runtime.base import RunningEmbedder
from harness.runtime.embedder import EmbedderProcess, EmbedderWish, embedder_setup

pytestmark = pytest.mark.postgres

KEY = "sk-canary-4711-do-not-show"
"""Never a local of a test: its frames are in the tracebacks that are searched."""
QUICK = Patience(attempts=3, first_pause_s=0.01)


@contextmanager
def an_endpoint(**settings: str) -> Iterator[RunningEmbedder]:
    wish = EmbedderWish(model="trigram-384", dimension=384, settings=settings)
    with tempfile.TemporaryDirectory() as folder:
        process = EmbedderProcess(embedder_setup(wish), Path(folder))
        try:
            yield process.running
        finally:
            process.stop()


@pytest.fixture(scope="module")
def running() -> Iterator[RunningEmbedder]:
    with an_endpoint(EMBEDDER_API_KEY=KEY) as found:
        yield found


@pytest.fixture
def control(running: RunningEmbedder) -> Iterator[EmbedderControl]:
    with EmbedderControl(running.control_url, running.url) as made:
        yield made
        made.set_fault("ok")
        made.reset()


def an_embedder(
    running: RunningEmbedder,
    *,
    dimension: int | None = None,
    key: ApiKey | None = None,
    options: EmbeddingOptions | None = None,
) -> EndpointEmbedder:
    return EndpointEmbedder(
        Endpoint(
            url=running.url,
            model="trigram-384",
            dimension=dimension,
            key=key or ApiKey(KEY),
        ),
        options,
        patience=QUICK,
    )


def test_vectors_are_those_of_the_model_to_the_bit(running: RunningEmbedder) -> None:
    texts = [f"bread number {number} bakes" for number in range(50)]
    options = EmbeddingOptions(texts_per_request=7)
    with an_embedder(running, options=options) as embedder:
        found = embedder.embed_documents(texts)
        counts = embedder.counts
    wanted = TrigramModel().embed_all(texts)
    assert [parts[0].vector.tobytes() for parts in found] == [
        row.tobytes() for row in wanted
    ]
    assert counts.requests == 1 + 8
    assert counts.tokens_billed is not None


@pytest.mark.parametrize("kind", ["error", "rate_limited"])
def test_fault_that_passes_is_waited_for(
    running: RunningEmbedder, control: EmbedderControl, kind: FaultKind
) -> None:
    with an_embedder(running) as embedder:
        control.set_fault(kind, times=1)
        began = time.monotonic()
        assert len(embedder.embed_documents(["one", "two"])) == 2
        took = time.monotonic() - began
        assert embedder.counts.retries == 1
    if kind == "rate_limited":
        assert took >= 1.0  # what its Retry-After asks for


def test_fault_of_one_answer_costs_no_text(
    running: RunningEmbedder, control: EmbedderControl
) -> None:
    with an_embedder(running) as embedder:
        control.set_fault("nan", times=1)
        assert len(embedder.embed_documents(["one", "two", "three"])) == 3
        assert embedder.counts.splits == 1


FAILURES: dict[FaultKind, type[HarnessError]] = {
    "error": ProviderAwayError,
    "rate_limited": ProviderAwayError,
    "refuse": ProviderAwayError,
    "timeout": ProviderAwayError,
    "wrong_dimension": DimensionError,
    "nan": TextsRefusedError,
    "garbage": ProviderAnswerError,
    "half": ProviderAnswerError,
}


@pytest.mark.parametrize("kind", FAILURES)
def test_fault_that_stays_is_named_and_shows_no_key(
    running: RunningEmbedder, control: EmbedderControl, kind: FaultKind
) -> None:
    options = EmbeddingOptions(timeout_s=0.3)
    with an_embedder(running, options=options) as embedder:
        zero = 0 if kind == "rate_limited" else None
        control.set_fault(kind, retry_after_s=zero)
        with pytest.raises(FAILURES[kind]) as caught:
            embedder.embed_documents(["one", "two"])
    told = traceback.TracebackException.from_exception(
        caught.value, capture_locals=True
    )
    assert KEY not in "".join(told.format())
    assert caught.value.exit_code == 69


def test_wrong_key_is_refused_at_once_and_neither_is_shown(
    running: RunningEmbedder,
) -> None:
    with pytest.raises(ProviderRefusedError, match="401") as caught:
        an_embedder(running, key=ApiKey("sk-another"))
    told = traceback.TracebackException.from_exception(
        caught.value, capture_locals=True
    )
    shown = "".join(told.format()).replace('ApiKey("sk-another")', "")
    assert "sk-another" not in shown
    assert KEY not in shown


def test_other_dimension_is_an_error_before_anything_is_embedded(
    running: RunningEmbedder,
) -> None:
    with pytest.raises(DimensionError, match="length 384"):
        an_embedder(running, dimension=1024)
