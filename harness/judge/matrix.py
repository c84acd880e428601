"""Hold the cells of a matrix against each other: equal in quality, apart in speed.

Every cell answers the same questions about the same data, so a difference in quality is
a fault, however small. Speed is what the cells are there to differ in: it is shown as
ratios to the first cell, and judged by nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import ExitCode, NothingMeasuredError
from harness.judge.sameness import FirstDifference, first_difference
from harness.report.model import Report


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell that was measured."""

    name: str
    report: Report


@dataclass(frozen=True, slots=True)
class CellDifference:
    """A cell whose quality is not the first cell's, and where they part."""

    cell: str
    difference: FirstDifference


@dataclass(frozen=True, slots=True)
class Speed:
    """One configuration's median service time in one cell."""

    p50_ms: float | None
    """``None`` where no latency was measured."""
    ratio: float | None
    """To the first cell's: below 1 is faster."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """What a matrix came to."""

    cells: tuple[Cell, ...]
    differences: tuple[CellDifference, ...]
    """One for each cell that differs from the first."""

    @property
    def configurations(self) -> tuple[str, ...]:
        """Name the configurations, in the order of the first cell."""
        return tuple(result.name for result in self.cells[0].report.configurations)

    @property
    def violations(self) -> tuple[str, ...]:
        """Name the cells in which a hit broke an invariant."""
        return tuple(
            cell.name
            for cell in self.cells
            if any(invariant.violations for invariant in cell.report.invariants)
        )

    @property
    def exit_code(self) -> ExitCode:
        """Say how a command that measured the matrix must end."""
        if self.differences or self.violations:
            return ExitCode.GATE_FAILED
        return ExitCode.PASSED

    def speed(self, cell: Cell, configuration: str) -> Speed:
        """Give one configuration's speed in *cell*, and its ratio to the first's."""
        here = _p50_ms(cell.report, configuration)
        first = _p50_ms(self.cells[0].report, configuration)
        ratio = here / first if here is not None and first else None
        return Speed(here, ratio)


def judge_matrix(cells: Sequence[Cell]) -> Matrix:
    """Hold every cell of *cells* against the first.

    Raises:
        NothingMeasuredError: There is no cell, or a cell without a single query: such
            cells would be equal whatever the daemon does.
    """
    if not cells:
        raise NothingMeasuredError("a matrix without a cell says nothing.")
    for cell in cells:
        if not any(result.queries for result in cell.report.configurations):
            raise NothingMeasuredError("no query was asked.", where=f"cell {cell.name}")
    first, *others = cells
    found = [
        (cell.name, first_difference(first.report, cell.report)) for cell in others
    ]
    return Matrix(
        cells=tuple(cells),
        differences=tuple(
            CellDifference(name, difference)
            for name, difference in found
            if difference is not None
        ),
    )


def _p50_ms(report: Report, configuration: str) -> float | None:
    for result in report.configurations:
        if result.name == configuration and result.latency is not None:
            return result.latency.service.p50_ms
    return None
