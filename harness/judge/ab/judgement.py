"""Both verdicts on one set of answers, and what they come to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from harness.errors import ExitCode
from harness.judge.ab.latency import DEFAULT_BUDGET, DIRECTIONS, judge_latency
from harness.judge.ab.times import Pair, times_of
from harness.judge.comparable import from_report
from harness.judge.compare import DEFAULT_THRESHOLD, compare
from harness.judge.statistics.policy import Inconclusive, Judgement, judge
from harness.judge.statistics.power import ALPHA
from harness.report.ab import LatencyVerdict, Round
from harness.report.model import Caution, Report


class Measured(Protocol):
    """One round as it was measured, by whomever."""

    @property
    def twin(self) -> Literal["instance", "connection"] | None:
        """What the base was held against, see `Round`."""

    @property
    def fresh(self) -> bool:
        """Whether every process was started for this round."""

    @property
    def floor(self) -> Sequence[Pair]:
        """The base as both sides; empty where nothing was timed."""

    @property
    def base(self) -> Report:
        """The base's report."""

    @property
    def candidate(self) -> Report:
        """The candidate's report, of the same queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What may pass."""

    latency_budget: float = DEFAULT_BUDGET
    """Share by which a configuration's times may grow."""
    threshold: float = DEFAULT_THRESHOLD
    """Relevance that a configuration may lose."""
    inconclusive: Inconclusive = "pass"
    """What becomes of a loss that is neither shown nor ruled out."""


@dataclass(frozen=True, slots=True)
class AbJudgement:
    """Everything that was found."""

    bounds: Bounds
    relevance: Judgement
    """Of the first round's answers."""
    rounds: tuple[Round, ...]
    latency: tuple[LatencyVerdict, ...]
    violations: int
    """Hits of the candidate that broke an invariant, in all rounds."""
    warnings: tuple[Caution, ...]

    @property
    def slower(self) -> tuple[LatencyVerdict, ...]:
        """Give what was shown to be slower, and recurred."""
        return tuple(each for each in self.latency if each.word == "slower")

    @property
    def open_latency(self) -> tuple[LatencyVerdict, ...]:
        """Give what was timed and is inconclusive."""
        return tuple(each for each in self.latency if each.word == "inconclusive")

    @property
    def exit_code(self) -> ExitCode:
        """Say how the command must end."""
        relevance = self.relevance.exit_code
        if relevance is not ExitCode.PASSED:
            return relevance
        if self.slower or self.violations:
            return ExitCode.GATE_FAILED
        if self.open_latency and self.bounds.inconclusive == "fail":
            return ExitCode.GATE_FAILED
        return ExitCode.PASSED


def judge_ab(measured: Sequence[Measured], bounds: Bounds) -> AbJudgement:
    """Judge relevance and speed on the same answers.

    Args:
        measured: All rounds, at least one.
        bounds: What may pass.

    Raises:
        IncomparableError: The two sides did not answer the same queries.
    """
    first = measured[0]
    comparison = compare(
        from_report(first.base), from_report(first.candidate), bounds.threshold
    )
    rounds = tuple(round_of(each) for each in measured)
    latency = judge_latency(rounds, bounds.latency_budget)
    return AbJudgement(
        bounds=bounds,
        # "both": what is shown fails, and what is open does as the bounds have it.
        relevance=judge(comparison, "both", bounds.inconclusive),
        rounds=rounds,
        latency=latency,
        violations=sum(
            len(invariant.violations)
            for each in measured
            for invariant in each.candidate.invariants
        ),
        warnings=tuple(_warnings(measured, rounds, latency)),
    )


def round_of(measured: Measured) -> Round:
    """Reduce a round to what its verdict rests on.

    Raises:
        IncomparableError: The two sides did not answer the same queries.
    """
    pairs = list(
        zip(
            measured.base.configurations,
            measured.candidate.configurations,
            strict=True,
        )
    )
    family = sum(base.queries > 0 for base, _ in pairs)
    # Tails have no test to correct, so their intervals are wider instead.
    level = 1 - ALPHA / max(family, 1)
    return Round(
        twin=measured.twin,
        fresh=measured.fresh,
        floor=times_of(measured.floor, level=level),
        measured=times_of(pairs, level=level),
    )


def _warnings(
    measured: Sequence[Measured],
    rounds: Sequence[Round],
    latency: Sequence[LatencyVerdict],
) -> Iterator[Caution]:
    moved = max(sum(each.rankings_moved for each in one.floor) for one in rounds)
    if moved:
        yield Caution(
            code="base_moves",
            text=f"Two instances of the base answered {moved} queries differently: "
            "part of every change of relevance is luck.",
            remedy="Measure exactly, without an approximate index.",
        )
    changed = sum(_changed(measured[0], other) for other in measured[1:])
    if changed:
        yield Caution(
            code="rounds_differ",
            text=f"{changed} rankings of a side were others in a later round; "
            "relevance is judged by the first.",
            remedy="Read a small change of relevance as noise.",
        )
    if any(one.twin == "connection" for one in rounds):
        yield Caution(
            code="floor_of_one_process",
            text="The base ran already, so it was held against itself over a second "
            "connection: two processes of it may differ by more.",
            remedy="Have the harness start the base, by its build or image.",
        )
    directed = any(each.word in DIRECTIONS for each in latency)
    if directed and not all(one.fresh for one in rounds):
        yield Caution(
            code="same_processes",
            text="A side was the same process in every round: what lies in its memory "
            "layout recurs as well as what lies in its code.",
            remedy="Restart the daemons and compare again, or have the harness do it.",
        )


def _changed(first: Measured, later: Measured) -> int:
    """Count the rankings of both sides that differ between two rounds."""
    return sum(
        times.rankings_moved
        for before, after in (
            (first.base, later.base),
            (first.candidate, later.candidate),
        )
        for times in times_of(
            list(zip(before.configurations, after.configurations, strict=True)),
            level=1 - ALPHA,
        )
    )
