"""Kept reports in the order of time, joined only where they compare.

Two reports stand on one line when `preconditions.differences` finds nothing between
them and the same daemon answered: then only the engine can have moved the figures.
Times are joined only within one build, runtime and processor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import NothingMeasuredError, ReportFormatError, UsageError
from harness.judge.comparable import from_report
from harness.judge.preconditions import differences
from harness.report.files import read_json
from harness.report.model import FORMAT, ConfigurationResult, Report
from harness.report.store import parse_report

COMMIT_DIGITS = 7


@dataclass(frozen=True, slots=True)
class Kept:
    """One report and where it lies."""

    path: Path
    report: Report

    @property
    def commit(self) -> str:
        """Name the harness's commit, short; the day where it is not known."""
        commit = self.report.harness.commit
        if commit is None:
            return self.report.created_at[:10]
        changed = "+" if "+" in commit else ""
        return f"{commit[:COMMIT_DIGITS]}{changed}"

    @property
    def machine(self) -> tuple[object, ...]:
        """Give what must be equal before times may be joined."""
        environment = self.report.environment
        host = environment.host
        build = self.report.daemon.build.name
        return (build, environment.runtime, host.cpu, host.cores)

    def result(self, configuration: str) -> ConfigurationResult | None:
        """Find a configuration that was measured."""
        for each in self.report.configurations:
            if each.name == configuration and each.queries:
                return each
        return None


@dataclass(frozen=True, slots=True)
class Line:
    """Reports that compare with each other, oldest first."""

    kept: tuple[Kept, ...]

    @property
    def title(self) -> str:
        """Name the data and the daemon."""
        first = self.kept[0].report
        filler = (
            f", {first.parameters.scale:,} filler" if first.parameters.scale else ""
        )
        return (
            f"{first.dataset.name} {first.dataset.version}{filler}, {first.daemon.name}"
        )

    @property
    def configurations(self) -> tuple[str, ...]:
        """Name every configuration that some report measured, in their order."""
        names = (
            each.name
            for kept in self.kept
            for each in kept.report.configurations
            if each.queries
        )
        return tuple(dict.fromkeys(names))

    def values(self, configuration: str, metric: str) -> list[float | None]:
        """Give a metric's mean in every report; ``None`` where it was not measured."""
        found = (kept.result(configuration) for kept in self.kept)
        return [None if each is None else each.metrics.get(metric) for each in found]

    def medians(self, configuration: str) -> list[float | None]:
        """Give the median service time in every report, in milliseconds."""
        found = (kept.result(configuration) for kept in self.kept)
        return [
            None
            if each is None or each.latency is None
            else each.latency.service.p50_ms
            for each in found
        ]


@dataclass(frozen=True, slots=True)
class History:
    """What a folder of reports comes to."""

    lines: tuple[Line, ...]
    """The longest first."""
    left_out: tuple[str, ...]
    """Files that say they are reports, and cannot be read."""
    others: int
    """JSON files that are no reports."""


def read_history(folder: Path) -> History:
    """Read every report below *folder*.

    Raises:
        UsageError: It is no folder.
        NothingMeasuredError: There is no report in it.
    """
    if not folder.is_dir():
        raise UsageError(
            f"{str(folder)!r} is no folder.", remedy="Give the folder of the reports."
        )
    kept: list[Kept] = []
    left_out: list[str] = []
    others = 0
    for path in sorted(folder.rglob("*.json")):
        try:
            file = read_json(path)
            if file.fields.get("format") == FORMAT:
                kept.append(Kept(path, parse_report(file)))
            else:
                others += 1
        except ReportFormatError as error:
            left_out.append(str(error))
    if not kept:
        raise NothingMeasuredError(
            "there is no report to draw.",
            where=str(folder),
            remedy="Keep some with `harness eval --out`.",
        )
    return History(tuple(lines_of(kept)), tuple(left_out), others)


def lines_of(kept: Sequence[Kept]) -> list[Line]:
    """Sort *kept* into lines of reports that all compare with each other.

    A report joins the first line that it compares with throughout.
    """
    lines: list[list[Kept]] = []
    for each in sorted(kept, key=lambda one: (one.report.created_at, str(one.path))):
        for line in lines:
            if all(_compare(other, each) for other in line):
                line.append(each)
                break
        else:
            lines.append([each])
    lines.sort(key=lambda line: -len(line))
    return [Line(tuple(line)) for line in lines]


def stretches(line: Line) -> Iterator[tuple[int, int]]:
    """Split a line where the machine changes: first place, and one past the last."""
    start = 0
    for place in range(1, len(line.kept) + 1):
        is_end = place == len(line.kept)
        if is_end or line.kept[place].machine != line.kept[start].machine:
            yield start, place
            start = place


def _compare(one: Kept, other: Kept) -> bool:
    ours, theirs = one.report, other.report
    if ours.daemon.name != theirs.daemon.name:
        return False
    return not list(differences(from_report(ours), from_report(theirs)))
