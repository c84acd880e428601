"""Make a judged data set of somebody else's documents, queries and judgments.

The result is an ordinary data file. It keeps, in comments, where it came from, every id
that could not stay what it was, and everything that was left out.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.dataset import shape
from harness.dataset.exchange.judgments import Grading, Judgments
from harness.dataset.exchange.texts import Text
from harness.dataset.jsonfile import JsonValue, display, parse_json
from harness.dataset.model import Dataset
from harness.dataset.node import Node
from harness.dataset.place import Place, shown
from harness.dataset.read import LARGEST_FILE
from harness.dataset.rules import check
from harness.dataset.rules.strings import check_id, check_label
from harness.errors import DatasetError

WING = "imported"
"""Where every imported document lies; no query asks for a place."""

ROOM = "documents"
"""The room of all documents but those that are word for word like another one.

A daemon stores one text once in one room, so the second lies in ``documents-2``.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is brought in."""

    kind: str
    """``BEIR`` or ``TREC``."""
    name: str
    """What the data set shall be called."""
    documents: Iterable[Text]
    queries: Iterable[Text]
    judgments: Judgments
    judged_in: str
    """The judgments' file, for messages."""
    grading: Grading
    origin: Mapping[str, str]
    """Words about the source, such as each file's name to its SHA-256."""


@dataclass(slots=True)
class Tally:
    """What became of everything that was read; lists hold ids as they were."""

    documents: int = 0
    queries: int = 0
    judgments: int = 0
    """Of these queries, and above 0."""
    grades: dict[str, int] = field(default_factory=dict)
    """Grade to how many judgments have it."""
    blank_documents: list[str] = field(default_factory=list)
    """Left out: there is nothing to write."""
    twins: list[str] = field(default_factory=list)
    """Word for word like an earlier document: they lie in another room."""
    mended_texts: list[str] = field(default_factory=list)
    """U+FFFD stands in them for what no daemon can store."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Id here to the id there, which the data set's rules refuse."""
    not_relevant: int = 0
    """Judgments of grade 0 or below, which is what an unlisted document has too."""
    unjudged_queries: int = 0
    """Left out: these judgments do not speak of them."""
    irrelevant_queries: list[str] = field(default_factory=list)
    """Left out: nothing relevant, so no metric is defined."""
    unknown_queries: list[str] = field(default_factory=list)
    """Judged, but not there, or without a text."""
    unknown_documents: list[str] = field(default_factory=list)
    """Judged relevant, but not there, or left out as blank: ``query: document``."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A data set, the bytes of its file, and what was made of its source."""

    dataset: Dataset
    data: bytes
    tally: Tally


def assemble(source: Source, path: Path) -> Imported:
    """Make a data set of *source* that passes every rule.

    Args:
        source: Its documents and queries are read once.
        path: Where it will lie, for messages; nothing is written.

    Raises:
        DatasetError: A file is malformed, or no query is left.
    """
    tally = Tally()
    documents = _Documents(source, tally)
    queries = _queries(source, documents.ids, tally)
    _count_what_is_not_there(source, documents.ids, tally)
    if not queries:
        raise Place(source.judged_in).refuse(
            f"no query is left: {len(tally.unknown_queries)} judged ones are not among "
            f"the queries, {len(tally.irrelevant_queries)} have no relevant document.",
            "Check that queries, documents and judgments are of one collection, and "
            "what --grades makes of the scores.",
        )
    content: JsonValue = {
        "_import": _record(source, tally),
        "name": source.name,
        "version": 1,
        "description": _description(source, tally),
        "concepts": {},
        "documents": documents.entries,
        "queries": queries,
    }
    data = f"{json.dumps(content, indent=1, ensure_ascii=False)}\n".encode()
    return Imported(_checked(data, path), data, tally)


class _Documents:
    """The documents of the data set, and the ids they have in it."""

    def __init__(self, source: Source, tally: Tally) -> None:
        self.entries: list[JsonValue] = []
        self.ids: dict[str, str] = {}
        """Id in the source to id here."""
        self._copies: dict[bytes, int] = {}
        self._size = 0
        self._tally = tally
        for number, document in enumerate(source.documents):
            self._add(document, number)
        tally.documents = len(self.entries)

    def _add(self, document: Text, number: int) -> None:
        if not document.text.strip():
            self._tally.blank_documents.append(document.id)
            return
        name = _fitting(document, f"document-{number}", self._tally, is_document=True)
        if document.was_mended:
            self._tally.mended_texts.append(document.id)
        entry: dict[str, JsonValue] = {"id": name}
        if name != document.id:
            entry["_id"] = document.id
        room = self._room(document)
        entry |= {"wing": WING, "room": room, "content": document.text}
        self._refuse_too_many(document)
        self.ids[document.id] = name
        self.entries.append(entry)

    def _room(self, document: Text) -> str:
        digest = hashlib.sha256(document.text.encode()).digest()
        copy = self._copies[digest] = self._copies.get(digest, 0) + 1
        if copy == 1:
            return ROOM
        self._tally.twins.append(document.id)
        return f"{ROOM}-{copy}"

    def _refuse_too_many(self, document: Text) -> None:
        """Stop at once: a corpus may be a hundred times what a data file can hold."""
        self._size += len(document.text.encode())
        if self._size > LARGEST_FILE:
            raise document.place.refuse(
                f"the documents up to here have more than {LARGEST_FILE:,} bytes, "
                "which is what a data file may have.",
                "Take a smaller collection, or a part of this one with its judgments.",
            )


