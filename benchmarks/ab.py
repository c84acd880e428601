"""How often a comparison side by side is wrong, and how often it sees what is there.

One run is what ``harness ab`` does: a round of the base against itself and against a
candidate, and a second round where something was seen. To have sixty runs in minutes,
daemons are started and seeded once for several runs, the three candidates of a run
share its floor, and a second round has the processes of the first. Fresh processes, as
the command has them, are therefore not what is tested here.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.bench import Row
from harness.daemon.timing import REAL_TIME
from harness.dataset.read import read_dataset
from harness.judge.ab.judgement import round_of
from harness.judge.ab.latency import DIRECTIONS, judge_latency, wants_another
from harness.measure.ab.interleave import Pair
from harness.measure.ab.rounds import RoundMeasured, ask_both
from harness.measure.ab.sides import Bench, Side, asked_anew
from harness.measure.progress import SilentProgress
from harness.measure.ready import EvaluationSettings, Ready
from harness.report.ab import LatencyVerdict, Round
from harness.runtime.embedded import EmbeddedRuntime, palace_setup
from harness.runtime.palace import DaemonSetup

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "datasets" / "core.json"
RUNS = 20
RUNS_OF_A_PROCESS = 5
PASSES = 6
SEED = 17_320
BUDGETS = (0.05, 0.02)
"""The default, and what one must allow to see 5 %."""

SLOWED = {"itself": 0.0, "+5 %": 0.05, "+20 %": 0.2}
"""Candidates, by the share they are slowed by."""


@dataclass(slots=True)
class Campaign:
    """All runs of every candidate, judged under every budget."""

    runs: int = 0
    shown: dict[tuple[str, float], list[bool]] = field(default_factory=dict)
    """Candidate and budget: whether each run ended with something faster or slower."""
    words: dict[tuple[str, float], Counter[str]] = field(default_factory=dict)
    """Likewise: how often each configuration got which word."""
    ratios: dict[str, list[float]] = field(default_factory=dict)
    """Candidate: the median ratio of each configuration with enough queries."""
    floors: list[float] = field(default_factory=list)

    def add(self, name: str, rounds: list[Round], budget: float) -> None:
        """Judge one run and count what it came to."""
        verdicts = judge_latency(rounds, budget)
        key = (name, budget)
        directed = any(each.word in DIRECTIONS for each in verdicts)
        self.shown.setdefault(key, []).append(directed)
        medians = [each for each in verdicts if each.figure == "median"]
        counted = self.words.setdefault(key, Counter())
        counted.update(f"{each.configuration} {each.word}" for each in medians)
        if budget == BUDGETS[0]:
            self._note(name, medians)

    def _note(self, name: str, medians: list[LatencyVerdict]) -> None:
        for each in medians:
            if each.configuration != "lexical+expand" and each.rounds:
                self.ratios.setdefault(name, []).append(each.rounds[0].ratio)
                self.floors.append(each.rounds[0].floor)

    def row(self, name: str, budget: float, promise: str, *, holds: bool) -> Row:
        """Write what came of one candidate under one budget."""
        shown = sum(self.shown[name, budget])
        ratios, floors = sorted(self.ratios[name]), sorted(self.floors)
        counted = sorted(self.words[name, budget].items())
        passes = f"{self.runs} runs of {PASSES} passes"
        lines = [
            f"release beside {name}, budget {budget:.0%}, {passes}",
            f"measured {_spread(ratios)}, floor {_spread(floors)}",
            ", ".join(f"{word} {count}" for word, count in counted),
        ]
        return Row(
            "\n    ".join(lines),
            f"{shown} runs with a verdict",
            f"{self.runs} runs",
            shown / self.runs,
            promise,
            holds,
        )


def _spread(ascending: list[float]) -> str:
    middle = ascending[len(ascending) // 2]
    return f"x{middle:.3f} ({ascending[0]:.3f} to {ascending[-1]:.3f})"


def ab(runs: int = RUNS) -> Iterator[Row]:
    """Compare a build with itself, and with itself slowed down, *runs* times each."""
    found = Campaign()
    chance = random.Random(SEED)
    while found.runs < runs:
        with _daemons() as up:
            for _ in range(min(RUNS_OF_A_PROCESS, runs - found.runs)):
                _run(found, up, chance)
    yield from rows(found)


def rows(found: Campaign) -> Iterator[Row]:
    """Write what came of every candidate under every budget.

    A build beside itself must never get a verdict, and one slower by a fifth always.
    Five per cent is at the default budget, so that is not promised either way.
    """
    for budget in BUDGETS:
        alarms = sum(found.shown["itself", budget])
        yield found.row("itself", budget, "none", holds=alarms == 0)
    seen = sum(found.shown["+20 %", BUDGETS[0]])
    yield found.row("+20 %", BUDGETS[0], "all", holds=seen == found.runs)
    for budget in BUDGETS:
        yield found.row("+5 %", budget, "", holds=True)


def _run(found: Campaign, up: Mapping[str, Ready], chance: random.Random) -> None:
    floor = _asked(up["base"], up["twin"], chance)
    for name in SLOWED:
        rounds = [_round(up, name, floor, chance)]
        if any(wants_another(rounds, budget) for budget in BUDGETS):
            again = _asked(up["base"], up["twin"], chance)
            rounds.append(_round(up, name, again, chance))
        for budget in BUDGETS:
            first = rounds[:1]
            wanted = wants_another(first, budget)
            found.add(name, rounds if wanted else first, budget)
    found.runs += 1


def _round(
    up: Mapping[str, Ready], name: str, floor: tuple[Pair, ...], chance: random.Random
) -> Round:
    base, candidate = asked_anew(up["base"]), asked_anew(up[name])
    pairs = _asked(base, candidate, chance)
    return round_of(
        RoundMeasured(
            twin="instance",
            fresh=False,
            floor=floor,
            base=base.report([pair[0] for pair in pairs]),
            candidate=candidate.report([pair[1] for pair in pairs]),
        )
    )


def _asked(base: Ready, other: Ready, chance: random.Random) -> tuple[Pair, ...]:
    return ask_both(asked_anew(base), asked_anew(other), SilentProgress(), chance)


@contextmanager
def _daemons() -> Iterator[Mapping[str, Ready]]:
    """Start and seed the base, its twin and every candidate, for a block."""
    bench = Bench(
        dataset=read_dataset(CORE),
        settings=EvaluationSettings(repetitions=PASSES),
        progress=SilentProgress(),
        time=REAL_TIME,
    )
    shares = {"base": 0.0, "twin": 0.0, **SLOWED}
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(bench.ready(_side(name, share)))
            for name, share in shares.items()
        }


def _side(name: str, share: float) -> Side:
    setup = slowed(share) if share else palace_setup("release")
    return Side(name, lambda: EmbeddedRuntime("release", setup=setup), started=True)


def slowed(share: float) -> DaemonSetup:
    """Describe a release daemon whose searches take *share* longer."""
    return replace(
        palace_setup("release"),
        module="plant_slowed",
        settings={
            "PYTHONPATH": str(ROOT / "tests" / "mutants"),
            "SLOWED_BY": str(share),
        },
    )
