"""Recall reports, recall baselines and public results held against each other."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from harness.cli import main
from harness.errors import ExitCode, ReportFormatError, UsageError
from harness.judge.baseline import load_baseline, make_baseline
from harness.judge.comparable import from_report, from_results, load_comparable
from harness.judge.compare import Comparison, compare
from harness.judge.recall.checks import checked
from harness.judge.recall.results import save_results
from harness.judge.terminal import print_comparison
from harness.report.model import Report
from harness.report.quality import quality_json
from harness.report.store import save
from tests.builders import a_report
from tests.recall_builders import (
    a_public_file,
    a_recall_report,
    an_accepted,
    the_budgets,
    with_facts,
    with_fault,
    with_row,
    without,
)


def fields_of(comparison: Comparison) -> list[str]:
    return [difference.field for difference in comparison.differences]


def with_topics(report: Report) -> Report:
    """Give every row its one category, as a real report has it."""
    for row in report.configurations:
        report = with_row(
            report,
            row.name,
            by_category={"topic": row.metrics},
            category_queries={"topic": row.queries},
        )
    return report


def test_reports_of_different_suites_do_not_compare() -> None:
    comparison = compare(from_report(a_report()), from_report(a_recall_report()))

    assert "suite" in fields_of(comparison)
    assert comparison.exit_code is ExitCode.NOTHING_MEASURED


@pytest.mark.parametrize("change", [{"tier": "10k"}, {"variant": "shuffled"}])
def test_other_tier_or_order_does_not_compare(change: dict[str, object]) -> None:
    other = with_facts(a_recall_report(), **change)
    comparison = compare(from_report(a_recall_report()), from_report(other))

    assert fields_of(comparison) == ["tier"]


def test_report_compares_with_its_baseline_in_both_directions() -> None:
    report, baseline = from_report(a_recall_report()), from_results(an_accepted())

    for pair in ((baseline, report), (report, baseline)):
        comparison = compare(*pair)
        assert comparison.exit_code is ExitCode.PASSED
        assert comparison.differences == ()
        # Five figures a row, and no other.
        assert len(comparison.changes) == 5 * 24


def test_what_results_cannot_state_is_not_missing_from_them() -> None:
    report = with_topics(a_recall_report())
    metrics = {**report.configurations[0].metrics, "recall@10": 1.0, "all@5": 0.5}
    report = with_row(report, "document-hybrid", metrics=metrics)

    comparison = compare(from_report(report), from_results(an_accepted()))

    assert comparison.missing == ()
    assert comparison.exit_code is ExitCode.PASSED
    output = io.StringIO()
    print_comparison(comparison, console=Console(file=output, width=100))
    assert output.getvalue().count("categories") == 1


def test_row_that_results_lack_is_missing() -> None:
    fewer = from_results(an_accepted(without(a_recall_report(), "updates")))

    comparison = compare(from_report(a_recall_report()), fewer)

    assert [item.configuration for item in comparison.missing] == ["updates"]
    assert comparison.exit_code is ExitCode.GATE_FAILED


def test_public_results_compare_with_a_report_of_ours(tmp_path: Path) -> None:
    public = tmp_path / "public.json"
    fields = a_public_file()
    # As many queries as the rows of our report have.
    fields["modes"][0]["queries"] = 4
    public.write_text(json.dumps(fields))
    report = tmp_path / "report.json"
    save(checked(a_recall_report(), the_budgets(), an_accepted()), report)

    assert main(["compare", str(public), str(report)]) == ExitCode.PASSED


def test_loss_against_a_baseline_is_found(tmp_path: Path) -> None:
    baseline, report = tmp_path / "recall-1k.json", tmp_path / "report.json"
    save_results(an_accepted(), baseline)
    worse = {"recall@5": 0.9, "ndcg@5": 0.9, "mrr": 0.9}
    save(with_row(a_recall_report(), "document-vector", metrics=worse), report)

    assert main(["compare", str(baseline), str(report)]) == ExitCode.GATE_FAILED


def test_baseline_of_a_tier_is_named_without_what_it_does_not_state(
    tmp_path: Path,
) -> None:
    path = tmp_path / "public.json"
    path.write_text(json.dumps(a_public_file()))

    assert load_comparable(path).data == "recall-1k"


def test_stored_recall_report_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.json"
    save(a_recall_report(), path)

    assert main(["show", str(path)]) == ExitCode.PASSED
    output = capsys.readouterr().out
    assert "document-vector-failopen" in output
    assert "none was made" in output


def test_quality_view_has_what_only_a_recall_tier_has() -> None:
    sound = quality_json(a_recall_report())
    changes = [
        with_fault(a_recall_report(), "nan", "vector", fault_recall=0.4),
        with_fault(a_recall_report(), "nan", "vector", ingest="half stored"),
        with_facts(a_recall_report(), fail_open=()),
        with_facts(a_recall_report(), variant="shuffled"),
    ]
    later = with_fault(a_recall_report(), "nan", "vector", fault_max_ms=99.0)

    assert sound == quality_json(later)
    assert sound not in [quality_json(each) for each in changes]


def test_answer_by_another_mode_is_another_quality() -> None:
    report = a_recall_report()
    row = next(each for each in report.configurations if each.name == "document-vector")
    answers = tuple(
        each.model_copy(update={"effective": "keyword"}) for each in row.rankings
    )
    silent = with_row(report, "document-vector", rankings=answers)

    assert quality_json(report) != quality_json(silent)


def test_baseline_of_a_tier_is_no_report_to_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "recall-1k.json"
    save_results(an_accepted(), path)

    assert main(["show", str(path)]) == ExitCode.USAGE
    assert "which `compare` and `registry` read" in capsys.readouterr().err


def test_recall_report_becomes_no_baseline_of_a_data_set() -> None:
    with pytest.raises(UsageError, match="suite 'recall'"):
        make_baseline(a_recall_report())


def test_baseline_of_a_tier_judges_no_data_set(tmp_path: Path) -> None:
    path = tmp_path / "recall-1k.json"
    save_results(an_accepted(), path)

    with pytest.raises(ReportFormatError, match="baseline of a recall tier"):
        load_baseline(path)
