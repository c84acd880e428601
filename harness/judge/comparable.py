"""One view of every file whose quality numbers can be compared.

Reports, baselines, MemCastle's own reports and results of the public recall-bench all
become a ``Comparable``. Something that a format does not state is ``None`` and is then
not compared, which is not the same as being equal: what a format cannot state is named
by its ``families``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import ReportFormatError
from harness.judge import baseline as baselines
from harness.judge.baseline import Baseline, BaselineConfiguration, parse_baseline
from harness.judge.recall.results import Results, Row, is_results, parse_results
from harness.judge.soundness import (
    Evidence,
    broken_report,
    broken_results,
    evidence_of_report,
    evidence_of_results,
)
from harness.report.files import read_json
from harness.report.longmemeval import LongMemEvalFacts
from harness.report.model import (
    FORMAT,
    ConfigurationResult,
    Ranking,
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

HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Scope:
    """Mean metrics over some queries; how many, where the format says so."""

    queries: int | None
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class ComparableConfiguration:
    """One configuration's numbers, overall and by category."""

    name: str
    ranking: str | None
    """``None`` where the format does not say."""
    expand: bool
    overall: Scope
    categories: Mapping[str, Scope]
    rankings: Mapping[str, tuple[str, ...]] | None
    """Query id to documents, best first; ``None`` where the format keeps none."""
    answers: Mapping[str, Ranking] | None = None
    """Query id to everything a report keeps of it; ``None`` in every other format."""


@dataclass(frozen=True, slots=True)
class Comparable:
    """What a comparison looks at, wherever it came from."""

    source: str
    """The file, for people; empty for a report that was never stored."""
    kind: str
    """Which format it came from: ``report``, ``baseline``, ``MemCastle report``."""
    dataset_name: str
    dataset_version: int | None
    dataset_sha256: str | None
    documents: int
    limit: int | None
    scale: int
    cutoffs: tuple[int, ...] | None
    ndcg_gain: str | None
    vectors: str | None
    embedding_provider: str | None
    embedding_model: str | None
    configurations: tuple[ComparableConfiguration, ...]
    families: frozenset[str] | None = None
    """Metrics that the format knows, without their cut-off where it takes any; ``None``
    for all."""
    categorised: bool = True
    """Whether the format tells categories apart."""
    suite: str = "eval"
    """Which benchmark ran."""
    tier: str | None = None
    """Of the suite ``recall``: the tier and its order of ingestion."""
    policies: str | None = None
    """Of LongMemEval: what was written and what is relevant, and how it is isolated."""
    broken: tuple[str, ...] = ()
    """What the file itself says to be broken, in a line each."""
    evidence: Evidence = field(default_factory=Evidence)
    """What was looked at, so that the other side can be seen to lack it."""

    def __post_init__(self) -> None:
        """Refuse two configurations of one name: one of them would go unjudged."""
        names = [configuration.name for configuration in self.configurations]
        for name in names:
            if names.count(name) > 1:
                raise ReportFormatError(
                    f"the configuration {name!r} occurs twice.", where=self.source
                )

    @property
    def data(self) -> str:
        """Name the data as far as the format does: ``core 1 (c3ab39f0704f)``."""
        version = "" if self.dataset_version is None else f" {self.dataset_version}"
        sha256 = self.dataset_sha256
        digits = "" if sha256 is None else f" ({sha256[:HASH_DIGITS]})"
        return f"{self.dataset_name}{version}{digits}"

    def knows(self, metric: str) -> bool:
        """Tell whether the format could have stated *metric*."""
        known = self.families
        return known is None or metric in known or metric.partition("@")[0] in known


def load_comparable(path: Path) -> Comparable:
    """Read a report, a baseline, a report of MemCastle's own or recall-bench results.

    Raises:
        ReportFormatError: It is none of these, or one that cannot be read.
    """
    file = read_json(path)
    if is_public(file):
        return from_public(parse_public(file), source=str(path))
    if is_results(file):
        return from_results(parse_results(file), source=str(path))
    found = file.fields.get("format")
    if found == baselines.FORMAT:
        return from_baseline(parse_baseline(file), source=str(path))
    if found == FORMAT:
        return from_report(parse_report(file), source=str(path))
    raise file.refuse(
        "neither a report, a baseline, a report of MemCastle's nor results of "
        f"recall-bench: its format is {found!r}."
    )


