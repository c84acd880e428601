"""A recall tier in the terminal: every row, what failed in full, nothing as 0."""

import io

from rich.console import Console

from harness.judge.recall.checks import checked
from harness.report.model import Report
from harness.report.recall import Tempo
from harness.report.terminal import print_report
from tests.recall_builders import (
    a_recall_report,
    a_row,
    an_accepted,
    the_budgets,
    with_facts,
    with_fault,
    with_row,
)


def printed(report: Report, width: int = 100) -> str:
    output = io.StringIO()
    print_report(report, console=Console(file=output, width=width))
    return output.getvalue()


def line_with(words: str, text: str) -> str:
    return next(line for line in text.splitlines() if words in line)


def test_every_row_is_printed_whole_on_one_line_at_eighty_columns() -> None:
    text = printed(a_recall_report(), width=80)

    for name in the_budgets().rows:
        assert len([line for line in text.splitlines() if f"  {name} " in line]) == 1


def test_row_of_no_group_is_printed_too() -> None:
    report = a_recall_report()
    stranger = a_row("document-magic", the_budgets().rows["document-vector"])
    rows = (*report.configurations, stranger)
    text = printed(report.model_copy(update={"configurations": rows}))

    assert "document-magic" in text


def test_row_shows_figures_latency_requests_and_the_mode_that_answered() -> None:
    line = line_with("  document-hybrid ", printed(a_recall_report()))

    assert line.split() == [
        "document-hybrid",
        "0.950",
        "0.957",
        "0.988",
        "2.0",
        "4.0",
        "4",
        "hybrid",
    ]


def test_fall_is_shown_with_its_code() -> None:
    line = line_with("document-vector-failopen", printed(a_recall_report()))

    assert "keyword (failed)" in line


def test_row_that_was_not_measured_says_why_and_shows_no_zero() -> None:
    report = with_row(
        a_recall_report(),
        "facts-decay",
        queries=0,
        metrics={},
        rankings=(),
        latency=None,
        corpus=None,
        skip_reason="no facts",
    )
    line = line_with("facts-decay", printed(report, width=120))

    assert "NOT MEASURED: no facts" in line
    assert line.split()[1:7] == ["-"] * 6


def test_answers_of_two_modes_are_counted() -> None:
    report = a_recall_report()
    row = next(each for each in report.configurations if each.name == "scripts-hybrid")
    fallen = {"effective": "keyword", "degraded": "memcastle::embed::zero_vector"}
    first = row.rankings[0].model_copy(update=fallen)
    mixed = with_row(report, "scripts-hybrid", rankings=(first, *row.rankings[1:]))

    line = line_with("  scripts-hybrid ", printed(mixed, width=120))
    assert "hybrid 3, keyword (zero_vector) 1" in line


def test_fault_shows_what_was_lost_and_what_became_of_the_document() -> None:
    line = line_with("wrong_dimension", printed(a_recall_report()))

    assert line.split() == [
        "wrong_dimension",
        "0.370",
        "0.965",
        "12.5",
        "40.0",
        "0",
        "dimension_mismatch",
        "refused",
    ]


def test_fault_that_never_recovered_is_no_zero() -> None:
    report = with_fault(a_recall_report(), "nan", "vector", queries_to_recover=None)

    assert line_with("  nan ", printed(report)).split()[5] == "-"


def test_fail_open_and_stemming_are_said_in_words() -> None:
    text = printed(a_recall_report())

    assert "vector drops by 0.595: 0.965 to 0.370" in text
    assert "hybrid drops by 0.580: 0.950 to 0.370" in text
    assert "lifts by 0.950: 0.050 by the other ranker to 1.000" in text


def test_tempo_is_a_share_of_what_bounds_it() -> None:
    unknown = Tempo(documents_per_second=812.4, embedder_per_second=None)

    assert "812 documents/s in; the embedder alone 1502/s: 54% of it" in printed(
        a_recall_report()
    )
    assert "the embedder alone -/s" in printed(
        with_facts(a_recall_report(), tempo=unknown)
    )


def test_run_without_faults_says_that_none_was_measured() -> None:
    text = printed(with_facts(a_recall_report(), faults=(), fail_open=()))

    assert "Faults of the embedder  not measured" in text
    assert "fail-open       not measured" in text


def test_passed_checks_are_a_number_and_failed_ones_are_in_full() -> None:
    budgets = the_budgets()
    sound = checked(a_recall_report(), budgets, an_accepted())
    metrics = {"recall@5": 0.965 - 1 / 200, "ndcg@5": 0.973855}
    damaged = checked(
        with_row(a_recall_report(), "document-vector", metrics=metrics),
        budgets,
        an_accepted(),
    )

    assert "all 347 checks hold" in printed(sound)
    assert "document-vector.recall@5: 0.96, must be 0.965 +- 1e-06" in printed(damaged)
    assert "document-vector.mrr: not measured, must be 1 +- 1e-06" in printed(damaged)
    assert "2 of 347 checks FAIL" in printed(damaged)


def test_report_that_nobody_judged_says_so() -> None:
    assert "checks          none was made" in printed(a_recall_report())
