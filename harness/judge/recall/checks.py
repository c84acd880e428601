"""Every check of a recall tier: the exact values, and the limits no baseline moves.

Which checks there are follows from the budgets alone, never from what was measured. A
row, fault or invariant that the report lacks therefore fails every check about it.
"""

from collections.abc import Iterator

from harness.errors import ExitCode
from harness.judge.recall.budgets import Budgets, RowBudget
from harness.judge.recall.faults import fault_checks
from harness.judge.recall.limits import Measured
from harness.judge.recall.publish import facts_of, fail_open_of
from harness.judge.recall.results import Results
from harness.report.checks import Check
from harness.report.model import ConfigurationResult, Report
from harness.report.recall import RecallFacts


def checked(report: Report, budgets: Budgets, baseline: Results) -> Report:
    """Give *report* with its checks made anew, whatever it held before.

    Args:
        report: A whole run of a recall tier.
        budgets: The limits.
        baseline: The exact values; whole, as `load_baseline` returns it.

    Raises:
        UsageError: The report is of another suite.
        KeyError: The baseline is not whole.
    """
    facts = facts_of(report)
    made = [*_rows(report, budgets, baseline), *_tier(report, facts, budgets)]
    made += fault_checks(facts, budgets, baseline)
    made += _completeness(report, facts, budgets)
    # The last one counts itself.
    count = Measured("checks.made", len(made) + 1, "count")
    made.append(count.exactly(budgets.checks))
    return report.model_copy(update={"checks": tuple(made)})


def exit_code(report: Report) -> ExitCode:
    """Say how the command that made *report* must end.

    Nothing measured comes before anything failed: then there is nothing to judge.
    """
    if not any(result.queries for result in report.configurations):
        return ExitCode.NOTHING_MEASURED
    broken = any(invariant.violations for invariant in report.invariants)
    if broken or not report.checks or not all(each.passed for each in report.checks):
        return ExitCode.GATE_FAILED
    return ExitCode.PASSED


def _rows(report: Report, budgets: Budgets, baseline: Results) -> Iterator[Check]:
    results = {result.name: result for result in report.configurations}
    for name, budget in budgets.rows.items():
        result = results.get(name)
        yield from _exact(name, result, budgets, baseline)
        yield from _floors(name, result, budget, budgets.k)
        yield _answered(name, result, budget)
        if budget.same_as is not None:
            yield _repeated(name, result, budget.same_as, results.get(budget.same_as))


def _exact(
    name: str, result: ConfigurationResult | None, budgets: Budgets, baseline: Results
) -> Iterator[Check]:
    accepted = baseline.row(name)
    if accepted is None:
        raise KeyError(name)
    queries = Measured(
        f"{name}.queries",
        None if result is None else result.queries,
        "count",
        _absence(result),
    )
    yield queries.exactly(accepted.queries)
    values = {
        f"recall@{budgets.k}": accepted.recall_at_k,
        f"ndcg@{budgets.k}": accepted.ndcg_at_k,
        "mrr": accepted.mrr,
    }
    for metric, value in values.items():
        if value is None:
            raise KeyError(f"{name}.{metric}")
        measured = _metric(f"{name}.{metric}", result, metric)
        yield measured.exactly(value, budgets.tolerance)


def _floors(
    name: str, result: ConfigurationResult | None, budget: RowBudget, k: int
) -> Iterator[Check]:
    """Make the checks the public bench has, under its names."""
    if budget.min_recall is not None:
        measured = _metric(f"{name}.minRecallAt{k}", result, f"recall@{k}")
        yield measured.at_least(budget.min_recall)
    if budget.min_ndcg is not None:
        measured = _metric(f"{name}.minNdcgAt{k}", result, f"ndcg@{k}")
        yield measured.at_least(budget.min_ndcg)
    latency = None if result is None else result.latency
    p95 = Measured(
        f"{name}.maxP95LatencyMs",
        None if latency is None else latency.service.p95_ms,
        "ms",
        _absence(result),
    )
    yield p95.at_most(budget.max_p95_ms)


