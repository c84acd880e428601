"""Which exact values may judge a run, and which runs may become them."""

from pathlib import Path

import pytest

from harness.errors import (
    GateFailedError,
    IncomparableError,
    NothingMeasuredError,
    ReportFormatError,
    UsageError,
)
from harness.judge.recall.baseline import (
    baseline_name,
    candidate,
    load_baseline,
    require_fit,
    require_same_data,
)
from harness.judge.recall.checks import checked
from harness.judge.recall.results import Results, save_results
from harness.report.model import Report
from tests.builders import a_dataset, an_environment
from tests.recall_builders import (
    a_recall_report,
    an_accepted,
    the_budgets,
    with_facts,
    with_fault,
    with_row,
    without,
)


def own_candidate(report: Report) -> Report:
    """Judge *report* by the exact values it would be accepted with."""
    budgets = the_budgets()
    return checked(report, budgets, candidate(report, budgets))


def kept(tmp_path: Path, baseline: Results) -> Path:
    path = tmp_path / "recall-1k.json"
    save_results(baseline, path)
    return path


@pytest.mark.parametrize(
    ("tier", "variant", "name"),
    [
        ("smoke", "published", "recall-smoke.json"),
        ("1k", "shuffled", "recall-1k-shuffled.json"),
    ],
)
def test_each_tier_and_variant_has_a_file_of_its_own(
    tier: str, variant: str, name: str
) -> None:
    assert baseline_name(tier, variant) == name


def test_missing_baseline_is_refused_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no baseline") as caught:
        load_baseline(tmp_path / "recall-10k.json", the_budgets())
    assert "--accept" in caught.value.remedy


def test_candidate_holds_nothing_of_one_run() -> None:
    found = candidate(a_recall_report(), the_budgets())

    assert found.generated_at is None
    assert found.checks == ()
    assert found.metrics.overall_p95_latency_ms is None
    assert {row.p50_latency_ms for row in found.modes} == {None}
    assert {row.p95_latency_ms for row in found.modes} == {None}


def test_candidate_reads_back_as_a_whole_baseline(tmp_path: Path) -> None:
    budgets = the_budgets()
    found = candidate(a_recall_report(), budgets)

    assert load_baseline(kept(tmp_path, found), budgets) == found


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        (without(a_recall_report(), "updates"), "no measured row 'updates'"),
        (
            with_row(
                a_recall_report(),
                "updates",
                queries=0,
                metrics={},
                rankings=(),
                skip_reason="none",
            ),
            "no measured row 'updates'",
        ),
        (
            with_fault(a_recall_report(), "nan", "hybrid", fault_recall=None),
            "no measured fault 'nan' in hybrid mode",
        ),
        (
            with_facts(a_recall_report(), faults=()),
            r"no measured fault 'error' in vector mode \(and 19 more\)",
        ),
    ],
    ids=["row missing", "row skipped", "fault unmeasured", "no fault"],
)
def test_baseline_that_lacks_a_value_is_refused(
    damaged: Report, words: str, tmp_path: Path
) -> None:
    path = kept(tmp_path, an_accepted(damaged))

    with pytest.raises(ReportFormatError, match=words) as caught:
        load_baseline(path, the_budgets())
    assert "--accept" in caught.value.remedy


def test_baseline_that_does_not_name_its_data_is_refused(tmp_path: Path) -> None:
    found = an_accepted()
    corpus = found.corpus.model_copy(update={"sha256": None})
    path = kept(tmp_path, found.model_copy(update={"corpus": corpus}))

    with pytest.raises(ReportFormatError, match=r"no corpus\.sha256"):
        load_baseline(path, the_budgets())


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (with_facts(a_recall_report(), tier="10k"), "tier"),
        (with_facts(a_recall_report(), variant="shuffled"), "variant"),
        (a_recall_report(dataset=a_dataset(sha256="5e" * 32)), "data"),
        (
            a_recall_report(environment=an_environment(vectors="the daemon's")),
            "vectors",
        ),
    ],
    ids=["tier", "variant", "data", "vectors"],
)
def test_run_on_other_data_is_not_judged(other: Report, what: str) -> None:
    with pytest.raises(IncomparableError, match=f"the baseline's {what}"):
        require_same_data(an_accepted(), other)


def test_sound_run_is_fit() -> None:
    report = own_candidate(a_recall_report())

    require_same_data(candidate(report, the_budgets()), report)
    require_fit(report)


def test_worse_values_are_fit_as_long_as_every_limit_holds() -> None:
    metrics = {"recall@5": 0.90, "ndcg@5": 0.90, "mrr": 0.90}
    require_fit(
        own_candidate(with_row(a_recall_report(), "document-vector", metrics=metrics))
    )


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        (
            with_row(
                a_recall_report(),
                "document-hybrid",
                metrics={"recall@5": 0.84, "ndcg@5": 0.9, "mrr": 0.9},
            ),
            "document-hybrid.minRecallAt5",
        ),
        (
            with_fault(a_recall_report(), "half", "vector", ingest="half stored"),
            "fault-half-vector.stored",
        ),
        (
            with_row(a_recall_report(), "document-vector", latency=None),
            "document-vector.maxP95LatencyMs",
        ),
    ],
    ids=["below a floor", "half stored", "no latency"],
)
def test_run_that_breaks_a_limit_is_no_baseline(damaged: Report, words: str) -> None:
    with pytest.raises(GateFailedError, match=words):
        require_fit(own_candidate(damaged))


def test_run_that_measured_nothing_is_no_baseline() -> None:
    rows = tuple(
        row.model_copy(
            update={
                "queries": 0,
                "metrics": {},
                "rankings": (),
                "latency": None,
                "skip_reason": "no provider",
            }
        )
        for row in a_recall_report().configurations
    )

    with pytest.raises(NothingMeasuredError):
        require_fit(a_recall_report(rows=rows))
