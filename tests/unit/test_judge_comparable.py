"""Every file with quality numbers becomes the same view, or is refused."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ExitCode, ReportFormatError
from harness.judge.baseline import baseline_json, make_baseline, save_baseline
from harness.judge.comparable import from_baseline, from_report, load_comparable
from harness.judge.compare import compare
from harness.report.store import save, to_json
from tests.builders import (
    a_configuration,
    a_public_report,
    a_ranking,
    a_report,
    an_environment,
    some_metrics,
)
from tests.datafiles import a_case_file

PUBLISHED = "memcastle/baseline.json"


def test_the_published_baseline_equals_itself() -> None:
    view = load_comparable(a_case_file(PUBLISHED))
    comparison = compare(view, view, 0)

    # 21 metrics: four configurations overall, three in five categories, one in one.
    assert len(comparison.changes) == 21 * (4 + 3 * 5 + 1)
    assert comparison.exit_code is ExitCode.PASSED
    assert comparison.one_sided == ()


def test_a_report_of_other_data_does_not_compare_with_the_published_one() -> None:
    comparison = compare(
        load_comparable(a_case_file(PUBLISHED)), from_report(a_report())
    )

    assert comparison.differences[0].field == "data set"
    assert comparison.differences[0].base == "memcastle-core 1 (4672cfce1bfa)"
    assert comparison.exit_code is ExitCode.NOTHING_MEASURED


def test_a_report_of_ours_compares_with_one_of_memcastles(tmp_path: Path) -> None:
    public = tmp_path / "public.json"
    environment = {
        "vectors": "fixture: hashed bag of concepts, 768-d, supplied by the harness",
        "embedding_provider": "none",
        "embedding_model": None,
        "backend": "embedded",
    }
    parameters = {"ks": [1, 3, 5, 10], "limit": 10, "repetitions": 0, "scale": 0}
    public.write_text(
        json.dumps(a_public_report(environment=environment, parameters=parameters))
    )
    ours = a_report(
        a_configuration(
            metrics={"mrr": 0.49, "ndcg_linear@10": 0.7},
            by_category={"graph": {"mrr": 0.5}},
        )
    )
    save(ours, tmp_path / "ours.json")
    comparison = compare(
        load_comparable(public), load_comparable(tmp_path / "ours.json")
    )

    assert comparison.differences == ()
    assert [(item.metric, item.unknowable) for item in comparison.one_sided] == [
        ("ndcg_linear@10", True)
    ]
    assert comparison.exit_code is ExitCode.PASSED


def test_a_baseline_and_its_report_are_one_and_the_same(tmp_path: Path) -> None:
    report = a_report(
        a_configuration(rankings=[a_ranking()]),
        a_configuration("semantic", by_category={"scoped": some_metrics(0.4)}),
    )
    save_baseline(make_baseline(report), tmp_path / "baseline.json")
    save(report, tmp_path / "report.json")
    comparison = compare(
        load_comparable(tmp_path / "baseline.json"),
        load_comparable(tmp_path / "report.json"),
        0,
    )

    assert comparison.exit_code is ExitCode.PASSED
    assert comparison.one_sided == ()
    assert comparison.rankings == ()
    assert len(comparison.changes) == 6 * 4


def test_a_view_knows_its_file_and_its_kind(tmp_path: Path) -> None:
    save(a_report(), tmp_path / "report.json")
    view = load_comparable(tmp_path / "report.json")

    assert (view.kind, view.source) == ("report", str(tmp_path / "report.json"))
    assert from_baseline(make_baseline(a_report())).kind == "baseline"


def test_a_provider_the_daemon_does_not_name_is_not_stated() -> None:
    silent = a_report(environment=an_environment(embedding_provider="unknown"))

    assert from_report(silent).embedding_provider is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{}", "neither a report, a baseline, .* its format is None"),
        ('{"schema_version": 1}', "its format is None"),
        ('{"format": "harness-comparison"}', "its format is 'harness-comparison'"),
        (
            '{"schema_version": 2, "memcastle_version": "1"}',
            "a MemCastle report of schema 2; this harness reads schema 1",
        ),
        ('{"format": "harness-baseline", "version": 9}', "newer harness: baseline"),
        ("no json", "not a JSON file"),
    ],
    ids=range(6),
)
def test_a_file_of_another_kind_is_refused_naming_it(
    content: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content)

    with pytest.raises(ReportFormatError, match=words) as caught:
        load_comparable(path)
    assert caught.value.where == str(path)


def stored(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(document))
    return path


def test_two_configurations_of_one_name_are_refused(tmp_path: Path) -> None:
    report = json.loads(to_json(a_report()))
    report["configurations"] *= 2
    public: dict[str, Any] = a_public_report()
    public["runs"] *= 2
    for document in (report, public):
        with pytest.raises(ReportFormatError, match="'lexical' occurs twice"):
            load_comparable(stored(tmp_path, document))


def changed(document: Any, path: str, value: object) -> Any:
    """Put *value* at *path*, steps of which are separated by slashes."""
    *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    at = document
    for step in steps:
        at = at[step]
    assert last in at
    at[last] = value
    return document


ASKED = a_report(a_configuration(rankings=[a_ranking("q1"), a_ranking("q2")]))
OVER = "configurations/0/"
ACCEPTED = "configurations/lexical/"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (OVER + "metrics/mrr", 1.01, "metrics.mrr"),
        (OVER + "metrics/mrr", -0.01, "metrics.mrr"),
        (OVER + "by_category/lexical/mrr", 7, "by_category.lexical.mrr"),
        (OVER + "rankings/0/metrics/mrr", 2, "rankings.0.metrics.mrr"),
        (OVER + "queries", -1, "queries"),
        (OVER + "queries", 3, "queries is 3 and rankings has 2"),
        (OVER + "category_queries/lexical", -2, "category_queries.lexical"),
        (OVER + "category_queries/lexical", 1, "queries is 2 and those of the cat"),
        (OVER + "category_queries", {"graph": 2}, "category_queries lacks 'lexical'"),
        (OVER + "rankings", [], None),
        ("dataset/queries", -1, "dataset.queries"),
        ("dataset/documents", -1, "dataset.documents"),
        ("parameters/limit", -1, "parameters.limit"),
        ("parameters/cutoffs", [-1], "parameters.cutoffs.0"),
        ("seeding/documents_per_second", -1.0, "seeding.documents_per_second"),
        ("client_floor/service/samples", 0, "client_floor.service.samples"),
        ("client_floor/service/p50_ms", -1, "client_floor.service.p50_ms"),
        ("invariants/0/checked", -1, "invariants.0.checked"),
        ("phases/0/seconds", -1, "phases.0.seconds"),
    ],
)
def test_a_report_of_impossible_figures_is_refused(
    path: str, value: object, words: str | None, tmp_path: Path
) -> None:
    file = stored(tmp_path, changed(json.loads(to_json(ASKED)), path, value))
    if words is None:
        assert load_comparable(file).configurations[0].rankings == {}
        return
    with pytest.raises(ReportFormatError, match=re.escape(words)):
        load_comparable(file)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (ACCEPTED + "metrics/mrr", 1.01, "metrics.mrr"),
        (ACCEPTED + "categories/lexical/metrics/mrr", -1, "lexical.metrics.mrr"),
        (ACCEPTED + "categories/lexical/queries", -1, "lexical.queries"),
        (ACCEPTED + "categories/lexical/queries", 1, "those of the categories 1"),
        (ACCEPTED + "queries", 3, "queries is 3 and rankings has 2"),
        ("limit", -1, "limit"),
        ("dataset/queries", -1, "dataset.queries"),
    ],
)
def test_a_baseline_of_impossible_figures_is_refused(
    path: str, value: object, words: str, tmp_path: Path
) -> None:
    document = json.loads(baseline_json(make_baseline(ASKED)))
    with pytest.raises(ReportFormatError, match=re.escape(words)):
        load_comparable(stored(tmp_path, changed(document, path, value)))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("runs/0/metrics/mrr", 1.5, "runs.0.metrics.mrr"),
        ("runs/0/by_category/graph/mrr", -0.5, "runs.0.by_category.graph.mrr"),
        ("runs/0/queries", -1, "runs.0.queries"),
        ("parameters/limit", -1, "parameters.limit"),
    ],
)
def test_a_report_of_memcastles_with_impossible_figures_is_refused(
    path: str, value: object, words: str, tmp_path: Path
) -> None:
    document = changed(copy.deepcopy(a_public_report()), path, value)
    with pytest.raises(ReportFormatError, match=re.escape(words)):
        load_comparable(stored(tmp_path, document))
