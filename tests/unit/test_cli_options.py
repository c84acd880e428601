"""Options, the variables behind them, and how a command that cannot start ends."""

from pathlib import Path

import pytest

from harness.cli import main
from harness.cli.options import parse_arguments
from harness.errors import ExitCode, UsageError


def test_defaults_are_the_documented_ones() -> None:
    got = parse_arguments(["eval"])

    assert (got.repetitions, got.scale, got.out, got.dataset) == (5, 0, None, None)


def test_variables_speak_where_no_option_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVAL_REPETITIONS", "0")
    monkeypatch.setenv("EVAL_SCALE", "200")
    monkeypatch.setenv("EVAL_OUT", "kept.json")
    monkeypatch.setenv("EVAL_DATASET", "mine.json")

    got = parse_arguments(["eval"])

    assert (got.repetitions, got.scale) == (0, 200)
    assert (got.out, got.dataset) == (Path("kept.json"), Path("mine.json"))


def test_option_wins_over_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVAL_THRESHOLD", "0.5")

    got = parse_arguments(["compare", "a", "b", "--threshold", "0.01"])

    assert got.threshold == 0.01


def test_option_wins_over_a_variable_nobody_can_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVAL_SCALE", "many")

    assert parse_arguments(["eval", "--scale", "3"]).scale == 3


def test_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVAL_REPETITIONS", "")

    assert parse_arguments(["eval"]).repetitions == 5


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("EVAL_REPETITIONS", "five"),
        ("EVAL_REPETITIONS", "-1"),
        ("EVAL_SCALE", "1e3"),
        ("EVAL_SCALE", "99999999"),
    ],
)
def test_unusable_variable_is_named_with_its_value(
    variable: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, text)

    with pytest.raises(UsageError) as caught:
        parse_arguments(["eval"])

    assert variable in str(caught.value)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["nan", "inf", "-0.1", "2%"])
def test_threshold_that_would_switch_the_gate_off_is_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVAL_THRESHOLD", text)

    with pytest.raises(UsageError, match="EVAL_THRESHOLD"):
        parse_arguments(["gate"])
    with pytest.raises(UsageError, match="--threshold"):
        parse_arguments(["gate", f"--threshold={text}"])


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["evaluate"],
        ["eval", "--scale", "x"],
        ["eval", "--port", "70000"],
        ["eval", "--build", "fast"],
        ["compare", "one.json"],
        ["eval", "--url", "http://127.0.0.1:9", "--build", "release"],
        ["eval", "--url", "http://127.0.0.1:9", "--port", "8080"],
        ["eval", "--token-file", "token"],
        ["postgres"],
        ["postgres", "--"],
    ],
    ids=" ".join,
)
def test_wrong_words_end_with_the_usage_code_and_one_message(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(words)

    shown = capsys.readouterr()
    assert code == ExitCode.USAGE
    assert shown.out == ""
    assert shown.err.startswith("UsageError: ")
    assert "Traceback" not in shown.err


def test_token_file_without_a_token_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "token"
    empty.write_text("\n")

    code = main(["eval", "--url", "http://127.0.0.1:9", "--token-file", str(empty)])

    assert code == ExitCode.USAGE
    assert "is empty" in capsys.readouterr().err


def test_report_that_could_not_be_written_is_refused_before_measuring(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "--out", str(tmp_path)]) == ExitCode.USAGE
    assert "is no regular file" in capsys.readouterr().err
