"""A matrix and a re-run as a person reads them."""

from rich.console import Console

from harness.errors import ExitCode
from harness.judge.matrix import Cell, Matrix, Speed
from harness.judge.reproduction import HASH_DIGITS, Reproduction
from harness.judge.wording import of_difference
from harness.report.layout import (
    count,
    heading,
    listed,
    say,
    shown,
    table,
    terminal,
    width_of,
)


def print_matrix(matrix: Matrix, *, console: Console | None = None) -> None:
    """Print one line a cell, then what differs and the verdict.

    Without *console*, standard output gets it.
    """
    console = terminal() if console is None else console
    first = matrix.cells[0]
    note = f"median service time in ms, ratio to {first.name}"
    heading(console, "Matrix", note)
    width = width_of(["cell", *(cell.name for cell in matrix.cells)])
    names = ("cell", "quality")
    sheet = table(console, names, matrix.configurations, name_width=width)
    for cell in matrix.cells:
        quality = _quality(matrix, cell)
        sheet.add_row(
            shown(cell.name, console),
            shown(quality, console, "bold red" if quality.isupper() else ""),
            *(_speed(matrix.speed(cell, name)) for name in matrix.configurations),
        )
    console.print(sheet)
    console.print()
    for item in matrix.differences:
        say(console, item.cell, str(item.difference), style="bold red")
    if matrix.violations:
        text = f"hits broke an invariant in {listed(matrix.violations)}"
        say(console, "FAIL", text, style="bold red")
    _print_verdict(matrix, console)


def print_reproduction(found: Reproduction, *, console: Console | None = None) -> None:
    """Print the circumstances that differ, the first difference, and the verdict.

    Without *console*, standard output gets it.
    """
    console = terminal() if console is None else console
    stored = found.stored
    data = stored.dataset
    say(
        console,
        "report",
        f"{data.name} {data.version} ({data.sha256[:HASH_DIGITS]}), "
        f"{stored.daemon.build.name} build, {stored.environment.runtime}, "
        f"of {stored.created_at}",
    )
    for image in found.again.environment.images:
        digest = image.digest.removeprefix("sha256:")[:HASH_DIGITS]
        say(console, "image", f"{image.name} {digest}")
    say(console, "otherwise here", *map(of_difference, found.circumstances))
    what = "Rankings, metrics and invariants"
    if found.evidence:
        what = "Rankings, scores, plans, metrics and invariants"
    if found.first is None:
        text, style = f"{what} are the same, to the bit.", "bold green"
        if not found.evidence:
            text += " Scores were not compared: the processor is another."
    else:
        text, style = f"NOT REPRODUCED at {found.first}", "bold red"
    console.print(shown(text, console, style), soft_wrap=True)


def _quality(matrix: Matrix, cell: Cell) -> str:
    if cell is matrix.cells[0]:
        return "first"
    differs = any(item.cell == cell.name for item in matrix.differences)
    return "DIFFERS" if differs else "same"


def _speed(speed: Speed) -> str:
    if speed.p50_ms is None:
        return "-"
    ratio = "" if speed.ratio is None else f" x{speed.ratio:.2f}"
    # Three figures are what a median is good for, and four columns must fit.
    return f"{speed.p50_ms:.{1 if speed.p50_ms >= 10 else 2}f}{ratio}"


def _print_verdict(matrix: Matrix, console: Console) -> None:
    report = matrix.cells[0].report
    rankings = sum(len(result.rankings) for result in report.configurations)
    if matrix.exit_code is ExitCode.PASSED:
        text = (
            f"{count(rankings, 'ranking')} and every metric are the same in "
            f"{count(len(matrix.cells), 'cell')}, to the bit."
        )
        console.print(shown(text, console, "bold green"))
        return
    text = (
        f"{len(matrix.differences)} of {len(matrix.cells)} cells differ from "
        f"{matrix.cells[0].name}."
    )
    console.print(shown(text, console, "bold red"))
