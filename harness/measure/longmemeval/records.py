"""The lines of a journal."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from harness.dataset.longmemeval.policies import GoldPolicy, QuestionSet, Unscored
from harness.report.longmemeval import (
    DeclaredPolicies,
    EmbeddingCounts,
    FileReading,
    Isolation,
    Stage,
)
from harness.report.model import Caution, DaemonFacts, Environment, HarnessFacts, Phase
from harness.report.part import Amount, Count, Part

Ranked = Literal["lexical", "semantic", "hybrid"]
Golds = Mapping[GoldPolicy, tuple[str, ...]]


class ErrataReading(Part):
    """The list of doubted questions that a run applies."""

    name: str
    sha256: str


class Header(Part):
    """The first line: which run this is a journal of."""

    kind: Literal["header"] = "header"
    format: Literal["harness-longmemeval-journal"] = "harness-longmemeval-journal"
    version: Literal[1] = 1
    fingerprint: Mapping[str, str | int | bool | None]
    """By name, in the order in which a difference is looked for."""
    file: FileReading
    policies: DeclaredPolicies
    golds: tuple[GoldPolicy, ...]
    isolation: Isolation
    questions: Count
    limit: Count | None
    depth: Count
    errata: ErrataReading | None
    model: str | None
    oversize: str | None

    @property
    def configurations(self) -> tuple[Ranked, ...]:
        """What was asked under; semantic and hybrid take a model."""
        if self.model is None:
            return ("lexical",)
        return ("lexical", "semantic", "hybrid")


class Start(Part):
    """A run began, or went on."""

    kind: Literal["start"] = "start"
    created_at: str
    harness: HarnessFacts
    daemon: DaemonFacts
    environment: Environment
    phases: tuple[Phase, ...]
    cautions: tuple[Caution, ...]
    foreign: Count
    """Drawers or wings that were there before."""
    batches: bool


class Embedding(EmbeddingCounts):
    """What this start of a run asked of an endpoint until now: the last one counts."""

    kind: Literal["embedding"] = "embedding"


class Answer(Part):
    """What one configuration brought for a question."""

    configuration: Ranked
    hits: tuple[tuple[str, float | None], ...]
    """Ids and scores, best first, each id once, at its best rank."""
    checked: Count
    """Hits as they came, fragments and repeats included."""
    unknown: tuple[tuple[int, str], ...] = ()
    """Rank and stand-in of hits that this question never wrote."""
    plan: str | None = None
    service_s: Amount
    first_byte_s: Amount
    round_trip_s: Amount

    def fault(self) -> str | None:
        """Say what no run writes: a repeated hit, or scores that rise."""
        seen: set[str] = set()
        lowest = math.inf
        for rank, (name, score) in enumerate(self.hits, start=1):
            if name in seen:
                return f"{self.configuration} has {name!r} again at rank {rank}"
            seen.add(name)
            if score is None:
                continue
            if score > lowest:
                return (
                    f"{self.configuration} has the score {score!r} at rank {rank}, "
                    f"after {lowest!r}"
                )
            lowest = score
        return None


class Failure(Part):
    """Why a question, or one configuration of it, has no result."""

    stage: Stage
    configuration: Ranked | None = None
    what: str


class Spent(Part):
    """Seconds of one question."""

    read: Amount = 0.0
    prepare: Amount = 0.0
    embed: Amount = 0.0
    wait: Amount = 0.0
    """For the three above, which run ahead in the background."""
    write: Amount = 0.0
    verify: Amount = 0.0
    ask: Amount = 0.0
    delete: Amount = 0.0
    journal: Amount = 0.0
    """For the line before this one: a line cannot say how long it takes itself."""
    wall: Amount = 0.0
    busy: Amount = 0.0
    """With a request under way."""


class QuestionRecord(Part):
    """Everything that is kept of one question."""

    kind: Literal["question"] = "question"
    index: Count
    id: str
    type: str
    sets: tuple[QuestionSet, ...]
    unscored: Unscored | None
    asked: bool
    gold: Golds
    corrected: Mapping[GoldPolicy, tuple[str, ...] | None] | None = None
    """By the errata; ``None`` for one that leaves the question out."""
    pool: Mapping[GoldPolicy, Count]
    """Different things a ranking could hold."""
    sessions: Count
    documents: Count
    blank: Count
    drawers: Count = 0
    split: Count = 0
    truncated: Count = 0
    verified: Count = 0
    """Documents that the daemon counted after they were written."""
    characters: Count
    defects: Mapping[str, Count]
    answers: tuple[Answer, ...] = ()
    failures: tuple[Failure, ...] = ()
    spent: Spent = Spent()

    def fault(self, header: Header) -> str | None:
        """Say what no run with this header writes; ``None`` where it may have.

        A question that did not fail has an answer under every configuration, or a mean
        would be taken over fewer questions than stand beside it.
        """
        if self.index >= header.questions:
            return f"it has the index {self.index} of {header.questions} questions"
        if not self.asked and any(self.gold.values()):
            return "it has gold and was not asked"
        found = tuple(answer.configuration for answer in self.answers)
        wanted = header.configurations if self.asked else ()
        if self.failures:
            wanted = tuple(each for each in wanted if each in found)
        if found != wanted:
            return (
                f"its answers are of {', '.join(found) or 'nothing'}, wanted was "
                f"{', '.join(wanted) or 'nothing'}"
            )
        return next(filter(None, (answer.fault() for answer in self.answers)), None)


AnyLine = Header | Start | Embedding | QuestionRecord
Line = Annotated[AnyLine, Field(discriminator="kind")]
LINE: TypeAdapter[AnyLine] = TypeAdapter(Line)
