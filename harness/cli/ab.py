"""``harness ab``: two daemons side by side, judged on the same answers."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.cli.ab_sides import Chosen, chosen_sides
from harness.cli.evaluate import new_file
from harness.cli.output import emit, flush, kept, refuse_unwritable
from harness.cli.progress import TerminalProgress, notify
from harness.cli.target import CORE, chosen_dataset
from harness.daemon.timing import REAL_TIME
from harness.errors import ExitCode
from harness.judge.ab.document import as_result
from harness.judge.ab.judgement import AbJudgement, Bounds, judge_ab, round_of
from harness.judge.ab.latency import wants_another
from harness.judge.ab.terminal import print_ab
from harness.judge.discrimination import with_discrimination
from harness.measure.ab.rounds import Comparison, RoundMeasured
from harness.measure.ab.sides import Bench
from harness.measure.ready import EvaluationSettings
from harness.report.ab import AbResult, SideFacts, ab_json, save_ab
from harness.report.model import Report
from harness.report.store import save
from harness.runtime.signals import unwinding


@dataclass(frozen=True, slots=True)
class _Stored:
    """One side's reports, and the files they go into."""

    reports: tuple[Report, ...]
    paths: tuple[Path, ...]

    def facts(self, chosen: Chosen) -> SideFacts:
        """Say what the side was, and where its reports are."""
        first = self.reports[0]
        return SideFacts(
            asked=chosen.asked,
            settings=chosen.settings,
            runtime=first.environment.runtime,
            daemon=first.daemon,
            reports=tuple(path.name for path in self.paths),
        )


def run(arguments: argparse.Namespace) -> ExitCode:
    """Measure as many rounds as it takes, keep everything, and judge."""
    refuse_unwritable(arguments.out, arguments.dataset or CORE)
    bounds = Bounds(
        latency_budget=arguments.latency_budget,
        threshold=arguments.threshold,
        inconclusive=arguments.inconclusive,
    )
    with unwinding():
        base, candidate = chosen_sides(arguments)
        bench = Bench(
            dataset=chosen_dataset(arguments),
            settings=EvaluationSettings(
                repetitions=arguments.repetitions,
                scale=arguments.scale,
                allow_nonempty=arguments.allow_nonempty,
            ),
            progress=TerminalProgress(),
            time=REAL_TIME,
        )
        measured = _measured(Comparison(bench, base.side, candidate.side), bounds)
        found = judge_ab(measured, bounds)
    path = arguments.out or new_file(measured[0].base, "ab")
    result = _keep(found, measured, (base, candidate), path)
    with kept(path):
        if arguments.json:
            emit(ab_json(result))
        else:
            print_ab(result, found)
            print(f"result {path}")
            flush()
    return found.exit_code


def _measured(comparison: Comparison, bounds: Bounds) -> list[RoundMeasured]:
    with comparison:
        measured = [comparison.round()]
        rounds = [round_of(each) for each in measured]
        if wants_another(rounds, bounds.latency_budget):
            notify("one side looks faster: a second round must show it again")
            measured.append(comparison.round())
    return measured


def _keep(
    found: AbJudgement,
    measured: Sequence[RoundMeasured],
    chosen: tuple[Chosen, Chosen],
    path: Path,
) -> AbResult:
    """Store every report, then the result that names them."""
    base = _stored([each.base for each in measured], "base", path)
    candidate = _stored([each.candidate for each in measured], "candidate", path)
    result = as_result(
        found,
        base.reports[0],
        base.facts(chosen[0]),
        candidate.facts(chosen[1]),
    )
    for side in (base, candidate):
        for report, place in zip(side.reports, side.paths, strict=True):
            save(report, place)
    save_ab(result, path)
    return result


def _stored(reports: Sequence[Report], role: str, path: Path) -> _Stored:
    return _Stored(
        tuple(with_discrimination(report) for report in reports),
        tuple(
            path.with_name(f"{path.stem}-{role}-{number}.json")
            for number in range(1, len(reports) + 1)
        ),
    )
