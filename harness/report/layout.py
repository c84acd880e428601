"""What the terminal faces share: tables, tone, and text that cannot do harm.

Where output is no terminal, or ``NO_COLOR`` is set, decoration is plain ASCII and
carries no escape code, so that it can be piped, diffed and stored.
"""

import os
import sys
from collections.abc import Iterable, Sequence

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_RULE_UNDER_HEADER = "    \n    \n {0}  \n    \n    \n    \n    \n    \n"
NAME_WIDTH = 16
MAX_LABEL = 24
LEAST_WIDTH = 80
"""Narrower terminals fold whole lines: better than figures cut short."""

PLAIN_BOX = Box(_RULE_UNDER_HEADER.format("-"), ascii=True)
FINE_BOX = Box(_RULE_UNDER_HEADER.format("─"))


class _Terminal(Console):
    """A console that a reader may leave: what else is printed goes nowhere.

    Rich would end the process with 1 there, which in this project means that a gate
    failed; the exit code belongs to the verdict, not to who reads it.
    """

    def on_broken_pipe(self) -> None:
        """Go on in silence."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def terminal() -> Console:
    """Open standard output, as a person or a pipe has it now."""
    console = _Terminal(highlight=False, emoji=False, markup=False)
    console.width = max(console.width, LEAST_WIDTH)
    return console


def is_plain(console: Console) -> bool:
    """Tell whether *console* must get undecorated ASCII."""
    return console.no_color or not console.is_terminal


def shown(value: object, console: Console, style: str = "") -> Text:
    """Make *value* safe to print: a name out of a file may hold anything.

    Control characters, escape sequences among them, and whatever the output cannot
    encode come out as backslash escapes; rich markup stays text.
    """
    text = "".join(
        character if character.isprintable() else _escaped(character)
        for character in str(value)
    )
    safe = text.encode(console.encoding, "backslashreplace").decode(console.encoding)
    return Text(safe, style="" if is_plain(console) else style)


def table(
    console: Console,
    names: Sequence[str],
    figures: Sequence[str],
    remark: str | None = None,
    *,
    name_width: int | None = None,
) -> Table:
    """Start a table: columns of names, of figures, and perhaps one of remarks.

    Names and remarks are folded where the terminal is too narrow; figures are never
    cut. With *name_width* the first column of names keeps that width.
    """
    plain = is_plain(console)
    made = Table(
        box=PLAIN_BOX if plain else FINE_BOX,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="" if plain else "bold",
        border_style="" if plain else "dim",
    )
    for place, title in enumerate(names):
        made.add_column(
            title, overflow="fold", width=name_width if place == 0 else None
        )
    for title in figures:
        made.add_column(title, justify="right", no_wrap=True)
    if remark is not None:
        made.add_column(remark, overflow="fold")
    return made


def width_of(labels: Iterable[str]) -> int:
    """Give the width that a column of *labels* needs, within reason."""
    return min(max((cell_len(label) for label in labels), default=0), MAX_LABEL)


def say(console: Console, name: str, *lines: str, style: str = "") -> None:
    """Print one fact: its name at the left, its lines wrapped beside it."""
    # A name that fills its column must not run into the text.
    margin = shown(f"{name:<{NAME_WIDTH - 1}} ", console, "dim")
    width = max(console.width - len(margin), NAME_WIDTH)
    for line in lines:
        for piece in shown(line, console, style).wrap(console, width):
            # Text beside text: a table would pad every line with blanks.
            console.print(Text.assemble(margin, piece), soft_wrap=True)
            margin = shown(" " * len(margin), console)


def heading(console: Console, title: str, note: str = "") -> None:
    """Print a table's title after an empty line, with a quieter note behind it."""
    text = Text.assemble(
        shown(title, console, "bold"), "  ", shown(note, console, "dim")
    )
    console.print()
    console.print(text, soft_wrap=True)


def number(value: float | None, digits: int = 3) -> str:
    """Write a figure with *digits* decimals; what was not measured is ``-``."""
    return "-" if value is None else f"{value:.{digits}f}"


def count(amount: int, noun: str) -> str:
    """Write *amount* of a noun that takes an s: ``1 drawer``, ``2 drawers``."""
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {noun}s"


def listed(items: Iterable[object]) -> str:
    """Join *items* with commas."""
    return ", ".join(str(item) for item in items)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
