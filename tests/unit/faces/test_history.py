"""Kept reports, joined where they compare and nowhere else."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from harness.errors import NothingMeasuredError, UsageError
from harness.judge.faces.history import history_page
from harness.judge.history import History, read_history, stretches
from harness.judge.history_terminal import FINE, PLAIN, print_history, sparkline
from harness.report.model import HarnessFacts
from harness.report.store import save
from tests.builders import an_environment
from tests.face_reports import an_eval_report


def keep(folder: Path, name: str, *, day: int, **changed: object) -> None:
    """Keep a report of a day in *folder*."""
    fields: dict[str, object] = {
        "created_at": f"2026-11-{day:02d}T12:00:00Z",
        "harness": HarnessFacts(version="0.1.0", commit=f"{day:040x}"),
    }
    shift = changed.pop("shift", 0.0)
    assert isinstance(shift, float)
    report = an_eval_report(shift=shift, changed={**fields, **changed})
    save(report, folder / f"{name}.json")


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Three reports of one thing, out of order, and one of other vectors."""
    keep(tmp_path, "b", day=2, shift=0.125)
    keep(tmp_path, "c", day=3, shift=-0.125)
    keep(tmp_path, "a", day=1)
    keep(tmp_path, "other", day=2, environment=an_environment(vectors="others"))
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / "broken.json").write_text('{"format": "harness-report"}')
    return read_history(tmp_path)


def test_only_reports_that_compare_share_a_line(history: History) -> None:
    names = [[kept.path.name for kept in line.kept] for line in history.lines]

    assert names == [["a.json", "b.json", "c.json"], ["other.json"]]


def test_a_file_that_cannot_be_read_is_told(history: History) -> None:
    assert history.others == 1
    assert len(history.left_out) == 1
    assert "broken.json" in history.left_out[0]


def test_values_are_in_the_order_of_time(history: History) -> None:
    hybrid = history.lines[0].values("hybrid", "ndcg@10")

    first = hybrid[0]
    assert first is not None
    assert hybrid == pytest.approx([first, first + 0.125, first - 0.125])
    assert history.lines[0].values("absent", "ndcg@10") == [None, None, None]


def test_times_are_not_joined_across_machines(tmp_path: Path) -> None:
    other = an_environment().host.model_copy(update={"cpu": "Another"})
    keep(tmp_path, "a", day=1)
    keep(tmp_path, "b", day=2, environment=an_environment(host=other))
    keep(tmp_path, "c", day=3, environment=an_environment(host=other))

    line = read_history(tmp_path).lines[0]

    assert list(stretches(line)) == [(0, 1), (1, 3)]


def test_a_folder_without_a_report_is_no_history(tmp_path: Path) -> None:
    with pytest.raises(NothingMeasuredError, match="no report"):
        read_history(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        read_history(tmp_path / "absent")


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([0.0, 0.5, 1.0], "▁▅█"),
        ([0.5, None, 1.0], "▁ █"),
        ([0.5, 0.5001], "▄▅"),
        ([None], " "),
    ],
)
def test_a_small_move_is_not_drawn_as_a_great_one(
    values: list[float | None], wanted: str
) -> None:
    assert sparkline(values, FINE) == wanted


def test_the_table_is_plain_where_nobody_looks(history: History) -> None:
    out = io.StringIO()

    print_history(history, console=Console(file=out, width=100))

    text = out.getvalue()
    assert text.isascii()
    assert "3 reports, 0000000 to 0000000" in text
    assert "1 report that compare" in text
    hybrid = next(row for row in text.splitlines() if row.startswith("hybrid"))
    assert set(hybrid.split()[1]) <= set(PLAIN)
    assert "-0.125" in hybrid


def test_the_page_has_a_curve_for_each_configuration(history: History) -> None:
    made = history_page(history).decode()

    assert made.count('class="curve s2"') == 3
    assert "compare with no other" in made
    assert json.loads(made.partition('id="data">')[2].partition("</script>")[0]) == {}
