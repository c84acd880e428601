"""A LongMemEval run: the headline by type, every other figure, and what was lost."""

from harness.dataset.longmemeval.defects import Defects
from harness.report.faces.markup import Content, Markup, name
from harness.report.faces.page import facts as fact_list
from harness.report.faces.page import folded, section, table
from harness.report.faces.sections.latency import latency
from harness.report.faces.sections.quality import quality
from harness.report.layout import count, listed, number
from harness.report.longmemeval import Figure, LongMemEvalFacts
from harness.report.longmemeval_tables import ISOLATIONS, SHOWN_METRICS
from harness.report.model import Report
from harness.units import seconds

PLOTTED = ("ndcg@5", "recall@5", "hit@1")


def longmemeval_sections(
    report: Report, facts: LongMemEvalFacts
) -> list[tuple[str, Markup | None]]:
    """Give the parts of a run's page with their headings."""
    headline = (
        None if facts.errors else quality(report, plotted=PLOTTED, shown=SHOWN_METRICS)
    )
    return [
        ("Quality", headline),
        ("Figures", _figures(facts)),
        ("Latency", latency(report)),
        ("Questions", _questions(report, facts)),
    ]


def _figures(facts: LongMemEvalFacts) -> Markup:
    corrected = facts.errata.figures if facts.errata else ()
    tables: list[Content] = [_table(facts.figures)] if facts.figures else []
    if corrected and facts.errata is not None:
        tables.append(
            folded(f"Corrected by {facts.errata.name}", _table(corrected), is_open=True)
        )
    note = (
        "Public tables call several numbers recall. Each figure here has its gold, its "
        "set, how many questions it is over, and what a random ranking would score "
        "(small, behind it). hit is recall_any, all is recall_all."
    )
    if not tables:
        note = "None: a question failed, and a failure is no miss."
    return section("Figures", *tables, note=note)


def _table(figures: tuple[Figure, ...]) -> Markup:
    """Set a row for each gold, set and configuration; a column for each metric."""
    metrics = [
        metric
        for metric in SHOWN_METRICS
        if any(each.metric == metric for each in figures)
    ]
    found: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for each in figures:
        key = (each.gold, each.question_set, each.configuration)
        found.setdefault(key, {})[each.metric] = each
    rows: list[list[Content]] = []
    last = ""
    for (gold, set_name, configuration), values in found.items():
        if gold != last:
            rows.append([f"gold: {gold}"])
            last = gold
        asked = next(iter(values.values())).questions
        cells = [_cell(values.get(metric)) for metric in metrics]
        rows.append([name(configuration), set_name, f"{asked:,}", *cells])
    return table(["configuration", "set"], ["questions", *metrics], rows)


def _cell(figure: Figure | None) -> Content:
    if figure is None:
        return "-"
    if figure.chance is None:
        return number(figure.value)
    return [number(figure.value), name(f" {number(figure.chance, 2)}", "note")]


def _questions(report: Report, facts: LongMemEvalFacts) -> Markup:
    counts = facts.counts
    unscored = listed(f"{amount} {why}" for why, amount in counts.unscored.items())
    odd = Defects(**facts.defects).remarks()
    errata = facts.errata
    return section(
        "Questions",
        fact_list(
            [
                ("file", facts.file.release or "no known release"),
                ("policies", _policies(facts)),
                ("isolation", f"{facts.isolation}: {ISOLATIONS[facts.isolation]}"),
                (
                    "questions",
                    f"{counts.read:,} read, {counts.asked:,} asked, "
                    f"{counts.scored:,} scored"
                    + (f"; left out: {unscored}" if unscored else ""),
                ),
                ("returned", _returned(facts)),
                ("written", _written(report, facts)),
                ("errata", "none applied" if errata is None else errata.name),
                ("in the data", " ".join(odd) or "nothing odd"),
                ("time", _pace(facts)),
            ]
        ),
        note="What was asked, what was left out, and where the time went.",
    )


def _policies(facts: LongMemEvalFacts) -> str:
    policies = facts.policies
    return (
        f"text {policies.text}, gold {policies.gold}, granularity "
        f"{policies.granularity}, abstention {policies.abstention}"
    )


def _returned(facts: LongMemEvalFacts) -> str:
    return "; ".join(
        f"{each.configuration}: {each.pool - each.unreturned:,} of {each.pool:,} have "
        f"a rank, nothing came back to {each.without_hits:,} of {each.asked:,}"
        for each in facts.returned
    )


def _written(report: Report, facts: LongMemEvalFacts) -> str:
    documents = 0 if report.seeding is None else report.seeding.documents
    return f"{count(documents, 'document')}, {facts.characters:,} characters"


def _pace(facts: LongMemEvalFacts) -> str:
    pace = facts.pace
    spent = listed(f"{word} {seconds(took)}" for word, took in pace.phases.items())
    return f"{seconds(pace.wall_s)}: {spent}"
