"""A report of a recall tier as results in the public shape."""

from harness.errors import UsageError
from harness.judge.recall.budgets import Budgets
from harness.judge.recall.results import (
    PUBLISHED_ROWS,
    CheckRow,
    Corpus,
    FailOpenResult,
    FaultRow,
    Headline,
    HybridFailOpenResult,
    Results,
    Row,
    StemmingResult,
)
from harness.report.checks import Check
from harness.report.model import ConfigurationResult, Report
from harness.report.recall import FailOpen, RecallFacts


def facts_of(report: Report) -> RecallFacts:
    """Give what only a recall tier measures.

    Raises:
        UsageError: The report is of another suite.
    """
    if report.recall is None:
        raise UsageError(
            f"this is a report of the suite {report.suite!r}, not of a recall tier.",
            remedy="Make one with `harness recall smoke`.",
        )
    return report.recall


def results(report: Report, budgets: Budgets) -> Results:
    """Write *report* in the public shape, with the published rows in front.

    Latencies are service times at the wire, which the public bench cannot tell apart
    from its own client.

    Raises:
        UsageError: The report is of another suite.
    """
    facts = facts_of(report)
    rows = [_row(result, facts.k) for result in report.configurations]
    order = {name: place for place, name in enumerate(PUBLISHED_ROWS)}
    rows.sort(key=lambda row: order.get(row.mode, len(order)))
    headline = next((row for row in rows if row.mode == "document-hybrid"), None)
    return Results(
        generated_at=report.created_at,
        corpus=_corpus(report, facts),
        k=facts.k,
        modes=tuple(rows),
        fail_open=_fail_open(facts, budgets),
        stemming=_stemming(facts, budgets),
        metrics=Headline(
            overall_recall_at_5=None if headline is None else headline.recall_at_k,
            overall_ndcg_at_5=None if headline is None else headline.ndcg_at_k,
            overall_p95_latency_ms=None
            if headline is None
            else headline.p95_latency_ms,
        ),
        checks=tuple(map(_check, report.checks)),
        fail_open_hybrid=_hybrid_fail_open(facts, budgets),
        faults=tuple(
            FaultRow(
                fault=fault.fault,
                mode=fault.mode,
                queries=fault.queries,
                healthy_recall_at_5=fault.healthy_recall,
                fault_recall_at_5=fault.fault_recall,
            )
            for fault in facts.faults
        ),
    )


def _corpus(report: Report, facts: RecallFacts) -> Corpus:
    return Corpus(
        tier=facts.tier,
        topics=facts.topics,
        documents=facts.corpus_documents,
        # One query a topic, as the format has it; the slices have their own.
        queries=facts.topics,
        variant=facts.variant,
        sha256=report.dataset.sha256,
        vectors=report.environment.vectors,
    )


def _row(result: ConfigurationResult, k: int) -> Row:
    metrics, latency = result.metrics, result.latency
    service = None if latency is None else latency.service
    return Row(
        mode=result.name,
        corpus_size=result.corpus or 0,
        queries=result.queries,
        k=k,
        precision_at_k=metrics.get(f"precision@{k}"),
        recall_at_k=metrics.get(f"recall@{k}"),
        mrr=metrics.get("mrr"),
        ndcg_at_k=metrics.get(f"ndcg@{k}"),
        hit_rate_at_k=metrics.get(f"hit@{k}"),
        p50_latency_ms=None if service is None else service.p50_ms,
        p95_latency_ms=None if service is None else service.p95_ms,
        measured=result.queries > 0,
        skip_reason=result.skip_reason,
    )


def fail_open_of(facts: RecallFacts, mode: str) -> FailOpen | None:
    """Find what *mode* lost by falling open; ``None`` where it was not measured."""
    return next((each for each in facts.fail_open if each.mode == mode), None)


def _fail_open(facts: RecallFacts, budgets: Budgets) -> FailOpenResult:
    found = fail_open_of(facts, "vector")
    return FailOpenResult(
        vector_recall_at_5=None if found is None else found.healthy_recall,
        fail_open_recall_at_5=None if found is None else found.degraded_recall,
        recall_drop=None if found is None else found.drop,
        observable=_seen(found, budgets),
    )


def _hybrid_fail_open(
    facts: RecallFacts, budgets: Budgets
) -> HybridFailOpenResult | None:
    found = fail_open_of(facts, "hybrid")
    if found is None:
        return None
    return HybridFailOpenResult(
        hybrid_recall_at_5=found.healthy_recall,
        fail_open_recall_at_5=found.degraded_recall,
        recall_drop=found.drop,
        observable=_seen(found, budgets),
    )


def _seen(found: FailOpen | None, budgets: Budgets) -> bool:
    drop = None if found is None else found.drop
    return drop is not None and drop >= budgets.fail_open.min_drop


def _stemming(facts: RecallFacts, budgets: Budgets) -> StemmingResult:
    found = facts.stemming
    return StemmingResult(
        stemmed_recall_at_5=found.stemmed_recall,
        unstemmed_recall_at_5=found.unstemmed_recall,
        recall_lift=found.lift,
        observable=found.lift is not None and found.lift >= budgets.stemming.min_lift,
        same_ranker_recall_at_5=found.same_ranker_recall,
    )


def _check(check: Check) -> CheckRow:
    limits = (check.exact, check.least, check.most)
    budget = next(limit for limit in limits if limit is not None)
    return CheckRow(
        name=check.name,
        value=check.value,
        budget=budget,
        unit=check.unit,
        passed=check.passed,
    )
