"""How a page begins: what was measured, what came out, and what holds."""

from collections.abc import Sequence

from harness.report.faces.markup import Content, Markup, joined, name, tag
from harness.report.faces.page import status, statuses
from harness.report.faces.standing import Standing
from harness.report.layout import count
from harness.report.model import Report
from harness.report.recall_tables import tier_line
from harness.units import size

SUITES = {
    "eval": "Retrieval evaluation",
    "recall": "Recall tier",
    "longmemeval": "LongMemEval",
}
HASH_DIGITS = 12


def opening(kind: str, title: Content, sub: Content, headline: str) -> Markup:
    """Build the head of a page; *headline* says in words what came out."""
    return tag(
        "header",
        tag("p", kind, class_="kind"),
        tag("h1", title),
        tag("p", sub, class_="sub"),
        tag("p", headline, class_="headline"),
    )


def what_holds(found: Sequence[Standing]) -> Markup:
    """List standings with their lines."""
    items = []
    for each in found:
        lines = joined([tag("span", line, class_="line") for line in each.lines])
        items.append(status(each.word, joined(each.text, lines), each.kind))
    return statuses(items)


def title_of(report: Report) -> str:
    """Name what was measured, for a heading."""
    if report.recall is not None:
        return tier_line(report.recall)
    if report.longmemeval is not None:
        return report.longmemeval.file.name
    return f"{report.dataset.name} {report.dataset.version}"


def sub_of(report: Report) -> Markup:
    """Say on which daemon, where and when."""
    daemon, environment = report.daemon, report.environment
    commit = (report.harness.commit or "")[:HASH_DIGITS]
    parts: list[Content] = [
        joined(name(daemon.name), f" {daemon.version or 'of unknown version'}"),
        f"{daemon.build.name} build",
        environment.runtime,
        *([f"Postgres {environment.postgres}"] if environment.postgres else []),
        data_line(report),
        f"harness {report.harness.version}" + (f" ({commit})" if commit else ""),
        when(report.created_at),
    ]
    dotted: list[Content] = []
    for part in parts:
        dotted += [" · ", part] if dotted else [part]
    return joined(*dotted)


def data_line(report: Report) -> str:
    """Count what was searched, and how often."""
    data = report.dataset
    if report.longmemeval is not None:
        facts = report.longmemeval
        return (
            f"{size(facts.file.size)}, {count(facts.counts.scored, 'question')} scored"
        )
    queries = "1 query" if data.queries == 1 else f"{data.queries:,} queries"
    return f"{count(data.documents, 'document')}, {queries}"


def when(created_at: str) -> str:
    """Write a report's time as a person would; what is no such time stays as it is."""
    day, separator, clock = created_at.partition("T")
    if not separator or not created_at.endswith("Z"):
        return created_at
    return f"{day} {clock[:5]} UTC"
