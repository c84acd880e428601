"""What a page ends with: everything needed to read it later and to run it again."""

from collections.abc import Mapping

from harness.report.faces.markup import Content, Markup, joined, tag
from harness.report.faces.page import code, facts, folded, section, table
from harness.report.layout import count, listed, number
from harness.report.model import Invariant, Report
from harness.units import seconds, size


def record(report: Report) -> Markup:
    """Show the data, the machine, what was written, what was checked, and the time."""
    return section(
        "Record",
        facts(
            [
                ("data set", _data(report)),
                ("daemon", _daemon(report)),
                ("runtime", _runtime(report)),
                ("images", _images(report)),
                ("vectors", _vectors(report)),
                ("asked", _asked(report)),
                ("seeded", _seeding(report)),
                ("host", _host(report)),
                ("phases", _phases(report)),
            ]
        ),
        folded("Invariants and checks", *_evidence(report)),
        folded("Settings of the store", _settings(report.environment.settings)),
        note="What was measured, on what, and how it was asked.",
    )


def _data(report: Report) -> Markup:
    data = report.dataset
    return joined(
        f"{data.name} {data.version}, {count(data.documents, 'document')}, sha256 ",
        code(data.sha256),
    )


def _daemon(report: Report) -> str:
    build = report.daemon.build
    evidence = listed(
        f"{key} {'unknown' if value is None else value}"
        for key, value in sorted(build.evidence.items())
    )
    return (
        f"{report.daemon.name} {report.daemon.version or 'of unknown version'}, "
        f"{build.name} build{f': {evidence}' if evidence else ''}"
    )


def _runtime(report: Report) -> str:
    environment = report.environment
    parts = [f"{environment.runtime}: {environment.runtime_reason}"]
    if environment.postgres:
        parts.append(f"Postgres {environment.postgres}")
    if environment.pgvector:
        parts.append(f"pgvector {environment.pgvector}")
    return "; ".join(parts)


def _images(report: Report) -> Markup | None:
    images = report.environment.images
    if not images:
        return None
    return joined([joined(f"{each.name} ", code(each.digest), " ") for each in images])


def _vectors(report: Report) -> str:
    environment = report.environment
    parts = [environment.vectors]
    if environment.profile is not None:
        parts.append(f"profile {environment.profile}")
    if environment.embedding_model is not None:
        model = f"{environment.embedding_provider} {environment.embedding_model}"
        parts.append(model)
    return "; ".join(parts)


def _asked(report: Report) -> str:
    asked = report.parameters
    skipped = f", {asked.skipped_queries:,} queries skipped"
    return (
        f"first {asked.limit}, one scored pass and {asked.repetitions} timed, "
        f"{asked.scale:,} filler, cut-offs {listed(asked.cutoffs)}, gain of ndcg "
        f"{asked.ndcg_gain}{skipped if asked.skipped_queries else ''}"
    )


def _seeding(report: Report) -> str | None:
    seeding = report.seeding
    if seeding is None:
        return None
    rate = seeding.documents_per_second
    return (
        f"{count(seeding.documents, 'document')}, {seeding.filler:,} filler, "
        f"{count(seeding.corrections, 'correction')}, "
        f"{count(seeding.mentions, 'mention')}; {seeding.method} requests, "
        f"{number(rate, 0)} a second; {seeding.verified:,} read back"
    )


def _host(report: Report) -> str:
    host = report.environment.host
    parts = [host.cpu or "unknown processor"]
    if host.cores is not None:
        parts.append(count(host.cores, "core"))
    if host.memory_bytes is not None:
        parts.append(size(host.memory_bytes))
    if host.kernel is not None:
        parts.append(f"kernel {host.kernel}")
    parts.append(f"Python {host.python}")
    return listed(parts)


def _phases(report: Report) -> str | None:
    rows = {result.name for result in report.configurations}
    spent: dict[str, float] = {}
    for phase in report.phases:
        # Every configuration has its latency above; here it is one of many.
        word = "asking" if phase.name in rows else phase.name
        spent[word] = spent.get(word, 0.0) + phase.seconds
    if not spent:
        return None
    parts = listed(f"{word} {seconds(took)}" for word, took in spent.items())
    return f"{seconds(sum(spent.values()))}: {parts}"


def _evidence(report: Report) -> list[Markup]:
    rows: list[list[Content]] = [
        [each.name.replace("_", " "), f"{each.checked:,}", _broken(each)]
        for each in report.invariants
    ]
    made = [table(["invariant"], ["hits checked", "violations"], rows)]
    if report.discrimination:
        checks: list[list[Content]] = [
            [
                each.name,
                "-" if each.left is None else f"{each.left:.3g}",
                "-" if each.right is None else f"{each.right:.3g}",
                {True: "holds", False: "does not hold", None: "not checked"}[
                    each.passed
                ],
            ]
            for each in report.discrimination
        ]
        made.append(table(["told apart"], ["left", "right"], checks, remarks=[""]))
    return made


def _broken(invariant: Invariant) -> Content:
    amount = f"{len(invariant.violations):,}"
    return tag("b", amount) if invariant.violations else amount


def _settings(settings: Mapping[str, str]) -> Markup:
    return facts([(key, code(value)) for key, value in sorted(settings.items())])
