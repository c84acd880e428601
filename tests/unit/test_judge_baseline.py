"""A baseline holds quality alone, diffs well, and is not replaced by accident."""

import json
from pathlib import Path

import pytest

from harness.errors import (
    GateFailedError,
    IncomparableError,
    ReportFormatError,
    UsageError,
)
from harness.judge.baseline import (
    baseline_json,
    load_baseline,
    make_baseline,
    save_baseline,
)
from harness.report.model import Report
from tests.builders import (
    a_configuration,
    a_dataset,
    a_latency,
    a_ranking,
    a_report,
    a_violation,
    some_invariants,
    some_parameters,
)


def a_measured_report() -> Report:
    return a_report(
        a_configuration(
            "semantic", by_category={}, rankings=[a_ranking("q2"), a_ranking("q1")]
        ),
        a_configuration(latency=a_latency(), rankings=[a_ranking("q1", ["d3", "d1"])]),
    )


def test_a_saved_baseline_comes_back_equal(tmp_path: Path) -> None:
    baseline = make_baseline(a_measured_report())
    save_baseline(baseline, tmp_path / "core.json")

    assert load_baseline(tmp_path / "core.json") == baseline


def test_nothing_of_time_or_machine_gets_in() -> None:
    text = baseline_json(make_baseline(a_measured_report())).decode()

    for word in ("_ms", "created_at", "processor", "palace", "score", "embedded"):
        assert word not in text


def test_each_ranking_is_one_line_of_ids() -> None:
    lines = baseline_json(make_baseline(a_measured_report())).decode().splitlines()

    assert '        "q1": ["d3", "d1"]' in lines
    assert '        "mrr": 0.8,' in lines


def test_everything_is_sorted_after_the_format_and_the_file_ends_in_a_newline() -> None:
    data = baseline_json(make_baseline(a_measured_report()))
    fields = json.loads(data)
    _, _, *rest = fields

    assert list(fields)[:2] == ["format", "version"]
    assert rest == sorted(rest)
    assert list(fields["configurations"]) == ["lexical", "semantic"]
    assert list(fields["configurations"]["semantic"]["rankings"]) == ["q1", "q2"]
    assert data.endswith(b"\n}\n")


def test_the_order_of_configurations_does_not_change_the_file() -> None:
    report = a_measured_report()
    turned = report.model_copy(
        update={"configurations": report.configurations[::-1], "created_at": "later"}
    )

    assert baseline_json(make_baseline(report)) == baseline_json(make_baseline(turned))


def test_a_run_with_filler_is_refused() -> None:
    with pytest.raises(UsageError, match="1000 filler drawers"):
        make_baseline(a_report(parameters=some_parameters(scale=1000)))


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (
            a_report(invariants=some_invariants(violations=[a_violation()])),
            "visible: lexical, query q1, rank 3, document d9: superseded",
        ),
        (a_report(invariants=()), "Not one hit was checked"),
        (a_report(invariants=some_invariants(checked=0)), "Not one hit was checked"),
        (a_report(a_configuration(queries=0)), "Not one query was asked"),
        (
            a_report(a_configuration(by_category={"temporal": {"recall@5": 0.9}})),
            "lexical solves temporal",
        ),
    ],
    ids=range(5),
)
def test_a_run_that_its_own_gate_would_fail_is_refused(
    report: Report, words: str
) -> None:
    with pytest.raises(GateFailedError, match=words):
        make_baseline(report, force=True)


def test_another_data_set_replaces_the_baseline_only_by_force() -> None:
    previous = make_baseline(a_report())
    other = a_report(dataset=a_dataset("large", sha256="aa" * 32))

    with pytest.raises(IncomparableError, match=r"'small' 1 .* 'large' 1"):
        make_baseline(other, previous=previous)
    forced = make_baseline(other, previous=previous, force=True)
    assert forced.dataset.name == "large"


def test_a_run_that_lacks_what_the_baseline_has_replaces_it_only_by_force() -> None:
    previous = make_baseline(a_report(a_configuration(), a_configuration("semantic")))
    less = a_report(a_configuration(by_category={}))

    with pytest.raises(IncomparableError, match="lacks: semantic, lexical/lexical"):
        make_baseline(less, previous=previous)
    assert list(make_baseline(less, force=True).configurations) == ["lexical"]


def test_a_worse_run_of_the_same_data_may_replace_it() -> None:
    previous = make_baseline(a_report())
    worse = a_report(a_configuration(metrics={"mrr": 0.1}))

    renewed = make_baseline(worse, previous=previous)
    assert renewed.configurations["lexical"].metrics == {"mrr": 0.1}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"format": "harness-report"}', r"(?s)not a baseline.*just baseline"),
        ('{"format": "harness-baseline", "version": 2}', "written by a newer harness"),
        ('{"format": "harness-baseline", "version": 1}', "not a whole baseline"),
        ("<<<<<<< HEAD", "not a JSON file"),
    ],
    ids=range(4),
)
def test_a_file_that_is_no_baseline_is_named(
    content: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "core.json"
    path.write_text(content)

    with pytest.raises(ReportFormatError, match=words) as caught:
        load_baseline(path)
    assert caught.value.where == str(path)
