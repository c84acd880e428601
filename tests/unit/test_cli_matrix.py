"""``harness matrix``: every cell runs, is what it is called, and equals the first."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.errors import DaemonDiedError, ExitCode, PrerequisiteError
from harness.report.store import load
from tests.datafiles import a_data_file, write
from tests.fake_palace import FakePalace
from tests.fakes import FakeRuntime

CELLS = [
    "postgres-17-debug",
    "postgres-17-release",
    "postgres-18-debug",
    "postgres-18-release",
]


class Posing(FakePalace):
    """A fake that says which build it is, and on which Postgres."""

    def __init__(self, build: str, postgres: str) -> None:
        super().__init__()
        self.build = {"name": build}
        self.postgres = postgres

    def _status(self) -> dict[str, Any]:
        status = super()._status()
        status["postgres"]["version"] = self.postgres
        return status


class Machine:
    """A machine that starts a fake for every cell."""

    def __init__(self, reports: Path) -> None:
        self.reports = reports
        self.started: list[tuple[str, str | None]] = []
        self.change: Callable[[Posing], object] = lambda _: None
        self.refuses: PrerequisiteError | None = None

    def start(
        self, _arguments: argparse.Namespace, build: str, *, postgres: str | None
    ) -> FakeRuntime:
        """Stand in for the choice of a runtime."""
        self.started.append((build, postgres))
        if self.refuses and len(self.started) == 2:
            raise self.refuses
        palace = Posing(build, f"{postgres or 18}.3")
        if len(self.started) == 2:
            self.change(palace)
        return FakeRuntime(palace)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    there = Machine(tmp_path / "reports")
    monkeypatch.setattr("harness.cli.matrix.started_runtime", there.start)
    monkeypatch.setattr("harness.cli.evaluate.REPORTS", there.reports)
    monkeypatch.setenv("EVAL_DATASET", str(write(tmp_path, a_data_file())))
    monkeypatch.setenv("EVAL_REPETITIONS", "1")
    monkeypatch.setenv("EVAL_SCALE", "")
    return there


def test_every_postgres_meets_every_build_and_each_report_is_kept(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["matrix"])

    shown = capsys.readouterr().out
    assert code == ExitCode.PASSED
    assert machine.started == [
        ("debug", "17"),
        ("release", "17"),
        ("debug", "18"),
        ("release", "18"),
    ]
    kept = sorted(machine.reports.glob("*.json"))
    assert [load(path).environment.postgres for path in kept] == [
        "17.3",
        "17.3",
        "18.3",
        "18.3",
    ]
    assert all(name in path.name for name, path in zip(CELLS, kept, strict=True))
    assert "are the same in 4 cells, to the bit." in shown


def test_ranking_that_differs_fails_and_is_named(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    def forget_the_first_hit(palace: Posing) -> None:
        palace.rewrite = lambda _asked, hits: hits[1:]

    machine.change = forget_the_first_hit

    code = main(["matrix", "--json"])

    got = json.loads(capsys.readouterr().out)
    assert code == ExitCode.GATE_FAILED
    assert got["identical"] is False
    (difference,) = got["differences"]
    assert difference["cell"] == "postgres-17-release"
    assert (difference["configuration"], difference["rank"]) == ("lexical", 1)
    assert difference["query"] == "q-oven"


def test_cell_whose_images_cannot_be_had_fails_before_anything_is_measured(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.refuses = PrerequisiteError("no image.")

    code = main(["matrix"])

    assert code == ExitCode.UNAVAILABLE
    assert not machine.reports.exists()
    assert capsys.readouterr().out == ""


def test_cell_that_dies_fails_the_whole_and_is_named(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    def die(palace: Posing) -> None:
        def refuse(*_: object) -> Any:
            raise DaemonDiedError("gone.")

        palace.faults["POST", "/api/search"] = refuse

    machine.change = die

    code = main(["matrix"])

    shown = capsys.readouterr()
    assert code == ExitCode.UNAVAILABLE
    assert "cell postgres-17-release" in shown.err
    assert "to the bit" not in shown.out
    assert not machine.reports.exists()


def test_cell_that_is_not_what_it_is_called_fails(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    def pose(palace: Posing) -> None:
        palace.postgres = "18.6"

    machine.change = pose

    code = main(["matrix"])

    assert code == ExitCode.UNAVAILABLE
    assert "a release build on Postgres 18.6 answered" in capsys.readouterr().err


def test_embedded_has_one_cell_a_build(machine: Machine) -> None:
    assert main(["matrix", "--runtime", "embedded"]) == ExitCode.PASSED
    assert machine.started == [("debug", None), ("release", None)]


def test_only_the_named_cells_run_and_in_that_order(machine: Machine) -> None:
    words = ["matrix", "--cells", "postgres-18-release", "postgres-17-debug"]

    assert main(words) == ExitCode.PASSED
    assert machine.started == [("release", "18"), ("debug", "17")]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--cells", "postgres-16-debug"], "'postgres-16-debug'"),
        (["--cells", "postgres-17-debug", "postgres-17-debug"], "named twice"),
        (["--cells", "embedded-debug"], "There are postgres-17-debug"),
    ],
    ids=["unknown", "twice", "another runtime's"],
)
def test_cells_nobody_knows_are_refused(
    machine: Machine,
    words: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["matrix", *words]) == ExitCode.USAGE
    assert told in capsys.readouterr().err
    assert machine.started == []
