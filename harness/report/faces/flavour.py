"""Markdown as GitHub reads it, in which text out of a file stays text.

A name goes into a code span: nothing in one is markup, a mention, a link or an emoji.
A sentence that holds names is escaped, and what would mention a person or an issue is
broken by a space of no width.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.report.faces.visible import visible

LIMIT = 60_000
"""Bytes of a whole text; GitHub refuses a comment of more than 65,536 characters."""

_SPACE = "&#8203;"
_ESCAPED = re.compile(r"([\\`*_\[\]<>&~$])")
_MENTION = re.compile(r"(?<!\w)@|@(?!\d+(?!\w|\.\w))")
"""All but the one in ``recall@5``, which neither calls anybody nor is an address."""
_LINKED = re.compile(r"(https?|ftp|mailto)(:)|(www)(\.)", re.IGNORECASE)


class Markdown(str):
    """Text that is Markdown already. Never make one of anything read from a file."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a text that can be cut row by row, or left out whole."""

    title: str
    """What is said to be missing where it does not fit."""
    head: tuple[str, ...]
    rows: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()


def code(text: object) -> Markdown:
    """Set *text* in a code span, whatever it holds.

    >>> code("a`b")
    '``a`b``'
    """
    shown = visible(text)
    runs = [len(run) for run in re.findall("`+", shown)]
    fence = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    # A span loses one space at each end, and cannot be empty.
    edge = " " if not shown.strip() or shown[0] in "` " or shown[-1] in "` " else ""
    return Markdown(f"{fence}{edge}{shown or ' '}{edge}{fence}")


def prose(text: str) -> Markdown:
    r"""Escape a sentence: it is read as it was written, and calls nobody.

    >>> print(prose("*a* | @b"))
    \*a\* &#124; @&#8203;b
    """
    safe = _ESCAPED.sub(r"\\\1", visible(text))
    safe = safe.replace("|", "&#124;")
    safe = _MENTION.sub(f"@{_SPACE}", safe)
    safe = re.sub(r"#(?=\w)(?!\d+;)", f"#{_SPACE}", safe)
    return Markdown(_LINKED.sub(r"\1\3\\\2\4", safe))


def strong(text: str) -> Markdown:
    """Set a text of our own in bold."""
    return Markdown(f"**{prose(text)}**")


def table(
    title: str,
    names: Sequence[str],
    figures: Sequence[str],
    rows: Iterable[Sequence[str]],
) -> Block:
    """Set out a table; plain text in it is escaped.

    Args:
        title: Said where rows have to be left out.
        names: Titles of the columns of text.
        figures: Titles of the columns of figures, which are set to the right.
        rows: Their cells, those of text first.
    """
    head = (
        "",
        _row([*names, *figures]),
        f"|{' --- |' * len(names)}{' ---: |' * len(figures)}",
    )
    return Block(title, head, tuple(map(_row, rows)))


def folded(title: str, block: Block) -> Block:
    """Hide *block* behind its title."""
    head = ("", f"<details><summary>{prose(title)}</summary>", *block.head)
    return Block(title, head, block.rows, (*block.tail, "", "</details>"))


def lines(title: str, *written: str) -> Block:
    """Put lines of Markdown together that are shown or left out as one."""
    return Block(title, ("", *written))


def items(title: str, written: Iterable[str]) -> Block:
    """List Markdown, an item a line."""
    return Block(title, ("",), tuple(f"- {each}" for each in written))


def document(blocks: Sequence[Block], *, limit: int = LIMIT) -> bytes:
    """Put *blocks* together within *limit* bytes, and say what was left out.

    What comes first is kept: a table loses its last rows, a block behind it may be
    missing.
    """
    room = limit - 400
    out: list[str] = []
    missing: list[str] = []
    for block in blocks:
        frame = _size(block.head) + _size(block.tail)
        if frame + (80 if block.rows else 0) > room:
            missing.append(block.title)
            continue
        room -= frame
        kept = _fitting(block.rows, room - 80)
        out += [*block.head, *block.rows[:kept]]
        room -= _size(block.rows[:kept])
        if kept < len(block.rows):
            left = f"{len(block.rows) - kept:,} more rows are in the report."
            out += ["", f"_{left}_"]
            room -= len(left) + 4
        out += block.tail
    if missing:
        named = ", ".join(missing[:8])
        out += ["", f"_Left out for size: {prose(named)}._"]
    text = "\n".join(out).strip("\n")
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _fitting(rows: Sequence[str], room: int) -> int:
    """Count the rows that *room* bytes hold."""
    if _size(rows) <= room + 80:
        return len(rows)
    for place, row in enumerate(rows):
        room -= _size([row])
        if room < 0:
            return place
    return len(rows)


def _row(cells: Sequence[str]) -> str:
    written = (
        cell.replace("|", "\\|") if isinstance(cell, Markdown) else prose(cell)
        for cell in cells
    )
    return f"| {' | '.join(written)} |"


def _size(written: Sequence[str]) -> int:
    return sum(len(each.encode("utf-8", "backslashreplace")) + 1 for each in written)
