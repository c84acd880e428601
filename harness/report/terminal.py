"""The report as a person reads it in a terminal.

The same report gives the same text on every machine. What was not measured is ``-``.
"""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from harness.report.check_lines import print_checks
from harness.report.layout import (
    NAME_WIDTH,
    count,
    listed,
    say,
    shown,
    terminal,
)
from harness.report.longmemeval_tables import (
    print_longmemeval,
    print_longmemeval_header,
)
from harness.report.model import (
    BuildFacts,
    DaemonFacts,
    Discrimination,
    Invariant,
    Parameters,
    Report,
)
from harness.report.recall_tables import print_recall, tier_line
from harness.report.tables import print_latency, print_quality
from harness.report.wording import of_violation

HASH_DIGITS = 12
MAX_VIOLATIONS = 10
"""More of the same teach nothing; the report has them all."""


def print_report(
    report: Report, written_to: Path | None = None, *, console: Console | None = None
) -> None:
    """Print *report*: what was measured, quality, latency, and what to doubt.

    Args:
        report: A whole report.
        written_to: The report's file, named in the last line.
        console: Where to, standard output where missing. It gets plain ASCII where
            it is no terminal or ``NO_COLOR`` is set.
    """
    console = terminal() if console is None else console
    _print_header(report, console)
    if report.recall is not None:
        print_recall(report, report.recall, console)
        _print_invariants(report, console)
    elif report.longmemeval is not None:
        print_longmemeval(report, report.longmemeval, console)
        _print_invariants(report, console)
    else:
        print_quality(report, console)
        print_latency(report, console)
        console.print()
        _print_seeding(report, console)
        _print_invariants(report, console)
        _print_discrimination(report, console)
    for caution in report.warnings:
        lines = [caution.text, caution.remedy] if caution.remedy else [caution.text]
        say(console, "caution", *lines, style="yellow")
    if report.recall is not None:
        print_checks(report.checks, console)
    if written_to is not None:
        name = "report".ljust(NAME_WIDTH)
        # Not folded: a path is there to be copied.
        console.print(shown(f"{name}{written_to}", console), soft_wrap=True)


def _print_header(report: Report, console: Console) -> None:
    data, environment, asked = report.dataset, report.environment, report.parameters
    if report.recall is not None:
        say(console, "recall tier", tier_line(report.recall), style="bold")
    if report.longmemeval is not None:
        print_longmemeval_header(report.longmemeval, console)
    else:
        say(
            console,
            "data set",
            f"{data.name} {data.version}, {_documents(report)}, "
            f"{data.queries:,} queries, sha256 {data.sha256[:HASH_DIGITS]}",
            style="bold",
        )
    say(console, "daemon", _daemon(report.daemon))
    say(console, "runtime", f"{environment.runtime}: {environment.runtime_reason}")
    if environment.images:
        images = (f"{each.name} {_short(each.digest)}" for each in environment.images)
        say(console, "images", listed(images))
    say(console, "store", _store(report))
    say(console, "vectors", _vectors(report))
    if report.longmemeval is None:
        say(console, "asked", _asked(asked))
    commit = report.harness.commit
    say(
        console,
        "harness",
        f"{report.harness.version}{f' ({commit[:HASH_DIGITS]})' if commit else ''}, "
        f"{report.created_at}",
    )


def _asked(parameters: Parameters) -> str:
    filler = (
        count(parameters.scale, "filler drawer") if parameters.scale else "no filler"
    )
    skipped = f", {parameters.skipped_queries} queries skipped"
    return (
        f"first {parameters.limit}, one scored pass and {parameters.repetitions} timed,"
        f" {filler}{skipped if parameters.skipped_queries else ''}"
    )


def _short(digest: str) -> str:
    """Shorten a digest as the data set's hash is shortened."""
    return digest.removeprefix("sha256:")[:HASH_DIGITS]


def _documents(report: Report) -> str:
    """Count the data set's own documents; filler is no part of it."""
    filler = 0 if report.seeding is None else report.seeding.filler
    return count(report.dataset.documents - filler, "document")


def _daemon(daemon: DaemonFacts) -> str:
    version = daemon.version or "of unknown version"
    return f"{daemon.name} {version}, {_build(daemon.build)}"


def _build(build: BuildFacts) -> str:
    if build.name == "unknown":
        return "build unknown: it does not say"
    facts = listed(
        f"{name} {_word(value)}" for name, value in sorted(build.evidence.items())
    )
    return f"{build.name} build, by its own account" + (f": {facts}" if facts else "")


def _word(value: str | int | float | bool | None) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "unknown" if value is None else str(value)


def _store(report: Report) -> str:
    environment = report.environment
    facts = [environment.backend]
    if environment.postgres:
        facts.append(f"Postgres {environment.postgres}")
    if environment.pgvector:
        facts.append(f"pgvector {environment.pgvector}")
    return listed(facts)


def _vectors(report: Report) -> str:
    environment = report.environment
    facts = [environment.vectors]
    if environment.profile is not None:
        facts.append(f"profile {environment.profile}")
    if environment.embedding_model is not None:
        facts.append(f"{environment.embedding_provider} {environment.embedding_model}")
    return "; ".join(facts)


def _print_seeding(report: Report, console: Console) -> None:
    seeding = report.seeding
    if seeding is None:
        say(console, "seeding", "-")
        return
    rate = seeding.documents_per_second
    say(
        console,
        "seeding",
        f"{count(seeding.documents, 'drawer')} of the data set, "
        f"{seeding.filler:,} of filler, "
        f"{count(seeding.corrections, 'correction')}, "
        f"{count(seeding.mentions, 'mention')}; {seeding.method} requests, "
        f"{'-' if rate is None else f'{rate:,.0f}'} drawers/s; "
        f"{seeding.verified:,} judged documents read back",
    )


def _print_invariants(report: Report, console: Console) -> None:
    if not report.invariants:
        say(console, "invariants", "none was checked", style="bold red")
        return
    violations = [
        (invariant.name, violation)
        for invariant in report.invariants
        for violation in invariant.violations
    ]
    checked = listed(
        f"{invariant.name.replace('_', ' ')} {_checked(invariant)}"
        for invariant in report.invariants
    )
    if not violations:
        say(console, "invariants", f"hold; checked: {checked}", style="green")
        return
    lines = [f"{count(len(violations), 'violation')}; checked: {checked}"]
    lines += [
        f"{name.replace('_', ' ')}: {of_violation(violation)}"
        for name, violation in violations[:MAX_VIOLATIONS]
    ]
    if len(violations) > MAX_VIOLATIONS:
        lines.append(f"and {len(violations) - MAX_VIOLATIONS:,} more in the report")
    say(console, "invariants", *lines, style="bold red")


def _checked(invariant: Invariant) -> str:
    return f"{invariant.checked:,}" if invariant.checked else "-"


def _print_discrimination(report: Report, console: Console) -> None:
    checks = report.discrimination
    if not checks:
        say(console, "told apart", "not checked")
        return
    failed = [check for check in checks if check.passed is False]
    done = sum(check.passed is not None for check in checks)
    lines = [f"{done - len(failed)} of {count(done, 'check')} hold"]
    lines += [f"DOES NOT HOLD: {line}" for line in _checks(failed)]
    lines += [f"not checked: {check.name}" for check in checks if check.passed is None]
    say(console, "told apart", *lines, style="bold red" if failed else "green")


def _checks(checks: list[Discrimination]) -> Iterator[str]:
    for check in checks:
        yield f"{check.name}: {_figure(check.left)} against {_figure(check.right)}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
