"""What the debug build costs: both builds up at once, asked in turn."""

import statistics
import sys
from contextlib import ExitStack

from benchmarks.bench import PROFILE, Row, alternate, fill, milliseconds
from harness.daemon.client import DaemonClient
from harness.daemon.search import SearchRequest
from harness.dataset.filler import filler_texts
from harness.dataset.vectors.concepts import ConceptModel
from harness.runtime.choice import Wish, choose
from harness.runtime.palace import Build

ROWS = 2_000
ROUNDS = 200


def builds() -> Row:
    """Ask a debug and a release daemon the same hybrid searches, alternately.

    Both run the way the harness would choose on this machine.
    """
    with ExitStack() as stack:
        debug, release = _daemon(stack, "debug"), _daemon(stack, "release")
        text = next(iter(filler_texts(1)))
        request = SearchRequest(
            text=text,
            ranking="hybrid",
            limit=10,
            vector=ConceptModel({}).embed(text),
            profile=PROFILE,
        )
        for client in [debug, release] * 20:
            client.search(request)
        slow, fast = alternate(
            ROUNDS,
            lambda: debug.search(request).instants.service_s,
            lambda: release.search(request).instants.service_s,
        )
    return Row(
        f"hybrid search over {ROWS:,} drawers, debug against release, interleaved",
        f"debug {milliseconds(slow)}",
        f"release {milliseconds(fast)}",
        statistics.median(one / other for one, other in zip(slow, fast, strict=True)),
    )


def _daemon(stack: ExitStack, build: Build) -> DaemonClient:
    """Start one build and fill it; the stack stops it."""
    runtime = choose(Wish(build=build), notify=_say, warn=_say)
    running = stack.enter_context(runtime)
    client = stack.enter_context(DaemonClient(running.url, running.token))
    fill(client, ROWS, vectors=True)
    return client


def _say(text: str) -> None:
    print(text, file=sys.stderr)
