"""Output, its readers, and the places results go: none may change a verdict."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.cli import main
from harness.cli.evaluate import REPORTS, new_file
from harness.cli.output import KeptInterrupt, kept, refuse_unwritable
from harness.errors import ExitCode, PrerequisiteError, UsageError
from harness.report.store import save
from tests.builders import a_configuration, a_dataset, a_report, some_metrics

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


@pytest.fixture
def worse(tmp_path: Path) -> list[str]:
    """A comparison that fails: its words, after ``harness``."""
    base, new = tmp_path / "base.json", tmp_path / "new.json"
    save(a_report(a_configuration(metrics=some_metrics(0.9))), base)
    save(a_report(a_configuration(metrics=some_metrics(0.1))), new)
    return ["compare", str(base), str(new)]


def run(words: list[str], redirection: str) -> "subprocess.CompletedProcess[str]":
    """Run ``harness`` in a shell that does something to its standard output."""
    return subprocess.run(
        ["bash", "-c", f'"$0" -m harness "$@" {redirection}', sys.executable, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("face", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    "redirection",
    ["| true; exit ${PIPESTATUS[0]}", ">&-"],
    ids=["reader-left", "closed"],
)
def test_a_failed_verdict_fails_whoever_reads_it(
    face: list[str], redirection: str, worse: list[str]
) -> None:
    done = run([*worse, *face], redirection)

    assert done.returncode == ExitCode.GATE_FAILED, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("face", [[], ["--json"]], ids=["text", "json"])
def test_output_that_takes_no_more_is_named(face: list[str], worse: list[str]) -> None:
    done = run([*worse, *face], ">/dev/full")

    assert done.returncode == ExitCode.UNAVAILABLE
    assert "standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_fault_of_ours_is_told_apart_from_a_failed_gate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_words: list[str]) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("harness.cli.parse_arguments", broken)

    assert main(["eval"]) == ExitCode.INTERNAL
    assert "fault of the harness" in capsys.readouterr().err


def test_interruption_after_the_report_does_not_deny_it(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    with pytest.raises(KeptInterrupt) as caught, kept(path):
        raise KeyboardInterrupt
    assert caught.value.path == path


def test_interruption_without_a_report_says_nothing_of_one() -> None:
    with pytest.raises(KeyboardInterrupt) as caught, kept(None):
        raise KeyboardInterrupt
    assert not isinstance(caught.value, KeptInterrupt)


@pytest.mark.parametrize(
    "name",
    ["/tmp/elsewhere", "../../out", "n" * 255, "...", "ünïcode/\x1b[31m", ""],
    ids=["absolute", "upwards", "long", "dots", "odd", "empty"],
)
def test_a_report_of_our_own_naming_lies_in_reports(name: str) -> None:
    report = a_report().model_copy(update={"dataset": a_dataset(name=name)})
    path = new_file(report, "release")

    assert path.parent == REPORTS
    assert path.resolve().parent == REPORTS.resolve()
    assert path.name.isascii()
    assert len(path.name) < 160
    assert f"-release-{datetime.now(UTC):%Y}" in path.name


@pytest.mark.parametrize("name", ["/", ".", "/dev/null", "n" * 300])
def test_a_place_that_is_no_files_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        refuse_unwritable(Path(name))


def test_a_place_below_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UsageError, match="is no folder"):
        refuse_unwritable(file / "report.json")


def test_a_result_never_replaces_what_the_command_reads(tmp_path: Path) -> None:
    data = tmp_path / "data.json"
    data.write_text("{}")
    (tmp_path / "link.json").symlink_to(data)
    for path in (data, tmp_path / "link.json", tmp_path / "x" / ".." / "data.json"):
        with pytest.raises(UsageError, match="is what this command reads"):
            refuse_unwritable(path, None, data)


def test_a_closed_folder_is_named_before_measuring(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)  # root may write everywhere
    try:
        with pytest.raises(PrerequisiteError, match="cannot be written"):
            refuse_unwritable(tmp_path / "report.json")
    finally:
        os.seteuid(before)


def test_a_new_file_in_a_folder_to_come_is_fine(tmp_path: Path) -> None:
    refuse_unwritable(tmp_path / "a" / "b" / "report.json", tmp_path / "data.json")


def test_the_data_set_survives_being_named_as_output(tmp_path: Path) -> None:
    data = tmp_path / "core.json"
    data.write_bytes((ROOT / "datasets" / "core.json").read_bytes())
    before = data.read_bytes()

    assert main(["eval", "--dataset", str(data), "--out", str(data)]) == 64
    assert data.read_bytes() == before
    assert json.loads(before)["name"]
