"""MemCastle's own reports are read as they were published, or refused by name."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import ReportFormatError
from harness.report.files import read_json
from harness.report.public import FAMILIES, is_public, parse_public
from tests.builders import a_public_report
from tests.datafiles import a_case_file

PUBLISHED = "memcastle/baseline.json"
METRICS = 21
"""Five metrics at 1, 3, 5 and 10, and mrr."""


def test_all_overall_figures_of_the_published_baseline_load() -> None:
    report = parse_public(read_json(a_case_file(PUBLISHED)))

    assert [run.name for run in report.runs] == [
        "lexical",
        "semantic",
        "hybrid",
        "lexical+expand",
    ]
    assert [len(run.metrics) for run in report.runs] == [METRICS] * 4
    assert [len(run.by_category) for run in report.runs] == [5, 5, 5, 1]
    # Published figures, to three places: the documentation's table.
    assert {run.name: round(run.metrics["ndcg@10"], 3) for run in report.runs[:3]} == {
        "lexical": 0.801,
        "semantic": 0.945,
        "hybrid": 0.942,
    }
    assert report.runs[3].by_category["graph"]["recall@10"] == 1.0


def test_the_families_are_those_of_the_published_baseline() -> None:
    report = parse_public(read_json(a_case_file(PUBLISHED)))
    names = {name.partition("@")[0] for run in report.runs for name in run.metrics}

    assert names == FAMILIES


def test_timings_and_whatever_else_is_there_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "public.json"
    path.write_text(json.dumps(a_public_report(colour="blue")))
    report = parse_public(read_json(path))

    assert report.parameters.ks == (1, 10)
    assert report.parameters.skipped_queries == 0
    assert report.runs[0].metrics == {"mrr": 0.5}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda fields: fields.update(schema_version=99), "schema 99; .* schema 1"),
        (lambda fields: fields.update(schema_version="1"), "schema '1'; .* schema 1"),
        (lambda fields: fields.update(schema_version=True), "schema True; .* schema 1"),
        (lambda fields: fields.pop("runs"), "MemCastle report: runs: field required"),
        (
            lambda fields: fields.update(runs=[{"name": "lexical"}]),
            r"runs\.0\.ranking: field required, .*\(4 more\)",
        ),
    ],
    ids=range(5),
)
def test_another_schema_or_shape_is_refused_naming_both(
    change: Callable[[dict[str, object]], object], words: str, tmp_path: Path
) -> None:
    fields = a_public_report()
    change(fields)
    path = tmp_path / "public.json"
    path.write_text(json.dumps(fields))

    with pytest.raises(ReportFormatError, match=words):
        parse_public(read_json(path))


def test_only_a_file_with_both_marks_is_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "public.json"
    path.write_text('{"schema_version": 1}')

    assert not is_public(read_json(path))
