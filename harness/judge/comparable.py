"""One view of every file whose quality numbers can be compared.

Reports, baselines and MemCastle's own reports all become a ``Comparable``. Something
that a format does not state is ``None`` and is then not compared, which is not the
same as being equal: what a format cannot state is named by its ``families``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ReportFormatError
from harness.judge import baseline as baselines
from harness.judge.baseline import Baseline, BaselineConfiguration, parse_baseline
from harness.report.files import read_json
from harness.report.model import (
    FORMAT,
    ConfigurationResult,
    Report,
)
from harness.report.part import Metrics
from harness.report.public import (
    FAMILIES,
    PublicReport,
    PublicRun,
    is_public,
    parse_public,
)
from harness.report.store import parse_report


@dataclass(frozen=True, slots=True)
class Scope:
    """Mean metrics over some queries; how many, where the format says so."""

    queries: int | None
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class ComparableConfiguration:
    """One configuration's numbers, overall and by category."""

    name: str
    ranking: str
    expand: bool
    overall: Scope
    categories: Mapping[str, Scope]
    rankings: Mapping[str, tuple[str, ...]] | None
    """Query id to documents, best first; ``None`` where the format keeps none."""


@dataclass(frozen=True, slots=True)
class Comparable:
    """What a comparison looks at, wherever it came from."""

    source: str
    """The file, for people; empty for a report that was never stored."""
    kind: str
    """Which format it came from: ``report``, ``baseline``, ``MemCastle report``."""
    dataset_name: str
    dataset_version: int
    dataset_sha256: str
    documents: int
    limit: int
    scale: int
    cutoffs: tuple[int, ...] | None
    ndcg_gain: str | None
    vectors: str
    embedding_provider: str | None
    embedding_model: str | None
    configurations: tuple[ComparableConfiguration, ...]
    families: frozenset[str] | None = None
    """Metric names without cut-off that the format knows; ``None`` for any."""

    def __post_init__(self) -> None:
        """Refuse two configurations of one name: one of them would go unjudged."""
        names = [configuration.name for configuration in self.configurations]
        for name in names:
            if names.count(name) > 1:
                raise ReportFormatError(
                    f"the configuration {name!r} occurs twice.", where=self.source
                )


def load_comparable(path: Path) -> Comparable:
    """Read a report, a baseline or a report of MemCastle's own.

    Raises:
        ReportFormatError: It is none of these, or one that cannot be read.
    """
    file = read_json(path)
    if is_public(file):
        return from_public(parse_public(file), source=str(path))
    found = file.fields.get("format")
    if found == baselines.FORMAT:
        return from_baseline(parse_baseline(file), source=str(path))
    if found == FORMAT:
        return from_report(parse_report(file), source=str(path))
    raise file.refuse(
        "neither a report, a baseline nor a report of MemCastle's: "
        f"its format is {found!r}."
    )


def from_report(report: Report, *, source: str = "") -> Comparable:
    """View a report; its configurations keep their order."""
    return Comparable(
        source=source,
        kind="report",
        dataset_name=report.dataset.name,
        dataset_version=report.dataset.version,
        dataset_sha256=report.dataset.sha256,
        documents=report.dataset.documents,
        limit=report.parameters.limit,
        scale=report.parameters.scale,
        cutoffs=report.parameters.cutoffs,
        ndcg_gain=report.parameters.ndcg_gain,
        vectors=report.environment.vectors,
        embedding_provider=_stated(report.environment.embedding_provider),
        embedding_model=report.environment.embedding_model,
        configurations=tuple(map(_measured, report.configurations)),
    )


def from_baseline(baseline: Baseline, *, source: str = "") -> Comparable:
    """View a baseline; its configurations are sorted by name."""
    return Comparable(
        source=source,
        kind="baseline",
        dataset_name=baseline.dataset.name,
        dataset_version=baseline.dataset.version,
        dataset_sha256=baseline.dataset.sha256,
        documents=baseline.dataset.documents,
        limit=baseline.limit,
        scale=0,
        cutoffs=baseline.cutoffs,
        ndcg_gain=baseline.ndcg_gain,
        vectors=baseline.vectors,
        embedding_provider=_stated(baseline.embedding_provider),
        embedding_model=baseline.embedding_model,
        configurations=tuple(
            _accepted(name, configuration)
            for name, configuration in baseline.configurations.items()
        ),
    )


def from_public(report: PublicReport, *, source: str = "") -> Comparable:
    """View a report of MemCastle's own, which counts no category's queries."""
    return Comparable(
        source=source,
        kind="MemCastle report",
        dataset_name=report.dataset.name,
        dataset_version=report.dataset.version,
        dataset_sha256=report.dataset.sha256,
        documents=report.dataset.documents,
        limit=report.parameters.limit,
        scale=report.parameters.scale,
        cutoffs=report.parameters.ks,
        ndcg_gain=None,
        vectors=report.environment.vectors,
        embedding_provider=_stated(report.environment.embedding_provider),
        embedding_model=report.environment.embedding_model,
        configurations=tuple(map(_published, report.runs)),
        families=FAMILIES,
    )


def _measured(result: ConfigurationResult) -> ComparableConfiguration:
    return ComparableConfiguration(
        name=result.name,
        ranking=result.ranking,
        expand=result.expand,
        overall=Scope(result.queries, result.metrics),
        categories={
            category: Scope(result.category_queries.get(category), metrics)
            for category, metrics in result.by_category.items()
        },
        rankings={
            ranking.query: tuple(hit.document for hit in ranking.hits)
            for ranking in result.rankings
        },
    )


def _accepted(
    name: str, configuration: BaselineConfiguration
) -> ComparableConfiguration:
    return ComparableConfiguration(
        name=name,
        ranking=configuration.ranking,
        expand=configuration.expand,
        overall=Scope(configuration.queries, configuration.metrics),
        categories={
            category: Scope(accepted.queries, accepted.metrics)
            for category, accepted in configuration.categories.items()
        },
        rankings=configuration.rankings,
    )


def _published(run: PublicRun) -> ComparableConfiguration:
    return ComparableConfiguration(
        name=run.name,
        ranking=run.ranking,
        expand=run.expand,
        overall=Scope(run.queries, run.metrics),
        categories={
            category: Scope(None, metrics)
            for category, metrics in run.by_category.items()
        },
        rankings=None,
    )


def _stated(provider: str) -> str | None:
    """Read the word both formats use for a daemon that does not say."""
    return None if provider == "unknown" else provider
