"""``harness recall`` and ``registry``: the tiers, their verdict, what leaves here."""

import argparse
import sys
from pathlib import Path

from harness.cli.evaluate import new_file
from harness.cli.faces import Faces, refuse_unwritable_faces, write_faces
from harness.cli.output import emit, flush, kept, refuse_unwritable
from harness.cli.progress import TerminalProgress, warn
from harness.cli.target import ROOT, TRIGRAMS, chosen_runtime
from harness.errors import ExitCode, NothingMeasuredError, ReportFormatError, UsageError
from harness.judge.comparable import from_report, from_results
from harness.judge.compare import compare
from harness.judge.recall.baseline import (
    baseline_name,
    candidate,
    committed_baselines,
    load_baseline,
    require_fit,
    require_same_data,
)
from harness.judge.recall.budgets import load_budgets
from harness.judge.recall.checks import checked, exit_code
from harness.judge.recall.publish import results
from harness.judge.recall.registry import check
from harness.judge.recall.results import (
    FILE_NAME,
    Results,
    load_results,
    save_results,
)
from harness.judge.terminal import print_comparison
from harness.measure.recall.run import RecallSettings, measure_recall
from harness.report.faces.cases import report_cases
from harness.report.faces.html import report_page
from harness.report.faces.markdown import report_markdown
from harness.report.model import Report
from harness.report.store import save, to_json
from harness.report.terminal import print_report
from harness.runtime.signals import unwinding

BASELINES = ROOT / "baselines"
BUDGETS = BASELINES / "budgets.toml"


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure one tier, judge it, and keep the report and the public results."""
    accepted = BASELINES / baseline_name(arguments.tier, arguments.variant)
    _refuse_unusable(arguments, accepted)
    refuse_unwritable_faces(arguments, accepted, BUDGETS, arguments.out)
    budgets = load_budgets(BUDGETS)
    # Looked at before measuring: a run that nothing can judge is a run for nothing.
    baseline = None if arguments.accept else load_baseline(accepted, budgets)
    report = _measured(arguments)
    path = arguments.out or new_file(report, report.daemon.build.name)
    # Kept before it is judged: a long run must not be lost to a quarrel over data.
    save(report, path)
    if baseline is None:
        baseline = candidate(report, budgets)
    else:
        require_same_data(baseline, report)
    report = checked(report, budgets, baseline)
    save(report, path)
    published = (arguments.results or path.parent) / FILE_NAME
    save_results(results(report, budgets), published)
    with kept(path):
        write_faces(
            arguments,
            Faces(
                title=f"harness recall {arguments.tier}",
                page=lambda: report_page([report]),
                cases=lambda: report_cases(report),
                about=path,
                exit_code=exit_code(report),
            ),
        )
        _show(arguments, report, path, published)
        if arguments.accept:
            require_fit(report)
            _accept(arguments, report, baseline, accepted)
    return _ended(report)


def run_registry(arguments: argparse.Namespace) -> ExitCode:
    """Read results files as a registry of benchmarks would."""
    files = arguments.files or committed_baselines(BASELINES)
    if not files:
        raise NothingMeasuredError(
            "there is no baseline of a recall tier to read.",
            where=str(BASELINES),
            remedy="Make one with `harness recall 1k --accept`.",
        )
    refused = 0
    for file in files:
        try:
            score = check(file)
        except ReportFormatError as error:
            print(f"FAIL {error}", file=sys.stderr)
            refused += 1
        else:
            print(f"OK   {file}: recall@5 {score.score:.6g}, drop {score.drop:.6g}")
    return ExitCode.GATE_FAILED if refused else ExitCode.PASSED


def _refuse_unusable(arguments: argparse.Namespace, accepted: Path) -> None:
    """Refuse options and places that cannot be used, before anything is started."""
    if arguments.embedder is not None and arguments.url is None:
        raise UsageError(
            "--embedder goes with --url.",
            remedy="A daemon that the harness starts gets an embedder of its own.",
        )
    if arguments.url is not None and arguments.embedder is None:
        raise UsageError(
            "--url needs --embedder: the tiers rest on this project's embedder.",
            remedy="Start images/embedder, have the daemon embed with it, and name "
            "both of its addresses.",
        )
    refuse_unwritable(arguments.out, accepted, BUDGETS)
    if arguments.out is not None and arguments.results is None:
        refuse_unwritable(arguments.out.parent / FILE_NAME, arguments.out)
    if arguments.results is not None:
        refuse_unwritable(arguments.results / FILE_NAME, arguments.out)
    if arguments.accept:
        refuse_unwritable(accepted)


def _measured(arguments: argparse.Namespace) -> Report:
    settings = RecallSettings(
        tier=arguments.tier,
        variant=arguments.variant,
        repetitions=arguments.repetitions,
        allow_nonempty=arguments.allow_nonempty,
    )
    with unwinding():
        runtime = chosen_runtime(arguments, default="release", embedder=TRIGRAMS)
        return measure_recall(settings, runtime, TerminalProgress())


def _show(
    arguments: argparse.Namespace, report: Report, path: Path, published: Path
) -> None:
    if arguments.json:
        emit(to_json(report))
        return
    if arguments.markdown:
        emit(report_markdown(report))
        return
    print_report(report, path)
    print(f"results         {published}")
    flush()


def _accept(
    arguments: argparse.Namespace, report: Report, baseline: Results, accepted: Path
) -> None:
    """Put a new baseline in the place of the old one, and show what it changes."""
    if accepted.exists() and not arguments.json:
        before = from_results(load_results(accepted), source="the old baseline")
        print()
        print_comparison(compare(before, from_report(report, source="now")))
    save_results(baseline, accepted)
    text = f"Wrote {accepted}: read the difference, and commit it with its reason."
    print(text, file=sys.stderr if arguments.json else sys.stdout)


def _ended(report: Report) -> ExitCode:
    code = exit_code(report)
    if code is ExitCode.NOTHING_MEASURED:
        warn("NOTHING WAS MEASURED: no row has a query. This is no pass.")
    return code
