"""A comparison says everything it found, and the verdict comes last."""

import io
from dataclasses import replace

from rich.console import Console

from harness.judge.baseline import make_baseline
from harness.judge.comparable import from_report
from harness.judge.compare import Comparison, compare
from harness.judge.gate import gate
from harness.judge.terminal import print_comparison, print_verdict
from harness.report.model import Report
from harness.report.public import FAMILIES
from tests.builders import (
    a_configuration,
    a_ranking,
    a_report,
    a_violation,
    some_invariants,
    some_metrics,
    some_parameters,
)


def plain(buffer: io.StringIO, width: int) -> Console:
    # Said, not found out: FORCE_COLOR would make a terminal of any buffer.
    return Console(file=buffer, width=width, force_terminal=False)


def printed(comparison: Comparison, width: int = 100) -> list[str]:
    """Print a comparison and give its lines without trailing blanks."""
    buffer = io.StringIO()
    print_comparison(comparison, console=plain(buffer, width))
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def between(base: Report, new: Report, width: int = 100) -> list[str]:
    return printed(
        compare(from_report(base, source="a.json"), from_report(new, source="b.json")),
        width,
    )


def test_a_comparison_without_change_says_how_much_was_compared() -> None:
    assert between(a_report(), a_report()) == [
        "base            a.json: report of small 1 (4f4f4f4f4f4f)",
        "new             b.json: report of small 1 (4f4f4f4f4f4f)",
        "No metric changed.",
        "12 metrics compared, 0 regressions beyond 0.02.",
    ]


def test_changes_are_rows_worst_first_and_only_losses_are_flagged() -> None:
    new = a_report(
        a_configuration(
            metrics=some_metrics(0.8, recall_5=0.5, ndcg_10=0.79),
            by_category={"lexical": some_metrics(0.8, recall_10=0.9)},
        )
    )

    assert between(a_report(), new)[3:] == [
        "Changes  worst first",
        "configuration  scope    metric       base     new   change",
        "-------------- -------- ---------- ------- ------- -------- ----------",
        "lexical        overall  recall@5   0.8000  0.5000  -0.3000  REGRESSION",
        "lexical        overall  ndcg@10    0.8000  0.7900  -0.0100",
        "lexical        lexical  recall@10  0.8000  0.9000  +0.1000",
        "",
        "12 metrics compared, 1 regression beyond 0.02.",
    ]


def test_a_change_by_rounding_is_not_shown() -> None:
    new = a_report(a_configuration(metrics=some_metrics(0.8 + 5e-10)))

    assert "No metric changed." in between(a_report(), new)


def test_a_metric_that_is_not_finite_is_shown_as_a_regression() -> None:
    base = from_report(a_report(a_configuration(metrics={"mrr": 0.8}, by_category={})))
    broken = base.configurations[0]
    overall = replace(broken.overall, metrics={"mrr": float("nan")})
    new = replace(base, configurations=(replace(broken, overall=overall),))

    assert any(
        "nan" in line and "REGRESSION" in line for line in printed(compare(base, new))
    )


def test_every_difference_is_listed_with_both_values() -> None:
    new = a_report(parameters=some_parameters(limit=20, scale=5))

    assert between(a_report(), new)[2:4] == [
        "NOT COMPARABLE  limit: 10 and 20",
        "                scale: 0 and 5",
    ]


def test_what_only_one_side_has_is_listed_and_counted() -> None:
    base = a_report(
        a_configuration(
            metrics={"a": 1.0, "b": 1.0}, by_category={"graph": {"a": 1.0}}
        ),
        a_configuration("semantic"),
    )
    new = a_report(
        a_configuration(metrics={"a": 1.0, "c": 1.0}, by_category={}),
        a_configuration("hybrid"),
    )

    assert between(base, new)[2:] == [
        "only in base    lexical, category graph",
        "only in base    configuration semantic",
        "only in new     configuration hybrid",
        "only in base    b (in lexical overall)",
        "only in new     c (in lexical overall)",
        "No metric changed.",
        "3 of base's configurations, categories or metrics are missing in new.",
        "1 metric compared, 0 regressions beyond 0.02.",
    ]


