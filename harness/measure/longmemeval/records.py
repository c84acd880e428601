"""The lines of a journal."""

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


AnyLine = Header | Start | Embedding | QuestionRecord
Line = Annotated[AnyLine, Field(discriminator="kind")]
LINE: TypeAdapter[AnyLine] = TypeAdapter(Line)
