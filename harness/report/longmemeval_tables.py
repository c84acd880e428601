"""A LongMemEval run as a person reads it: each figure with its count and its chance."""

from collections.abc import Iterable, Iterator, Mapping

from rich.cells import cell_len
from rich.console import Console

from harness.dataset.longmemeval.defects import Defects
from harness.dataset.longmemeval.policies import QuestionSet
from harness.report.layout import (
    count,
    heading,
    listed,
    number,
    say,
    shown,
    table,
)
from harness.report.longmemeval import Figure, LongMemEvalFacts
from harness.report.model import Report
from harness.report.tables import print_latency
from harness.units import seconds, size

HASH_DIGITS = 12
SHOWN_METRICS = (
    "hit@1",
    "mrr",
    "hit@5",
    "all@5",
    "recall@5",
    "ndcg@5",
    "ndcg_official@5",
)
"""The first two still tell systems apart where the rest is close to 1."""
TITLES = {"ndcg_official": "off."}
NOTE = "hit is recall_any, all is recall_all, off. the authors' ndcg"
WIDEST_NAME = 30
"""What 80 columns leave beside the figures."""
MAX_ERRORS = 10
"""More of the same teach nothing; the report has them all."""

_OF_SESSIONS = {"answer_session_ids"}

ISOLATIONS = {
    "wing": "a wing for each question, kept",
    "isolated": "a wing for each question, deleted before the next",
    "shared": "one wing for all, searched without a filter",
}


def print_longmemeval_header(facts: LongMemEvalFacts, console: Console) -> None:
    """Print what was measured and by which policies, before what it ran on."""
    file, policies, counts = facts.file, facts.policies, facts.counts
    say(
        console,
        "longmemeval",
        f"{file.name}, {size(file.size)}, sha256 {file.sha256[:HASH_DIGITS]}, "
        f"{file.release or f'no known release, {file.layout} layout'}",
        style="bold",
    )
    if facts.is_trivial:
        text = "every session is evidence, so recall is 1 whatever was measured"
        say(console, "TRIVIAL", text, style="bold red")
    say(
        console,
        "policies",
        f"text {policies.text}, gold {policies.gold}, granularity "
        f"{policies.granularity}, abstention {policies.abstention}",
    )
    scope = "the searched wing's" if facts.scoped_statistics else "not told"
    say(
        console,
        "isolation",
        f"{facts.isolation}: {ISOLATIONS[facts.isolation]}; statistics {scope}",
    )
    first = "" if facts.limit is None else f"first {facts.limit:,}: "
    reasons = listed(f"{amount} {why}" for why, amount in counts.unscored.items())
    say(
        console,
        "questions",
        f"{first}{counts.read:,} read, {counts.asked:,} asked, {counts.scored:,} "
        f"scored{f'; left out: {reasons}' if reasons else ''}",
        f"published sets: "
        f"{listed(f'{name} {amount}' for name, amount in counts.sets.items())}",
    )
    say(console, "asked", f"first {facts.depth}, each question once")


def print_longmemeval(
    report: Report, facts: LongMemEvalFacts, console: Console
) -> None:
    """Print the headline, the other sets, what was lost, and where the time went.

    Args:
        report: The whole report.
        facts: Its part on LongMemEval.
        console: Where to.
    """
    _print_headline(report, facts, console)
    _print_sets(facts, console)
    print_latency(report, console)
    console.print()
    _print_returned(facts, console)
    _print_written(report, facts, console)
    _print_embedding(facts, console)
    _print_errata(facts, console)
    _print_defects(facts, console)
    _print_pace(facts, console)
    _print_errors(facts, console)


def _print_headline(report: Report, facts: LongMemEvalFacts, console: Console) -> None:
    if facts.errors:
        text = f"{count(len(facts.errors), 'error')}, and a failure is no miss"
        heading(console, "NO HEADLINE", text)
        return
    trivial = "TRIVIAL, " if facts.is_trivial else ""
    heading(console, "Retrieval", f"{trivial}means over (scored questions); {NOTE}")
    results = report.configurations
    types = sorted({name for result in results for name in result.by_category})
    labels = [f"  {result.name} ({result.queries})" for result in results]
    sheet = table(
        console,
        [""],
        [_title(metric) for metric in SHOWN_METRICS],
        name_width=_width([*labels, *types]),
    )
    sheet.add_row(shown("scored", console, "bold"))
    for label, result in zip(labels, results, strict=True):
        sheet.add_row(shown(label, console), *_cells(result.metrics))
    sheet.add_row(shown("  chance", console, "dim"), *_cells(_chance(facts)))
    for name in types:
        sheet.add_section()
        sheet.add_row(shown(name, console, "bold"))
        for result in results:
            label = f"  {result.name} ({result.category_queries.get(name, 0)})"
            values = result.by_category.get(name, {})
            sheet.add_row(shown(label, console), *_cells(values))
    console.print(sheet)


def _print_sets(facts: LongMemEvalFacts, console: Console) -> None:
    """Print the same run by every gold policy and set: public figures are all these."""
    if not facts.figures:
        return
    heading(
        console, "Sets and gold", "means over (questions); not one measure but many"
    )
    corrected = facts.errata.figures if facts.errata else ()
    sheet = table(
        console,
        [""],
        [_title(metric) for metric in SHOWN_METRICS],
        name_width=WIDEST_NAME,
    )
    for gold in dict.fromkeys(each.gold for each in facts.figures):
        for note, figures in (("", facts.figures), (", corrected", corrected)):
            rows = _rows(each for each in figures if each.gold == gold)
            if rows:
                sheet.add_section()
                sheet.add_row(shown(f"{gold}{note}", console, "bold"))
            for label, values in rows.items():
                sheet.add_row(shown(label, console), *_cells(values))
    console.print(sheet)


