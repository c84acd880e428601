"""What every benchmark shares: a daemon over a Postgres it can also reach, and rows."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from harness.daemon.client import DaemonClient, NewDrawer
from harness.dataset.filler import FILLER_ROOM, FILLER_WING, filler_texts
from harness.dataset.vectors.concepts import ConceptModel
from harness.runtime.embedded import palace_setup
from harness.runtime.folders import run_folder
from harness.runtime.palace import PalaceProcess
from harness.runtime.postgres import PostgresServer

BATCH = 250
PROFILE = "standin"


@dataclass(frozen=True)
class Bench:
    """A release daemon, and the Postgres under it."""

    client: DaemonClient
    database_url: str


@dataclass(frozen=True)
class Row:
    """One figure: two medians of one run, and what their ratio should be."""

    name: str
    ours: str
    theirs: str
    ratio: float
    promise: str = ""
    """What the project promises of it; empty where it promises nothing."""
    holds: bool = True

    def __str__(self) -> str:
        line = f"{self.ours} against {self.theirs}: ratio {self.ratio:.2f}"
        if self.promise:
            verdict = "holds" if self.holds else "DOES NOT HOLD"
            line += f", promised {self.promise}: {verdict}"
        return f"{self.name}\n    {line}"


@contextmanager
def release_bench() -> Iterator[Bench]:
    """Start Postgres and the daemon's release build for the block."""
    # No index behind our backs: exact search is what is promised at these sizes.
    setup = replace(
        palace_setup("release"), settings={"PALACE_AUTO_INDEX_AFTER_S": "0"}
    )
    with run_folder() as folder:
        postgres = PostgresServer(folder)
        try:
            daemon = PalaceProcess(setup, postgres.url, folder)
            try:
                with DaemonClient(daemon.url, daemon.token) as client:
                    yield Bench(client, postgres.url)
            finally:
                daemon.stop()
        finally:
            postgres.stop()


def fill(client: DaemonClient, count: int, *, vectors: bool) -> None:
    """Write *count* filler drawers, in batches."""
    model = ConceptModel({})
    texts = list(filler_texts(count))
    for start in range(0, count, BATCH):
        batch = texts[start : start + BATCH]
        rows = model.embed_all(batch) if vectors else [None] * len(batch)
        client.create_drawers(
            [
                NewDrawer(wing=FILLER_WING, room=FILLER_ROOM, content=text, vector=row)
                for text, row in zip(batch, rows, strict=True)
            ],
            profile=PROFILE if vectors else None,
        )


def alternate(
    rounds: int, first: Callable[[], float], second: Callable[[], float]
) -> tuple[list[float], list[float]]:
    """Call both in turn, swapping who goes first, and return the seconds of each."""
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(rounds):
        order = [(first, ours), (second, theirs)]
        for call, samples in order if number % 2 else reversed(order):
            samples.append(call())
    return ours, theirs


def milliseconds(samples: Sequence[float]) -> str:
    """Write the median of *samples*, which are seconds."""
    return f"p50 {statistics.median(samples) * 1e3:.2f} ms"
