"""The baseline: quality numbers that a person accepted, in a file git can diff.

It holds no time, no score and nothing of the machine, so it changes only when
retrieval does: one line a metric, one line a query's ranking, everything sorted.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import model_validator

from harness.errors import GateFailedError, IncomparableError, UsageError
from harness.judge.demands import broken_demands
from harness.judge.recall.results import is_results
from harness.report.counting import check_counts
from harness.report.files import (
    JsonFile,
    check_version,
    parse,
    read_json,
    write_whole,
)
from harness.report.model import (
    ConfigurationResult,
    DatasetFacts,
    Report,
)
from harness.report.part import Count, Metrics, Part

FORMAT = "harness-baseline"
VERSION = 1


class BaselineCategory(Part):
    """One category under one configuration."""

    queries: Count
    metrics: Metrics


class BaselineConfiguration(Part):
    """One configuration's accepted numbers."""

    ranking: Literal["lexical", "semantic", "hybrid"]
    expand: bool
    queries: Count
    metrics: Metrics
    categories: Mapping[str, BaselineCategory]
    rankings: Mapping[str, tuple[str, ...]]
    """Query id to the documents it got, best first, without scores."""

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        """Refuse counts that cannot all be true of one run."""
        of_category = {name: each.queries for name, each in self.categories.items()}
        check_counts(self.queries, of_category, len(self.rankings))
        return self


class Baseline(Part):
    """What retrieval did when somebody last said that it may."""

    format: Literal["harness-baseline"] = "harness-baseline"
    version: Literal[1] = 1
    dataset: DatasetFacts
    vectors: str
    embedding_provider: str
    embedding_model: str | None
    cutoffs: tuple[Count, ...]
    limit: Count
    ndcg_gain: str
    skipped_queries: Count = 0
    configurations: Mapping[str, BaselineConfiguration]


def make_baseline(
    report: Report, *, previous: Baseline | None = None, force: bool = False
) -> Baseline:
    """Take the quality numbers out of *report*, if they may become a baseline.

    Args:
        report: A whole run without filler.
        previous: The baseline that would be replaced.
        force: Replace it even where it is of other data, or held a configuration or
            category that *report* lacks.

    Raises:
        UsageError: The run had filler, or is of another suite.
        GateFailedError: A hit broke an invariant, something was not checked, or the
            data no longer tells the configurations apart.
        IncomparableError: *previous* would be replaced by something else than its
            renewal, and *force* was not given.
    """
    _refuse_unfit(report)
    if previous is not None and not force:
        _refuse_replacement(report, previous)
    environment, parameters = report.environment, report.parameters
    return Baseline(
        dataset=report.dataset,
        vectors=environment.vectors,
        embedding_provider=environment.embedding_provider,
        embedding_model=environment.embedding_model,
        cutoffs=parameters.cutoffs,
        limit=parameters.limit,
        ndcg_gain=parameters.ndcg_gain,
        skipped_queries=parameters.skipped_queries,
        configurations={
            result.name: _configuration(result) for result in report.configurations
        },
    )


def save_baseline(baseline: Baseline, path: Path) -> None:
    """Write *baseline* to *path*, whole or not at all.

    Raises:
        UsageError: *path* is a folder or a device.
        PrerequisiteError: The file system refuses.
    """
    write_whole(path, baseline_json(baseline))


def load_baseline(path: Path) -> Baseline:
    """Read the baseline that *path* holds.

    Raises:
        ReportFormatError: It cannot be read, or is no baseline of this version.
    """
    return parse_baseline(read_json(path))


def parse_baseline(file: JsonFile) -> Baseline:
    """Turn a file that was read into the baseline it holds.

    Raises:
        ReportFormatError: It is no baseline of this version.
    """
    if is_results(file):
        raise file.refuse(
            "the baseline of a recall tier, not of a data set.",
            "Only `harness recall` judges by it.",
        )
    found = file.fields.get("format")
    if found != FORMAT:
        raise file.refuse(
            f"not a baseline: its format is {found!r}, not {FORMAT!r}.",
            "Make one with `just baseline`.",
        )
    check_version(file, kind="baseline", version=VERSION)
    return parse(file, Baseline, kind="baseline")


def baseline_json(baseline: Baseline) -> bytes:
    """Write *baseline* as the bytes of its file.

    Raises:
        ValueError: The baseline holds a number that is not finite.
    """
    fields = baseline.model_dump(mode="json")
    order = {"format": None, "version": None} | dict.fromkeys(sorted(fields))
    ordered = {key: _sorted(fields[key]) for key in order}
    return f"{_lines(ordered, indent='')}\n".encode()


def _refuse_unfit(report: Report) -> None:
    if report.suite != "eval":
        raise UsageError(
            f"a run of the suite {report.suite!r} is no baseline of this kind.",
            remedy="A recall tier has its own: `harness recall 1k --accept`.",
        )
    if report.parameters.scale != 0:
        raise UsageError(
            f"a run with {report.parameters.scale} filler drawers is no baseline.",
            remedy="Measure again without --scale and EVAL_SCALE.",
        )
    for finding in broken_demands(report):
        raise GateFailedError(
            f"this run is no baseline: {finding.text}", remedy=finding.remedy
        )


def _refuse_replacement(report: Report, previous: Baseline) -> None:
    remedy = "Choose another --baseline file, or replace this one with --force."
    old, new = previous.dataset, report.dataset
    if old.sha256 != new.sha256:
        raise IncomparableError(
            f"the baseline is of {old.name!r} {old.version} ({old.sha256[:12]}), "
            f"the run of {new.name!r} {new.version} ({new.sha256[:12]}).",
            remedy=remedy,
        )
    measured = {result.name: result for result in report.configurations}
    lost = [name for name in previous.configurations if name not in measured]
    lost += [
        f"{name}/{category}"
        for name, configuration in previous.configurations.items()
        for category in configuration.categories
        if name in measured and category not in measured[name].by_category
    ]
    if lost:
        raise IncomparableError(
            f"the baseline has what the run lacks: {', '.join(lost)}.", remedy=remedy
        )


def _configuration(result: ConfigurationResult) -> BaselineConfiguration:
    return BaselineConfiguration(
        ranking=result.ranking,
        expand=result.expand,
        queries=result.queries,
        metrics=result.metrics,
        categories={
            category: BaselineCategory(
                queries=result.category_queries[category], metrics=metrics
            )
            for category, metrics in result.by_category.items()
        },
        rankings={
            ranking.query: tuple(hit.document for hit in ranking.hits)
            for ranking in result.rankings
        },
    )


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return value


def _lines(value: object, indent: str) -> str:
    """Write JSON with every object's entry on its own line and every list on one."""
    if not (isinstance(value, dict) and value):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = f"{indent}  "
    entries = ",\n".join(
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_lines(item, inner)}"
        for key, item in value.items()
    )
    return f"{{\n{entries}\n{indent}}}"
