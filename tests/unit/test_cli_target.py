"""What the options say is what is wished for, and contradictions are refused."""

from typing import Any

import pytest

from harness.cli import main
from harness.cli.options import parse_arguments
from harness.cli.target import PATIENCE, TRIGRAMS, chosen_runtime, live_runtime
from harness.errors import ExitCode
from harness.runtime.base import RunningEmbedder
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


def test_recall_wishes_for_the_release_build_and_an_embedder(
    wishes: list[Wish],
) -> None:
    arguments = parse_arguments(["recall", "smoke"])
    chosen_runtime(arguments, default="release", embedder=TRIGRAMS)

    assert wishes == [Wish(build="release", embedder=TRIGRAMS, settings=PATIENCE)]


def test_live_daemon_is_given_the_embedder_that_was_named() -> None:
    embedder = ["--embedder", "http://127.0.0.1:1/v1/", "http://127.0.0.1:2/"]
    words = ["recall", "smoke", "--url", "http://127.0.0.1:9", *embedder]

    runtime = live_runtime(parse_arguments(words))

    assert runtime.embedder == RunningEmbedder(
        url="http://127.0.0.1:1/v1",
        control_url="http://127.0.0.1:2",
        model="trigram-384",
        dimension=384,
    )
