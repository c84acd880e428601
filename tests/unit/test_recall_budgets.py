"""The committed budgets say everything, and budgets that contradict are refused."""

from pathlib import Path

import pytest

from harness.errors import ReportFormatError
from harness.judge.recall.budgets import load_budgets
from harness.judge.recall.results import PUBLISHED_ROWS
from tests.recall_builders import BUDGETS_FILE, ROWS, the_budgets


def edited(tmp_path: Path, old: str, new: str) -> Path:
    """Copy the committed budgets with one change."""
    text = BUDGETS_FILE.read_text()
    assert old in text
    path = tmp_path / "budgets.toml"
    path.write_text(text.replace(old, new))
    return path


def test_rows_are_the_published_nine_and_then_ours() -> None:
    assert list(the_budgets().rows) == ROWS
    assert ROWS[: len(PUBLISHED_ROWS)] == list(PUBLISHED_ROWS)


def test_every_fault_of_the_embedder_is_budgeted_in_both_modes() -> None:
    kinds = {
        "ok",
        "error",
        "refuse",
        "slow",
        "timeout",
        "rate_limited",
        "wrong_dimension",
        "nan",
        "garbage",
        "half",
    }

    assert set(the_budgets().faults.every) == {
        (kind, mode) for kind in kinds for mode in ("vector", "hybrid")
    }


def test_tolerance_is_rounding_and_no_headroom() -> None:
    assert the_budgets().tolerance == 1e-6


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('same_as = "document-keyword"', 'same_as = "document-magic"', "not among"),
        ('worse = "document-keyword"', 'worse = "nothing"', "not among the rows"),
        ('uncounted = ["refuse"]', 'uncounted = ["magic"]', "not among the faults"),
        ('harmless = ["ok", "slow"]', 'harmless = ["ok", "nan"]', "open and harmless"),
        ("tolerance = 1e-6", "tolerance = 0.2", "tolerance"),
        ("checks = ", "chekcs = ", "checks: Field required"),
        ("max_p95_ms = 2500", "", "max_p95_ms: Field required"),
        ("version = 1", "version = 2", "version"),
        ("[stemming]", "[stemming", "cannot be read"),
        ("min_drop = 0.30", "min_drop = nan", "min_drop"),
    ],
)
def test_budgets_that_say_too_little_are_refused(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    path = edited(tmp_path, old, new)

    with pytest.raises(ReportFormatError, match=words) as caught:
        load_budgets(path)
    assert caught.value.where == str(path)


def test_missing_budgets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportFormatError, match="cannot be read: No such file"):
        load_budgets(tmp_path / "budgets.toml")
