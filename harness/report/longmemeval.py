"""What only LongMemEval has: declared policies, and a count behind every figure.

One word, recall, stands for several different numbers in public tables. So figures are
kept for every gold policy and every published set of questions, each with how many
questions it is over and what a random ranking would score.
"""

from collections.abc import Mapping
from typing import Literal

from harness.dataset.conversations import Layout
from harness.dataset.longmemeval.policies import (
    Abstention,
    GoldPolicy,
    Granularity,
    QuestionSet,
    TextPolicy,
)
from harness.report.part import Amount, Count, Part, Share

Isolation = Literal["wing", "isolated", "shared"]
"""A wing a question, kept; a wing a question, deleted before the next; one for all."""

Stage = Literal["embed", "write", "verify", "search", "delete"]
"""What of a question failed."""


class FileReading(Part):
    """The file that was measured."""

    name: str
    """Without the folder it lies in."""
    size: Count
    """Bytes."""
    sha256: str
    release: str | None
    """The published file it is, byte for byte; ``null`` for any other."""
    is_oracle: bool
    """Whether every session is evidence: recall is then 1 whatever was measured."""
    layout: Layout = "LongMemEval"


class DeclaredPolicies(Part):
    """The choices that move the headline."""

    text: TextPolicy
    gold: GoldPolicy
    granularity: Granularity
    abstention: Abstention


class QuestionCounts(Part):
    """How many questions there were, and what became of them."""

    read: Count
    asked: Count
    """Written and searched; the others have no gold under any policy."""
    scored: Count
    """Those of the headline."""
    sets: Mapping[QuestionSet, Count]
    """How many of those read belong to each published set."""
    unscored: Mapping[str, Count]
    """Why questions are left out of the headline, to how many."""


class AskedQuestion(Part):
    """One question of the file."""

    id: str
    type: str
    sets: tuple[QuestionSet, ...]
    unscored: str | None
    """Why it is left out of the headline; ``null`` where it is not."""
    asked: bool
    sessions: Count
    documents: Count
    """Written ones; blank ones are not."""
    blank: Count
    pool: Count
    """Different things a ranking could hold: what chance draws from."""
    gold: Mapping[GoldPolicy, tuple[str, ...]]
    """What is relevant under each policy that is scored in the same ids."""


class Figure(Part):
    """One mean, with all that is needed to know which."""

    configuration: str
    metric: str
    """``hit`` is recall_any, ``all`` recall_all, ``recall`` the share of gold found."""
    gold: GoldPolicy
    question_set: QuestionSet
    questions: Count
    """Those of the set that have gold under this policy."""
    value: Share
    chance: Share | None
    """A random ranking's; ``null`` where it is not computed."""


class ErrataFacts(Part):
    """A list of publicly doubted questions that was applied beside the raw figures."""

    name: str
    sha256: str
    regraded: tuple[str, ...]
    """Questions of this run that are scored by other sessions."""
    left_out: tuple[str, ...]
    """Questions of this run whose evidence is doubted with nothing in its place."""
    figures: tuple[Figure, ...]
    """The figures again, corrected."""


class Returned(Part):
    """How much of the haystacks came back under one configuration."""

    configuration: str
    asked: Count
    without_hits: Count
    """Questions that nothing came back to: a miss, and no error."""
    pool: Count
    """Things that could have come back, over all questions asked."""
    unreturned: Count
    """Those that did not, within the depth: they have no rank at all."""


class QuestionError(Part):
    """Something that failed, so that a question has no result: never a miss."""

    question: str
    stage: Stage
    configuration: str | None
    """``null`` where it failed before any was asked."""
    what: str


class UnscoredRanking(Part):
    """What came back to a question that is not in the headline."""

    configuration: str
    question: str
    hits: tuple[str, ...]


class Pace(Part):
    """Where the time went."""

    wall_s: Amount
    """From the first question to the last, over all runs that went into the report."""
    daemon_s: Amount
    """Of that, with a request under way, from its first byte sent to its last read."""
    daemon_share: Share | None
    questions_per_minute: Amount | None
    phases: Mapping[str, Amount]
    """Seconds of each kind of work; read, prepare and embed run beside the others."""


class EmbeddingCounts(Part):
    """What an embeddings endpoint was asked for; `harness.provider.counts.Counts`.

    Nothing of it is quality: the same run has other counts where the cache was full.
    """

    texts: Count
    """Documents and queries, blank and repeated ones included."""
    empty: Count
    """Of those, the blank ones: never sent."""
    truncated: Count
    """Of those, the ones of which only the beginning was embedded."""
    chunked: Count
    """Of those, the ones with a vector for each of several fragments."""
    mended: Count
    """Of those, the ones with half characters, sent as U+FFFD."""
    fragments: Count
    """Pieces that a vector was wanted for, each counted once a question."""
    cache_hits: Count
    """Of those, the ones that the cache on disk had."""
    joined: Count
    """Of those, the ones that were on their way for another question."""
    tokens: Count
    """Sent, by estimate."""
    tokens_billed: Count | None
    """As the endpoint counted, the probe's included; ``null`` where it never said."""
    requests: Count
    """The probe at each start and repeated ones included."""
    retries: Count
    """Requests sent again after a rate limit, a server error or silence."""
    splits: Count
    """Requests cut into smaller ones: too large, or with a vector not finite."""
    waited_s: Amount
    """Spent waiting to be let in again; several waits may overlap."""
    busy_s: Amount
    """With at least one request under way, the probe's left out."""
    span_s: Amount
    """From the first request to the last, the probe left out."""
    flight_s: Amount
    """Durations of those requests together."""


class EmbeddingFacts(EmbeddingCounts):
    """The counts of all starts and workers of a run, added up."""

    dimension: Count
    """Numbers in a vector."""
    busy_share: Share | None
    """Of the span; ``null`` where every vector came from the cache."""
    mean_in_flight: Amount | None
    """Requests under way on average over the span."""


class LongMemEvalFacts(Part):
    """One run over a LongMemEval file."""

    file: FileReading
    is_trivial: bool
    """Whether the file is an oracle, so that recall says nothing."""
    policies: DeclaredPolicies
    isolation: Isolation
    scoped_statistics: bool
    """Whether the daemon says that other wings cannot move a lexical score."""
    depth: Count
    """Hits asked for; ranks behind it do not exist."""
    limit: Count | None
    """The first so many questions of the file, where it was cut."""
    counts: QuestionCounts
    questions: tuple[AskedQuestion, ...]
    """In file order."""
    figures: tuple[Figure, ...]
    """Empty where a question failed: there is no headline then."""
    errata: ErrataFacts | None
    returned: tuple[Returned, ...]
    unscored_rankings: tuple[UnscoredRanking, ...]
    errors: tuple[QuestionError, ...]
    defects: Mapping[str, Count]
    """What is odd in the questions read; `harness.dataset.longmemeval.defects`."""
    characters: Count
    """Of all written documents together."""
    drawers: Count
    """More than documents where some were cut to fit the embedding model."""
    split_documents: Count
    """Documents written as several drawers; the best of them stands for the whole."""
    truncated_documents: Count
    """Documents whose vector is of their beginning alone."""
    oversize_rule: str | None
    """What is done with documents too long for the model; ``null`` without one."""
    embedding: EmbeddingFacts | None = None
    """``null`` where lexical search was measured alone."""
    sessions_of_run: Count
    """How often the run was started: more than 1 where it was resumed or spread."""
    pace: Pace
