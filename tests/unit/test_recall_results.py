"""Results in the public shape: written as the public bench reads them, and read."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ReportFormatError, UsageError
from harness.judge.recall.checks import checked
from harness.judge.recall.publish import results
from harness.judge.recall.results import (
    PUBLISHED_ROWS,
    load_results,
    results_json,
    save_results,
)
from tests.builders import a_report
from tests.recall_builders import (
    a_public_file,
    a_recall_report,
    an_accepted,
    the_budgets,
    with_facts,
    with_row,
)


def written() -> dict[str, Any]:
    """Write the results of a sound, judged run."""
    budgets = the_budgets()
    report = checked(a_recall_report(), budgets, an_accepted())
    fields: dict[str, Any] = json.loads(results_json(results(report, budgets)))
    return fields


def test_top_level_holds_what_the_public_format_holds() -> None:
    public = {
        "benchmark",
        "generatedAt",
        "corpus",
        "k",
        "modes",
        "failOpen",
        "stemming",
        "metrics",
        "checks",
    }

    assert set(written()) - public == {"failOpenHybrid", "faults"}
    assert public <= set(written())


def test_published_rows_come_first_in_their_order() -> None:
    modes = [row["mode"] for row in written()["modes"]]

    assert tuple(modes[:9]) == PUBLISHED_ROWS
    assert len(modes) == 24


def test_row_has_the_public_fields_and_nothing_more() -> None:
    assert written()["modes"][0] == {
        "mode": "document-hybrid",
        "corpusSize": 1000,
        "queries": 4,
        "k": 5,
        "precisionAtK": 0.95,
        "recallAtK": 0.95,
        "mrr": 0.9875,
        "ndcgAtK": 0.957264,
        "hitRateAtK": 1.0,
        "p50LatencyMs": 2.0,
        "p95LatencyMs": 4.0,
        "measured": True,
    }


def test_corpus_is_counted_as_the_public_bench_counts_it() -> None:
    corpus = written()["corpus"]

    public = {"committed", "tier", "topics", "documents", "queries"}
    assert {key: corpus[key] for key in public} == {
        "committed": True,
        "tier": "1k",
        "topics": 40,
        "documents": 1_000,
        "queries": 40,
    }


def test_fail_open_stemming_and_headline_are_under_their_public_names() -> None:
    fields = written()

    assert fields["failOpen"] == {
        "vectorRecallAt5": 0.965,
        "failOpenRecallAt5": 0.37,
        "recallDrop": 0.595,
        "observable": True,
    }
    assert fields["stemming"] == {
        "stemmedRecallAt5": 1.0,
        "unstemmedRecallAt5": 0.05,
        "recallLift": 0.95,
        "observable": True,
        "sameRankerRecallAt5": 0.05,
    }
    assert fields["metrics"] == {
        "overall_recall_at_5": 0.95,
        "overall_ndcg_at_5": 0.957264,
        "overall_p95_latency_ms": 4.0,
    }


def test_check_has_the_public_fields() -> None:
    checks = {check["name"]: check for check in written()["checks"]}

    assert checks["document-hybrid.minRecallAt5"] == {
        "name": "document-hybrid.minRecallAt5",
        "value": 0.95,
        "budget": 0.85,
        "unit": "ratio",
        "pass": True,
    }
    assert checks["document-hybrid.recall@5"]["budget"] == 0.95


def test_unmeasured_row_is_null_throughout_and_says_why() -> None:
    report = with_row(
        a_recall_report(),
        "document-hybrid",
        queries=0,
        metrics={},
        rankings=(),
        latency=None,
        corpus=None,
        skip_reason="no provider",
    )
    fields = json.loads(results_json(results(report, the_budgets())))
    row = fields["modes"][0]

    figures = [value for key, value in row.items() if key.endswith(("AtK", "Ms"))]
    assert figures == [None] * 6
    assert (row["measured"], row["mrr"]) == (False, None)
    assert row["skipReason"] == "no provider"
    assert fields["metrics"]["overall_recall_at_5"] is None


def test_drop_that_was_not_measured_is_null_and_not_observable() -> None:
    report = with_facts(a_recall_report(), fail_open=())
    fields = json.loads(results_json(results(report, the_budgets())))

    assert fields["failOpen"] == {
        "vectorRecallAt5": None,
        "failOpenRecallAt5": None,
        "recallDrop": None,
        "observable": False,
    }
    assert fields["failOpenHybrid"] is None


def test_report_of_another_suite_has_no_results() -> None:
    with pytest.raises(UsageError, match="suite 'eval'"):
        results(a_report(), the_budgets())


def test_what_was_written_reads_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "recall-bench-results.json"
    made = an_accepted()
    save_results(made, path)

    assert load_results(path) == made


def test_file_of_the_public_bench_is_read_without_our_fields(tmp_path: Path) -> None:
    path = stored(tmp_path, a_public_file())

    found = load_results(path)

    assert [row.mode for row in found.modes] == ["document-hybrid"]
    assert (found.corpus.variant, found.corpus.sha256) == ("published", None)
    assert (found.faults, found.fail_open_hybrid) == ((), None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"benchmark": "other-bench"}, "its benchmark is 'other-bench'"),
        ({"modes": [{"mode": "document-hybrid"}]}, "modes.0.corpusSize"),
        ({"failOpen": None}, "failOpen"),
        ({"k": -1}, "k: "),
    ],
)
def test_file_of_another_shape_is_refused(
    change: dict[str, object], words: str, tmp_path: Path
) -> None:
    path = stored(tmp_path, a_public_file() | change)

    with pytest.raises(ReportFormatError, match=words):
        load_results(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"recallAtK": None}, "lacks queries or a figure"),
        ({"queries": 0}, "lacks queries or a figure"),
        ({"measured": False}, "is not measured, and has figures"),
    ],
)
def test_row_that_contradicts_itself_is_refused(
    change: dict[str, object], words: str, tmp_path: Path
) -> None:
    fields = a_public_file()
    fields["modes"][0] |= change

    with pytest.raises(ReportFormatError, match=words):
        load_results(stored(tmp_path, fields))


def test_row_given_twice_is_refused(tmp_path: Path) -> None:
    fields = a_public_file()
    fields["modes"] *= 2

    with pytest.raises(ReportFormatError, match="'document-hybrid' occurs twice"):
        load_results(stored(tmp_path, fields))


def stored(tmp_path: Path, fields: dict[str, Any]) -> Path:
    """Keep *fields* under the name a registry looks for."""
    path = tmp_path / "recall-bench-results.json"
    path.write_text(json.dumps(fields))
    return path
