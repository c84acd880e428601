"""TREC's judgments (qrels) and rankings (runs), read and written as trec_eval does.

A run's order is not that of its lines, nor that of its ranks, which trec_eval never
looks at: it is that of its scores, narrowed to 32 bits, and documents of one score
come in descending order of their ids' bytes. `Run.ranking` is that order.
"""

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from harness.dataset.exchange.beir import HEADER, beir_judgments
from harness.dataset.exchange.judgments import Judgments, QrelsBuilder, score
from harness.dataset.exchange.lines import Line, read_lines
from harness.dataset.jsonfile import display
from harness.dataset.place import Place, shown
from harness.errors import DatasetError

_QRELS = "query iteration document grade"
_RUN = "query Q0 document rank score tag"


@dataclass(frozen=True, slots=True)
class Run:
    """What one system returned."""

    tags: tuple[str, ...]
    """The names its lines give it, usually one, in the order they appear."""
    scores: Mapping[str, Mapping[str, float]]
    """Query to document to score, in the order of the lines."""

    def ranking(self, query: str) -> list[str]:
        """Return the documents of a query as trec_eval orders them, best first.

        A query that the run does not have gives an empty ranking.
        """
        found = self.scores.get(query, {})
        by_id = sorted(found, key=str.encode, reverse=True)
        return sorted(by_id, key=lambda each: narrowed(found[each]), reverse=True)


def read_qrels(path: Path) -> Judgments:
    """Read judgments: TREC's four columns, or BEIR's three under their header.

    Raises:
        DatasetError: Naming file and line. A document judged twice is refused, as
            trec_eval does.
    """
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise _empty(path)
    if set(first.columns()) == set(HEADER):
        return beir_judgments(first, lines, path)
    judged = QrelsBuilder()
    _judge(judged, first)
    for line in lines:
        _judge(judged, line)
    return judged.judgments()


def read_run(path: Path) -> Run:
    """Read a run of six columns; its lines may come in any order.

    Raises:
        DatasetError: Naming file and line. A document twice under one query is
            refused, as trec_eval does.
    """
    tags: dict[str, None] = {}
    scores: dict[str, dict[str, float]] = {}
    for line in read_lines(path):
        query, _, document, _, number, tag = _columns(line, _RUN)
        found = scores.setdefault(query, {})
        if document in found:
            raise line.place.refuse(
                f"{shown(document)} is ranked twice for query {shown(query)}.",
                "Keep the better of the two.",
            )
        found[document] = _score(line, number)
        tags[tag] = None
    if not scores:
        raise _empty(path)
    return Run(tuple(tags), scores)


def narrowed(number: float) -> float:
    """Round to 32 bits, as trec_eval keeps scores; what is too large is infinite."""
    try:
        value: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return value


def qrels_lines(grades: Mapping[str, Mapping[str, int]]) -> Iterable[str]:
    """Yield the lines of a qrels file, without line feeds."""
    for query, of_query in grades.items():
        for document, grade in of_query.items():
            yield f"{escaped(query)} 0 {escaped(document)} {grade}"


def run_lines(rankings: Mapping[str, Sequence[str]], tag: str) -> Iterable[str]:
    """Yield the lines of a run file, without line feeds.

    The scores count down to 1 from the length of the ranking, and are not those of
    the system: trec_eval sorts by score, and would put equal ones, or ones that 32
    bits cannot tell apart, into an order of its own.

    Args:
        rankings: Query to documents, best first, no repeats. A query without any
            leaves no line, so only ``trec_eval -c`` counts it.
        tag: What the run is called.
    """
    for query, documents in rankings.items():
        for rank, document in enumerate(documents, start=1):
            number = len(documents) + 1 - rank
            name = f"{escaped(query)} Q0 {escaped(document)}"
            yield f"{name} {rank} {number} {escaped(tag)}"


def escaped(name: str) -> str:
    """Return an id as one column can hold it; `unescaped` gives it back.

    White space, what cannot be printed, and ``%`` itself are percent-encoded.

    >>> escaped("chat 7, 100%")
    'chat%207,%20100%25'
    """
    if name.isprintable() and not {" ", "%"} & set(name):
        return name
    return "".join(
        each if each.isprintable() and each not in " %" else quote(each, safe="")
        for each in name
    )


def unescaped(name: str) -> str:
    """Return the id that `escaped` wrote.

    >>> unescaped("chat%207,%20100%25")
    'chat 7, 100%'
    """
    return unquote(name, errors="strict")


def _judge(judged: QrelsBuilder, line: Line) -> None:
    query, _, document, grade = _columns(line, _QRELS)
    judged.add(line.place, query, document, score(line.place, grade))


def _columns(line: Line, wanted: str) -> list[str]:
    found = line.columns()
    if len(found) != len(wanted.split()):
        raise line.place.refuse(
            f"found {len(found)} columns, wanted {len(wanted.split())}: {wanted}.",
            "Part them by blanks or tabs; an id must not hold any.",
        )
    return found


def _score(line: Line, text: str) -> float:
    try:
        # Python reads "1_0" as ten; whoever writes that means something else.
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise line.place.refuse(
            f"the score {shown(text)} is no finite number.",
            "Rankings are ordered by score: write a number, larger for better.",
        )
    return number


def _empty(path: Path) -> DatasetError:
    return Place(display(path)).refuse("the file is empty.", "Write it again.")
