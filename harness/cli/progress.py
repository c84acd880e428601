"""Progress on standard error: bars where a person watches, a line a phase elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from harness.units import seconds

Advance = Callable[[int], None]


def notify(text: str) -> None:
    """Say on standard error what is being fetched or built."""
    print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Say on standard error, so that nobody misses it, what a reader must know."""
    line = Text(f"WARNING: {text}", style="bold yellow")
    Console(stderr=True).print(line, soft_wrap=True)


class TerminalProgress:
    """Show what is going on, on standard error, so that output can be piped."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)

    @contextmanager
    def phase(self, name: str, total: int | None) -> Iterator[Advance]:
        """Show one phase until the block ends.

        Args:
            name: What is being done, in the words of a person.
            total: How many steps there will be; None where nobody knows.

        Yields:
            A function to call with the number of steps just done.
        """
        began = time.perf_counter()
        if self._console.is_terminal:
            with self._bar() as bar:
                task = bar.add_task(name, total=total)
                yield lambda steps: bar.advance(task, steps)
        else:
            yield lambda _steps: None
        count = f"{total:,} steps, " if total and total > 1 else ""
        took = seconds(time.perf_counter() - began)
        print(f"{name}: {count}{took}", file=sys.stderr)

    def _bar(self) -> Progress:
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=32),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
