"""What every fault of the embedder must come to: seen, survived, over at its end."""

from collections.abc import Iterator

from harness.judge.recall.budgets import Budgets
from harness.judge.recall.limits import Measured
from harness.judge.recall.results import FaultRow, Results
from harness.report.checks import Check
from harness.report.recall import FaultResult, RecallFacts

STORED = {"refused": 0.0, "half stored": 0.5, "stored": 1.0}
"""How much of a document sent during the fault is there afterwards."""


def fault_checks(
    facts: RecallFacts, budgets: Budgets, baseline: Results
) -> Iterator[Check]:
    """Check every fault the budgets name, in every mode, measured or not.

    Raises:
        KeyError: The baseline is not whole.
    """
    found = {(fault.fault, fault.mode): fault for fault in facts.faults}
    for kind, mode in budgets.faults.every:
        accepted = baseline.fault(kind, mode)
        if accepted is None:
            raise KeyError(f"{kind} in {mode} mode")
        yield from _of_fault(kind, mode, found.get((kind, mode)), budgets, accepted)


def _of_fault(
    kind: str,
    mode: str,
    fault: FaultResult | None,
    budgets: Budgets,
    accepted: FaultRow,
) -> Iterator[Check]:
    name = f"fault-{kind}-{mode}"
    code = budgets.faults.open.get(kind)
    why = "the report has no such fault" if fault is None else "not measured"
    tolerance = budgets.tolerance

    def measured(rule: str, value: float | None) -> Measured:
        return Measured(f"{name}.{rule}", value, why=why)

    def counted(rule: str, value: int | None) -> Measured:
        return Measured(f"{name}.{rule}", value, "count", why)

    queries = None if fault is None else fault.queries
    yield counted("queries", queries).exactly(accepted.queries)
    yield measured("degraded", _share_degraded(fault, code)).exactly(1 if code else 0)
    wanted = accepted.fault_recall_at_5
    if wanted is None:
        raise KeyError(name)
    during = None if fault is None else fault.fault_recall
    yield measured("recall@5", during).exactly(wanted, tolerance)
    yield measured("lostForGood", _lost_for_good(fault)).exactly(0, tolerance)
    late = None if fault is None else fault.queries_to_recover
    yield counted("queriesToRecover", late).exactly(0)
    slowest = None if fault is None else fault.fault_max_ms
    ceiling = budgets.faults.max_ms
    yield Measured(f"{name}.maxLatencyMs", slowest, "ms", why).at_most(ceiling)
    ingest = None if fault is None or fault.ingest is None else STORED[fault.ingest]
    yield measured("stored", ingest).exactly(0 if code else 1)
    if kind not in budgets.faults.uncounted:
        # At least one request a query: no cache answered for the embedder.
        requests = None if fault is None else fault.embedder.requests
        yield counted("embedderRequests", requests).at_least(max(queries or 0, 1))


def _share_degraded(fault: FaultResult | None, code: str | None) -> float | None:
    """Give the share of answers that carry *code*; without one, that carry any."""
    if fault is None or not fault.queries:
        return None
    marked = sum(fault.codes.values()) if code is None else fault.codes.get(code, 0)
    return marked / fault.queries


def _lost_for_good(fault: FaultResult | None) -> float | None:
    """Give the recall that was there before the fault and is not after it."""
    if fault is None or fault.healthy_recall is None or fault.recovered_recall is None:
        return None
    return fault.healthy_recall - fault.recovered_recall
