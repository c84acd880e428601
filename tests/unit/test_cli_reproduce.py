"""``harness reproduce``: the same data, the same asking, the same quality or a name."""

import json
from pathlib import Path

import pytest

from harness.cli import main
from harness.cli.reproduce import same_data
from harness.errors import ExitCode, IncomparableError
from harness.report.model import Report
from harness.report.store import load, save
from tests.builders import a_dataset, a_report, an_environment
from tests.datafiles import a_data_file, read, with_value, write
from tests.fake_palace import FakePalace
from tests.fakes import served


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path, a_data_file())


@pytest.fixture
def palace() -> FakePalace:
    return FakePalace()


@pytest.fixture
def stored(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Measure a running fake with unusual parameters, and keep the report."""
    for name in ("EVAL_OUT", "EVAL_SCALE", "EVAL_REPETITIONS", "HARNESS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "report.json"
    words = ["--repetitions", "1", "--scale", "7", "--out", str(path)]
    with served(FakePalace()) as url:
        code = main(["eval", "--url", url, "--dataset", str(data), *words])
    assert code == ExitCode.PASSED
    return path


def again(stored: Path, palace: FakePalace, *words: str) -> int:
    """Reproduce the stored report against a running fake."""
    with served(palace) as url:
        return main(["reproduce", str(stored), "--url", url, *words])


def test_same_quality_passes_and_says_so(
    stored: Path,
    data: Path,
    palace: FakePalace,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "again.json"
    code = again(stored, palace, "--dataset", str(data), "--out", str(out))

    assert code == ExitCode.PASSED
    assert "are the same, to the bit" in capsys.readouterr().out
    parameters = load(out).parameters
    assert (parameters.scale, parameters.repetitions) == (7, 0)


def test_other_ranking_fails_and_is_named(
    stored: Path, data: Path, palace: FakePalace, capsys: pytest.CaptureFixture[str]
) -> None:
    palace.rewrite = lambda _asked, hits: hits[1:]
    capsys.readouterr()

    code = again(stored, palace, "--dataset", str(data), "--json")

    got = json.loads(capsys.readouterr().out)
    assert code == ExitCode.GATE_FAILED
    assert got["reproduced"] is False
    assert got["first_difference"]["query"]
    assert got["first_difference"]["configuration"]


def test_changed_data_is_refused_before_anything_is_asked(
    stored: Path,
    palace: FakePalace,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "changed").mkdir()
    changed = write(tmp_path / "changed", with_value(("version",), 3))

    code = again(stored, palace, "--dataset", str(changed))

    assert code == ExitCode.NOTHING_MEASURED
    assert "SHA-256" in capsys.readouterr().err
    assert palace.requests == []


def test_data_is_found_by_its_hash_whatever_its_file_is_called(
    stored: Path, data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "datasets"
    folder.mkdir()
    (folder / "a-decoy.json").write_text("{}")
    (folder / "renamed.json").write_bytes(data.read_bytes())

    got = same_data(load(stored), None, folder)

    assert got.path == folder / "renamed.json"


def test_data_that_is_nowhere_is_named_with_its_hash(tmp_path: Path) -> None:
    read(tmp_path, a_data_file())

    with pytest.raises(IncomparableError, match="no file in") as caught:
        same_data(a_report(), None, tmp_path)

    assert "4f4f4f4f4f4f" in str(caught.value)


def test_report_with_other_vectors_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = kept(tmp_path, a_report(environment=an_environment(vectors="trigrams")))

    assert main(["reproduce", str(stored)]) == ExitCode.NOTHING_MEASURED
    assert "trigrams" in capsys.readouterr().err


def test_live_report_needs_an_address_and_no_other_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = kept(tmp_path, a_report(environment=an_environment(runtime="live")))
    assert main(["reproduce", str(live)]) == ExitCode.USAGE
    assert "--url" in capsys.readouterr().err

    embedded = kept(tmp_path, a_report(dataset=a_dataset()))
    words = ["reproduce", str(embedded), "--url", "http://127.0.0.1:9"]
    assert main(words) == ExitCode.USAGE


def kept(folder: Path, report: Report) -> Path:
    """Keep *report* in a file."""
    path = folder / "stored.json"
    save(report, path)
    return path
