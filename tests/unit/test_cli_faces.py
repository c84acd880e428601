"""Faces on the command line: where they go, and that they change no verdict."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.cli import main
from harness.errors import ExitCode
from harness.report.store import save
from tests.face_reports import an_eval_report


@pytest.fixture
def kept(tmp_path: Path) -> tuple[str, str]:
    """Two reports, the second of a worse hybrid."""
    base, new = tmp_path / "base.json", tmp_path / "new.json"
    save(an_eval_report(), base)
    save(an_eval_report(shift=-0.25), new)
    return str(base), str(new)


def test_a_comparison_writes_every_face_and_keeps_its_verdict(
    kept: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("a.html", "a.xml", "a.sarif")]

    words = [
        "--html",
        str(files[0]),
        "--junit",
        str(files[1]),
        "--sarif",
        str(files[2]),
    ]
    code = main(["compare", *kept, *words, "--markdown"])

    assert code == ExitCode.GATE_FAILED
    assert capsys.readouterr().out.startswith("### ❌ Failed")
    assert files[0].read_text().startswith("<!doctype html>")
    junit = ElementTree.parse(files[1]).getroot()
    results = json.loads(files[2].read_text())["runs"][0]["results"]
    assert junit.attrib["failures"] == str(len(results))


def test_a_report_is_shown_as_a_page_in_the_place_of_tables(
    kept: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out" / "page.html"

    code = main(["show", kept[0], "--html", str(target)])

    assert code == ExitCode.PASSED
    assert capsys.readouterr().out == f"wrote           {target}\n"
    assert target.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["show", "{base}", "{new}"],
        ["show", "{base}", "--html", "{base}"],
        ["compare", "{base}", "{new}", "--junit", "{new}"],
        ["compare", "{base}", "{new}", "--junit", "x.out", "--sarif", "x.out"],
        ["compare", "{base}", "{new}", "--json", "--markdown"],
        ["show", "{base}", "--json", "--markdown"],
    ],
)
def test_words_that_contradict_are_refused(
    words: list[str],
    kept: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = Path(kept[0]).read_bytes()

    code = main([word.format(base=kept[0], new=kept[1]) for word in words])

    assert code == ExitCode.USAGE
    assert Path(kept[0]).read_bytes() == before
    assert not Path("x.out").exists()


@pytest.mark.usefixtures("kept")
def test_a_history_is_printed_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "history.html"

    code = main(["history", str(tmp_path), "--html", str(target)])

    assert code == ExitCode.PASSED
    assert "2 reports" in capsys.readouterr().out
    assert "Quality and speed over commits" in target.read_text()
