"""``--workers`` and ``--scheduler`` on the command line, up to the first daemon."""

import sys
from pathlib import Path

import pytest

from harness.cli import main
from harness.errors import ExitCode
from tests.haystack_runs import a_file
from tests.haystacks import an_entry


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.delenv("EVAL_EMBEDDINGS_URL", raising=False)
    path = a_file(tmp_path, an_entry("q1"), an_entry("q2"))
    out = tmp_path / "reports" / "report.json"
    return ["longmemeval", str(path), "--out", str(out)]


@pytest.mark.parametrize("option", ["--workers=2", "--scheduler=tcp://127.0.0.1:1"])
@pytest.mark.parametrize(
    "other", ["--url=http://127.0.0.1:1", "--port=8080", "--token-file=token"]
)
def test_what_means_one_daemon_goes_with_no_spreading(
    words: list[str], capsys: pytest.CaptureFixture[str], option: str, other: str
) -> None:
    assert main([*words, option, other]) == ExitCode.USAGE
    ours, theirs = (word.partition("=")[0] for word in (option, other))
    assert f"{ours} does not go with {theirs}" in capsys.readouterr().err


def test_one_store_is_asked_by_one_worker(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--workers=2", "--isolation=shared", "--runtime=embedded"]
    assert main([*words, *options]) == ExitCode.USAGE
    assert "2 workers have 2 stores" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "two", "-1"])
def test_workers_are_a_number_from_one(
    words: list[str], capsys: pytest.CaptureFixture[str], number: str
) -> None:
    assert main([*words, "--workers", number]) == ExitCode.USAGE
    assert "--workers" in capsys.readouterr().err


def test_a_scheduler_needs_the_extra(
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main([*words, "--scheduler", "tcp://127.0.0.1:1"]) == ExitCode.UNAVAILABLE
    assert "memory-harness[dask]" in capsys.readouterr().err


def test_an_address_that_is_none_is_named(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    assert main([*words, "--scheduler", "nowhere://x"]) == ExitCode.USAGE
    assert "'nowhere://x' is no address of a scheduler" in capsys.readouterr().err
