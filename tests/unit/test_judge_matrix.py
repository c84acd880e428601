"""A matrix passes where every cell has the same quality; speed judges nobody."""

import io
import json

import pytest
from rich.console import Console

from harness.errors import ExitCode, NothingMeasuredError
from harness.judge.machine import matrix_json
from harness.judge.matrix import Cell, Speed, judge_matrix
from harness.judge.sheets import print_matrix
from harness.report.model import Report
from tests.builders import (
    a_configuration,
    a_latency,
    a_ranking,
    a_report,
    a_violation,
    some_invariants,
)


def measured(*documents: str, p50_ms: float | None = 2.0) -> Report:
    """Report one lexical ranking, and how long it took."""
    latency = None if p50_ms is None else a_latency(p50_ms)
    ranking = a_ranking("q1", documents or ("d1", "d2"))
    return a_report(a_configuration(rankings=[ranking], latency=latency))


def printed(cells: list[Cell], width: int = 80) -> str:
    """Print the matrix of *cells* as a pipe gets it."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=False, highlight=False)
    print_matrix(judge_matrix(cells), console=console)
    return stream.getvalue()


def test_equal_cells_pass_however_fast_they_are() -> None:
    got = judge_matrix(
        [Cell("slow", measured(p50_ms=40.0)), Cell("fast", measured(p50_ms=1.0))]
    )

    assert got.exit_code is ExitCode.PASSED
    assert got.differences == ()


def test_ratio_is_to_the_first_cell() -> None:
    first, other = Cell("a", measured(p50_ms=4.0)), Cell("b", measured(p50_ms=1.0))
    got = judge_matrix([first, other])

    assert got.speed(first, "lexical") == Speed(4.0, 1.0)
    assert got.speed(other, "lexical") == Speed(1.0, 0.25)


def test_speed_that_was_not_measured_is_none_and_never_zero() -> None:
    cells = [Cell("a", measured(p50_ms=None)), Cell("b", measured(p50_ms=1.0))]
    got = judge_matrix(cells)

    assert got.speed(cells[0], "lexical") == Speed(None, None)
    assert got.speed(cells[1], "lexical") == Speed(1.0, None)


def test_cell_that_ranks_otherwise_fails_and_is_named_with_query_and_rank() -> None:
    cells = [
        Cell("first", measured("d1", "d2")),
        Cell("same", measured("d1", "d2")),
        Cell("other", measured("d1", "d3")),
    ]

    got = judge_matrix(cells)

    assert got.exit_code is ExitCode.GATE_FAILED
    assert [item.cell for item in got.differences] == ["other"]
    assert str(got.differences[0].difference) == (
        'lexical, query q1, rank 2, document: "d2" and "d3"'
    )


def test_violation_that_all_cells_share_fails_all_the_same() -> None:
    broken = a_report(invariants=some_invariants(violations=[a_violation()]))

    got = judge_matrix([Cell("a", broken), Cell("b", broken)])

    assert got.differences == ()
    assert got.violations == ("a", "b")
    assert got.exit_code is ExitCode.GATE_FAILED


def test_cell_without_a_query_cannot_pass() -> None:
    empty = a_report(a_configuration(queries=0))

    with pytest.raises(NothingMeasuredError, match="no query"):
        judge_matrix([Cell("a", measured()), Cell("b", empty)])
    with pytest.raises(NothingMeasuredError):
        judge_matrix([])


def test_table_fits_eighty_columns_and_shows_ratios() -> None:
    names = ("lexical", "semantic", "hybrid", "lexical+expand")
    cells = [
        Cell(
            cell,
            a_report(
                *(a_configuration(name, latency=a_latency(p50_ms)) for name in names)
            ),
        )
        for cell, p50_ms in [("postgres-17-debug", 12.5), ("postgres-18-release", 5.0)]
    ]

    got = printed(cells).splitlines()

    assert "postgres-17-debug    first    12.5 x1.00  12.5 x1.00  12.5 x1.00" in got[4]
    assert "postgres-18-release  same     5.00 x0.40  5.00 x0.40  5.00 x0.40" in got[5]
    assert max(map(len, got)) <= 80
    assert got[-1].endswith("are the same in 2 cells, to the bit.")


def test_difference_is_printed_beside_its_cell() -> None:
    got = printed([Cell("one", measured("d1")), Cell("two", measured("d2"))])

    assert 'two             lexical, query q1, rank 1, document: "d1" and "d2"' in got
    assert "DIFFERS" in got
    assert "1 of 2 cells differ from one." in got


def test_json_names_cells_latency_and_the_first_difference() -> None:
    cells = [Cell("one", measured("d1")), Cell("two", measured("d2", p50_ms=1.0))]

    got = json.loads(matrix_json(judge_matrix(cells)))

    assert (got["format"], got["version"], got["exit_code"]) == ("harness-matrix", 1, 1)
    assert got["identical"] is False
    assert got["differences"] == [
        {
            "cell": "two",
            "field": "document",
            "configuration": "lexical",
            "query": "q1",
            "rank": 1,
            "base": '"d1"',
            "new": '"d2"',
        }
    ]
    assert got["cells"][1]["latency"] == {"lexical": {"p50_ms": 1.0, "ratio": 0.5}}