def _queries(source: Source, ids: Mapping[str, str], tally: Tally) -> list[JsonValue]:
    entries: list[JsonValue] = []
    unseen = dict.fromkeys(source.judgments.scores)
    for number, query in enumerate(source.queries):
        if query.id not in unseen:
            tally.unjudged_queries += 1
            continue
        if not query.text.strip():
            continue
        del unseen[query.id]
        relevant = _relevant(query, source, ids, tally)
        if not relevant:
            tally.irrelevant_queries.append(query.id)
            continue
        name = _fitting(query, f"query-{number}", tally, is_document=False)
        entry: dict[str, JsonValue] = {"id": name}
        if name != query.id:
            entry["_id"] = query.id
        if query.was_mended:
            tally.mended_texts.append(query.id)
        entry |= {"category": source.kind.lower(), "text": query.text}
        entries.append(entry | {"relevant": relevant})
    tally.unknown_queries = list(unseen)
    tally.queries = len(entries)
    return entries


def _relevant(
    query: Text, source: Source, ids: Mapping[str, str], tally: Tally
) -> list[JsonValue]:
    found: list[JsonValue] = []
    for document, number in source.judgments.scores[query.id].items():
        grade = source.grading.grade(number)
        if grade is None:
            raise Place(source.judged_in).refuse(
                f"the score {number} of {shown(document)} in query {shown(query.id)} "
                f"has no grade in {shown(source.grading.name)}.",
                "Give --grades one for every score there is; 0 is not relevant.",
            )
        if grade and document in ids:
            found.append({"doc": ids[document], "grade": grade})
            tally.judgments += 1
            tally.grades[str(grade)] = tally.grades.get(str(grade), 0) + 1
    return found


def _count_what_is_not_there(
    source: Source, ids: Mapping[str, str], tally: Tally
) -> None:
    """Count judgments that list nothing, of left-out queries too."""
    for query, scores in source.judgments.scores.items():
        for document, number in scores.items():
            if not source.grading.grade(number):
                tally.not_relevant += 1
            elif document not in ids:
                tally.unknown_documents.append(f"{query}: {document}")


def _fitting(text: Text, stand_in: str, tally: Tally, *, is_document: bool) -> str:
    """Return an id, or what stands for it where the data set's rules refuse it."""
    try:
        (check_id if is_document else check_label)(text.id, text.place)
    except DatasetError:
        # Ids of the source hardly look like this; should one, the rules refuse it.
        name = f"renamed-{stand_in}"
        tally.renamed[name] = text.id
        return name
    return text.id


def _description(source: Source, tally: Tally) -> str:
    return (
        f"{source.name}, imported from a collection in {source.kind}'s format: "
        f"{tally.documents:,} documents, {tally.queries:,} queries, "
        f"{tally.judgments:,} judgments; grades: {source.grading.name}. What was "
        "renamed or left out stands under _import."
    )


def _record(source: Source, tally: Tally) -> JsonValue:
    return {
        "format": source.kind,
        **source.origin,
        "grades": source.grading.name,
        "not_relevant": tally.not_relevant,
        "unjudged_queries": tally.unjudged_queries,
        "blank_documents": list(tally.blank_documents),
        "twins": list(tally.twins),
        "mended_texts": list(tally.mended_texts),
        "renamed": dict(tally.renamed),
        "irrelevant_queries": list(tally.irrelevant_queries),
        "unknown_queries": list(tally.unknown_queries),
        "unknown_documents": list(tally.unknown_documents),
    }


def _checked(data: bytes, path: Path) -> Dataset:
    """Read what was made as any data file is read, so that no rule is left out."""
    place = Place(display(path))
    if len(data) > LARGEST_FILE:
        raise place.refuse(
            f"the data set would have {len(data):,} bytes, wanted at most "
            f"{LARGEST_FILE:,}.",
            "Take a smaller collection, or a part of this one with its judgments.",
        )
    root = Node(parse_json(data, place.file), place)
    sha256 = hashlib.sha256(data).hexdigest()
    dataset = shape.dataset(root, sha256=sha256, path=path)
    check(dataset, place)
    return dataset
