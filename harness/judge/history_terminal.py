"""A history as a person reads it in a terminal: a small line a configuration."""

from collections.abc import Sequence

from rich.console import Console

from harness.judge.history import History, Line, stretches
from harness.report.faces.standing import primary
from harness.report.layout import (
    count,
    heading,
    is_plain,
    number,
    say,
    shown,
    table,
    terminal,
    width_of,
)

FINE = "▁▂▃▄▅▆▇█"
PLAIN = "_.-=+*#@"
LONGEST = 24
"""Reports drawn of one line: the newest."""
LEAST_RANGE = 0.05
"""A metric that moves less than this is drawn as nearly flat."""
GAP = " "


def print_history(history: History, *, console: Console | None = None) -> None:
    """Print a table for each line of two reports or more, and count the others.

    Without *console*, standard output gets it.
    """
    console = terminal() if console is None else console
    alone = [line for line in history.lines if len(line.kept) == 1]
    for line in history.lines:
        if len(line.kept) > 1:
            _print_line(line, console)
    if alone:
        say(
            console,
            "alone",
            f"{count(len(alone), 'report')} that compare with no other",
        )
    if history.others:
        say(console, "others", f"{count(history.others, 'file')} that hold no report")
    if len(alone) == len(history.lines):
        say(console, "history", "No two reports compare, so there is no line to draw.")


def sparkline(
    values: Sequence[float | None], letters: str, least: float = LEAST_RANGE
) -> str:
    """Draw *values* as letters of growing height; what is missing leaves a gap.

    Args:
        values: From left to right.
        letters: From low to high.
        least: A smaller range than this is not stretched to the full height.
    """
    known = [value for value in values if value is not None]
    if not known:
        return GAP * len(values)
    low, high = min(known), max(known)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    top = len(letters) - 1
    return "".join(
        GAP if value is None else letters[round((value - low) / (high - low) * top)]
        for value in values
    )


def _print_line(line: Line, console: Console) -> None:
    first, last = line.kept[0], line.kept[-1]
    note = f"{count(len(line.kept), 'report')}, {first.commit} to {last.commit}"
    heading(console, line.title, note)
    letters = PLAIN if is_plain(console) else FINE
    metric = _metric(line)
    sheet = table(
        console,
        ["configuration", metric],
        ["first", "last", "change"],
        name_width=max(width_of(line.configurations), 13),
    )
    sheet.add_column("median ms")
    sheet.add_column("last", justify="right", no_wrap=True)
    for name in line.configurations:
        values = line.values(name, metric)
        known = [value for value in values if value is not None]
        times = _times(line, name)
        change = f"{known[-1] - known[0]:+.3f}" if known else "-"
        sheet.add_row(
            shown(name, console),
            shown(sparkline(values[-LONGEST:], letters), console),
            number(known[0] if known else None),
            number(known[-1] if known else None),
            change,
            shown(_drawn_times(times, letters), console),
            number(times[-1] if times else None, 2),
        )
    console.print(sheet)


def _metric(line: Line) -> str:
    results = line.kept[-1].report.configurations
    measured = [each for each in results if each.queries]
    return (primary(measured[0]) if measured else None) or "metric"


def _times(line: Line, name: str) -> list[float | None]:
    """Give the medians of the newest stretch of one machine."""
    *_, (start, end) = stretches(line)
    return line.medians(name)[start:end][-LONGEST:]


def _drawn_times(times: Sequence[float | None], letters: str) -> str:
    known = [value for value in times if value is not None]
    # A fifth up or down is what a machine does by itself.
    least = 0.4 * max(known) if known else 1.0
    return sparkline(times, letters, least)
