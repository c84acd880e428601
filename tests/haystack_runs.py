"""Runs of LongMemEval against a daemon that is a few dictionaries."""

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from pathlib import Path

import numpy as np

from harness.daemon.haystack import FEATURE_DELETE, FEATURE_SCOPED
from harness.dataset.longmemeval.errata import Errata
from harness.dataset.longmemeval.policies import Policies
from harness.dataset.longmemeval.releases import file_facts
from harness.errors import ProviderError
from harness.measure.longmemeval.embedder import Embedder
from harness.measure.longmemeval.plan import LongMemEvalPlan, Model
from harness.measure.longmemeval.run import Machinery, measure_longmemeval, run_shard
from harness.measure.longmemeval.survey import survey
from harness.measure.progress import SilentProgress
from harness.provider.counts import Counts
from harness.provider.embedder import Embedded
from harness.provider.vectors import EmbeddedText, Vector
from harness.report.longmemeval import Isolation, LongMemEvalFacts
from harness.report.model import Report
from tests.fake_palace import FEATURES, FakePalace, Sent
from tests.fakes import FakeRuntime
from tests.haystacks import Json, write

ALL_FEATURES = (*FEATURES, FEATURE_SCOPED, FEATURE_DELETE)


def a_palace(
    *without: str, counts_rooms: bool = True, has_status: bool = True
) -> FakePalace:
    """Make a daemon that announces everything but what is named."""
    return FakePalace(
        features=tuple(each for each in ALL_FEATURES if each not in without),
        counts_rooms=counts_rooms,
        has_status=has_status,
    )


class WordEmbedder:
    """Puts the words of a text on axes; what is longer than *most* words is cut."""

    model = "words"
    dimension = 768
    oversize = "chunk-best, 5 words"

    def __init__(self, most: int = 1000) -> None:
        self.most = most
        self.refuses: str | None = None
        self.calls: list[tuple[int, int]] = []
        self.counts = Counts()
        self._axes: dict[str, int] = {}

    def submit(
        self, documents: Sequence[str], queries: Sequence[str] = ()
    ) -> Future[Embedded]:
        """Embed each document in pieces of at most *most* words, each query whole."""
        self.calls.append((len(documents), len(queries)))
        self.counts.texts += len(documents) + len(queries)
        self.counts.requests += 1
        future: Future[Embedded] = Future()
        if self.refuses is not None and any(self.refuses in text for text in documents):
            error = ProviderError("the endpoint answered NaN.", where="http://secret")
            future.set_exception(error)
            return future
        parts = [
            [EmbeddedText(part, self._vector(part)) for part in self._parts(text)]
            for text in documents
        ]
        future.set_result(Embedded(parts, [self._vector(text) for text in queries]))
        return future

    def _parts(self, text: str) -> list[str]:
        words = text.split()
        starts = range(0, len(words), self.most)
        return [" ".join(words[start : start + self.most]) for start in starts]

    def _vector(self, text: str) -> Vector:
        vector = np.zeros(self.dimension, np.float32)
        for word in text.lower().split():
            vector[self._axes.setdefault(word, len(self._axes))] += 1
        return vector / np.linalg.norm(vector)


def a_plan(
    path: Path,
    *,
    policies: Policies | None = None,
    isolation: Isolation = "wing",
    errata: Errata | None = None,
    limit: int | None = None,
    embedder: Embedder | None = None,
    allow_nonempty: bool = False,
) -> LongMemEvalPlan:
    """Plan a run of a file that lies there."""
    chosen = policies or Policies()
    return LongMemEvalPlan(
        path=path,
        file=file_facts(path),
        questions=survey(path, chosen, errata, limit=limit).questions,
        limit=limit,
        policies=chosen,
        isolation=isolation,
        errata=errata,
        model=None
        if embedder is None
        else Model(
            name=embedder.model,
            dimension=embedder.dimension,
            oversize=embedder.oversize,
        ),
        allow_nonempty=allow_nonempty,
    )


def machinery(
    palace: FakePalace,
    embedder: Embedder | None = None,
    warnings: list[str] | None = None,
    workers: int = 1,
) -> Machinery:
    """Make everything a run takes, around a fake daemon."""
    told: list[str] = [] if warnings is None else warnings
    return Machinery(
        runtime=FakeRuntime(palace),
        progress=SilentProgress(),
        embedder=embedder,
        workers=workers,
        warn=told.append,
    )


def measured(
    plan: LongMemEvalPlan, palace: FakePalace, embedder: Embedder | None = None
) -> Report:
    """Measure a plan from its first question to its report."""
    journal = plan.path.with_suffix(".journal.jsonl")
    return measure_longmemeval(plan, journal, machinery(palace, embedder))


def a_shard(
    plan: LongMemEvalPlan, indices: Collection[int], journal: Path
) -> FakePalace:
    """Ask some questions with a daemon of their own; return that daemon."""
    palace = a_palace()
    run_shard(plan, indices, journal, machinery(palace))
    return palace


def facts_of(report: Report) -> LongMemEvalFacts:
    """Return the part on LongMemEval, which such a report has."""
    assert report.longmemeval is not None
    return report.longmemeval


def a_file(folder: Path, *entries: Json) -> Path:
    """Write a data file of these questions."""
    return write(folder, list(entries))


def written(palace: FakePalace) -> list[Json]:
    """List the drawers that were sent in batches, in order."""
    return [
        drawer
        for sent in palace.sent("POST", "/drawers/batch")
        for drawer in sent.json["drawers"]
    ]


def searches(palace: FakePalace) -> list[Json]:
    """List the searches that were sent, in order."""
    return [sent.json for sent in palace.sent("POST", "/search")]


def what_was_sent(palace: FakePalace) -> list[tuple[str, str, bytes]]:
    """List every request to the last byte."""
    return [_bytes(each) for each in palace.requests]


def _bytes(sent: Sent) -> tuple[str, str, bytes]:
    return sent.method, sent.path, sent.body
