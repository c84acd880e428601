"""``harness compare``, ``gate``, ``baseline``: what changed, and may it pass."""

import argparse
from pathlib import Path

from harness.cli.evaluate import measured
from harness.cli.faces import Faces, refuse_unwritable_faces, write_faces
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
from harness.judge.compare import Comparison, compare
from harness.judge.faces.cases import gate_cases, judgement_cases
from harness.judge.faces.html import Sides, comparison_page
from harness.judge.faces.markdown import gate_markdown, judgement_markdown
from harness.judge.faces.standing import gate_standings
from harness.judge.gate import gate
from harness.judge.machine import verdict_json
from harness.judge.statistics.machine import judgement_json
from harness.judge.statistics.policy import judge
from harness.judge.statistics.terminal import print_judgement
from harness.judge.terminal import print_comparison, print_verdict
from harness.report.faces.html import report_page
from harness.report.store import load, save

BASELINES = ROOT / "baselines"


def run_compare(arguments: argparse.Namespace) -> ExitCode:
    """Judge one stored result against another."""
    refuse_unwritable_faces(arguments, arguments.base, arguments.new)
    comparison = compare(
        load_comparable(arguments.base),
        load_comparable(arguments.new),
        arguments.threshold,
    )
    judgement = judge(comparison, arguments.policy, arguments.inconclusive)
    faces = Faces(
        title="harness compare",
        page=lambda: comparison_page(judgement, _sides(arguments, comparison)),
        cases=lambda: judgement_cases(judgement),
        about=arguments.new,
        exit_code=judgement.exit_code,
    )
    write_faces(arguments, faces)
    if arguments.json:
        emit(judgement_json(judgement))
    elif arguments.markdown:
        emit(judgement_markdown(judgement))
    else:
        print_comparison(comparison)
        print_judgement(judgement)
    return judgement.exit_code


def _sides(arguments: argparse.Namespace, comparison: Comparison) -> Sides:
    """Read a side again where it is a report: a comparison keeps no times of it."""
    views = ((arguments.base, comparison.base), (arguments.new, comparison.new))
    base, new = (load(path) if view.kind == "report" else None for path, view in views)
    return Sides(base, new)


def run_gate(arguments: argparse.Namespace) -> ExitCode:
    """Measure quality and judge it against the committed baseline."""
    path = _baseline_path(arguments)
    data = arguments.dataset or CORE
    refuse_unwritable(arguments.out, path, data)
    refuse_unwritable_faces(arguments, path, data, arguments.out)
    baseline = _existing(path)
    report = measured(arguments, repetitions=0, scale=0)
    if arguments.out is not None:
        save(report, arguments.out)
    verdict = gate(report, baseline, arguments.threshold)
    faces = Faces(
        title="harness gate",
        page=lambda: report_page([report], verdict=gate_standings(verdict)),
        cases=lambda: gate_cases(verdict, report),
        about=arguments.out or path,
        exit_code=verdict.exit_code,
    )
    with kept(arguments.out):
        write_faces(arguments, faces)
        if arguments.json:
            emit(verdict_json(verdict))
        elif arguments.markdown:
            emit(gate_markdown(verdict, report))
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
