"""``harness longmemeval``: look the file through, measure it, keep the report."""

import argparse
from dataclasses import replace
from pathlib import Path

from harness.cli.embedding import (
    embedding,
    embedding_options,
    model_of,
    profile_settings,
)
from harness.cli.evaluate import REPORTS, new_file
from harness.cli.output import emit, flush, kept, refuse_unwritable
from harness.cli.progress import TerminalProgress, notify, warn
from harness.cli.spread import is_spread, spread
from harness.cli.survey import print_survey
from harness.cli.target import chosen_runtime
from harness.dataset.longmemeval.errata import read_errata
from harness.dataset.longmemeval.policies import Policies
from harness.dataset.longmemeval.releases import file_facts
from harness.errors import ExitCode, NothingMeasuredError, UsageError
from harness.measure.longmemeval.embedder import Embedder
from harness.measure.longmemeval.family import forget
from harness.measure.longmemeval.plan import LongMemEvalPlan
from harness.measure.longmemeval.run import Machinery, measure_longmemeval
from harness.measure.longmemeval.survey import Survey, survey
from harness.provider.plan import Estimator
from harness.report.model import Report
from harness.report.store import save, to_json
from harness.report.terminal import print_report
from harness.runtime.signals import unwinding

SETTINGS = {"PALACE_LEXICAL_STATISTICS": "scope"}
"""Scores of one question must not move with the haystacks written before it."""


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure, print and store; fail where a question has no result."""
    refuse_unwritable(arguments.out, arguments.path, arguments.errata)
    refuse_unwritable(arguments.journal, arguments.path, arguments.out)
    cost = Estimator(embedding_options(arguments)) if arguments.dry_run else None
    plan, found = planned(arguments, cost)
    if cost is not None:
        print_survey(plan.file, found, cost.total)
        return ExitCode.PASSED
    with unwinding(), embedding(arguments) as embedder:
        plan = replace(plan, model=model_of(embedder))
        journal = arguments.journal or _journal(arguments, plan)
        report = _measured(arguments, plan, journal, embedder)
    path = arguments.out or new_file(report, plan.isolation)
    save(report, path)
    facts = report.longmemeval
    failed = facts is not None and bool(facts.errors)
    if not failed:
        # The report has everything now; what failed is asked again from the journal.
        forget(journal)
    with kept(path):
        if arguments.json:
            emit(to_json(report))
        else:
            print_report(report, path)
            flush()
    return _ended(report, journal if failed else None)


def planned(
    arguments: argparse.Namespace, cost: Estimator | None = None
) -> tuple[LongMemEvalPlan, Survey]:
    """Read the file once through, and refuse what cannot be measured.

    Args:
        arguments: Those of ``harness longmemeval``.
        cost: Adds up what embedding would cost, where somebody wants to know.

    Returns:
        The plan, as yet without a model, and what was counted.

    Raises:
        UsageError: It is an oracle file, and nobody asked for one.
        DatasetError: It is malformed.
        NothingMeasuredError: No question of it would be scored.
    """
    file = file_facts(arguments.path)
    if file.is_oracle and not arguments.oracle:
        raise UsageError(
            "every session of every question is evidence: recall is 1 by construction.",
            where=str(arguments.path),
            remedy="Measure S or M; --oracle measures it all the same, marked trivial.",
        )
    policies = Policies(
        arguments.text, arguments.gold, arguments.granularity, arguments.abstention
    )
    errata = None if arguments.errata is None else read_errata(arguments.errata)
    with TerminalProgress().phase("reading", None) as seen:
        found = survey(
            arguments.path,
            policies,
            errata,
            limit=arguments.limit,
            seen=seen,
            texts=None if cost is None else cost.add,
        )
    if not found.scored:
        reasons = ", ".join(f"{n} {why}" for why, n in found.unscored.items())
        raise NothingMeasuredError(
            f"none of {found.questions} questions would be scored: {reasons}.",
            where=str(arguments.path),
            remedy="Choose another --gold, --abstention include, or a higher --limit.",
        )
    plan = LongMemEvalPlan(
        path=arguments.path,
        file=file,
        questions=found.questions,
        limit=arguments.limit,
        policies=policies,
        isolation=arguments.isolation,
        errata=errata,
        allow_nonempty=arguments.allow_nonempty,
    )
    return plan, found


def _measured(
    arguments: argparse.Namespace,
    plan: LongMemEvalPlan,
    journal: Path,
    embedder: Embedder | None,
) -> Report:
    settings = {**SETTINGS, **profile_settings(plan.model)}
    try:
        if is_spread(arguments):
            probed = None if embedder is None else embedder.counts
            return spread(arguments, plan, journal, settings, probed)
        machinery = Machinery(
            runtime=chosen_runtime(arguments, default="release", settings=settings),
            progress=TerminalProgress(),
            embedder=embedder,
            warn=warn,
        )
        return measure_longmemeval(plan, journal, machinery)
    except KeyboardInterrupt:
        notify(f"The same command goes on from {journal}.")
        raise


def _journal(arguments: argparse.Namespace, plan: LongMemEvalPlan) -> Path:
    """Name the journal: beside the report, so that the same command finds it."""
    folder = REPORTS if arguments.out is None else arguments.out.absolute().parent
    target = arguments.url or arguments.runtime
    return Path(folder / plan.journal_name(str(target)))


def _ended(report: Report, journal: Path | None) -> ExitCode:
    facts = report.longmemeval
    stages = {each.stage for each in facts.errors} if facts else set()
    if stages == {"embed"}:
        # The daemon did nothing wrong: what failed is the endpoint, or a text for it.
        warn(f"EMBEDDING FAILED. The same command goes on from {journal}.")
        return ExitCode.UNAVAILABLE
    if not any(result.queries for result in report.configurations):
        warn("NOTHING WAS MEASURED: no question has a result. This is no pass.")
        return ExitCode.NOTHING_MEASURED
    if journal is not None:
        warn(f"What failed is asked again by the same command, from {journal}.")
        return ExitCode.GATE_FAILED
    if any(invariant.violations for invariant in report.invariants):
        return ExitCode.GATE_FAILED
    return ExitCode.PASSED
