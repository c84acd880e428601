"""What a registry of benchmarks reads out of a results file, and refuses to read.

The rules are those of the public bench's score extractor, applied to the raw JSON as it
applies them: a reader there has no model of ours. A headline of ``null`` or an empty
corpus is no score; nor is one that the rest of its file contradicts.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.dataset.recall.tiers import TIERS
from harness.errors import ReportFormatError
from harness.judge.recall.baseline import baseline_name
from harness.judge.recall.results import BENCHMARK, FILE_NAME
from harness.report.files import JsonFile, read_json

HEADLINE = "overall_recall_at_5"

SHOWN = (HEADLINE, "overall_ndcg_at_5", "overall_p95_latency_ms")
"""What the registry takes over from ``metrics``."""

MAIN_ROW = "document-hybrid"
"""The row that the headline is taken from."""

ROUNDING = 1e-9
"""Two figures of one file that differ by more are two figures."""

DEFAULT_TIER = "1k"

Value = float | bool | None


@dataclass(frozen=True, slots=True)
class Score:
    """What a registry shows of one results file."""

    score: float
    """recall@5 of the hybrid row: a ratio, and higher is better."""
    metrics: Mapping[str, Value]

    @property
    def drop(self) -> float:
        """Give the recall that is lost by falling open."""
        return float(self.metrics["fail_open_recall_drop"] or 0)


def command(tier: str | None, folder: Path) -> tuple[str, ...]:
    """Give the words by which a registry runs this benchmark.

    Args:
        tier: What it was asked for; anything unknown, as nothing, means 1k.
        folder: Where the results file shall go.
    """
    known = tier if tier is not None and tier in TIERS else DEFAULT_TIER
    return ("harness", "recall", known, "--results", str(folder))


def check(path: Path) -> Score:
    """Read *path* as a registry would, and hold it to the registry's contract.

    Raises:
        ReportFormatError: The first rule that it breaks.
    """
    file = read_json(path)
    found = file.fields.get("benchmark")
    if found != BENCHMARK:
        raise file.refuse(f"its benchmark is {found!r}, not {BENCHMARK!r}.")
    score = extract(file)
    if not 0 <= score.score <= 1:
        raise file.refuse(f"its headline is {score.score!r}, which is no ratio.")
    if score.metrics["fail_open_observable"] is not True:
        raise file.refuse(
            "failOpen.observable is "
            f"{score.metrics['fail_open_observable']!r}, wanted exactly true."
        )
    _refuse_other_headline(file, score.score)
    _refuse_other_drop(file)
    _refuse_misnamed(file)
    return score


def extract(file: JsonFile) -> Score:
    """Take the score out of a results file.

    Raises:
        ReportFormatError: A part is missing, nothing was measured, or the corpus is
            empty or no whole number of documents.
    """
    metrics = _part(file, "metrics")
    fail_open = _part(file, "failOpen")
    if metrics.get(HEADLINE) is None:
        raise file.refuse(
            f"metrics.{HEADLINE} is null: unmeasured.",
            "Run the tier again: what was not measured has no score.",
        )
    documents = _number(file, "corpus", "documents")
    if documents <= 0:
        raise file.refuse(f"corpus.documents is {documents:g}: nothing was searched.")
    if not documents.is_integer():
        raise file.refuse(
            f"corpus.documents is {documents!r}, which is no whole number."
        )
    return Score(
        score=_number(file, "metrics", HEADLINE),
        metrics={
            **{name: _value(metrics.get(name)) for name in SHOWN},
            "fail_open_recall_drop": _value(fail_open.get("recallDrop")),
            "fail_open_observable": _value(fail_open.get("observable")),
            "corpus_documents": documents,
        },
    )


def _part(file: JsonFile, name: str) -> Mapping[str, object]:
    part = file.fields.get(name)
    if not isinstance(part, dict):
        raise file.refuse(f"{name} is {part!r}, wanted an object.")
    return part


def _number(file: JsonFile, part: str, name: str) -> float:
    return _finite(file, f"{part}.{name}", _part(file, part).get(name))


def _finite(file: JsonFile, where: str, found: object) -> float:
    # true is a number to Python, and to no registry.
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise file.refuse(f"{where} is {found!r}, wanted a number.")
    if not math.isfinite(found):
        raise file.refuse(f"{where} is {found!r}, wanted a finite number.")
    return float(found)


def _value(found: object) -> Value:
    return found if isinstance(found, bool | int | float) else None


def _refuse_other_headline(file: JsonFile, headline: float) -> None:
    """Refuse a headline that its own row does not have."""
    modes = file.fields.get("modes")
    if not isinstance(modes, list):
        raise file.refuse(f"modes is {modes!r}, wanted a list.")
    rows = [
        row for row in modes if isinstance(row, dict) and row.get("mode") == MAIN_ROW
    ]
    if len(rows) != 1:
        raise file.refuse(
            f"modes has {len(rows)} rows {MAIN_ROW!r}, wanted the one that "
            f"metrics.{HEADLINE} is of."
        )
    measured = rows[0].get("measured")
    if measured is not True:
        raise file.refuse(
            f"the row {MAIN_ROW!r} has measured {measured!r}, and "
            f"metrics.{HEADLINE} is {headline!r}."
        )
    recall = _finite(file, f"recallAtK of {MAIN_ROW!r}", rows[0].get("recallAtK"))
    if abs(recall - headline) > ROUNDING:
        raise file.refuse(
            f"metrics.{HEADLINE} is {headline!r}, and the row {MAIN_ROW!r} has "
            f"{recall!r}."
        )


def _refuse_other_drop(file: JsonFile) -> None:
    """Refuse a drop that is not the difference of its two sides."""
    drop = _number(file, "failOpen", "recallDrop")
    healthy = _number(file, "failOpen", "vectorRecallAt5")
    degraded = _number(file, "failOpen", "failOpenRecallAt5")
    if abs(healthy - degraded - drop) > ROUNDING:
        raise file.refuse(
            f"failOpen.recallDrop is {drop!r}, and its sides differ by "
            f"{healthy - degraded!r}."
        )


def _refuse_misnamed(file: JsonFile) -> None:
    """Refuse a name a registry would not look for, or that of another tier."""
    corpus = _part(file, "corpus")
    variant = corpus.get("variant", "published")
    wanted = baseline_name(str(corpus.get("tier")), str(variant))
    if file.path.name not in (FILE_NAME, wanted):
        raise ReportFormatError(
            f"the file is called {file.path.name!r}, wanted {FILE_NAME!r}, or "
            f"{wanted!r} for a baseline of its tier.",
            where=str(file.path),
        )
