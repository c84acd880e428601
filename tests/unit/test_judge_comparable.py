"""Every file with quality numbers becomes the same view, or is refused."""

import json
from pathlib import Path

import pytest

from harness.errors import ExitCode, ReportFormatError
from harness.judge.baseline import make_baseline, save_baseline
from harness.judge.comparable import from_baseline, from_report, load_comparable
from harness.judge.compare import compare
from harness.report.store import save
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
        ("{}", "neither a report, a baseline nor .* its format is None"),
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


def test_two_configurations_of_one_name_are_refused() -> None:
    with pytest.raises(ReportFormatError, match="'lexical' occurs twice"):
        from_report(a_report(a_configuration(), a_configuration()))