def test_metrics_that_are_missing_in_the_same_places_share_a_line() -> None:
    every = {f"c{place}": {"a": 1.0, "b": 1.0, "d": 1.0} for place in range(7)}
    fewer = {name: {"a": 1.0} for name in every}
    lines = between(
        a_report(a_configuration(metrics={"a": 1.0}, by_category=every)),
        a_report(a_configuration(metrics={"a": 1.0}, by_category=fewer)),
        width=200,
    )

    assert lines[2] == (
        "only in base    b, d (in lexical c0, lexical c1, lexical c2, lexical c3, "
        "lexical c4, and 2 more)"
    )


def test_metrics_the_other_format_has_no_word_for_take_one_line() -> None:
    linear = {f"ndcg_linear@{cutoff}": 0.5 for cutoff in (1, 3)}
    base = from_report(
        a_report(a_configuration(metrics={"mrr": 0.5, **linear}, by_category={}))
    )
    new = replace(
        from_report(a_report(a_configuration(metrics={"mrr": 0.5}, by_category={}))),
        families=FAMILIES,
    )

    assert printed(compare(base, new))[2:] == [
        "only in base    ndcg_linear@1, ndcg_linear@3 (unknown to the other format)",
        "No metric changed.",
        "1 metric compared, 0 regressions beyond 0.02.",
    ]


def test_queries_whose_ranking_moved_are_named() -> None:
    def ranked(order: list[str]) -> Report:
        rankings = [a_ranking(f"q{place}", order) for place in range(7)]
        return a_report(a_configuration(rankings=rankings))

    lines = between(ranked(["a", "b", "c"]), ranked(["a", "c", "b"]), width=160)
    assert lines[3] == (
        "lexical         7 rankings differ: q0 from rank 2, q1 from rank 2, "
        "q2 from rank 2, q3 from rank 2, q4 from rank 2, and 2 more"
    )


def test_no_line_is_wider_than_eighty() -> None:
    new = a_report(
        a_configuration(metrics=some_metrics(0.123), by_category={}),
        parameters=some_parameters(limit=20),
    )

    assert max(len(line) for line in between(a_report(), new, width=80)) <= 80


def verdict(report: Report, baseline: Report | None) -> list[str]:
    """Print the gate's verdict on *report*."""
    buffer = io.StringIO()
    print_verdict(
        gate(report, None if baseline is None else make_baseline(baseline)),
        console=plain(buffer, 100),
    )
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def test_a_gate_that_passes_says_so_last() -> None:
    lines = verdict(a_report(), a_report())

    assert "12 metrics compared, 0 regressions beyond 0.02." in lines
    assert lines[-1] == "Gate passed."


def test_a_verdict_shows_what_it_was_held_against_and_what_was_not_checked() -> None:
    text = " ".join(" ".join(verdict(a_report(), a_report())).split())

    assert "Hits held against the invariants: known 20, in scope 20" in text
    assert "0 of 0 checks hold" in text
    assert "Not checked, for want of queries in the data set: lexical+expand" in text


def test_a_gate_that_fails_groups_what_it_found_with_a_remedy_each() -> None:
    many = [a_violation(f"d{place}") for place in range(7)]
    lines = verdict(a_report(invariants=some_invariants(violations=many)), None)

    assert lines[:4] == [
        "FAIL            baseline-missing (1)",
        "                There is no baseline to hold this run against.",
        "                Make one with `just baseline`, read it, and commit it.",
        "FAIL            invariant-violated (7)",
    ]
    assert sum("rank 3, document d" in line for line in lines) == 5
    assert "                and 2 more" in lines
    assert lines[-1] == "Gate failed: 8 findings."


def test_a_gain_is_a_note_and_no_failure() -> None:
    better = a_report(a_configuration(metrics=some_metrics(0.9)))
    lines = verdict(better, a_report())

    assert "note            improved (1)" in lines
    assert lines[-1] == "Gate passed."
