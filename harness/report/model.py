"""The report's schema, version 1.

A report keeps everything needed to read it a month later and to run it again.
Three rules hold for every field: not measured is ``null`` and never 0; times are
milliseconds where the name ends in ``_ms`` and seconds where it ends in ``_s``; no
secret, path of a home folder or random id of one run is ever stored in it.

Versions of the format:

    1  2026-11-30  first version
"""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from harness.report.checks import Check
from harness.report.counting import check_counts
from harness.report.longmemeval import LongMemEvalFacts
from harness.report.part import Amount, Count, Metrics, Part
from harness.report.recall import RecallFacts

FORMAT = "harness-report"
VERSION = 1


class HarnessFacts(Part):
    """Which harness measured."""

    version: str
    commit: str | None
    """Git commit of the clone, with ``+changes`` where files differ from it."""


class BuildFacts(Part):
    """How the daemon was built, as the running daemon itself says."""

    name: Literal["debug", "release", "unknown"]
    evidence: Mapping[str, str | int | float | bool | None] = Field(
        default_factory=dict
    )
    """What the daemon's interpreter says of itself: assertions, debug modes, loop."""


class DaemonFacts(Part):
    """Which daemon was measured."""

    name: str
    version: str | None
    build: BuildFacts
    features: tuple[str, ...] = ()


class DatasetFacts(Part):
    """What was asked, and of which data."""

    name: str
    version: Count
    sha256: str
    """Lower-case hex SHA-256 of the data file's bytes: the identity of the data."""
    documents: Count
    """Drawers in the palace when the queries ran, filler and corrections included."""
    queries: Count


class HostFacts(Part):
    """The machine that ran the harness."""

    cpu: str | None
    cores: Count | None
    memory_bytes: Count | None
    kernel: str | None
    python: str
    cgroup_cpus: Amount | None = None
    cgroup_memory_bytes: Count | None = None


class ImageFacts(Part):
    """One container image a run used."""

    name: str
    digest: str


class Environment(Part):
    """What the daemon ran on."""

    runtime: Literal["containers", "embedded", "live"]
    runtime_reason: str
    """Why this runtime: forced by an option, or what was found on the machine."""
    vectors: str
    """Where the vectors came from; reports with other vectors do not compare."""
    profile: str | None
    """Name of the vector profile used, where the daemon speaks profiles."""
    embedding_provider: str
    embedding_model: str | None
    backend: str
    postgres: str | None
    pgvector: str | None
    settings: Mapping[str, str]
    """Postgres settings and index parameters the daemon reports."""
    engine: str | None = None
    """Container engine and its version; ``null`` where none was used."""
    images: tuple[ImageFacts, ...] = ()
    host: HostFacts


class Parameters(Part):
    """The knobs of the run."""

    cutoffs: tuple[Count, ...]
    limit: Count
    repetitions: Count
    scale: Count
    """Filler drawers written beside the data set."""
    ndcg_gain: str
    """The gain behind ``ndcg@k``; ``ndcg_linear@k`` uses the grade itself."""
    skipped_queries: Count = 0


class Seeding(Part):
    """What was written before the first query, and how fast."""

    documents: Count
    filler: Count
    corrections: Count
    mentions: Count
    method: Literal["batch", "single"]
    """``batch``: many drawers with their vectors a request; ``single``: POST + PUT."""
    verified: Count
    """Judged documents that were read back from the daemon before scoring."""
    documents_per_second: Amount | None
    write_s: Amount | None
    """Seconds spent in write requests; pauses between epochs are left out."""


class Distribution(Part):
    """Latency samples of one kind, summed up. Percentiles are nearest rank."""

    samples: Annotated[int, Field(ge=1)]
    mean_ms: Amount
    p50_ms: Amount
    p95_ms: Amount
    p99_ms: Amount
    min_ms: Amount
    max_ms: Amount

    @property
    def told_p95_ms(self) -> float | None:
        """The 95th percentile; ``None`` where it is the slowest of under 20 samples."""
        return self.p95_ms if self.samples >= 20 else None

    @property
    def told_p99_ms(self) -> float | None:
        """The 99th percentile; ``None`` where it is the slowest of under 100."""
        return self.p99_ms if self.samples >= 100 else None


class Latency(Part):
    """How long searches took, sequentially, one client."""

    service: Distribution
    """Sent to done, at the wire: the daemon and the network, not our client."""
    first_byte: Distribution
    """Sent to the first byte of the answer, at the wire."""
    round_trip: Distribution
    """The call as our client's caller sees it, decoding included."""
    queries_per_second: Amount


class ClientFloor(Part):
    """The same client against the daemon's cheapest route: what is ours, not its."""

    service: Distribution
    round_trip: Distribution


