"""``harness matrix``: every Postgres with every build, held against each other."""

import argparse
from dataclasses import dataclass

from harness.cli.evaluate import evaluated, new_file
from harness.cli.output import emit
from harness.cli.progress import notify
from harness.cli.target import ROOT, chosen_dataset, started_runtime
from harness.errors import ExitCode, HarnessError, PrerequisiteError, UsageError
from harness.judge.machine import matrix_json
from harness.judge.matrix import Cell, judge_matrix
from harness.judge.sheets import print_matrix
from harness.measure.evaluate import EvaluationSettings
from harness.report.model import Report
from harness.report.store import save
from harness.runtime.images.catalogue import read_pins
from harness.runtime.images.matrix import cells
from harness.runtime.palace import Build
from harness.runtime.signals import unwinding


@dataclass(frozen=True, slots=True)
class Planned:
    """A cell to measure; the embedded runtime has one Postgres, so it names none."""

    name: str
    build: Build
    postgres: str | None = None


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure every cell once, keep the reports, and compare."""
    planned = _planned(arguments)
    dataset = chosen_dataset(arguments)
    settings = EvaluationSettings(
        repetitions=arguments.repetitions, scale=arguments.scale
    )
    found = []
    with unwinding():
        # All images before the first measurement: a cell that cannot run costs no time.
        runtimes = [
            started_runtime(arguments, plan.build, postgres=plan.postgres)
            for plan in planned
        ]
        for plan, runtime in zip(planned, runtimes, strict=True):
            notify(f"cell {plan.name}")
            try:
                report = evaluated(dataset, runtime, settings)
                _require_itself(plan, report)
            except HarnessError as error:
                error.where = f"cell {plan.name}{error.where and f', {error.where}'}"
                raise
            found.append(Cell(plan.name, report))
    # Together at the end: an interrupted command says that it left no report.
    for cell in found:
        path = new_file(cell.report, cell.name)
        save(cell.report, path)
        notify(f"report {path}")
    matrix = judge_matrix(found)
    if arguments.json:
        emit(matrix_json(matrix))
    else:
        print_matrix(matrix)
    return matrix.exit_code


def _planned(arguments: argparse.Namespace) -> list[Planned]:
    if arguments.runtime == "embedded":
        every = [Planned(f"embedded-{build}", build) for build in ("debug", "release")]
    else:
        every = [
            Planned(cell.name, cell.build, str(cell.major))
            for cell in cells(read_pins(ROOT).catalogue)
        ]
    known = {cell.name: cell for cell in every}
    chosen = list(known) if arguments.cells is None else arguments.cells
    for name in chosen:
        if name not in known:
            raise UsageError(
                f"no cell is called {name!r}.",
                remedy=f"There are {', '.join(known)}.",
            )
        if chosen.count(name) > 1:
            raise UsageError(f"the cell {name!r} is named twice.")
    return [known[name] for name in chosen]


def _require_itself(cell: Planned, report: Report) -> None:
    """Believe the running daemon, not the option, that the cell is what it is called.

    Raises:
        PrerequisiteError: Another build or another Postgres answered.
    """
    build = report.daemon.build.name
    postgres = report.environment.postgres
    major = (postgres or "").partition(".")[0]
    if build != cell.build or cell.postgres not in (None, major):
        raise PrerequisiteError(
            f"a {build} build on Postgres {postgres} answered.",
            remedy="The image is not what its name says: see `harness images`.",
        )
