"""``harness eval``: measure a daemon, show what came out, keep the report."""

import argparse
import re
from datetime import UTC, datetime
from pathlib import Path

from harness.cli.output import emit, flush, kept, refuse_unwritable
from harness.cli.progress import TerminalProgress
from harness.cli.target import CORE, ROOT, chosen_dataset, chosen_runtime
from harness.dataset.model import Dataset
from harness.errors import ExitCode
from harness.judge.discrimination import with_discrimination
from harness.measure.evaluate import EvaluationSettings, evaluate
from harness.report.model import Report
from harness.report.store import save, to_json
from harness.report.terminal import print_report
from harness.runtime.base import Runtime
from harness.runtime.signals import unwinding

REPORTS = ROOT / "reports"
LONGEST_NAME = 80


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure, print and store; fail when a hit broke an invariant."""
    refuse_unwritable(arguments.out, arguments.dataset or CORE)
    report = measured(
        arguments, repetitions=arguments.repetitions, scale=arguments.scale
    )
    path = arguments.out or new_file(report, report.daemon.build.name)
    save(report, path)
    with kept(path):
        if arguments.json:
            emit(to_json(report))
        else:
            print_report(report, path)
            flush()
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
        settings = EvaluationSettings(
            repetitions=repetitions,
            scale=scale,
            allow_nonempty=arguments.allow_nonempty,
        )
        return evaluated(chosen_dataset(arguments), chosen_runtime(arguments), settings)


def evaluated(
    dataset: Dataset, runtime: Runtime, settings: EvaluationSettings
) -> Report:
    """Run one whole evaluation, and show on standard error where it is."""
    report = evaluate(dataset, runtime, settings, TerminalProgress())
    return with_discrimination(report)


def new_file(report: Report, label: str) -> Path:
    """Name a file in ``reports/`` that is not there yet.

    Args:
        report: What goes into it.
        label: What tells it from others of the same data set.
    """
    # The data set's name is a stranger's text: it may hold slashes, and be long.
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", report.dataset.name).strip("-.")
    now = datetime.now(UTC)
    stem = f"{name[:LONGEST_NAME] or 'dataset'}-{label}"
    return REPORTS / f"{stem}-{now:%Y%m%dT%H%M%S%fZ}.json"
