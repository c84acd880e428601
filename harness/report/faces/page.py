"""The one page that a report becomes: it needs nothing but itself.

Its policy allows no request at all, and only the style and the script that are part of
this package, by their hashes. So whatever a data set holds can neither load nor run
anything, even if it were to become markup.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from harness.report.faces.markup import Content, Markup, joined, name, tag

Json = bool | int | float | str | None | Sequence["Json"] | dict[str, "Json"]


def page(title: str, *body: Content, data: Json = None) -> bytes:
    """Put *body* into a whole page.

    Args:
        title: Of the document; text.
        body: Its parts.
        data: What the script makes tables of; finite numbers only.

    Raises:
        ValueError: *data* holds a number that is not finite.
    """
    style, script = _part("page.css"), _part("page.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    head = joined(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", style),
    )
    held = tag("script", _data(data), type="application/json", id="data")
    main = tag("body", *body, held, tag("script", script))
    whole = tag("html", tag("head", head), "", main, lang="en")
    return f"<!doctype html>\n{whole}\n".encode()


def section(title: str, *content: Content, note: str = "", anchor: str = "") -> Markup:
    """Give a part of the page its heading, and a name to be linked by."""
    quiet = tag("p", note, class_="lead") if note else None
    return tag(
        "section", tag("h2", title), quiet, *content, id=anchor or _anchor(title)
    )


def contents(titles: Sequence[str]) -> Markup:
    """Link to the sections."""
    links = [tag("a", title, href=f"#{_anchor(title)}") for title in titles]
    return tag("nav", links, aria_label="Sections")


def folded(title: str, *content: Content, is_open: bool = False) -> Markup:
    """Hide what few readers look for behind a line that opens it."""
    return tag("details", tag("summary", title), *content, open=is_open)


def facts(pairs: Sequence[tuple[str, Content]]) -> Markup:
    """List facts by name."""
    rows = [
        tag("div", tag("dt", key), tag("dd", value))
        for key, value in pairs
        if value is not None
    ]
    return tag("dl", rows, class_="facts")


def table(
    names: Sequence[str],
    figures: Sequence[str],
    rows: Sequence[Sequence[Content]],
    *,
    caption: str = "",
    remarks: Sequence[str] = (),
) -> Markup:
    """Set out columns of names, of figures, and of remarks; rows have all their cells.

    A row of one cell is a heading over those below it.
    """
    width = len(names) + len(figures) + len(remarks)
    head = [
        *(tag("th", each, scope="col") for each in names),
        *(tag("th", each, scope="col", class_="figure") for each in figures),
        *(tag("th", each, scope="col") for each in remarks),
    ]
    body = [_row(cells, len(names), len(figures), width) for cells in rows]
    made = tag(
        "table",
        tag("caption", caption) if caption else None,
        tag("thead", tag("tr", head)),
        tag("tbody", body),
    )
    return tag(
        "div",
        made,
        class_="scroll",
        tabindex="0",
        role="group",
        aria_label=caption or "table",
    )


def query_table(key: str) -> Markup:
    """Leave room for the table that the script makes of the data under *key*."""
    return tag(
        "div",
        tag("noscript", tag("p", "The table of queries needs scripts.")),
        class_="queries",
        data_table=key,
    )


def status(word: str, text: Content, kind: str) -> Markup:
    """Say one thing that holds or does not; *kind* is ``good``, ``bad`` or ``warn``."""
    return tag("li", tag("b", word), " ", text, class_=kind)


def statuses(items: Sequence[Markup]) -> Markup:
    """List what holds and what does not."""
    return tag("ul", items, class_="status")


def colophon(words: str) -> Markup:
    """End the page by saying what made it."""
    return tag("footer", tag("p", words))


def code(text: object) -> Markup:
    """Set a name of the data apart, in letters of one width."""
    return tag("code", name(text))


def _row(cells: Sequence[Content], names: int, figures: int, width: int) -> Markup:
    if len(cells) == 1 and width > 1:
        heading = tag("th", cells[0], scope="rowgroup", colspan=str(width))
        return tag("tr", heading, class_="group")
    made = [tag("th", cells[0], scope="row")]
    for place, cell in enumerate(cells[1:], start=1):
        is_figure = names <= place < names + figures
        made.append(tag("td", cell, class_="figure" if is_figure else None))
    return tag("tr", made)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


@cache
def _part(file: str) -> Markup:
    text = files("harness.report.faces").joinpath(file).read_text("utf-8")
    return Markup(f"\n{text}")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _data(data: Json) -> Markup:
    """Write JSON that no browser can take for the end of its element."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
