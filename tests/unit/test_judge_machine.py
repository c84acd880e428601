"""What machines read of a comparison and a verdict."""

import json
from dataclasses import replace

from harness.judge.baseline import make_baseline
from harness.judge.comparable import from_report
from harness.judge.compare import compare
from harness.judge.gate import gate
from harness.judge.machine import comparison_json, verdict_json
from tests.builders import a_configuration, a_ranking, a_report, some_parameters


def test_a_comparison_keeps_everything_with_every_digit() -> None:
    base = a_report(
        a_configuration(
            metrics={"mrr": 0.1 + 0.2, "b": 1.0},
            by_category={},
            rankings=[a_ranking("q1", ["a", "b"])],
        )
    )
    new = a_report(
        a_configuration(
            metrics={"mrr": 0.1}, by_category={}, rankings=[a_ranking("q1", ["b"])]
        ),
        parameters=some_parameters(cutoffs=(1, 10)),
    )
    found = json.loads(
        comparison_json(
            compare(from_report(base, source="a"), from_report(new, source="b"))
        )
    )
    side = {
        "kind": "report",
        "dataset": {"name": "small", "version": 1, "sha256": "4f" * 32},
    }

    assert found == {
        "format": "harness-comparison",
        "version": 1,
        "exit_code": 2,
        "threshold": 0.02,
        "comparable": False,
        "base": {"source": "a", **side},
        "new": {"source": "b", **side},
        "differences": [{"field": "cut-offs", "base": [1, 3, 5, 10], "new": [1, 10]}],
        "broken": [],
        "base_broken": [],
        "one_sided": [
            {
                "side": "base",
                "configuration": "lexical",
                "scope": "overall",
                "metric": "b",
                "fails": True,
            }
        ],
        "metrics_compared": 1,
        "regressions": 1,
        "changes": [
            {
                "configuration": "lexical",
                "scope": "overall",
                "metric": "mrr",
                "base": 0.30000000000000004,
                "new": 0.1,
                "change": 0.1 - (0.1 + 0.2),
                "regression": True,
            }
        ],
        "rankings_changed": [{"configuration": "lexical", "query": "q1", "rank": 1}],
    }


def test_a_number_that_is_not_finite_becomes_null_and_stays_a_regression() -> None:
    base = from_report(a_report(a_configuration(metrics={"mrr": 0.5}, by_category={})))
    configuration = base.configurations[0]
    overall = replace(configuration.overall, metrics={"mrr": float("nan")})
    new = replace(base, configurations=(replace(configuration, overall=overall),))
    change = json.loads(comparison_json(compare(base, new)))["changes"][0]

    assert (change["new"], change["change"], change["regression"]) == (None, None, True)


def test_a_verdict_holds_its_findings_and_its_comparison() -> None:
    report = a_report()
    found = json.loads(verdict_json(gate(report, make_baseline(report))))

    assert (found["format"], found["passed"], found["exit_code"]) == (
        "harness-verdict",
        True,
        0,
    )
    assert found["findings"] == []
    assert found["comparison"]["metrics_compared"] == 12


def test_a_verdict_without_a_baseline_says_why_it_failed() -> None:
    found = json.loads(verdict_json(gate(a_report(), None)))

    assert found["comparison"] is None
    assert found["exit_code"] == 2
    assert [(finding["code"], finding["fails"]) for finding in found["findings"]] == [
        ("baseline-missing", True)
    ]
