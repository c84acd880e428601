"""What a registry of benchmarks takes as a score, and what it must refuse."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.options import parse_arguments
from harness.errors import ReportFormatError
from harness.judge.recall.baseline import committed_baselines
from harness.judge.recall.registry import check, command
from harness.judge.recall.results import results_json
from tests.recall_builders import BUDGETS_FILE, a_public_file, an_accepted


def stored(
    tmp_path: Path, fields: dict[str, Any], name: str = "recall-bench-results.json"
) -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(fields))
    return path


def changed(part: str, name: str, value: object) -> dict[str, Any]:
    """Change one value of a public results file."""
    fields = a_public_file()
    fields[part] = {**fields[part], name: value}
    return fields


def test_public_results_have_the_score_and_all_its_metrics(tmp_path: Path) -> None:
    score = check(stored(tmp_path, a_public_file()))

    assert score.score == 0.95
    assert score.drop == 0.595
    assert score.metrics == {
        "overall_recall_at_5": 0.95,
        "overall_ndcg_at_5": 0.957264,
        "overall_p95_latency_ms": 10,
        "fail_open_recall_drop": 0.595,
        "fail_open_observable": True,
        "corpus_documents": 1000.0,
    }


def test_our_own_results_keep_the_contract(tmp_path: Path) -> None:
    path = tmp_path / "recall-1k.json"
    path.write_bytes(results_json(an_accepted()))

    assert check(path).score == 0.95


@pytest.mark.parametrize("part", ["metrics", "failOpen", "corpus"])
@pytest.mark.parametrize("value", [None, [], 0.95, "here"])
def test_part_that_is_no_object_is_refused(
    part: str, value: object, tmp_path: Path
) -> None:
    path = stored(tmp_path, a_public_file() | {part: value})

    with pytest.raises(ReportFormatError, match=f"{part} is .* wanted an object"):
        check(path)


def test_root_that_is_no_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "recall-bench-results.json"
    path.write_text("[]")

    with pytest.raises(ReportFormatError, match="a JSON list, not an object"):
        check(path)


@pytest.mark.parametrize(
    ("part", "name", "value", "words"),
    [
        ("metrics", "overall_recall_at_5", None, "is null: unmeasured"),
        ("metrics", "overall_recall_at_5", "0.95", "wanted a number"),
        ("metrics", "overall_recall_at_5", True, "wanted a number"),
        ("metrics", "overall_recall_at_5", 1.5, "is no ratio"),
        ("metrics", "overall_recall_at_5", -0.1, "is no ratio"),
        ("corpus", "documents", 0, "nothing was searched"),
        ("corpus", "documents", -1, "nothing was searched"),
        ("corpus", "documents", None, "wanted a number"),
        ("failOpen", "observable", False, "wanted exactly true"),
        ("failOpen", "observable", None, "wanted exactly true"),
        ("failOpen", "observable", 1, "wanted exactly true"),
        ("failOpen", "recallDrop", None, "wanted a number"),
        ("corpus", "documents", 1000.5, "no whole number"),
        ("metrics", "overall_recall_at_5", 0.96, "is 0.96, and the row .* has 0.95"),
        ("metrics", "overall_recall_at_5", 0.95 + 2e-9, "'document-hybrid' has 0.95"),
        ("failOpen", "recallDrop", 0.6, "is 0.6, and its sides differ by 0.595"),
        ("failOpen", "recallDrop", -0.595, "its sides differ by 0.595"),
        ("failOpen", "recallDrop", 0.595 + 2e-9, "its sides differ by 0.595"),
        ("failOpen", "vectorRecallAt5", None, "vectorRecallAt5 is None, wanted"),
        ("failOpen", "failOpenRecallAt5", 0.38, "its sides differ by"),
    ],
)
def test_value_that_is_no_measurement_is_refused(
    part: str, name: str, value: object, words: str, tmp_path: Path
) -> None:
    path = stored(tmp_path, changed(part, name, value))

    with pytest.raises(ReportFormatError, match=words):
        check(path)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("metrics", "overall_recall_at_5", 0.95 + 5e-10),
        ("failOpen", "recallDrop", 0.595 - 5e-10),
        ("corpus", "documents", 1000.0),
    ],
)
def test_rounding_contradicts_nothing(
    part: str, name: str, value: float, tmp_path: Path
) -> None:
    assert check(stored(tmp_path, changed(part, name, value))).drop == pytest.approx(
        0.595
    )


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"measured": False}, "has measured False, and metrics"),
        ({"measured": 1}, "has measured 1, and metrics"),
        ({"recallAtK": None}, "recallAtK of 'document-hybrid' is None"),
        ({"recallAtK": 0.5}, "is 0.95, and the row 'document-hybrid' has 0.5"),
        ({"mode": "document-vector"}, "modes has 0 rows 'document-hybrid'"),
    ],
)
def test_headline_that_its_own_row_does_not_have_is_refused(
    row: dict[str, object], words: str, tmp_path: Path
) -> None:
    fields = a_public_file()
    fields["modes"][0] |= row

    with pytest.raises(ReportFormatError, match=words):
        check(stored(tmp_path, fields))


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        ([], "modes has 0 rows"),
        (None, "modes is None, wanted a list"),
        (["document-hybrid"], "modes has 0 rows"),
        (a_public_file()["modes"] * 2, "modes has 2 rows"),
    ],
    ids=["empty", "null", "a name", "twice"],
)
def test_headline_without_one_row_of_its_own_is_refused(
    modes: object, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ReportFormatError, match=words):
        check(stored(tmp_path, a_public_file() | {"modes": modes}))


def test_committed_baselines_contradict_nothing() -> None:
    files = committed_baselines(BUDGETS_FILE.parent)

    assert len(files) == 4
    for file in files:
        assert 0 < check(file).drop < check(file).score


def test_missing_headline_is_refused_like_a_null_one(tmp_path: Path) -> None:
    fields = a_public_file()
    del fields["metrics"]["overall_recall_at_5"]

    with pytest.raises(ReportFormatError, match="unmeasured"):
        check(stored(tmp_path, fields))


def test_results_of_another_benchmark_are_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, a_public_file() | {"benchmark": "precision-bench"})

    with pytest.raises(ReportFormatError, match="'precision-bench'"):
        check(path)


@pytest.mark.parametrize(
    "name", ["recall-10k.json", "recall-1k-shuffled.json", "results.json"]
)
def test_file_under_the_wrong_name_is_refused(name: str, tmp_path: Path) -> None:
    path = stored(tmp_path, a_public_file(), name)

    with pytest.raises(ReportFormatError, match=f"the file is called '{name}'"):
        check(path)


@pytest.mark.parametrize(
    ("asked", "tier"),
    [("smoke", "smoke"), ("10k", "10k"), (None, "1k"), ("100k", "1k")],
)
def test_command_of_the_registry_is_one_that_this_program_takes(
    asked: str | None, tier: str
) -> None:
    words = command(asked, Path("out"))
    arguments = parse_arguments(words[1:])

    assert words[0] == "harness"
    assert (arguments.tier, arguments.results) == (tier, Path("out"))