def _rows(figures: Iterable[Figure]) -> dict[str, dict[str, float]]:
    """Gather the metrics of each configuration over each set."""
    rows: dict[str, dict[str, float]] = {}
    for each in figures:
        label = f"  {each.configuration}, {each.question_set} ({each.questions})"
        rows.setdefault(label, {})[each.metric] = each.value
    return rows


def _chance(facts: LongMemEvalFacts) -> dict[str, float]:
    """Find what a random ranking scores over the questions of the headline."""
    name: QuestionSet = (
        "all" if facts.policies.abstention == "include" else "answerable"
    )
    return {
        each.metric: each.chance
        for each in facts.figures
        if each.gold == facts.policies.gold
        and each.question_set == name
        and each.chance is not None
    }


def _cells(values: Mapping[str, float]) -> Iterator[str]:
    return (number(values.get(metric)) for metric in SHOWN_METRICS)


def _title(metric: str) -> str:
    """Break a metric's name over two lines, so that all fit beside each other."""
    name, _, cutoff = metric.partition("@")
    if not cutoff:
        return f"\n{name}"
    return f"{TITLES.get(name, name)}\n@{cutoff}"


def _width(labels: Iterable[str]) -> int:
    return min(max(map(cell_len, labels), default=0), WIDEST_NAME)


def _print_returned(facts: LongMemEvalFacts, console: Console) -> None:
    policies = facts.policies
    by_session = policies.granularity == "session" or policies.gold in _OF_SESSIONS
    noun = "sessions" if by_session else "turns"
    lines = [
        f"{each.configuration}: {each.pool - each.unreturned:,} of {each.pool:,} "
        f"{noun} have a rank; nothing came back to {each.without_hits:,} of "
        f"{count(each.asked, 'question')}"
        for each in facts.returned
    ]
    say(console, "returned", *lines)


def _print_written(report: Report, facts: LongMemEvalFacts, console: Console) -> None:
    seeding = report.seeding
    if seeding is None:
        say(console, "written", "-")
        return
    blank = sum(question.blank for question in facts.questions if question.asked)
    rate = number(seeding.documents_per_second, 0)
    lines = [f"{count(seeding.documents, 'document')}, {facts.characters:,} characters"]
    lines.append(f"{seeding.method} requests, {rate} documents a second")
    lines.append(f"{seeding.verified:,} counted afterwards; {blank:,} blank left out")
    if facts.oversize_rule is not None:
        lines.append(
            f"too long for the model ({facts.oversize_rule}): "
            f"{facts.split_documents:,} split, {facts.truncated_documents:,} truncated"
        )
    say(console, "written", *lines)


def _print_embedding(facts: LongMemEvalFacts, console: Console) -> None:
    found = facts.embedding
    if found is None:
        return
    billed = "not told" if found.tokens_billed is None else f"{found.tokens_billed:,}"
    share = "-" if found.busy_share is None else f"{100 * found.busy_share:.0f} %"
    say(
        console,
        "embedded",
        f"{found.texts:,} texts, {found.empty:,} of them blank, {found.truncated:,} "
        f"truncated, {found.chunked:,} in fragments, {found.mended:,} mended",
        f"{count(found.requests, 'request')}, {found.retries:,} repeated after waiting "
        f"{seconds(found.waited_s)}, {found.splits:,} cut up; tokens: "
        f"{found.tokens:,} by estimate, {billed} billed",
        f"{found.fragments:,} pieces, {found.cache_hits:,} from the cache, "
        f"{found.joined:,} on their way already",
        f"a request was under way for {share} of {seconds(found.span_s)}, "
        f"{number(found.mean_in_flight, 1)} at once",
    )


def _print_errata(facts: LongMemEvalFacts, console: Console) -> None:
    errata = facts.errata
    if errata is None:
        say(console, "errata", "none applied")
        return
    say(
        console,
        "errata",
        f"{errata.name}, sha256 {errata.sha256[:HASH_DIGITS]}; scored by other "
        f"sessions: {listed(errata.regraded) or 'none'}; left out: "
        f"{listed(errata.left_out) or 'none'}",
    )


def _print_defects(facts: LongMemEvalFacts, console: Console) -> None:
    remarks = Defects(**facts.defects).remarks()
    say(console, "in the data", *(remarks or ("nothing odd",)))


def _print_pace(facts: LongMemEvalFacts, console: Console) -> None:
    pace = facts.pace
    spent = listed(f"{name} {seconds(took)}" for name, took in pace.phases.items())
    share = "-" if pace.daemon_share is None else f"{100 * pace.daemon_share:.0f} %"
    say(
        console,
        "time",
        f"{seconds(pace.wall_s)}, {number(pace.questions_per_minute, 1)} questions a "
        f"minute; a request was under way for {seconds(pace.daemon_s)}, {share}",
        f"{spent}; the first three run beside the others",
    )


def _print_errors(facts: LongMemEvalFacts, console: Console) -> None:
    errors = facts.errors
    if not errors:
        say(console, "errors", "none", style="green")
        return
    lines = [f"{count(len(errors), 'error')}: no headline, and no comparison"]
    lines += [
        f"{each.question}, {each.stage}"
        f"{f' ({each.configuration})' if each.configuration else ''}: {each.what}"
        for each in errors[:MAX_ERRORS]
    ]
    if len(errors) > MAX_ERRORS:
        lines.append(f"and {len(errors) - MAX_ERRORS:,} more in the report")
    say(console, "errors", *lines, style="bold red")
