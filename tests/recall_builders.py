"""A whole recall report on which every committed check holds, to be damaged."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from harness.judge.recall.budgets import Budgets, RowBudget, load_budgets
from harness.judge.recall.publish import results
from harness.judge.recall.results import Results
from harness.report.model import (
    ConfigurationResult,
    Invariant,
    Phase,
    Ranking,
    Report,
    ScoredHit,
)
from harness.report.recall import (
    Embedded,
    FailOpen,
    FaultResult,
    RecallFacts,
    Stemming,
    Tempo,
)
from tests.builders import a_latency, a_report, an_environment, some_parameters

BUDGETS_FILE = Path(__file__).parents[1] / "baselines" / "budgets.toml"

ROWS = [
    "document-hybrid",
    "document-vector",
    "document-keyword",
    "searchMemories-vector",
    "keyword-chat-bm25",
    "facts-provider-keyword",
    "keyword-morph-stemmed",
    "keyword-morph-unstemmed",
    "document-vector-failopen",
    "document-hybrid-failopen",
    "keyword-morph-nostem",
    "facts-decay",
    "paraphrase-hybrid",
    "paraphrase-vector",
    "paraphrase-keyword",
    "scripts-hybrid",
    "scripts-keyword",
    "scripts-rank",
    "long-hybrid",
    "long-vector",
    "long-keyword",
    "duplicates",
    "updates",
    "deletes",
]
"""Every row of a tier in its order: the public bench's nine, then ours."""

PUBLISHED = {
    "document-hybrid": (0.95, 0.957264, 0.9875),
    "document-vector": (0.965, 0.973855, 1.0),
    "document-keyword": (0.37, 0.422454, 0.6667),
    "searchMemories-vector": (0.965, 0.973855, 1.0),
    "keyword-chat-bm25": (0.51, 0.547258, 0.7675),
    "facts-provider-keyword": (1.0, 1.0, 1.0),
    "keyword-morph-stemmed": (1.0, 1.0, 1.0),
    "keyword-morph-unstemmed": (0.05, 0.036332, 0.0917),
    "document-vector-failopen": (0.37, 0.422454, 0.6667),
    "document-hybrid-failopen": (0.37, 0.422454, 0.6667),
    "keyword-morph-nostem": (0.05, 0.036332, 0.0917),
    "paraphrase-keyword": (0.0, 0.0, 0.0),
}
"""recall@5, ndcg@5 and mrr of the public 1k tier; rows not named find everything."""

QUERIES = 4
"""Fewer than a tier has: what is tested here does not depend on how many."""


def the_budgets() -> Budgets:
    """Read the committed budgets."""
    return load_budgets(BUDGETS_FILE)


def a_row(
    name: str, budget: RowBudget, *, figures: Sequence[float] | None = None
) -> ConfigurationResult:
    """Measure one row as its budget wants it."""
    recall, ndcg, mrr = figures or PUBLISHED.get(name, (1.0, 1.0, 1.0))
    ranking: Literal["lexical", "semantic", "hybrid"] = "lexical"
    if budget.effective in {"hybrid", "vector", "raw-vector"}:
        ranking = "hybrid" if budget.effective == "hybrid" else "semantic"
    return ConfigurationResult(
        name=name,
        ranking=ranking,
        expand=False,
        queries=QUERIES,
        metrics={
            "recall@5": recall,
            "ndcg@5": ndcg,
            "mrr": mrr,
            "precision@5": recall,
            "hit@5": 1.0 if recall else 0.0,
        },
        by_category={},
        category_queries={},
        latency=a_latency(),
        rankings=tuple(
            Ranking(
                query=f"q-{number}",
                category="topic",
                metrics={},
                hits=(ScoredHit(document=f"doc-{number}-0", score=1.0),),
                effective=budget.effective,
                degraded=budget.degraded,
            )
            for number in range(QUERIES)
        ),
        corpus=1_000,
    )


def a_fault(kind: str, mode: str, code: str | None) -> FaultResult:
    """Let one fault come to what the budgets want of it."""
    healthy = PUBLISHED[f"document-{mode}"][0]
    during = healthy if code is None else PUBLISHED["document-keyword"][0]
    return FaultResult.model_validate(
        {
            "fault": kind,
            "mode": mode,
            "queries": QUERIES,
            "healthy_recall": healthy,
            "fault_recall": during,
            "recovered_recall": healthy,
            "drop": healthy - during,
            "effective": {mode if code is None else "keyword": QUERIES},
            "codes": {} if code is None else {code: QUERIES},
            "healthy_p50_ms": 3.0,
            "fault_p50_ms": 12.5,
            "fault_max_ms": 40.0,
            "embedder": Embedded(requests=QUERIES, inputs=QUERIES),
            "queries_to_recover": 0,
            "ingest": "stored" if code is None else "refused",
        }
    )


