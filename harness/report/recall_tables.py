"""A recall tier as a person reads it: rows, fail-open, faults, tempo and phases."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from harness.report.layout import (
    count,
    heading,
    listed,
    number,
    say,
    shown,
    table,
    width_of,
)
from harness.report.model import ConfigurationResult, Report
from harness.report.recall import FaultResult, RecallFacts
from harness.units import seconds

GROUPS: Mapping[str, Sequence[str]] = {
    "corpus": (
        "document-hybrid",
        "document-vector",
        "document-keyword",
        "searchMemories-vector",
        "keyword-chat-bm25",
    ),
    "fail-open": (
        "document-vector-failopen",
        "document-hybrid-failopen",
    ),
    "facts": ("facts-provider-keyword", "facts-decay"),
    "word forms": (
        "keyword-morph-stemmed",
        "keyword-morph-unstemmed",
        "keyword-morph-nostem",
    ),
    "paraphrases": ("paraphrase-hybrid", "paraphrase-vector", "paraphrase-keyword"),
    "scripts": ("scripts-hybrid", "scripts-keyword", "scripts-rank"),
    "long documents": ("long-hybrid", "long-vector", "long-keyword"),
    "lifecycle": ("duplicates", "updates", "deletes"),
}
"""Rows that are read against each other; a row of another name comes last."""

OTHERS = "others"


def print_recall(report: Report, facts: RecallFacts, console: Console) -> None:
    """Print the rows of a tier by group, then what was lost, and how long all took.

    Args:
        report: The whole report.
        facts: Its part on recall.
        console: Where to.
    """
    _print_rows(report, facts, console)
    _print_faults(facts.faults, console)
    console.print()
    _print_fail_open(facts, console)
    _print_stemming(facts, console)
    _print_tempo(facts, console)
    _print_waits(facts, console)
    _print_phases(report, console)


def tier_line(facts: RecallFacts) -> str:
    """Name the tier, its order of ingestion and its size."""
    return (
        f"{facts.tier}, {facts.variant} order: "
        f"{count(facts.corpus_documents, 'document')}, {count(facts.topics, 'topic')}"
    )


def _print_rows(report: Report, facts: RecallFacts, console: Console) -> None:
    heading(console, "Rows", "means over (queries of documents); ms sent to done")
    metrics = (f"recall@{facts.k}", f"ndcg@{facts.k}", "mrr")
    groups = list(groups_of(report.configurations))
    labels = [f"  {row.name}" for _, rows in groups for row in rows]
    sheet = table(
        console,
        [""],
        [
            *(metric.replace("@", "\n@") for metric in metrics),
            *("ms\np50", "\np95", "embed\nreqs"),
        ],
        "answered\nby",
        # Folded names cannot be searched for, and none is longer than the others.
        name_width=max(map(cell_len, labels), default=0),
    )
    for title, rows in groups:
        sheet.add_section()
        sheet.add_row(shown(f"{title} {sizes_of(rows)}", console, "bold"))
        for row in rows:
            service = None if row.latency is None else row.latency.service
            reached = facts.embedded.get(row.name)
            sheet.add_row(
                shown(f"  {row.name}", console),
                *(number(row.metrics.get(metric)) for metric in metrics),
                _ms(None if service is None else service.p50_ms),
                _ms(None if service is None else service.p95_ms),
                "-" if reached is None else f"{reached.requests:,}",
                shown(answered_by(row), console, "" if row.queries else "bold red"),
            )
    console.print(sheet)


def groups_of(
    rows: Sequence[ConfigurationResult],
) -> Iterator[tuple[str, list[ConfigurationResult]]]:
    """Sort rows under the headings they are read under."""
    known = {name for names in GROUPS.values() for name in names}
    others = [row.name for row in rows if row.name not in known]
    for title, names in (*GROUPS.items(), (OTHERS, others)):
        members = [row for row in rows if row.name in names]
        if members:
            yield title, members


def sizes_of(rows: Sequence[ConfigurationResult]) -> str:
    """Count queries and documents: ``(40 of 1,000)``; ``(4/9 of 54)`` of two rows."""
    asked = _distinct(row.queries for row in rows)
    corpora = _distinct(row.corpus for row in rows if row.corpus is not None)
    return f"({asked} of {corpora})" if corpora else f"({asked})"


def _distinct(amounts: Iterable[int]) -> str:
    return "/".join(f"{amount:,}" for amount in dict.fromkeys(amounts))


def answered_by(row: ConfigurationResult) -> str:
    """Name the modes that answered, with the code of those that fell open."""
    if not row.queries:
        return f"NOT MEASURED: {row.skip_reason or 'no query'}"
    ways = Counter(
        _way(each.effective, each.degraded)
        for each in row.rankings
        if each.effective is not None
    )
    if len(ways) == 1:
        return next(iter(ways))
    return listed(f"{way} {ways[way]}" for way in sorted(ways)) or "-"


def _way(effective: str | None, code: str | None) -> str:
    return f"{effective}" if code is None else f"{effective} ({_last(code)})"


def _last(code: str) -> str:
    """Shorten a code to its last part, which tells it from its like."""
    return code.rpartition("::")[2]


def _print_faults(faults: Sequence[FaultResult], console: Console) -> None:
    if not faults:
        heading(console, "Faults of the embedder", "not measured")
        return
    note = "recall@5 meanwhile and after; answers still bad after its end"
    heading(console, "Faults of the embedder", note)
    labels = [f"  {fault.fault}" for fault in faults]
    sheet = table(
        console,
        [""],
        ["mean-\nwhile", "\nafter", "ms\np50", "\nmax", "still\nbad"],
        "fell open\nwith",
        name_width=width_of(labels),
    )
    sheet.add_column("document\nsent", overflow="fold")
    for mode in dict.fromkeys(fault.mode for fault in faults):
        here = [fault for fault in faults if fault.mode == mode]
        healthy = " or ".join(
            dict.fromkeys(number(fault.healthy_recall) for fault in here)
        )
        asked = _distinct(fault.queries for fault in here)
        sheet.add_section()
        sheet.add_row(shown(f"{mode} ({asked})", console, "bold"), "", healthy)
        for fault in here:
            sheet.add_row(*_fault(fault, console))
    console.print(sheet)


def _fault(fault: FaultResult, console: Console) -> Iterator[Text]:
    late = fault.queries_to_recover
    cells = (
        f"  {fault.fault}",
        number(fault.fault_recall),
        number(fault.recovered_recall),
        _ms(fault.fault_p50_ms),
        _ms(fault.fault_max_ms),
        "-" if late is None else str(late),
        codes_of(fault),
        fault.ingest or "-",
    )
    return (shown(cell, console) for cell in cells)


def codes_of(fault: FaultResult) -> str:
    """Name the codes that answers fell open with, and how often."""
    if not fault.codes:
        return "none"
    codes = (f"{_last(code)} {times}" for code, times in sorted(fault.codes.items()))
    if len(fault.codes) == 1 and sum(fault.codes.values()) == fault.queries:
        return _last(next(iter(fault.codes)))
    return listed(codes)


def _print_fail_open(facts: RecallFacts, console: Console) -> None:
    lines = [
        f"{each.mode} drops by {number(each.drop)}: {number(each.healthy_recall)} to "
        f"{number(each.degraded_recall)}"
        for each in facts.fail_open
    ]
    say(console, "fail-open", *(lines or ["not measured"]))


def _print_stemming(facts: RecallFacts, console: Console) -> None:
    found = facts.stemming
    alone = None
    if found.stemmed_recall is not None and found.same_ranker_recall is not None:
        alone = found.stemmed_recall - found.same_ranker_recall
    stemmed = number(found.stemmed_recall)
    say(
        console,
        "stemming",
        f"lifts by {number(found.lift)}: {number(found.unstemmed_recall)} by the other "
        f"ranker to {stemmed}",
        f"lifts by {number(alone)}: {number(found.same_ranker_recall)} by the same "
        f"ranker to {stemmed}",
    )


def _print_tempo(facts: RecallFacts, console: Console) -> None:
    ours, bound = facts.tempo.documents_per_second, facts.tempo.embedder_per_second
    text = f"{number(ours, 0)} documents/s in; the embedder alone {number(bound, 0)}/s"
    if ours is not None and bound:
        text += f": {ours / bound:.0%} of it"
    say(console, "tempo", text)


def _print_waits(facts: RecallFacts, console: Console) -> None:
    """Say how much of a search is the embedder's own time."""
    waits = [
        f"{name} {number(each.p50_ms, 1)} ms"
        for name, each in facts.embedded.items()
        if each.p50_ms is not None and name in (*GROUPS["corpus"], *GROUPS["fail-open"])
    ]
    say(console, "embedder", f"median wait for it: {listed(waits) or '-'}")


def _print_phases(report: Report, console: Console) -> None:
    """Say where the time went; the rows together, for each has its latency above."""
    rows = {row.name for row in report.configurations}
    spent: dict[str, float] = {}
    for phase in report.phases:
        name = "rows" if phase.name in rows else phase.name
        spent[name] = spent.get(name, 0.0) + phase.seconds
    parts = listed(f"{name} {seconds(took)}" for name, took in spent.items())
    total = seconds(sum(spent.values()))
    say(console, "phases", f"{total}: {parts}" if spent else "-")


def _ms(value: float | None) -> str:
    """Write milliseconds with three figures, which is what they are good for."""
    return number(value, 1 if value is None or value < 100 else 0)
