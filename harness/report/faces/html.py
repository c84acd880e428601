"""A report, or several of one thing at different sizes, as one self-contained page."""

from collections.abc import Sequence

from harness.report.faces.markup import Markup
from harness.report.faces.page import colophon, contents, page
from harness.report.faces.sections.latency import latency
from harness.report.faces.sections.longmemeval import longmemeval_sections
from harness.report.faces.sections.opening import (
    SUITES,
    opening,
    sub_of,
    title_of,
    what_holds,
)
from harness.report.faces.sections.quality import quality
from harness.report.faces.sections.queries import queries_data, queries_section
from harness.report.faces.sections.recall import recall_sections
from harness.report.faces.sections.record import record
from harness.report.faces.sections.sizes import sizes_section
from harness.report.faces.standing import Standing, headline, standings
from harness.report.model import Report

Section = tuple[str, Markup | None]
"""A heading, and the part of the page under it; ``None`` where there is none."""


def report_page(
    reports: Sequence[Report], *, verdict: Sequence[Standing] | None = None
) -> bytes:
    """Draw a page about the first of *reports*.

    Args:
        reports: One or more; the others only add their sizes to the curves.
        verdict: What a gate found, in the place of what the report says of itself.
    """
    report = reports[0]
    sections: list[Section] = [("Sizes", sizes_section(reports)), *_sections(report)]
    sections += [("Queries", queries_section()), ("Record", record(report))]
    present = [(title, part) for title, part in sections if part is not None]
    title = title_of(report)
    return page(
        f"{title}: {SUITES[report.suite]}",
        opening(SUITES[report.suite], title, sub_of(report), headline(report)),
        what_holds(standings(report) if verdict is None else verdict),
        contents([title for title, _ in present]),
        [part for _, part in present],
        colophon("One file, no request: every figure on this page is in its report."),
        data={"queries": queries_data(report)},
    )


def _sections(report: Report) -> list[Section]:
    if report.recall is not None:
        return recall_sections(report, report.recall)
    if report.longmemeval is not None:
        return longmemeval_sections(report, report.longmemeval)
    return [("Quality", quality(report)), ("Latency", latency(report))]
