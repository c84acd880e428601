"""The part of a report that two runs must share, whatever machine they ran on.

Left out are times, the host, the runtime and its images, the daemon's build and
version, the harness's own version, cautions, and what only timed passes add. What
stays is the data, how it was asked, and what came back.
"""

import json

from harness.report.longmemeval import LongMemEvalFacts
from harness.report.model import ConfigurationResult, Ranking, Report, Seeding
from harness.report.recall import RecallFacts

Json = bool | int | float | str | None | list["Json"] | dict[str, "Json"]


def quality_view(report: Report, *, evidence: bool = False) -> dict[str, Json]:
    """Pick out what must be equal from run to run.

    Args:
        report: Any whole report.
        evidence: Add each hit's score and the daemon's plan. Two runs on one machine
            share these too; on another processor the last bit of a score may differ,
            because vector arithmetic adds in another order there.
    """
    environment, parameters = report.environment, report.parameters
    seeding = report.seeding
    view: dict[str, Json] = {
        "dataset": report.dataset.model_dump(mode="json"),
        "vectors": environment.vectors,
        "embedding_provider": environment.embedding_provider,
        "embedding_model": environment.embedding_model,
        "parameters": {
            "cutoffs": list(parameters.cutoffs),
            "limit": parameters.limit,
            "scale": parameters.scale,
            "ndcg_gain": parameters.ndcg_gain,
            "skipped_queries": parameters.skipped_queries,
        },
        "seeding": None if seeding is None else _seeding(seeding),
        "configurations": [
            _configuration(result, evidence=evidence)
            for result in report.configurations
        ],
        "violations": [
            {"invariant": invariant.name, **violation.model_dump(mode="json")}
            for invariant in report.invariants
            for violation in invariant.violations
        ],
        "discrimination": [
            check.model_dump(mode="json") for check in report.discrimination
        ],
    }
    if report.recall is not None:
        view["recall"] = _recall(report.recall)
    if report.longmemeval is not None:
        view["longmemeval"] = _longmemeval(report.longmemeval)
    return view


def quality_json(report: Report, *, evidence: bool = False) -> bytes:
    """Write the quality view as canonical JSON, for ``cmp`` and ``diff``.

    Keys are sorted, numbers are the shortest text that reads back as the same
    double, and the last line ends in a newline.

    Raises:
        ValueError: The report holds a number that is not finite.
    """
    text = json.dumps(
        _canonical(quality_view(report, evidence=evidence)),
        indent=1,
        sort_keys=True,
        ensure_ascii=False,
        allow_nan=False,
    )
    return f"{text}\n".encode()


def _seeding(seeding: Seeding) -> dict[str, Json]:
    return {
        "documents": seeding.documents,
        "filler": seeding.filler,
        "corrections": seeding.corrections,
        "mentions": seeding.mentions,
    }


def _recall(facts: RecallFacts) -> dict[str, Json]:
    """Leave out what time decides: tempo, latencies, and how often a daemon retried."""
    return {
        "tier": facts.tier,
        "variant": facts.variant,
        "k": facts.k,
        "topics": facts.topics,
        "corpus_documents": facts.corpus_documents,
        "fail_open": [each.model_dump(mode="json") for each in facts.fail_open],
        "stemming": facts.stemming.model_dump(mode="json"),
        "faults": [
            fault.model_dump(
                mode="json",
                exclude={"healthy_p50_ms", "fault_p50_ms", "fault_max_ms", "embedder"},
            )
            for fault in facts.faults
        ],
    }


def _longmemeval(facts: LongMemEvalFacts) -> dict[str, Json]:
    """Leave out the file's name, and what it took: time, starts, requests to embed."""
    view: dict[str, Json] = facts.model_dump(
        mode="json",
        exclude={
            "pace": True,
            "sessions_of_run": True,
            "embedding": True,
            "file": {"name"},
        },
    )
    return view


def _configuration(result: ConfigurationResult, *, evidence: bool) -> dict[str, Json]:
    return {
        "name": result.name,
        "ranking": result.ranking,
        "expand": result.expand,
        "queries": result.queries,
        "metrics": dict(result.metrics),
        "by_category": {
            category: dict(metrics) for category, metrics in result.by_category.items()
        },
        "category_queries": dict(result.category_queries),
        "rankings": [
            _ranking(ranking, evidence=evidence) for ranking in result.rankings
        ],
    }


def _ranking(ranking: Ranking, *, evidence: bool) -> dict[str, Json]:
    view: dict[str, Json] = {
        "query": ranking.query,
        "category": ranking.category,
        "metrics": dict(ranking.metrics),
        "documents": [hit.document for hit in ranking.hits],
    }
    if ranking.effective is not None:
        view["effective"] = ranking.effective
        view["degraded"] = ranking.degraded
    if evidence:
        view["scores"] = [hit.score for hit in ranking.hits]
        view["plan"] = ranking.plan
    return view


def _canonical(value: Json) -> Json:
    """Write -0.0 as 0.0: equal numbers must have equal bytes."""
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, float):
        return value + 0.0
    return value
