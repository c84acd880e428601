"""What the options say is what is wished for, and contradictions are refused."""

from typing import Any

import pytest

from harness.cli import main
from harness.cli.options import parse_arguments
from harness.cli.target import chosen_runtime
from harness.errors import ExitCode
from harness.runtime.choice import Wish


@pytest.fixture
def wishes(monkeypatch: pytest.MonkeyPatch) -> list[Wish]:
    """Note every wish instead of fulfilling it."""
    noted: list[Wish] = []

    def choose(wish: Wish, **_: Any) -> None:
        noted.append(wish)

    monkeypatch.setattr("harness.cli.target.choose", choose)
    return noted


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ([], Wish()),
        (["--build", "release"], Wish(build="release")),
        (["--runtime", "embedded"], Wish(runtime="embedded")),
        (["--runtime", "containers"], Wish(runtime="containers")),
        (["--postgres", "17"], Wish(postgres="postgres-17")),
        (["--strict-images"], Wish(strict=True)),
        (["--port", "8123"], Wish(port=8123)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_option_becomes_a_wish(
    words: list[str], wanted: Wish, wishes: list[Wish]
) -> None:
    chosen_runtime(parse_arguments(["gate", *words]))

    assert wishes == [wanted]


@pytest.mark.parametrize(
    "words",
    [
        ["--runtime", "embedded", "--postgres", "17"],
        ["--runtime", "embedded", "--strict-images"],
        ["--url", "http://127.0.0.1:9", "--postgres", "17"],
        ["--url", "http://127.0.0.1:9", "--strict-images"],
        ["--url", "http://127.0.0.1:9", "--runtime", "containers"],
        ["--postgres", "16"],
        ["--runtime", "docker"],
    ],
    ids=" ".join,
)
def test_contradiction_is_refused_before_anything_starts(
    words: list[str], wishes: list[Wish], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *words]) == ExitCode.USAGE
    assert capsys.readouterr().err.startswith("UsageError: ")
    assert wishes == []
