"""The budgets of the recall tiers: limits that hold whatever is accepted as exact.

The exact values lie in the baseline of each tier, which a command can write anew. The
budgets are written by people only. So a baseline accepted in haste still cannot lower
a floor, drop a row or let a fault pass, and the number of checks is part of the file.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from harness.errors import ReportFormatError
from harness.report.part import Count, Part, Share

VERSION = 1

_Item = TypeVar("_Item")


class Answered(Part):
    """How an answer says that it was given."""

    effective: str
    """The mode it was given in."""
    degraded: str | None = None
    """The code of having fallen open; without one, it may carry none."""


class RowBudget(Answered):
    """What one row must fulfil beside its exact values; every answer so given."""

    also: Answered | None = None
    """Another way in which answers may be given: where a text has no vector."""
    max_p95_ms: Annotated[float, Field(gt=0)]
    min_recall: Share | None = None
    min_ndcg: Share | None = None
    same_as: str | None = None
    """A row whose rankings this one must repeat, query by query."""


class Above(Part):
    """One row that must find more than another, by a margin on recall."""

    better: str
    worse: str
    margin: Share


class FailOpenBudget(Part):
    """Least loss of recall by which falling open is seen, in either mode."""

    min_drop: Share


class StemmingBudget(Part):
    """Least gain of recall by stemming."""

    min_lift: Share
    """Over the published row, which is of another ranker."""
    min_same_ranker_lift: Share
    """Over the same ranker without stemming: stemming alone."""


class FaultBudget(Part):
    """What every fault of the embedder must come to."""

    modes: tuple[Literal["vector", "hybrid"], ...]
    max_ms: Annotated[float, Field(gt=0)]
    """Longest answer during a fault: the daemon's budget for a query, and the rest."""
    open: Mapping[str, str]
    """Fault to the code of falling open; such a fault must refuse what is ingested."""
    harmless: tuple[str, ...]
    """Faults below every time limit: nothing may be lost, and no answer degraded."""
    uncounted: tuple[str, ...]
    """Faults under which no request reaches the embedder."""

    @property
    def every(self) -> tuple[tuple[str, Literal["vector", "hybrid"]], ...]:
        """Pair each fault with each mode it is measured in."""
        kinds = (*self.open, *self.harmless)
        return tuple((kind, mode) for kind in kinds for mode in self.modes)


class Budgets(Part):
    """All limits, the same for every tier and variant."""

    version: Literal[1]
    k: Count
    """The cut-off of recall and ndcg."""
    tolerance: Annotated[float, Field(gt=0, le=1e-3)]
    """Around every exact value: rounding, not headroom."""
    checks: Annotated[int, Field(ge=1)]
    """How many checks a run must come to; one that got lost is a failed one."""
    invariants: tuple[str, ...]
    fail_open: FailOpenBudget
    stemming: StemmingBudget
    above: tuple[Above, ...]
    rows: Mapping[str, RowBudget]
    """The exact set of rows, in the order of the report."""
    faults: FaultBudget

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        """Refuse a rule about a row or a fault that is not expected: it never ran."""
        named = [name for rule in self.above for name in (rule.better, rule.worse)]
        named += [row.same_as for row in self.rows.values() if row.same_as]
        for name in named:
            if name not in self.rows:
                raise ValueError(f"{name!r} is not among the rows")
        faults = self.faults
        for kind in faults.uncounted:
            if kind not in faults.open and kind not in faults.harmless:
                raise ValueError(f"{kind!r} is not among the faults")
        for twice in _repeated((*faults.open, *faults.harmless)):
            raise ValueError(f"{twice!r} is both open and harmless")
        return self


def load_budgets(path: Path) -> Budgets:
    """Read the budgets that *path* holds.

    Raises:
        ReportFormatError: The file cannot be read, or does not say everything.
    """
    where = str(path)
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ReportFormatError(
            f"the budgets cannot be read: {reason}.",
            where=where,
            remedy="Take the committed file: without budgets nothing can pass.",
        ) from error
    try:
        return Budgets.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "the whole file"
        raise ReportFormatError(
            f"not whole budgets: {place}: {first['msg']}.", where=where
        ) from error


def _repeated(items: tuple[_Item, ...]) -> Iterator[_Item]:
    return (item for place, item in enumerate(items) if item in items[:place])