class ScoredHit(Part):
    """One entry of a ranking."""

    document: str
    """Data-set id; ``unknown:<n>`` where the daemon returned something not seeded."""
    score: float | None


class Ranking(Part):
    """What one query got, best first, after ties were settled by data-set id."""

    query: str
    category: str
    metrics: Metrics
    hits: tuple[ScoredHit, ...]
    plan: str | None = None
    """How the daemon says it ran the vector leg, where it says so."""
    effective: str | None = None
    """The mode the daemon says it answered in, where it says so."""
    degraded: str | None = None
    """The daemon's code for having fallen open; ``null`` where it did not."""
    grades: Mapping[str, Count] | None = None
    """Every judged document of the query to its grade, found or not."""
    service_ms: tuple[Amount, ...] = ()
    """The query's service time in each timed pass, in the order of the passes."""


class ConfigurationResult(Part):
    """Everything measured under one retrieval configuration.

    One that was not measured stays in the report: 0 queries, no metric, and the reason.
    """

    name: str
    ranking: Literal["lexical", "semantic", "hybrid"]
    expand: bool
    queries: Count
    metrics: Metrics
    by_category: Mapping[str, Metrics]
    category_queries: Mapping[str, Count]
    latency: Latency | None
    rankings: tuple[Ranking, ...]
    corpus: Count | None = None
    """Documents it searched, where configurations search different ones."""
    skip_reason: str | None = None
    """Why it was not measured; ``null`` where it was."""

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        """Refuse counts that cannot all be true of one run."""
        if self.skip_reason is not None and (self.queries or self.metrics):
            raise ValueError("what was skipped cannot have queries or metrics")
        check_counts(self.queries, self.category_queries, len(self.rankings))
        uncounted = sorted(set(self.by_category) - set(self.category_queries))
        if uncounted:
            raise ValueError(f"category_queries lacks {uncounted[0]!r}")
        return self


class Violation(Part):
    """One hit that must not have been there."""

    configuration: str
    query: str
    rank: Count
    document: str
    reason: str


class Invariant(Part):
    """A rule every hit must obey, in any configuration, at any rank."""

    name: Literal["known", "in_scope", "visible", "repeatable", "ran"]
    checked: Count
    violations: tuple[Violation, ...]


class Discrimination(Part):
    """A check that the data set can still tell two configurations apart."""

    name: str
    left: Amount | None
    right: Amount | None
    passed: bool | None
    """``null`` where the data set or the run lacks what the check compares."""


class Caution(Part):
    """Something a reader must know before trusting a number."""

    code: str
    text: str
    remedy: str = ""
    """What to do about it; empty where nothing can be done."""


class Usage(Part):
    """What one container used during a phase."""

    cpu_s: Amount | None
    """Processor seconds, of all its processes."""
    peak_memory_bytes: Count | None
    """Most memory held from the container's start to the end of this phase.

    The kernel's own high-water mark, which never falls: where it did not rise, the
    phase stayed below. Data that lies in memory counts.
    """
    disk_growth_bytes: int | None
    """How much more room its data takes after the phase; below 0 when it shrank."""


class Phase(Part):
    """How long one phase of the run took, and what it used."""

    name: str
    seconds: Amount
    resources: Mapping[str, Usage] | None = None
    """By container, ``daemon`` and ``postgres``; ``null`` where it is not measured."""


class Report(Part):
    """One whole run. A run that did not finish leaves no report."""

    format: Literal["harness-report"] = "harness-report"
    version: Literal[1] = 1
    suite: Literal["eval", "recall", "longmemeval"] = "eval"
    """Which benchmark ran; reports of different ones do not compare."""
    created_at: str
    harness: HarnessFacts
    daemon: DaemonFacts
    dataset: DatasetFacts
    environment: Environment
    parameters: Parameters
    seeding: Seeding | None
    configurations: tuple[ConfigurationResult, ...]
    client_floor: ClientFloor | None
    invariants: tuple[Invariant, ...]
    discrimination: tuple[Discrimination, ...]
    warnings: tuple[Caution, ...]
    phases: tuple[Phase, ...]
    recall: RecallFacts | None = None
    """What only the recall tiers measure; ``null`` in every other suite."""
    longmemeval: LongMemEvalFacts | None = None
    """What only LongMemEval has; ``null`` in every other suite."""
    checks: tuple[Check, ...] = ()
    """Measured values against committed ones; the judge's work, so empty before it."""

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        """Refuse two configurations of one name: one of them would go unjudged."""
        counts = Counter(each.name for each in self.configurations)
        for name, count in counts.items():
            if count > 1:
                raise ValueError(f"the configuration {name!r} occurs twice")
        return self
