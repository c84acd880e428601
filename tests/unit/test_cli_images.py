"""``harness images`` and ``harness sweep`` where no engine answers."""

import json

import pytest

from harness.cli import main
from harness.errors import ExitCode


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Point at a socket that is not there."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/engine.sock")


def test_catalogue_is_listed_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["images"])

    shown = capsys.readouterr().out
    assert code == ExitCode.PASSED
    for name in ("postgres-17", "postgres-18", "palace-debug", "palace-release"):
        assert f"\n{name} " in shown
    assert "no engine" in shown


def test_cells_are_what_a_workflow_reads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["images", "matrix", "--json"]) == ExitCode.PASSED

    got = json.loads(capsys.readouterr().out)
    assert [(cell["major"], cell["build"]) for cell in got["include"]] == [
        (17, "debug"),
        (17, "release"),
        (18, "debug"),
        (18, "release"),
    ]


def test_nothing_is_swept_and_nothing_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep"]) == ExitCode.PASSED
    assert "nothing to sweep" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["images", "build", "postgres-18"], ExitCode.UNAVAILABLE),
        (["images", "--lock"], ExitCode.UNAVAILABLE),
        (["images", "build", "postgres-16"], ExitCode.USAGE),
        (["images", "build"], ExitCode.USAGE),
        (["images", "--newest"], ExitCode.USAGE),
        (["images", "prune"], ExitCode.USAGE),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_needs_an_engine_or_better_words_says_so(
    words: list[str], code: ExitCode, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code

    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
