"""A recall tier: its rows by group, what faults cost, and its checks."""

from collections.abc import Sequence

from harness.report.check_lines import of_check
from harness.report.checks import Check
from harness.report.faces.markup import Content, Markup, name, tag
from harness.report.faces.page import facts as fact_list
from harness.report.faces.page import folded, section, table
from harness.report.faces.plots.changes import Pair, dumbbells
from harness.report.faces.plots.marks import Series
from harness.report.faces.plots.rows import Dot, Row, dot_plot
from harness.report.faces.sections.latency import latency
from harness.report.layout import number
from harness.report.model import ConfigurationResult, Report
from harness.report.recall import FailOpen, FaultResult, RecallFacts
from harness.report.recall_tables import (
    GROUPS,
    answered_by,
    codes_of,
    groups_of,
    sizes_of,
)

UNITS = {"ratio": "", "ms": " ms", "count": ""}


def recall_sections(
    report: Report, facts: RecallFacts
) -> list[tuple[str, Markup | None]]:
    """Give the parts of a tier's page with their headings."""
    return [
        ("Rows", _rows(report, facts)),
        ("Faults", _faults(facts)),
        ("Latency", latency(report, only=GROUPS["corpus"])),
        ("Checks", _checks(report.checks)),
    ]


def _rows(report: Report, facts: RecallFacts) -> Markup:
    metrics = (f"recall@{facts.k}", f"ndcg@{facts.k}", "mrr")
    groups = list(groups_of(report.configurations))
    plots = [dot_plot(metric, _dots(metric, groups)) for metric in metrics]
    rows: list[list[Content]] = []
    for title, members in groups:
        rows.append([f"{title} {sizes_of(members)}"])
        rows += [_row(each, metrics, facts) for each in members]
    return section(
        "Rows",
        tag("div", plots, class_="plots"),
        table(
            ["row"],
            [*metrics, "p50 ms", "p95", "embedder requests"],
            rows,
            remarks=["answered by"],
        ),
        note="Means over queries; 1 is best. In brackets: queries of documents.",
    )


def _dots(
    metric: str, groups: Sequence[tuple[str, list[ConfigurationResult]]]
) -> list[Row]:
    rows = []
    for title, members in groups:
        rows.append(Row(title, ()))
        for each in members:
            value = each.metrics.get(metric)
            series = Series(each.name, 0)
            dots = () if value is None else (Dot(series, value),)
            label = each.name if dots else f"{each.name}: not measured"
            rows.append(Row(label, dots))
    return rows


def _row(
    result: ConfigurationResult, metrics: Sequence[str], facts: RecallFacts
) -> list[Content]:
    service = None if result.latency is None else result.latency.service
    reached = facts.embedded.get(result.name)
    return [
        name(result.name),
        *(number(result.metrics.get(metric)) for metric in metrics),
        number(None if service is None else service.p50_ms, 2),
        number(None if service is None else service.p95_ms, 2),
        "-" if reached is None else f"{reached.requests:,}",
        answered_by(result),
    ]


def _faults(facts: RecallFacts) -> Markup:
    lost = fact_list(
        [
            *((f"{each.mode} falls open", _drop(each)) for each in facts.fail_open),
            ("stemming lifts", _stemming(facts)),
            ("documents in", _tempo(facts)),
        ]
    )
    if not facts.faults:
        return section("Faults", lost, note="No fault of the embedder was tried.")
    modes = dict.fromkeys(fault.mode for fault in facts.faults)
    plots = [_costs(mode, facts.faults) for mode in modes]
    rows: list[list[Content]] = []
    for mode in modes:
        here = [fault for fault in facts.faults if fault.mode == mode]
        rows.append([f"{mode} ({here[0].queries} queries)"])
        rows += [_fault(each) for each in here]
    return section(
        "Faults",
        lost,
        tag("div", plots, class_="plots"),
        table(
            ["fault"],
            ["before", "meanwhile", "after", "p50 ms", "max", "still degraded"],
            rows,
            remarks=["fell open with", "document sent"],
        ),
        note="What each fault of the embedder costs, and whether it passes.",
    )


def _costs(mode: str, faults: Sequence[FaultResult]) -> Markup:
    pairs = [
        Pair(fault.fault, Series(mode, 0), fault.healthy_recall, fault.fault_recall)
        for fault in faults
        if fault.mode == mode
        and fault.healthy_recall is not None
        and fault.fault_recall is not None
    ]
    title = f"recall@5 in mode {mode}"
    return dumbbells(title, pairs, note="hollow before, filled during the fault")


def _fault(fault: FaultResult) -> list[Content]:
    late = fault.queries_to_recover
    return [
        name(fault.fault),
        number(fault.healthy_recall),
        number(fault.fault_recall),
        number(fault.recovered_recall),
        number(fault.fault_p50_ms, 1),
        number(fault.fault_max_ms, 1),
        "-" if late is None else f"{late}",
        codes_of(fault),
        fault.ingest or "-",
    ]


def _drop(lost: FailOpen) -> str:
    return (
        f"{number(lost.healthy_recall)} to {number(lost.degraded_recall)}, "
        f"a drop of {number(lost.drop)}"
    )


def _stemming(facts: RecallFacts) -> str:
    found = facts.stemming
    return (
        f"by {number(found.lift)}, {number(found.unstemmed_recall)} to "
        f"{number(found.stemmed_recall)}; the same ranker without it finds "
        f"{number(found.same_ranker_recall)}"
    )


def _tempo(facts: RecallFacts) -> str:
    tempo = facts.tempo
    return (
        f"{number(tempo.documents_per_second, 0)} a second; the embedder alone serves "
        f"{number(tempo.embedder_per_second, 0)}"
    )


def _checks(checks: Sequence[Check]) -> Markup:
    failed = [check for check in checks if not check.passed]
    lines = [tag("li", of_check(check), class_="bad") for check in failed]
    every: list[list[Content]] = [
        [
            name(check.name),
            "-" if check.value is None else f"{check.value:.6g}{UNITS[check.unit]}",
            _wanted(check),
            "holds" if check.passed else tag("b", "FAILS"),
        ]
        for check in checks
    ]
    return section(
        "Checks",
        tag("ul", lines, class_="status") if lines else None,
        folded(
            f"All {len(checks):,} checks",
            table(["check"], ["found", "wanted"], every, remarks=[""]),
        ),
        note=f"{len(checks) - len(failed):,} of {len(checks):,} hold: figures against "
        "committed values and limits.",
    )


def _wanted(check: Check) -> str:
    unit = UNITS[check.unit]
    if check.exact is not None:
        return f"{check.exact:.6g}{unit}"
    if check.least is not None:
        return f"at least {check.least:.6g}{unit}"
    return f"at most {check.most or 0:.6g}{unit}"