def _answered(
    name: str, result: ConfigurationResult | None, budget: RowBudget
) -> Check:
    """Demand that every answer was given as it had to be, and says so."""
    rankings = () if result is None else result.rankings
    allowed = {(budget.effective, budget.degraded)}
    if budget.also is not None:
        allowed.add((budget.also.effective, budget.also.degraded))
    as_wanted = sum((each.effective, each.degraded) in allowed for each in rankings)
    share = as_wanted / len(rankings) if rankings else None
    return Measured(f"{name}.effective", share, why=_absence(result)).exactly(1)


def _repeated(
    name: str,
    result: ConfigurationResult | None,
    other_name: str,
    other: ConfigurationResult | None,
) -> Check:
    """Demand the same documents in the same order, query by query."""
    share = None
    if result is not None and other is not None and result.rankings:
        theirs = {
            each.query: [hit.document for hit in each.hits] for each in other.rankings
        }
        same = sum(
            theirs.get(each.query) == [hit.document for hit in each.hits]
            for each in result.rankings
        )
        share = same / max(len(result.rankings), len(theirs))
    return Measured(f"{name}.sameAs.{other_name}", share).exactly(1)


def _tier(report: Report, facts: RecallFacts, budgets: Budgets) -> Iterator[Check]:
    results = {result.name: result for result in report.configurations}
    metric = f"recall@{budgets.k}"
    for rule in budgets.above:
        better = _metric("", results.get(rule.better), metric).value
        worse = _metric("", results.get(rule.worse), metric).value
        gap = None if better is None or worse is None else better - worse
        name = f"{rule.better}.above.{rule.worse}"
        yield Measured(name, gap).at_least(rule.margin)
    for name, mode in (
        ("failOpen.minObservableRecallDrop", "vector"),
        ("failOpenHybrid.minObservableRecallDrop", "hybrid"),
    ):
        found = fail_open_of(facts, mode)
        drop = Measured(name, None if found is None else found.drop)
        yield drop.at_least(budgets.fail_open.min_drop)
    stemming, asked = facts.stemming, budgets.stemming
    yield Measured("stemming.minRecallLift", stemming.lift).at_least(asked.min_lift)
    stemmed, plain = stemming.stemmed_recall, stemming.same_ranker_recall
    alone = None if stemmed is None or plain is None else stemmed - plain
    same_ranker = Measured("stemming.minSameRankerLift", alone)
    yield same_ranker.at_least(asked.min_same_ranker_lift)


def _completeness(
    report: Report, facts: RecallFacts, budgets: Budgets
) -> Iterator[Check]:
    """Demand that nothing is there unbudgeted, and that every rule was looked at."""
    rows = {result.name for result in report.configurations}
    faults = {(fault.fault, fault.mode) for fault in facts.faults}
    for name, unknown in (
        ("rows.unexpected", rows - set(budgets.rows)),
        ("faults.unexpected", faults - set(budgets.faults.every)),
    ):
        yield Measured(name, len(unknown), "count").exactly(0)
    for name in budgets.invariants:
        known = [each for each in report.invariants if each.name == name]
        looked = sum(invariant.checked for invariant in known)
        broken = sum(len(invariant.violations) for invariant in known)
        yield Measured(f"invariant.{name}.checked", looked, "count").at_least(1)
        yield Measured(f"invariant.{name}.violations", broken, "count").exactly(0)


def _metric(name: str, result: ConfigurationResult | None, metric: str) -> Measured:
    value = None if result is None else result.metrics.get(metric)
    return Measured(name, value, why=_absence(result))


def _absence(result: ConfigurationResult | None) -> str:
    if result is None:
        return "the report has no such row"
    return result.skip_reason or "not measured"
