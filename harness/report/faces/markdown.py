"""A report as Markdown: for a pull request, a job summary, a note."""

from collections.abc import Iterator, Sequence

from harness.report.faces.flavour import (
    LIMIT,
    Block,
    Markdown,
    code,
    document,
    folded,
    items,
    lines,
    prose,
    strong,
    table,
)
from harness.report.faces.sections.opening import SUITES, title_of
from harness.report.faces.sections.quality import best_of, categories_of
from harness.report.faces.standing import Standing, headline, standings
from harness.report.layout import number
from harness.report.longmemeval import Figure, LongMemEvalFacts
from harness.report.longmemeval_tables import SHOWN_METRICS as LONGMEMEVAL_METRICS
from harness.report.model import ConfigurationResult, Report
from harness.report.recall import FaultResult, RecallFacts
from harness.report.recall_tables import answered_by, codes_of, groups_of
from harness.report.tables import SHOWN_METRICS

SIGNS = {"good": "✅", "bad": "❌", "warn": "⚠️"}


def report_markdown(report: Report, *, limit: int = LIMIT) -> bytes:
    """Write *report*: what holds first, then the figures, details folded.

    Args:
        report: A whole report.
        limit: Bytes; what does not fit is left out, and that is said.
    """
    return document(list(report_blocks(report)), limit=limit)


def report_blocks(report: Report) -> Iterator[Block]:
    """Give the parts of a report's text, the most telling first."""
    yield lines("title", f"### {SUITES[report.suite]}: {code(title_of(report))}")
    yield lines("headline", prose(headline(report)))
    yield standing_items(standings(report))
    if report.recall is not None:
        yield from _recall(report, report.recall)
    elif report.longmemeval is not None:
        yield from _longmemeval(report, report.longmemeval)
    else:
        yield _quality(report.configurations, SHOWN_METRICS)
        yield from _latency(report)
        yield from _categories(report.configurations, SHOWN_METRICS)
    yield folded("What was measured", _record(report))


def standing_items(found: Sequence[Standing]) -> Block:
    """List what holds and what does not, a sign before each."""
    rows = []
    for each in found:
        rows.append(f"{SIGNS[each.kind]} {strong(each.word)} {prose(each.text)}")
        # Indented: the lines belong to the item before them.
        rows[-1] += "".join(f"\n  - {prose(line)}" for line in each.lines)
    return items("what holds", rows)


def _quality(results: Sequence[ConfigurationResult], metrics: Sequence[str]) -> Block:
    known = [
        metric for metric in metrics if any(metric in each.metrics for each in results)
    ]
    rows = []
    for result in results:
        cells: list[str] = [code(result.name), f"{result.queries:,}"]
        for metric in known:
            value = result.metrics.get(metric)
            best = value is not None and value == best_of(results, metric)
            cells.append(Markdown(f"**{number(value)}**") if best else number(value))
        rows.append(cells)
    return table("quality", ["configuration"], ["queries", *known], rows)


def _categories(
    results: Sequence[ConfigurationResult], metrics: Sequence[str]
) -> Iterator[Block]:
    rows: list[Sequence[str]] = []
    for category in categories_of(results):
        for result in results:
            means = result.by_category.get(category)
            if means is not None:
                asked = result.category_queries.get(category, 0)
                cells = (number(means.get(metric)) for metric in metrics)
                rows.append([code(category), code(result.name), f"{asked:,}", *cells])
    if rows:
        names = ["category", "configuration"]
        found = table("quality by category", names, ["queries", *metrics], rows)
        yield folded("Quality by category", found)


def _latency(report: Report) -> Iterator[Block]:
    rows: list[Sequence[str]] = []
    for result in report.configurations:
        if result.latency is not None:
            service = result.latency.service
            figures = (service.p50_ms, service.told_p95_ms, service.told_p99_ms)
            cells = (number(value, 2) for value in figures)
            rows.append([code(result.name), f"{service.samples:,}", *cells])
    if rows:
        figures_ = ["searches", "p50 ms", "p95 ms", "p99 ms"]
        yield table("latency", ["service time"], figures_, rows)


def _recall(report: Report, facts: RecallFacts) -> Iterator[Block]:
    metrics = (f"recall@{facts.k}", f"ndcg@{facts.k}", "mrr")
    rows: list[Sequence[str]] = []
    for title, members in groups_of(report.configurations):
        for result in members:
            service = None if result.latency is None else result.latency.service
            rows.append(
                [
                    title,
                    code(result.name),
                    answered_by(result),
                    *(number(result.metrics.get(metric)) for metric in metrics),
                    number(None if service is None else service.p50_ms, 2),
                    number(None if service is None else service.told_p95_ms, 2),
                ]
            )
    names = ["group", "row", "answered by"]
    yield table("rows", names, [*metrics, "p50 ms", "p95 ms"], rows)
    if facts.faults:
        yield folded("Faults of the embedder", _faults(facts.faults))


def _faults(faults: Sequence[FaultResult]) -> Block:
    rows = [
        [
            fault.mode,
            code(fault.fault),
            codes_of(fault),
            fault.ingest or "-",
            number(fault.healthy_recall),
            number(fault.fault_recall),
            number(fault.recovered_recall),
            number(fault.fault_p50_ms, 1),
        ]
        for fault in faults
    ]
    names = ["mode", "fault", "fell open with", "document sent"]
    return table("faults", names, ["before", "meanwhile", "after", "p50 ms"], rows)


def _longmemeval(report: Report, facts: LongMemEvalFacts) -> Iterator[Block]:
    if not facts.errors:
        yield _quality(report.configurations, LONGMEMEVAL_METRICS)
    yield from _latency(report)
    if facts.figures:
        yield folded("Every gold policy and set", _figures(facts.figures))
    if facts.errata is not None and facts.errata.figures:
        yield folded("The same, corrected", _figures(facts.errata.figures))
    if not facts.errors:
        yield from _categories(report.configurations, LONGMEMEVAL_METRICS)


def _figures(figures: Sequence[Figure]) -> Block:
    found: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for each in figures:
        key = (each.gold, each.question_set, each.configuration, each.questions)
        found.setdefault(key, {})[each.metric] = each.value
    rows = [
        [
            gold,
            set_name,
            code(configuration),
            f"{questions:,}",
            *(number(values.get(metric)) for metric in LONGMEMEVAL_METRICS),
        ]
        for (gold, set_name, configuration, questions), values in found.items()
    ]
    names = ["gold", "set", "configuration"]
    return table("figures", names, ["questions", *LONGMEMEVAL_METRICS], rows)


def _record(report: Report) -> Block:
    data, environment = report.dataset, report.environment
    host = environment.host
    commit = f" ({report.harness.commit})" if report.harness.commit else ""
    daemon = f"{report.daemon.name} {report.daemon.version or 'of unknown version'}"
    pairs: list[tuple[str, str]] = [
        ("data set", f"{data.name} {data.version}, {data.documents:,} documents"),
        ("sha256", data.sha256),
        ("daemon", f"{daemon}, {report.daemon.build.name} build"),
        ("runtime", f"{environment.runtime}: {environment.runtime_reason}"),
        ("Postgres", environment.postgres or "-"),
        ("vectors", environment.vectors),
        *((image.name, image.digest) for image in environment.images),
        ("host", f"{host.cpu or 'unknown processor'}, {host.cores or '?'} cores"),
        ("harness", f"{report.harness.version}{commit}"),
        ("measured", report.created_at),
    ]
    rows = [[key, code(value)] for key, value in pairs]
    return table("what was measured", ["", "value"], [], rows)
