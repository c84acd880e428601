"""``harness ab``: which daemons it starts when, what it stores, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.cli.ab_sides import RUNNING, settings_of
from harness.cli.target import ROOT
from harness.errors import ExitCode, UsageError
from harness.report.ab import load_ab
from harness.report.store import load
from harness.runtime.choice import Wish
from harness.runtime.images.catalogue import read_pins
from tests.datafiles import a_data_file, write
from tests.fake_palace import FakePalace
from tests.fakes import FakeRuntime, served


class Machine:
    """A machine that starts a fake for every instance, and notes when."""

    def __init__(self) -> None:
        self.wishes: list[Wish] = []
        self.palaces: list[FakePalace] = []
        self.log: list[str] = []
        self.change: Callable[[FakePalace, Wish], object] = lambda *_: None

    def choose(self, wish: Wish, **_: Any) -> FakeRuntime:
        """Stand in for the choice of a runtime."""
        self.wishes.append(wish)
        palace = FakePalace()
        self.change(palace, wish)
        self.palaces.append(palace)
        return Noted(palace, len(self.palaces), self.log)


class Noted(FakeRuntime):
    """A fake that notes when it is up."""

    def __init__(self, palace: FakePalace, number: int, log: list[str]) -> None:
        super().__init__(palace)
        self._number = number
        self._shared = log

    def __enter__(self) -> Any:
        self._shared.append(f"start {self._number}")
        return super().__enter__()

    def __exit__(self, *how: Any) -> None:
        self._shared.append(f"stop {self._number}")
        super().__exit__(*how)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    there = Machine()
    monkeypatch.setattr("harness.cli.ab_sides.choose", there.choose)
    monkeypatch.setattr("harness.cli.evaluate.REPORTS", tmp_path / "reports")
    monkeypatch.setenv("EVAL_DATASET", str(write(tmp_path, a_data_file())))
    monkeypatch.setenv("EVAL_REPETITIONS", "1")
    for name in ("EVAL_SCALE", "EVAL_THRESHOLD", "EVAL_OUT"):
        monkeypatch.setenv(name, "")
    return there


def run(out: Path, *words: str) -> int:
    return main(["ab", *words, "--out", str(out)])


def searches(palace: FakePalace) -> list[str]:
    return [each.json["text"] for each in palace.sent("POST", "/api/search")]


def test_base_meets_its_twin_and_then_the_candidate(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(tmp_path / "ab.json", "release", "debug")

    assert code == ExitCode.PASSED
    assert [wish.build for wish in machine.wishes] == ["release", "debug", "release"]
    # 1 is the base, 3 its twin, 2 the candidate.
    assert machine.log[:6] == [
        "start 1",
        "start 3",
        "stop 3",
        "start 2",
        "stop 2",
        "stop 1",
    ]
    assert "No loss shown." in capsys.readouterr().out


def test_all_three_get_the_same_queries_the_base_twice(
    machine: Machine, tmp_path: Path
) -> None:
    run(tmp_path / "ab.json", "release", "release")

    base, candidate, twin = machine.palaces[:3]
    assert searches(candidate) == searches(twin)
    assert searches(base) == searches(twin) * 2


@pytest.mark.usefixtures("machine")
def test_both_reports_and_the_result_are_stored(tmp_path: Path) -> None:
    out = tmp_path / "out" / "ab.json"
    run(out, "release", "debug", "--candidate-setting", "PALACE_EXACT_LIMIT=0")

    result = load_ab(out)
    assert result.base.asked == "release"
    assert result.candidate.asked == "debug"
    assert result.candidate.settings == {"PALACE_EXACT_LIMIT": "0"}
    assert result.base.reports[0] == "ab-base-1.json"
    for name in (*result.base.reports, *result.candidate.reports):
        report = load(out.with_name(name))
        assert report.parameters.repetitions == 1
        assert report.configurations[0].rankings[0].service_ms
    assert [len(each.queries) for each in result.rounds[0].measured] == [3, 2, 3, 1]
    assert result.rounds[0].twin == "instance"
    assert result.rounds[0].fresh


def test_settings_reach_their_own_side_alone(machine: Machine, tmp_path: Path) -> None:
    run(
        tmp_path / "ab.json",
        *("release", "release"),
        *("--base-setting", "PALACE_LOG=text"),
        *("--candidate-setting", "PALACE_EXACT_LIMIT=0"),
        *("--candidate-setting", "PALACE_RANKING_PRESET=a=b"),
    )

    base, candidate, twin = machine.wishes[:3]
    assert base.settings == twin.settings == {"PALACE_LOG": "text"}
    assert candidate.settings == {
        "PALACE_EXACT_LIMIT": "0",
        "PALACE_RANKING_PRESET": "a=b",
    }


def test_a_candidate_that_lost_relevance_fails(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def forgetful(palace: FakePalace, wish: Wish) -> None:
        if wish.build == "debug":
            palace.rewrite = lambda *_: []

    machine.change = forgetful
    # Three queries are too few to show a loss; a caller may want proof of no loss.
    words = ["--repetitions", "0", "--inconclusive", "fail"]
    lost = run(tmp_path / "lost.json", "release", "debug", *words)
    sound = run(tmp_path / "sound.json", "release", "release", *words)

    assert (lost, sound) == (ExitCode.GATE_FAILED, ExitCode.PASSED)
    assert "FAILED: lexical inconclusive" in capsys.readouterr().out


def test_without_repetitions_nothing_is_timed_and_no_twin_is_started(
    machine: Machine, tmp_path: Path
) -> None:
    code = run(tmp_path / "ab.json", "release", "debug", "--repetitions", "0")

    result = load_ab(tmp_path / "ab.json")
    assert code == ExitCode.PASSED
    assert machine.log == ["start 1", "start 2", "stop 2", "stop 1"]
    assert result.rounds[0].twin is None
    assert {each.word for each in result.latency} == {None}


def test_what_looks_slower_is_measured_again_with_fresh_processes(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.cli.ab.wants_another", lambda *_: True)
    run(tmp_path / "ab.json", "release", "debug")

    result = load_ab(tmp_path / "ab.json")
    starts = [each for each in machine.log if each.startswith("start")]
    assert len(result.rounds) == 2
    assert len(set(starts)) == len(starts) == 6
    assert len(result.candidate.reports) == 2


@pytest.mark.usefixtures("machine")
def test_json_is_what_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "ab.json"
    code = run(out, "release", "release", "--json")

    printed = capsys.readouterr().out
    assert printed.encode() == out.read_bytes()
    assert json.loads(printed)["exit_code"] == code


def test_running_daemons_are_seeded_once_and_asked_over_a_second_connection(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.cli.ab.wants_another", lambda *_: True)
    one, two = FakePalace(), FakePalace()
    with served(one) as base, served(two) as candidate:
        code = run(tmp_path / "ab.json", base, candidate)

    result = load_ab(tmp_path / "ab.json")
    assert code == ExitCode.PASSED
    assert machine.wishes == []
    assert one.log.count("create batch") == two.log.count("create batch") == 1
    assert (result.base.asked, result.base.runtime) == (RUNNING, "live")
    assert [each.twin for each in result.rounds] == ["connection", "connection"]
    assert not any(each.fresh for each in result.rounds)
    assert base not in (tmp_path / "ab.json").read_text()


def test_an_image_is_wished_for_by_its_name_and_has_its_build(
    machine: Machine, tmp_path: Path
) -> None:
    run(tmp_path / "ab.json", "palace-debug", "palace-release")

    first, second = machine.wishes[:2]
    assert (first.image, first.build) == ("palace-debug", "debug")
    assert (second.image, second.build) == ("palace-release", "release")
    assert first.must_be_containers


def test_an_image_is_wished_for_by_its_locked_digest(
    machine: Machine, tmp_path: Path
) -> None:
    lock = read_pins(ROOT).lock
    assert lock is not None
    run(tmp_path / "ab.json", lock.images["palace-release"].id, "release")

    # Another image must not take its place.
    assert machine.wishes[0].image == "palace-release"
    assert machine.wishes[0].strict
    assert not machine.wishes[1].strict


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["release", "fast"], "'fast' is no build"),
        (["release", "postgres-18"], "'postgres-18' is no build"),
        (["release", "sha256:" + "0" * 64], "is no build"),
        (["http://127.0.0.1:9", "http://127.0.0.1:9/"], "one daemon"),
        (
            ["http://127.0.0.1:9", "http://127.0.0.1:8", "--runtime", "embedded"],
            "--runtime does not go",
        ),
        (
            ["release", "http://127.0.0.1:9", "--candidate-setting", "PALACE_LOG=text"],
            "--candidate-setting does not go",
        ),
        (["release", "debug", "--base-token-file", "x"], "--base-token-file goes with"),
        (["release", "palace-debug", "--runtime", "embedded"], "does not go with"),
        (["release", "debug", "--base-setting", "LOG=text"], "not PALACE_NAME=VALUE"),
        (["release", "debug", "--latency-budget", "-1"], "is not a finite number"),
        (["release"], "required: CANDIDATE"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_used_is_refused_before_anything_starts(
    words: list[str],
    complaint: str,
    machine: Machine,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["ab", *words]) == ExitCode.USAGE
    assert complaint in capsys.readouterr().err
    assert machine.log == []


@pytest.mark.parametrize(
    "text",
    [
        "PALACE_TOKEN=x",
        "PALACE_EMBEDDINGS_API_KEY=x",
        "PALACE_DATABASE_URL=x",
        "PALACE_BUILD=debug",
    ],
)
def test_a_secret_or_what_the_harness_sets_is_no_setting(text: str) -> None:
    with pytest.raises(UsageError, match="cannot be set here"):
        settings_of([text], "--base-setting")


def test_a_setting_is_given_once() -> None:
    with pytest.raises(UsageError, match="names PALACE_LOG twice"):
        settings_of(["PALACE_LOG=a", "PALACE_LOG=b"], "--base-setting")
