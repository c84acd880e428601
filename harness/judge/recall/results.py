"""The results file of the public recall-bench: its shape, read and written.

The public bench keeps one such file as its baseline and prints another after a run;
so do the recall tiers here. Fields of our own are marked; a reader of the public
format passes over them, and a file that lacks them is read all the same.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from harness.report.files import JsonFile, parse, read_json, write_whole
from harness.report.part import Amount, Count, Share

BENCHMARK = "recall-bench"
FILE_NAME = "recall-bench-results.json"
"""What the public registry looks for in a folder of results."""

PUBLISHED_ROWS = (
    "document-hybrid",
    "document-vector",
    "document-keyword",
    "searchMemories-vector",
    "keyword-chat-bm25",
    "facts-provider-keyword",
    "keyword-morph-stemmed",
    "keyword-morph-unstemmed",
    "document-vector-failopen",
)
"""The rows of the public bench, in its order; ours follow them."""


class ResultsPart(BaseModel):
    """Base of the parts: frozen, camel-case in the file, blind to other fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        allow_inf_nan=False,
        alias_generator=to_camel,
        populate_by_name=True,
    )


class Corpus(ResultsPart):
    """Which tier was measured."""

    committed: bool = True
    """The data is made by committed code, not by the run."""
    tier: str
    topics: Count
    documents: Count
    queries: Count
    variant: Literal["published", "shuffled"] = "published"
    """Ours: the order of ingestion."""
    sha256: str | None = None
    """Ours: identity of the data, that of our own slices included."""
    vectors: str | None = None
    """Ours: which model embedded."""


class Row(ResultsPart):
    """One row; every figure of a row that was not measured is ``null``."""

    mode: str
    corpus_size: Count
    queries: Count
    k: Count
    precision_at_k: Share | None
    recall_at_k: Share | None
    mrr: Share | None
    ndcg_at_k: Share | None
    hit_rate_at_k: Share | None
    p50_latency_ms: Amount | None
    p95_latency_ms: Amount | None
    measured: bool
    skip_reason: str | None = None

    @model_validator(mode="after")
    def _measured_means_scored(self) -> Self:
        """Refuse a row that contradicts itself about having been measured."""
        figures = (self.recall_at_k, self.ndcg_at_k, self.mrr)
        if self.measured and (not self.queries or None in figures):
            raise ValueError(f"{self.mode} is measured, and lacks queries or a figure")
        if not self.measured and any(figure is not None for figure in figures):
            raise ValueError(f"{self.mode} is not measured, and has figures")
        return self


class FailOpenResult(ResultsPart):
    """What the vector mode loses when queries cannot be embedded."""

    vector_recall_at_5: Share | None
    fail_open_recall_at_5: Share | None
    recall_drop: float | None
    observable: bool


class HybridFailOpenResult(ResultsPart):
    """Ours: the same of the hybrid mode."""

    hybrid_recall_at_5: Share | None
    fail_open_recall_at_5: Share | None
    recall_drop: float | None
    observable: bool


class StemmingResult(ResultsPart):
    """What stemming finds."""

    stemmed_recall_at_5: Share | None
    unstemmed_recall_at_5: Share | None
    recall_lift: float | None
    observable: bool
    same_ranker_recall_at_5: Share | None = None
    """Ours: the stemming ranker itself, with stemming off."""


class FaultRow(ResultsPart):
    """Ours: one fault of the embedder, in one mode."""

    fault: str
    mode: str
    queries: Count
    healthy_recall_at_5: Share | None
    fault_recall_at_5: Share | None


class Headline(BaseModel):
    """The figures of the hybrid row that a registry shows."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    overall_recall_at_5: Share | None
    overall_ndcg_at_5: Share | None
    overall_p95_latency_ms: Amount | None


class CheckRow(ResultsPart):
    """One check; *budget* is its floor, its ceiling or its exact value."""

    name: str
    value: float | None
    budget: float
    unit: str
    passed: bool = Field(validation_alias="pass", serialization_alias="pass")


class Results(ResultsPart):
    """A whole results file."""

    benchmark: Literal["recall-bench"] = "recall-bench"
    generated_at: str | None
    """``null`` in a baseline, which must change only when retrieval does."""
    corpus: Corpus
    k: Count
    modes: tuple[Row, ...]
    fail_open: FailOpenResult
    stemming: StemmingResult
    metrics: Headline
    checks: tuple[CheckRow, ...]
    fail_open_hybrid: HybridFailOpenResult | None = None
    faults: tuple[FaultRow, ...] = ()

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        """Refuse two rows of one name: one of them would go unjudged."""
        _refuse_repeated(row.mode for row in self.modes)
        _refuse_repeated(f"{row.fault} in {row.mode} mode" for row in self.faults)
        return self

    def row(self, mode: str) -> Row | None:
        """Find a row by its name; ``None`` where there is none."""
        return next((row for row in self.modes if row.mode == mode), None)

    def fault(self, kind: str, mode: str) -> FaultRow | None:
        """Find a fault by its name and mode; ``None`` where there is none."""
        named = (row for row in self.faults if (row.fault, row.mode) == (kind, mode))
        return next(named, None)


def is_results(file: JsonFile) -> bool:
    """Tell whether the file calls itself a results file of the public bench."""
    return file.fields.get("benchmark") == BENCHMARK


def parse_results(file: JsonFile) -> Results:
    """Turn a file that was read into the results it holds.

    Raises:
        ReportFormatError: It is of another benchmark, or lacks something.
    """
    if not is_results(file):
        found = file.fields.get("benchmark")
        raise file.refuse(
            f"not a results file: its benchmark is {found!r}, not {BENCHMARK!r}."
        )
    return parse(file, Results, kind="results file")


def load_results(path: Path) -> Results:
    """Read the results that *path* holds.

    Raises:
        ReportFormatError: It cannot be read, or holds no results.
    """
    return parse_results(read_json(path))


def results_json(results: Results) -> bytes:
    """Write *results* as the bytes of its file: indented, in the format's order."""
    fields = results.model_dump(mode="json", by_alias=True)
    for row in fields["modes"]:
        if row["skipReason"] is None:
            del row["skipReason"]
    text = json.dumps(fields, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def save_results(results: Results, path: Path) -> None:
    """Write *results* to *path*, whole or not at all.

    Raises:
        UsageError: *path* is a folder or a device.
        PrerequisiteError: The file system refuses.
    """
    write_whole(path, results_json(results))


def _refuse_repeated(names: Iterable[str]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"the row {name!r} occurs twice")
        seen.add(name)
