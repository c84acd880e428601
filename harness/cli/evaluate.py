"""``harness eval``: measure a daemon, show what came out, keep the report."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from harness.cli.progress import TerminalProgress
from harness.cli.target import ROOT, chosen_dataset, chosen_runtime
from harness.errors import ExitCode, UsageError
from harness.judge.discrimination import with_discrimination
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.report.model import Report
from harness.report.store import save, to_json
from harness.report.terminal import print_report
from harness.runtime.signals import unwinding

REPORTS = ROOT / "reports"


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure, print and store; fail when a hit broke an invariant."""
    refuse_unwritable(arguments.out)
    report = measured(
        arguments, repetitions=arguments.repetitions, scale=arguments.scale
    )
    path = arguments.out or _new_file(report)
    save(report, path)
    if arguments.json:
        sys.stdout.buffer.write(to_json(report))
    else:
        print_report(report, path)
    if any(invariant.violations for invariant in report.invariants):
        return ExitCode.GATE_FAILED
    return ExitCode.PASSED


def measured(arguments: argparse.Namespace, *, repetitions: int, scale: int) -> Report:
    """Run one whole evaluation of the target that *arguments* choose.

    Args:
        arguments: The target options of any command that measures.
        repetitions: Timed passes after the scored one; 0 measures no latency.
        scale: Filler drawers.
    """
    with unwinding():
        report = evaluate(
            chosen_dataset(arguments),
            chosen_runtime(arguments),
            EvaluationSettings(
                repetitions=repetitions,
                scale=scale,
                allow_nonempty=arguments.allow_nonempty,
            ),
            TerminalProgress(),
        )
    return with_discrimination(report)


def refuse_unwritable(path: Path | None) -> None:
    """Fail before measuring where the report could not be written after it.

    Raises:
        UsageError: *path* is a folder, or lies below something that is none.
    """
    if path is None:
        return
    parent = next(folder for folder in path.absolute().parents if folder.exists())
    if path.is_dir() or not parent.is_dir():
        raise UsageError(
            f"{str(path)!r} cannot hold a report.", remedy="Give --out a file's path."
        )


def _new_file(report: Report) -> Path:
    now = datetime.now(UTC)
    build = report.daemon.build.name
    return REPORTS / f"{report.dataset.name}-{build}-{now:%Y%m%dT%H%M%S%fZ}.json"
