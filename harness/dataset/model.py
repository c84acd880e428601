"""A judged data set as frozen values, and who may see which document when.

The values here are whole: `harness.dataset.read` is the only place that makes them
from a file, and it refuses whatever breaks a rule. Code that receives a `Dataset`
need not check it again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Document:
    """A base document: one drawer, written before the first epoch ends."""

    id: str
    wing: str
    room: str
    content: str


@dataclass(frozen=True, slots=True)
class Supersession:
    """A correction: during *epoch*, *doc* gives way to *new_id* with new content."""

    epoch: int
    """1 or more; epoch 0 is the state after the base documents were written."""
    doc: str
    """The base document that ends; each is corrected at most once."""
    new_id: str
    content: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A link from a base document to a named entity, for graph expansion."""

    doc: str
    entity: str
    kind: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Where a query looks; ``None`` leaves that side open."""

    wing: str | None = None
    room: str | None = None


@dataclass(frozen=True, slots=True)
class Present:
    """What holds when the query is asked."""

    def __str__(self) -> str:
        return "the present"


@dataclass(frozen=True, slots=True)
class Historical:
    """Every version ever written."""

    def __str__(self) -> str:
        return "every version"


@dataclass(frozen=True, slots=True)
class AsOfEpoch:
    """What held at the end of *epoch*."""

    epoch: int

    def __str__(self) -> str:
        return f"the end of epoch {self.epoch}"


@dataclass(frozen=True, slots=True)
class BetweenEpochs:
    """What held at some moment from the end of *start* to the end of *end*."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"the ends of epochs {self.start} to {self.end}"


Temporal = Present | Historical | AsOfEpoch | BetweenEpochs


@dataclass(frozen=True, slots=True)
class Judgment:
    """How relevant a document is to a query: 2 answers it, 1 is related."""

    doc: str
    grade: int
    """1 or more; a document that is not relevant has no judgment."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its judged answers."""

    id: str
    category: str
    text: str
    filter: Filter
    temporal: Temporal
    configurations: tuple[str, ...] | None
    """Names of the configurations that ask it; ``None`` means the usual ones."""
    relevant: tuple[Judgment, ...]
    """Never empty, and no document twice."""

    @property
    def grades(self) -> dict[str, int]:
        """Map each judged document to its grade; what is absent counts as 0."""
        return {judgment.doc: judgment.grade for judgment in self.relevant}


class Placement(NamedTuple):
    """The wing and room a document lies in."""

    wing: str
    room: str


@dataclass(frozen=True)
class Dataset:
    """A whole data set: valid, in file order, and known by the hash of its bytes."""

    name: str
    version: int
    description: str
    concepts: Mapping[str, str]
    """Lower-case word to concept, for the stand-in vectors alone."""
    documents: tuple[Document, ...]
    supersessions: tuple[Supersession, ...]
    mentions: tuple[Mention, ...]
    queries: tuple[Query, ...]
    sha256: str
    """Lower-case hex SHA-256 of the file's bytes: white space changes it too."""
    path: Path
    """Where it was read from; no part of what the data set is."""

    @cached_property
    def last_epoch(self) -> int:
        """The epoch of the last correction, 0 where there is none."""
        return max((each.epoch for each in self.supersessions), default=0)

    @cached_property
    def document_ids(self) -> tuple[str, ...]:
        """Ids of all documents, corrections after the base ones, in file order."""
        return (
            *(document.id for document in self.documents),
            *(correction.new_id for correction in self.supersessions),
        )

    @cached_property
    def _placements(self) -> dict[str, Placement]:
        placements = {
            document.id: Placement(document.wing, document.room)
            for document in self.documents
        }
        for correction in self.supersessions:
            placements[correction.new_id] = placements[correction.doc]
        return placements

    @cached_property
    def _created(self) -> dict[str, int]:
        return {each.new_id: each.epoch for each in self.supersessions}

    @cached_property
    def _ended(self) -> dict[str, int]:
        return {each.doc: each.epoch for each in self.supersessions}

    def placement(self, doc: str) -> Placement | None:
        """Return where *doc* lies, or ``None`` for filler and unknown ids.

        A correction lies where the document it replaces lay.
        """
        return self._placements.get(doc)

    def in_scope(self, doc: str, scope: Filter) -> bool:
        """Tell whether *scope* lets *doc* through.

        What the data set does not describe (filler, an unknown id) is in scope only
        where neither wing nor room is asked for.
        """
        placement = self.placement(doc)
        if placement is None:
            return scope.wing is None and scope.room is None
        return scope.wing in {None, placement.wing} and (
            scope.room in {None, placement.room}
        )

    def visible(self, doc: str, temporal: Temporal) -> bool:
        """Tell whether *doc* held at the time *temporal* asks for.

        Ends are exclusive: a document corrected in epoch 1 does not hold at the end
        of epoch 1. What the data set does not describe holds from epoch 0 for ever.
        """
        created = self._created.get(doc, 0)
        ended = self._ended.get(doc)
        match temporal:
            case Present():
                return ended is None
            case Historical():
                return True
            case AsOfEpoch(epoch):
                return created <= epoch and (ended is None or ended > epoch)
            case BetweenEpochs(start, end):
                return created <= end and (ended is None or ended > start)
