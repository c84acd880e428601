"""Put a daemon beside a sound one, queries interleaved: is it slower, and again?"""

from harness.daemon.timing import REAL_TIME
from harness.judge.ab.judgement import Bounds, judge_ab, round_of
from harness.judge.ab.latency import wants_another
from harness.measure.ab.rounds import Comparison
from harness.measure.ab.sides import Bench as AbBench
from harness.measure.ab.sides import Side
from harness.measure.evaluate import EvaluationSettings
from harness.measure.progress import SilentProgress
from harness.report.ab import LatencyVerdict
from tests.mutants.catalogue import Fault
from tests.mutants.stand import Stand
from tests.mutants.trial import Bench, Look, Sight, Way

AB = "ab"
PASSES = EvaluationSettings(repetitions=2)
"""Few passes over many queries: the figure is a median over queries."""


def look_at_time(stand: Stand, fault: Fault | None, bench: Bench) -> Look:
    """Compare a daemon's times with a sound one's, as ``harness ab`` does.

    Args:
        stand: Starts the daemons; nothing else may run beside them.
        fault: What is wrong with one; ``None`` to compare two sound ones.
        bench: What to ask them.
    """
    bounds = Bounds()
    comparison = Comparison(
        AbBench(bench.dataset, PASSES, SilentProgress(), REAL_TIME),
        Side("base", lambda: stand.runtime(None), started=True),
        Side("candidate", lambda: stand.runtime(fault), started=True),
    )
    with comparison:
        measured = [comparison.round()]
        if wants_another([round_of(measured[0])], bounds.latency_budget):
            measured.append(comparison.round())
    found = judge_ab(measured, bounds)
    if not found.slower:
        return Look(AB, None, note="; ".join(map(_described, found.open_latency)))
    return Look(AB, Sight(Way.SLOWER, _described(found.slower[0])))


def _described(verdict: LatencyVerdict) -> str:
    ratios = " and ".join(f"x{each.ratio:.3f}" for each in verdict.rounds)
    why = f" ({verdict.reason})" if verdict.reason else ""
    return f"{verdict.configuration}, {verdict.figure}: {ratios}, {verdict.word}{why}"
