"""How busy an endpoint with a fixed latency is kept while questions are worked on."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bench import Row
from harness.dataset.filler import filler_texts
from harness.provider.counts import Counts
from harness.provider.credentials import Endpoint
from harness.provider.embedder import EndpointEmbedder
from harness.provider.options import EmbeddingOptions
from harness.provider.pipeline import Texts, embedding_ahead
from harness.runtime.embedder import EmbedderProcess, EmbedderWish, embedder_setup

MODEL, DIMENSION = "trigram-384", 384
LATENCY_MS = 50
QUESTIONS = 40
SESSIONS = 48
SENTENCES = 60
"""Of a session: about as many characters as the median one of LongMemEval's S file."""
DAEMON_S = 0.1
"""What stands for the daemon's work on a question: less than the endpoint's, or no
client could keep that busy."""


def provider() -> Row:
    """Embed S-shaped questions while the work on earlier ones goes on."""
    texts = _questions()
    some = texts[: QUESTIONS // 4]
    with _endpoint() as url:
        wall, ours = _pipelined(url, texts)
        plain_wall, plain = _one_after_another(url, some)
    busy, plain_busy = ours.busy_share or 0.0, plain.busy_share or 0.0
    faster = (plain_wall / len(some)) / (wall / len(texts))
    return Row(
        f"endpoint of {LATENCY_MS} ms and {len(texts)} questions of {SESSIONS} "
        f"sessions: {ours.requests} requests, {ours.mean_in_flight or 0:.1f} at once",
        f"busy {ours.busy_s:.2f} s",
        f"first request to last answer {ours.span_s:.2f} s (one question after another:"
        f" {plain_busy:.2f} busy, {faster:.1f} times as long)",
        busy,
        "at least 0.90",
        busy >= 0.9,
    )


def _questions() -> list[Texts]:
    sentences = filler_texts(QUESTIONS * SESSIONS * SENTENCES)
    return [
        Texts(
            [
                " ".join(next(sentences) for _ in range(SENTENCES))
                for _ in range(SESSIONS)
            ],
            [f"What was said about number {number}?"],
        )
        for number in range(QUESTIONS)
    ]


@contextmanager
def _endpoint() -> Iterator[str]:
    wish = EmbedderWish(
        model=MODEL,
        dimension=DIMENSION,
        settings={"EMBEDDER_LATENCY_MS": str(LATENCY_MS)},
    )
    with tempfile.TemporaryDirectory() as folder:
        process = EmbedderProcess(embedder_setup(wish), Path(folder))
        try:
            yield process.running.url
        finally:
            process.stop()


def _pipelined(url: str, questions: list[Texts]) -> tuple[float, Counts]:
    with EndpointEmbedder(Endpoint(url=url, model=MODEL)) as embedder:
        began = time.perf_counter()
        with embedding_ahead(embedder, questions, lambda texts: texts) as items:
            for _texts, future in items:
                future.result()
                time.sleep(DAEMON_S)  # in the daemon's place
        return time.perf_counter() - began, embedder.counts


def _one_after_another(url: str, questions: list[Texts]) -> tuple[float, Counts]:
    options = EmbeddingOptions(in_flight=1)
    with EndpointEmbedder(Endpoint(url=url, model=MODEL), options) as embedder:
        began = time.perf_counter()
        for texts in questions:
            embedder.embed_documents(texts.documents)
            embedder.embed_queries(texts.queries)
            time.sleep(DAEMON_S)  # in the daemon's place
        return time.perf_counter() - began, embedder.counts
