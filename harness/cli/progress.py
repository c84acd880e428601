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
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from harness.units import seconds

Advance = Callable[[int], None]

EVERY_S = 60.0
"""How often a log hears of a phase that goes on."""


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
            yield Said(name, total, notify, time.perf_counter).advance
        count = f"{total:,} steps, " if total and total > 1 else ""
        took = seconds(time.perf_counter() - began)
        print(f"{name}: {count}{took}", file=sys.stderr)

    def _bar(self) -> Progress:
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=32),
            MofNCompleteColumn(),
            _RateColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )


class Said:
    """Say now and then how far a phase is, where no bar can be seen.

    Args:
        name: The phase.
        total: How many steps there will be; None where nobody knows.
        say: Takes a line.
        clock: Seconds from any fixed moment, never going back.
    """

    def __init__(
        self,
        name: str,
        total: int | None,
        say: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._name, self._total, self._say, self._clock = name, total, say, clock
        self._done = 0
        self._began_s = self._said_s = clock()

    def advance(self, steps: int) -> None:
        """Note steps that were done."""
        self._done += steps
        now_s = self._clock()
        if now_s - self._said_s < EVERY_S or not self._done:
            return
        self._said_s = now_s
        per_second = self._done / (now_s - self._began_s)
        far, left = f"{self._done:,}", ""
        if self._total is not None:
            left_s = max(self._total - self._done, 0) / per_second
            far, left = f"{far} of {self._total:,}", f", {seconds(left_s)} left"
        self._say(f"{self._name}: {far}, {rate(per_second)}{left}")


def rate(per_second: float) -> str:
    """Say how fast steps go, by the minute where they are slow.

    >>> rate(0.5), rate(12.34)
    ('30.0 a minute', '12.3 a second')
    """
    if per_second < 1:
        return f"{per_second * 60:,.1f} a minute"
    return f"{per_second:,.1f} a second"


class _RateColumn(ProgressColumn):
    """How fast steps go at present."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else rate(speed))
