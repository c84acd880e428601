"""Documents and queries in other people's files: JSON lines, tables, TREC topics."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.dataset.exchange.lines import Line, read_lines, read_objects
from harness.dataset.jsonfile import JsonValue, display
from harness.dataset.longmemeval.fields import storable
from harness.dataset.place import Place, shown

_TAG = re.compile(r"<(/?)(\w+)>\s*([^<]*)", re.ASCII)
_NUMBER = re.compile(r"(?:Number\s*:)?\s*(\S.*?)\s*", re.IGNORECASE)
_TITLE = re.compile(r"(?:Topic\s*:)?\s*(\S.*?)\s*", re.IGNORECASE | re.DOTALL)


_PARTS = ("title", "text")
_REQUIRED = ("text",)


class Text(NamedTuple):
    """A document or a query."""

    place: Place
    """File and line."""
    id: str
    text: str
    """May be blank; U+FFFD stands for what no daemon can store."""
    was_mended: bool = False
    """Whether some U+FFFD was put in."""


def read_texts(path: Path) -> Iterator[Text]:
    """Yield the texts of a file of JSON lines: ``_id``, ``title``, ``text``.

    The title may be missing or blank; else it stands before the text, with a blank
    between, as BEIR's own models have it. Other keys are passed over.

    Raises:
        DatasetError: While iterating, naming file and line. An id that comes a second
            time is refused.
    """
    seen = _Seen()
    for place, members in read_objects(path):
        name = _identity(members, place)
        for key in _REQUIRED:
            if key not in members:
                raise place.refuse(
                    f"the key {key!r} is missing.", "Add it. Required here: _id, text."
                )
        parts = [_string(members.get(key), place.at(key)) for key in _PARTS]
        text = " ".join(part.strip() for part in parts if part.strip())
        yield seen.once(_text(place, name, text))


def read_topics(path: Path) -> Iterator[Text]:
    """Yield TREC topics: JSON lines, ``<top>`` elements, or an id, a tab and a text.

    Which of the three it is, its first character says. Of a ``<top>`` the number and
    the title are taken, and neither description nor narrative.

    Raises:
        DatasetError: While iterating, naming file and line.
    """
    first = next(read_lines(path), None)
    if first is None:
        raise Place(display(path)).refuse("the file is empty.", "Write it again.")
    if first.text.startswith("{"):
        yield from read_texts(path)
        return
    seen = _Seen()
    found = _elements(path) if first.text.startswith("<") else _rows(path)
    for each in found:
        yield seen.once(each)


class _Seen:
    """Refuse an id that comes a second time."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def once(self, text: Text) -> Text:
        earlier = self._places.setdefault(text.id, text.place.file)
        if earlier != text.place.file:
            raise text.place.refuse(
                f"{shown(text.id)} is the id of {earlier} too.",
                "Give every document and every query an id of its own.",
            )
        return text


def _rows(path: Path) -> Iterator[Text]:
    for line in read_lines(path):
        name, tab, text = line.text.partition("\t")
        if not tab:
            raise line.place.refuse(
                "found no tab.", "Write a topic's id, a tab, and its text."
            )
        yield _text(line.place, name.strip(), text.strip())


def _elements(path: Path) -> Iterator[Text]:
    """Read ``<top>`` elements, the tags of which are hardly ever closed."""
    start: Place | None = None
    members: dict[str, str] = {}
    open_tag = ""
    for line in read_lines(path):
        for opening, tag, text in _pieces(line):
            if tag == "top":
                if start is not None:
                    yield _topic(start, members)
                start, members = (line.place, {}) if opening else (None, {})
            if tag:
                open_tag = tag if opening else ""
            if open_tag:
                members[open_tag] = f"{members.get(open_tag, '')} {text}".strip()
    if start is not None:
        yield _topic(start, members)


def _pieces(line: Line) -> Iterator[tuple[bool, str, str]]:
    """Part a line into tags with what follows each; the start has no tag."""
    first = _TAG.search(line.text)
    before = line.text if first is None else line.text[: first.start()]
    if before.strip():
        yield True, "", before.strip()
    for found in _TAG.finditer(line.text):
        yield not found[1], found[2].lower(), found[3].strip()


def _topic(place: Place, members: dict[str, str]) -> Text:
    number = _NUMBER.fullmatch(members.get("num", ""))
    title = _TITLE.fullmatch(members.get("title", ""))
    if number is None or title is None:
        raise place.refuse(
            "the topic has no number or no title.",
            "Write <num> and <title> into every <top>.",
        )
    return _text(place, number[1], title[1])


def _identity(members: dict[str, JsonValue], place: Place) -> str:
    value = members.get("_id")
    if isinstance(value, int) and not isinstance(value, bool):
        # Some exports write numbers; qrels have text in any case.
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise place.at("_id").refuse(
            f"found {shown(value)}, wanted an id.", "Give every line a string as _id."
        )
    return value


def _string(value: JsonValue, place: Place) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise place.refuse(
            f"found {shown(value)}, wanted a string.",
            "Compare it with the format in docs/datasets.md.",
        )
    return value


def _text(place: Place, name: str, text: str) -> Text:
    mended = storable(text)
    return Text(place, name, mended, mended != text)
