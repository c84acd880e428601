"""``harness recall`` and ``registry``: each way to end, and what is left behind."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.errors import DaemonNotReadyError, ExitCode, NothingMeasuredError
from harness.judge.recall.baseline import candidate
from harness.judge.recall.results import load_results, save_results
from harness.measure.recall.run import RecallSettings
from harness.report.model import Report
from harness.report.store import load
from tests.builders import a_dataset
from tests.recall_builders import (
    BUDGETS_FILE,
    a_public_file,
    a_recall_report,
    the_budgets,
    with_facts,
    with_row,
)


class Bench:
    """Stands in for a daemon that is measured: gives the report it was told to."""

    def __init__(self) -> None:
        self.report = a_recall_report()
        self.fails: Exception | None = None
        self.asked: list[RecallSettings] = []

    def measure(self, plan: RecallSettings, *_: object) -> Report:
        self.asked.append(plan)
        if self.fails is not None:
            raise self.fails
        return self.report


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench()
    monkeypatch.delenv("EVAL_OUT", raising=False)
    monkeypatch.setattr("harness.cli.recall.measure_recall", made.measure)
    monkeypatch.setattr("harness.cli.recall.chosen_runtime", lambda *_, **__: None)
    return made


@pytest.fixture(autouse=True)
def baselines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the command a folder that holds the budgets and a whole 1k baseline."""
    folder = tmp_path / "baselines"
    folder.mkdir()
    shutil.copy(BUDGETS_FILE, folder / "budgets.toml")
    accepted = candidate(a_recall_report(), the_budgets())
    save_results(accepted, folder / "recall-1k.json")
    monkeypatch.setattr("harness.cli.recall.BASELINES", folder)
    monkeypatch.setattr("harness.cli.recall.BUDGETS", folder / "budgets.toml")
    return folder


def recall(tmp_path: Path, *words: str) -> int:
    """Run the 1k tier, its report in a place of its own."""
    return main(["recall", "1k", "--out", str(tmp_path / "report.json"), *words])


def test_sound_run_ends_with_zero_and_leaves_report_and_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recall(tmp_path) == ExitCode.PASSED

    report = load(tmp_path / "report.json")
    published = load_results(tmp_path / "recall-bench-results.json")
    output = capsys.readouterr().out
    assert all(check.passed for check in report.checks)
    assert len(published.checks) == len(report.checks) == the_budgets().checks
    assert "all 347 checks hold" in output
    assert str(tmp_path / "recall-bench-results.json") in output


def test_failed_check_ends_with_one_and_is_shown_in_full(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = {"recall@5": 0.945, "ndcg@5": 0.957264, "mrr": 0.9875}
    bench.report = with_row(bench.report, "document-hybrid", metrics=metrics)

    assert recall(tmp_path) == ExitCode.GATE_FAILED

    output = capsys.readouterr().out
    assert "1 of 347 checks FAIL" in output
    assert "document-hybrid.recall@5: 0.945, must be 0.95 +- 1e-06" in output
    assert not all(check.passed for check in load(tmp_path / "report.json").checks)


def test_nothing_measured_ends_with_two_and_says_so_loudly(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.report = nothing_measured()

    assert recall(tmp_path) == ExitCode.NOTHING_MEASURED
    assert "NOTHING WAS MEASURED" in capsys.readouterr().err


def test_daemon_that_lacks_everything_ends_with_two(
    bench: Bench, tmp_path: Path
) -> None:
    bench.fails = NothingMeasuredError("no row can be measured: it has no documents.")

    assert recall(tmp_path) == ExitCode.NOTHING_MEASURED


def test_daemon_that_does_not_start_is_no_skip(bench: Bench, tmp_path: Path) -> None:
    bench.fails = DaemonNotReadyError("it did not answer.")

    assert recall(tmp_path) == ExitCode.UNAVAILABLE


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "2k"],
        ["recall"],
        ["recall", "1k", "--variant", "sorted"],
        ["recall", "1k", "--repetitions", "0"],
        ["recall", "1k", "--embedder", "http://127.0.0.1:1", "http://127.0.0.1:2"],
        ["recall", "1k", "--url", "http://127.0.0.1:1"],
        ["recall", "1k", "--out", "recall-bench-results.json"],
        ["recall", "1k", "--results", "/dev/null"],
    ],
    ids=" ".join,
)
def test_wrong_words_are_refused_before_anything_is_measured(
    words: list[str], bench: Bench
) -> None:
    assert main(words) == ExitCode.USAGE
    assert bench.asked == []


@pytest.mark.parametrize("words", [["10k"], ["1k", "--variant", "shuffled"]])
def test_tier_without_a_baseline_is_refused_before_it_is_measured(
    words: list[str],
    bench: Bench,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["recall", *words]) == ExitCode.USAGE
    assert bench.asked == []
    assert "--accept" in capsys.readouterr().err


