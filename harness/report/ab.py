"""What a comparison of two daemons side by side came to, as a file. Version 1.

Each side has a report of its own beside it, with every answer. This file keeps what
only both together can say: the times of each query on both, what this machine does to
two daemons that are the same, and the verdicts. The rules of a report hold: not
measured is ``null`` and never 0, and no secret and no address is stored.

Versions of the format:

    1  2026-11-30  first version
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from harness.report.files import check_version, parse, read_json, write_whole
from harness.report.model import Caution, DaemonFacts, DatasetFacts, HostFacts
from harness.report.part import Amount, Count, Part, Share

FORMAT = "harness-ab"
VERSION = 1

Ratio = Annotated[float, Field(gt=0)]
"""Candidate to base: above 1 is slower."""


class QueryTimes(Part):
    """One query on both sides: the median of its service times."""

    query: str
    base_ms: Amount
    candidate_ms: Amount


class Tails(Part):
    """The 95th percentiles of all service times, and how far they can be trusted."""

    samples: Count
    """On each side."""
    base_p95_ms: Amount
    candidate_p95_ms: Amount
    ratio: Ratio | None
    low: Ratio | None
    """Interval of the ratio; ``null`` with too few samples to judge a tail."""
    high: Ratio | None


class Times(Part):
    """One configuration of one half of a round."""

    configuration: str
    queries: tuple[QueryTimes, ...]
    tails: Tails | None
    """``null`` where no query was timed."""
    rankings_moved: Count
    """Queries that the two sides answered with other documents or another order."""


class Round(Part):
    """One round: the base against itself, then against the candidate."""

    twin: Literal["instance", "connection"] | None
    """What the base was held against: a second instance of it, or itself over a second
    connection; ``null`` where nothing was timed."""
    fresh: bool
    """Whether every process was started for this round."""
    floor: tuple[Times, ...]
    """The base as both sides; empty where nothing was timed."""
    measured: tuple[Times, ...]


class SideFacts(Part):
    """One side, and where the rest of it stands."""

    asked: str
    """The build or image that was asked for; ``a running daemon`` for an address."""
    settings: Mapping[str, str]
    """What the daemon was told beyond what the harness tells it."""
    runtime: Literal["containers", "embedded", "live"]
    daemon: DaemonFacts
    reports: tuple[str, ...]
    """File names of its reports, one a round, beside this file."""


class LatencyFinding(Part):
    """What one round says of one figure of one configuration."""

    ratio: Ratio
    low: Ratio | None
    high: Ratio | None
    floor: Ratio
    """What the base differs from itself by: 1.02 is 2 %, either way."""
    p: Share | None
    """Of the sign test against the floor, corrected for the family; ``null`` where the
    interval alone decides."""
    word: Literal["faster", "same", "slower", "inconclusive"]
    reason: str
    """Why it is inconclusive; empty where it is not."""


class LatencyVerdict(Part):
    """What all rounds together say of one configuration's speed."""

    configuration: str
    figure: Literal["median", "p95"]
    """``median``: of the ratios of the queries; ``p95``: the ratio of percentiles."""
    word: Literal["faster", "same", "slower", "inconclusive"] | None
    """``null`` where it was not timed, or a tail has too few samples."""
    reason: str
    rounds: tuple[LatencyFinding, ...]


class RelevanceVerdict(Part):
    """What the first round's answers say of one configuration's relevance."""

    configuration: str
    word: Literal["better", "same", "worse", "inconclusive", "not comparable"] | None
    text: str
    """The verdict in one line, with its figures."""
    fails: bool
    metric: str | None
    base: Share | None
    candidate: Share | None
    low: float | None
    """Interval of the change."""
    high: float | None
    p: Share | None
    """Corrected for the family."""


class AbResult(Part):
    """One whole comparison of two daemons that were up at once."""

    format: Literal["harness-ab"] = "harness-ab"
    version: Literal[1] = 1
    created_at: str
    exit_code: Count
    base: SideFacts
    candidate: SideFacts
    dataset: DatasetFacts
    host: HostFacts
    repetitions: Count
    """Timed passes of each side in each half of a round."""
    latency_budget: Amount
    """Share by which a median may grow: 0.05 is 5 %."""
    threshold: Amount
    """Loss of relevance that may pass."""
    inconclusive: Literal["fail", "pass"]
    rounds: tuple[Round, ...]
    relevance: tuple[RelevanceVerdict, ...]
    latency: tuple[LatencyVerdict, ...]
    warnings: tuple[Caution, ...]


def ab_json(result: AbResult) -> bytes:
    """Write *result* as the bytes of its file: indented, in the schema's order."""
    text = json.dumps(
        result.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False
    )
    return f"{text}\n".encode()


def save_ab(result: AbResult, path: Path) -> None:
    """Write *result* to *path*, whole or not at all.

    Raises:
        UsageError: *path* is a folder or a device.
        PrerequisiteError: The file system refuses.
    """
    write_whole(path, ab_json(result))


def load_ab(path: Path) -> AbResult:
    """Read the comparison that *path* holds.

    Raises:
        ReportFormatError: It is none, or one that this version cannot read.
    """
    file = read_json(path)
    found = file.fields.get("format")
    if found != FORMAT:
        raise file.refuse(
            f"not a side-by-side comparison: its format is {found!r}, not {FORMAT!r}."
        )
    check_version(file, kind="comparison", version=VERSION)
    return parse(file, AbResult, kind="comparison")
