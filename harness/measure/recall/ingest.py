"""Bring everything into the daemon, prove that it is there, and time it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.daemon.documents_wire import FEATURE_FACTS
from harness.dataset.recall.model import RecallDocument
from harness.errors import DaemonError
from harness.measure.recall.bench import Bench
from harness.measure.recall.material import Material
from harness.measure.recall.rows import MAIN
from harness.report.model import Seeding
from harness.report.recall import Tempo

EMBEDDER_BATCH = 256
"""Texts a request that the embedder alone is timed with: as many as the reference
daemon sends in one."""

_TAG = re.compile(r"(?<=[0-9])\b")


@dataclass(frozen=True, slots=True)
class Ingested:
    """What went in, and how fast."""

    tempo: Tempo
    seeding: Seeding


def ingest(bench: Bench) -> Ingested:
    """Write everything there is to search, and read the judged documents back.

    What the daemon does not take is left out; the rows that need it say so.

    Raises:
        DaemonError: A write failed, a count is off, or a document changed.
        PrerequisiteError: A document was there before.
    """
    spent_s, verified, written = None, 0, 0
    if bench.stand.takes_documents:
        spent_s = _write_documents(bench)
        verified = _read_back(bench)
        written = bench.material.documents
    if FEATURE_FACTS in bench.stand.target.features:
        with bench.step("facts"):
            for wing, facts in bench.material.facts.items():
                bench.library.write_facts(wing, facts)
    per_second = len(bench.material.corpus.documents) / spent_s if spent_s else None
    return Ingested(
        tempo=Tempo(
            documents_per_second=per_second,
            embedder_per_second=_embedder_alone(bench),
        ),
        seeding=Seeding(
            documents=written,
            filler=0,
            corrections=0,
            mentions=0,
            method="batch",
            verified=verified,
            documents_per_second=per_second,
            write_s=spent_s,
        ),
    )


def _write_documents(bench: Bench) -> float:
    """Write corpus and slices; return the seconds that the corpus took."""
    corpus, slices = bench.material.corpus.documents, bench.material.slices
    with bench.step("ingest", len(corpus)) as advance:
        spent_s = bench.library.write(MAIN, corpus, advance)
    with bench.step("ingest of the slices", None) as advance:
        for wing, documents in slices.items():
            bench.library.write(wing, documents, advance)
    _prove_counts(bench)
    return spent_s


def _prove_counts(bench: Bench) -> None:
    """Hold the daemon's counts against what it confirmed.

    Raises:
        DaemonError: It holds another number than was written.
    """
    before, after = bench.stand.before, bench.library.client.counts()
    for kind, had, has, written in (
        ("documents", before.documents, after.documents, bench.material.documents),
        ("fragments", before.fragments, after.fragments, bench.library.fragments),
    ):
        if had is not None and has is not None and has != had + written:
            raise DaemonError(
                f"the daemon counts {has} {kind} where {had} were and {written} were "
                "written.",
                where=bench.library.url,
                remedy="It lost or doubled what it confirmed; see its log.",
            )


def _read_back(bench: Bench) -> int:
    """Read every judged document; return how many there are."""
    judged = list(_judged(bench.material))
    with bench.step("reading back", len(judged)) as advance:
        for wing, document in judged:
            bench.library.read_back(wing, document)
            advance(1)
    return len(judged)


def _judged(material: Material) -> Iterator[tuple[str, RecallDocument]]:
    written = {MAIN: material.corpus.documents, **material.slices}
    for wing, documents in written.items():
        judged = {
            name for query in material.queries.get(wing, ()) for name in query.relevant
        }
        yield from ((wing, each) for each in documents if each.id in judged)


def _embedder_alone(bench: Bench) -> float | None:
    """Say how many texts a second the embedder serves, once the daemon is done."""
    if bench.watch is None:
        return None
    # A word that was met before costs an embedder less, and ingestion met each new.
    texts = [_TAG.sub("n", each.text) for each in bench.material.corpus.documents]
    with bench.step("embedder alone"):
        return bench.watch.per_second(texts, EMBEDDER_BATCH)