def from_report(report: Report, *, source: str = "") -> Comparable:
    """View a report; its configurations keep their order."""
    recall = report.recall
    return Comparable(
        source=source,
        kind="report",
        dataset_name=report.dataset.name,
        dataset_version=report.dataset.version,
        dataset_sha256=report.dataset.sha256,
        # The public format counts the tier alone, so that both sides can be held.
        documents=recall.corpus_documents if recall else report.dataset.documents,
        limit=report.parameters.limit,
        scale=report.parameters.scale,
        cutoffs=report.parameters.cutoffs,
        ndcg_gain=report.parameters.ndcg_gain,
        vectors=report.environment.vectors,
        embedding_provider=_stated(report.environment.embedding_provider),
        embedding_model=report.environment.embedding_model,
        configurations=tuple(map(_measured, report.configurations)),
        suite=report.suite,
        tier=_tier(recall.tier, recall.variant) if recall else None,
        policies=_policies(report.longmemeval) if report.longmemeval else None,
        broken=tuple(broken_report(report)),
        evidence=evidence_of_report(report),
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


def from_results(results: Results, *, source: str = "") -> Comparable:
    """View results of the public recall-bench, or a baseline of a recall tier.

    The public bench states no data but its tier, and has no categories.
    """
    corpus, k = results.corpus, results.k
    return Comparable(
        source=source,
        kind="recall-bench results",
        dataset_name=f"recall-{corpus.tier}",
        dataset_version=None,
        dataset_sha256=corpus.sha256,
        documents=corpus.documents,
        limit=None,
        scale=0,
        cutoffs=None,
        ndcg_gain=None,
        vectors=corpus.vectors,
        embedding_provider=None,
        embedding_model=None,
        configurations=tuple(map(_scored, results.modes)),
        families=frozenset(
            {f"recall@{k}", f"precision@{k}", f"ndcg@{k}", f"hit@{k}", "mrr"}
        ),
        categorised=False,
        suite="recall",
        tier=_tier(corpus.tier, corpus.variant),
        broken=tuple(broken_results(results)),
        evidence=evidence_of_results(results),
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
        answers={ranking.query: ranking for ranking in result.rankings},
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


def _scored(row: Row) -> ComparableConfiguration:
    figures = {
        f"recall@{row.k}": row.recall_at_k,
        f"precision@{row.k}": row.precision_at_k,
        f"ndcg@{row.k}": row.ndcg_at_k,
        f"hit@{row.k}": row.hit_rate_at_k,
        "mrr": row.mrr,
    }
    stated = {name: value for name, value in figures.items() if value is not None}
    return ComparableConfiguration(
        name=row.mode,
        ranking=None,
        expand=False,
        overall=Scope(row.queries, stated),
        categories={},
        rankings=None,
    )


def _tier(tier: str, variant: str) -> str:
    return f"{tier}, {variant} order"


def _policies(facts: LongMemEvalFacts) -> str:
    """Name what moves the figures; how a haystack comes to be alone does not."""
    declared = facts.policies
    isolated = facts.isolation == "isolated"
    alone = isolated or (facts.isolation == "wing" and facts.scoped_statistics)
    return (
        f"text {declared.text}, gold {declared.gold}, granularity "
        f"{declared.granularity}, abstention {declared.abstention}, "
        f"{'each haystack alone' if alone else f'isolation {facts.isolation}'}, "
        f"depth {facts.depth}, too long for the model: {facts.oversize_rule}, "
        f"errata {facts.errata.sha256[:12] if facts.errata else None}"
    )


def _stated(provider: str) -> str | None:
    """Read the word both formats use for a daemon that does not say."""
    return None if provider == "unknown" else provider