def some_facts(budgets: Budgets, **changed: object) -> RecallFacts:
    """Measure what only a recall tier has, as the budgets want it."""
    fields: dict[str, object] = {
        "tier": "1k",
        "variant": "published",
        "k": 5,
        "topics": 40,
        "corpus_documents": 1_000,
        "fail_open": (
            FailOpen(
                mode="vector", healthy_recall=0.965, degraded_recall=0.37, drop=0.595
            ),
            FailOpen(
                mode="hybrid", healthy_recall=0.95, degraded_recall=0.37, drop=0.58
            ),
        ),
        "stemming": Stemming(
            stemmed_recall=1.0,
            unstemmed_recall=0.05,
            same_ranker_recall=0.05,
            lift=0.95,
        ),
        "faults": tuple(
            a_fault(kind, mode, budgets.faults.open.get(kind))
            for kind, mode in budgets.faults.every
        ),
        "embedded": {"document-hybrid": Embedded(requests=4, inputs=4)},
        "tempo": Tempo(documents_per_second=812.4, embedder_per_second=1_502.0),
    }
    return RecallFacts.model_validate({**fields, **changed})


def a_recall_report(
    *, rows: Iterable[ConfigurationResult] | None = None, **changed: object
) -> Report:
    """Build a report of the 1k tier; *rows* and *changed* replace its parts."""
    budgets = the_budgets()
    made = (
        [a_row(name, budget) for name, budget in budgets.rows.items()]
        if rows is None
        else list(rows)
    )
    fields: dict[str, object] = {
        "suite": "recall",
        "recall": some_facts(budgets),
        "environment": an_environment(
            vectors="fixture: hashed words and letter trigrams, 384-d"
        ),
        "parameters": some_parameters(limit=20, repetitions=1),
        "client_floor": None,
        "seeding": None,
        "invariants": tuple(
            Invariant.model_validate({"name": name, "checked": 20, "violations": ()})
            for name in budgets.invariants
        ),
        "phases": (
            Phase(name="starting", seconds=4.1),
            Phase(name="ingest", seconds=1.25),
        ),
    }
    return a_report(**{**fields, "configurations": tuple(made), **changed})


def without(report: Report, name: str) -> Report:
    """Take one row out of *report*."""
    kept = tuple(row for row in report.configurations if row.name != name)
    return report.model_copy(update={"configurations": kept})


def with_row(report: Report, name: str, **changed: object) -> Report:
    """Change fields of one row of *report*."""
    rows = tuple(
        row.model_copy(update=changed) if row.name == name else row
        for row in report.configurations
    )
    return report.model_copy(update={"configurations": rows})


def with_facts(report: Report, **changed: object) -> Report:
    """Change what only a recall tier has."""
    assert report.recall is not None
    recall = report.recall.model_copy(update=changed)
    return report.model_copy(update={"recall": recall})


def with_fault(report: Report, kind: str, mode: str, **changed: object) -> Report:
    """Change what one fault came to, in one mode."""
    assert report.recall is not None
    faults = tuple(
        fault.model_copy(update=changed)
        if (fault.fault, fault.mode) == (kind, mode)
        else fault
        for fault in report.recall.faults
    )
    return with_facts(report, faults=faults)


def an_accepted(report: Report | None = None) -> Results:
    """Take the exact values out of a report, the sound one where none is given."""
    return results(report or a_recall_report(), the_budgets())


def a_public_file() -> dict[str, Any]:
    """Write results as the public bench does, with one row and one check."""
    return {
        "benchmark": "recall-bench",
        "generatedAt": "2026-06-29T12:00:00.000Z",
        "corpus": {
            "committed": True,
            "tier": "1k",
            "topics": 40,
            "documents": 1000,
            "queries": 40,
        },
        "k": 5,
        "modes": [
            {
                "mode": "document-hybrid",
                "corpusSize": 1000,
                "queries": 40,
                "k": 5,
                "precisionAtK": 0.95,
                "recallAtK": 0.95,
                "mrr": 0.9875,
                "ndcgAtK": 0.957264,
                "hitRateAtK": 1,
                "p50LatencyMs": 8,
                "p95LatencyMs": 10,
                "measured": True,
            }
        ],
        "failOpen": {
            "vectorRecallAt5": 0.965,
            "failOpenRecallAt5": 0.37,
            "recallDrop": 0.595,
            "observable": True,
        },
        "stemming": {
            "stemmedRecallAt5": 1,
            "unstemmedRecallAt5": 0.05,
            "recallLift": 0.95,
            "observable": True,
        },
        "metrics": {
            "overall_recall_at_5": 0.95,
            "overall_ndcg_at_5": 0.957264,
            "overall_p95_latency_ms": 10,
        },
        "checks": [
            {
                "name": "document-hybrid.minRecallAt5",
                "value": 0.95,
                "budget": 0.85,
                "unit": "ratio",
                "pass": True,
            }
        ],
    }