def test_missing_budgets_are_refused_before_measuring(
    bench: Bench, baselines: Path, tmp_path: Path
) -> None:
    (baselines / "budgets.toml").unlink()

    assert recall(tmp_path) == ExitCode.USAGE
    assert bench.asked == []


def test_run_on_other_data_is_not_comparable_and_its_report_is_kept(
    bench: Bench, tmp_path: Path
) -> None:
    bench.report = a_recall_report(dataset=a_dataset(sha256="5e" * 32))

    assert recall(tmp_path) == ExitCode.NOTHING_MEASURED
    assert load(tmp_path / "report.json").checks == ()
    assert not (tmp_path / "recall-bench-results.json").exists()


def test_options_reach_the_measurement(bench: Bench, tmp_path: Path) -> None:
    recall(tmp_path, "--repetitions", "3", "--allow-nonempty")

    assert bench.asked == [
        RecallSettings(
            tier="1k", variant="published", repetitions=3, allow_nonempty=True
        )
    ]


def test_results_go_where_they_are_wanted(tmp_path: Path) -> None:
    recall(tmp_path, "--results", str(tmp_path / "out"))

    assert (tmp_path / "out" / "recall-bench-results.json").is_file()
    assert not (tmp_path / "recall-bench-results.json").exists()


def test_json_is_the_report_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recall(tmp_path, "--json", "--accept")

    assert json.loads(capsys.readouterr().out)["suite"] == "recall"


def test_accepting_writes_the_exact_values_and_shows_what_changed(
    bench: Bench, baselines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = {"recall@5": 0.96, "ndcg@5": 0.97, "mrr": 0.99}
    bench.report = with_row(bench.report, "document-hybrid", metrics=metrics)

    assert recall(tmp_path, "--accept") == ExitCode.PASSED

    accepted = load_results(baselines / "recall-1k.json")
    row = accepted.row("document-hybrid")
    output = capsys.readouterr().out
    assert row is not None
    assert (row.recall_at_k, row.p95_latency_ms) == (0.96, None)
    assert "+0.0100" in output
    assert "commit it with its reason" in output
    assert recall(tmp_path) == ExitCode.PASSED


def test_first_baseline_of_a_tier_is_accepted(
    bench: Bench, baselines: Path, tmp_path: Path
) -> None:
    bench.report = with_facts(bench.report, variant="shuffled")

    assert recall(tmp_path, "--variant", "shuffled", "--accept") == ExitCode.PASSED
    assert (baselines / "recall-1k-shuffled.json").is_file()


def test_run_that_breaks_a_limit_is_not_accepted(
    bench: Bench, baselines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (baselines / "recall-1k.json").read_bytes()
    metrics = {"recall@5": 0.5, "ndcg@5": 0.5, "mrr": 0.5}
    bench.report = with_row(bench.report, "document-hybrid", metrics=metrics)

    assert recall(tmp_path, "--accept") == ExitCode.GATE_FAILED
    assert "document-hybrid.minRecallAt5" in capsys.readouterr().out
    assert (baselines / "recall-1k.json").read_bytes() == before


def test_report_may_not_replace_the_baseline_it_is_judged_by(
    bench: Bench, baselines: Path
) -> None:
    path = baselines / "recall-1k.json"

    assert main(["recall", "1k", "--out", str(path)]) == ExitCode.USAGE
    assert bench.asked == []


def test_registry_reads_the_committed_baselines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["registry"]) == ExitCode.PASSED
    assert "recall-1k.json: recall@5 0.95, drop 0.595" in capsys.readouterr().out


def test_registry_names_every_file_it_refuses(
    baselines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty: dict[str, Any] = a_public_file()
    empty["corpus"]["documents"] = 0
    path = tmp_path / "recall-bench-results.json"
    path.write_text(json.dumps(empty))

    code = main(["registry", str(path), str(baselines / "recall-1k.json")])

    captured = capsys.readouterr()
    assert code == ExitCode.GATE_FAILED
    assert captured.out.startswith("OK ")
    assert captured.err.startswith("FAIL ")
    assert "nothing was searched" in captured.err


def test_registry_with_nothing_to_read_does_not_pass(baselines: Path) -> None:
    (baselines / "recall-1k.json").unlink()

    assert main(["registry"]) == ExitCode.NOTHING_MEASURED


def nothing_measured() -> Report:
    """Keep every row, and measure none."""
    rows = tuple(
        row.model_copy(
            update={
                "queries": 0,
                "metrics": {},
                "rankings": (),
                "latency": None,
                "skip_reason": "no provider",
            }
        )
        for row in a_recall_report().configurations
    )
    return a_recall_report(rows=rows)
