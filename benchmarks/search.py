"""What the daemon adds to Postgres on a search, and to an empty request on words."""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle

import asyncpg
from pgvector.asyncpg import register_vector

from benchmarks.bench import (
    PROFILE,
    Bench,
    Row,
    alternate,
    fill,
    milliseconds,
    release_bench,
)
from harness.daemon.search import SearchRequest
from harness.dataset.filler import filler_texts
from harness.dataset.vectors.concepts import ConceptModel

SEMANTIC_ROWS = 10_000
LEXICAL_ROWS = 100_000
ROUNDS = 300

EXACT = (
    "select seq, (1 - (v <=> $1))::float4 as score from vectors_1"
    " order by score desc, seq limit $2"
)
"""The reference daemon's own statement for an exact search of everything."""


def semantic() -> Row:
    """Search 10,000 drawers through the daemon, and by its own SQL without it."""
    with release_bench() as bench:
        fill(bench.client, SEMANTIC_ROWS, vectors=True)
        text = next(iter(filler_texts(1)))
        vector = ConceptModel({}).embed(text)
        request = SearchRequest(
            text=text, ranking="semantic", limit=10, vector=vector, profile=PROFILE
        )

        def through_daemon() -> float:
            return bench.client.search(request).instants.service_s

        with _prepared(bench, EXACT, vector, 10) as straight:
            for _ in range(20):
                through_daemon()
                straight()
            ours, theirs = alternate(ROUNDS, through_daemon, straight)
    ratio = statistics.median(ours) / statistics.median(theirs)
    return Row(
        f"semantic search over {SEMANTIC_ROWS:,} drawers, exact",
        f"daemon, service time {milliseconds(ours)}",
        f"the same prepared query {milliseconds(theirs)}",
        ratio,
        "at most 1.5",
        ratio <= 1.5,
    )


def lexical() -> Row:
    """Search 100,000 drawers by words, against the same request without a word.

    The empty request passes the same route and finds nothing to do, so the difference
    is what words cost. The cheapest route of all is named beside it.
    """
    with release_bench() as bench:
        fill(bench.client, LEXICAL_ROWS, vectors=False)
        words = [text.split() for text in filler_texts(ROUNDS)]
        requests = cycle([_by_words(" ".join(text[:3])) for text in words])
        nothing = _by_words("")

        def search() -> float:
            return bench.client.search(next(requests)).instants.service_s

        def empty() -> float:
            return bench.client.search(nothing).instants.service_s

        for _ in range(20):
            search()
            empty()
        ours, theirs = alternate(ROUNDS, search, empty)
        health = [bench.client.health().service_s for _ in range(ROUNDS)]
    difference = (statistics.median(ours) - statistics.median(theirs)) * 1e3
    return Row(
        f"lexical search over {LEXICAL_ROWS:,} drawers, three words",
        f"daemon, service time {milliseconds(ours)}",
        f"the empty request {milliseconds(theirs)} ({difference:.2f} ms more; "
        f"health {milliseconds(health)})",
        statistics.median(ours) / statistics.median(theirs),
        "at most 1 ms more",
        difference <= 1.0,
    )


def _by_words(text: str) -> SearchRequest:
    return SearchRequest(text=text, ranking="lexical", limit=10)


@contextmanager
def _prepared(
    bench: Bench, statement: str, *arguments: object
) -> Iterator[Callable[[], float]]:
    """Prepare a statement on a connection of our own; yield a timed call of it."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(bench.database_url))
        runner.run(register_vector(connection))
        prepared = runner.run(connection.prepare(statement))

        async def timed() -> float:
            # Taken inside the loop, so that starting it is not counted.
            began = time.perf_counter()
            await prepared.fetch(*arguments)
            return time.perf_counter() - began

        yield lambda: runner.run(timed())
        runner.run(connection.close())
