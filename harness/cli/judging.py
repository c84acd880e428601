"""``harness compare``, ``gate``, ``baseline``: what changed, and may it pass."""

import argparse
from pathlib import Path

from harness.cli.evaluate import measured
from harness.cli.output import emit, flush, kept, refuse_unwritable
from harness.cli.target import CORE, ROOT
from harness.errors import ExitCode
from harness.judge.baseline import (
    Baseline,
    load_baseline,
    make_baseline,
    save_baseline,
)
from harness.judge.comparable import from_baseline, from_report, load_comparable
from harness.judge.compare import compare
from harness.judge.gate import gate
from harness.judge.machine import verdict_json
from harness.judge.statistics.machine import judgement_json
from harness.judge.statistics.policy import judge
from harness.judge.statistics.terminal import print_judgement
from harness.judge.terminal import print_comparison, print_verdict
from harness.report.store import save

BASELINES = ROOT / "baselines"


def run_compare(arguments: argparse.Namespace) -> ExitCode:
    """Judge one stored result against another."""
    comparison = compare(
        load_comparable(arguments.base),
        load_comparable(arguments.new),
        arguments.threshold,
    )
    judgement = judge(comparison, arguments.policy, arguments.inconclusive)
    if arguments.json:
        emit(judgement_json(judgement))
    else:
        print_comparison(comparison)
        print_judgement(judgement)
    return judgement.exit_code


def run_gate(arguments: argparse.Namespace) -> ExitCode:
    """Measure quality and judge it against the committed baseline."""
    path = _baseline_path(arguments)
    refuse_unwritable(arguments.out, path, arguments.dataset or CORE)
    baseline = _existing(path)
    report = measured(arguments, repetitions=0, scale=0)
    if arguments.out is not None:
        save(report, arguments.out)
    verdict = gate(report, baseline, arguments.threshold)
    with kept(arguments.out):
        if arguments.json:
            emit(verdict_json(verdict))
        else:
            print_verdict(verdict)
            flush()
    return verdict.exit_code


def run_baseline(arguments: argparse.Namespace) -> ExitCode:
    """Measure quality, show what changes, and write it as the accepted baseline."""
    path = _baseline_path(arguments)
    refuse_unwritable(path, arguments.dataset or CORE)
    previous = _existing(path)
    report = measured(arguments, repetitions=0, scale=0)
    baseline = make_baseline(report, previous=previous, force=arguments.force)
    if previous is not None:
        before = from_baseline(previous, source="the old baseline")
        print_comparison(
            compare(before, from_report(report, source="now"), arguments.threshold)
        )
    save_baseline(baseline, path)
    print(f"Wrote {path}: read the difference, and commit it with its reason.")
    return ExitCode.PASSED


def _baseline_path(arguments: argparse.Namespace) -> Path:
    if arguments.baseline is not None:
        return Path(arguments.baseline)
    name = "core.json" if arguments.dataset is None else arguments.dataset.name
    return BASELINES / name


def _existing(path: Path) -> Baseline | None:
    try:
        path.stat()
    except FileNotFoundError:
        return None
    except OSError:
        pass  # loading it says what is wrong
    return load_baseline(path)
