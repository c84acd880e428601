"""Whether a candidate is slower or faster than its base, on this machine, today.

The figure is the median over queries of the ratio of their times. A verdict in either
direction needs all of these, in each of at least two rounds of fresh processes:

    the median is beyond the budget
    its interval clears what the base differs from itself by, the floor
    a sign test against the floor shows it, after Holm's correction

"Same" needs an interval inside the budget, on a machine whose floor is inside it too.
Everything else is inconclusive, and says why. Noise widens the interval and the floor,
so it makes verdicts rarer, not wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.judge.ab.figures import (
    Spread,
    fewest,
    median_ratio,
    ratios_of,
    share,
    sign_test,
)
from harness.judge.ab.times import ENOUGH_FOR_TAILS
from harness.judge.statistics.holm import holm
from harness.judge.statistics.power import ALPHA
from harness.report.ab import LatencyFinding, LatencyVerdict, Round, Times

DEFAULT_BUDGET = 0.05

Word = Literal["faster", "same", "slower", "inconclusive"]
DIRECTIONS: tuple[Word, ...] = ("faster", "slower")
ROUNDS_NEEDED = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """What a ratio is held against; all ratios of at least 1."""

    budget: float
    floor: float


def judge_latency(
    rounds: Sequence[Round], budget: float = DEFAULT_BUDGET
) -> tuple[LatencyVerdict, ...]:
    """Judge the medians, then the tails, of every configuration.

    Args:
        rounds: All there were, at least one, with the same configurations.
        budget: Share by which a figure may grow.
    """
    return (*_medians(rounds, budget), *_tails(rounds, budget))


def wants_another(rounds: Sequence[Round], budget: float = DEFAULT_BUDGET) -> bool:
    """Tell whether something was seen that must recur before it counts."""
    if len(rounds) >= ROUNDS_NEEDED:
        return False
    return any(
        finding.word in DIRECTIONS
        for verdict in judge_latency(rounds, budget)
        for finding in verdict.rounds
    )


def _medians(rounds: Sequence[Round], budget: float) -> Iterator[LatencyVerdict]:
    names = [times.configuration for times in rounds[0].measured]
    floors = {
        name: _floor([median_ratio(times) for times in _of(rounds, name, "floor")])
        for name in names
    }
    found = [_round_of_medians(each, floors, budget) for each in rounds]
    for name in names:
        findings = tuple(each[name] for each in found if name in each)
        if len(findings) < len(rounds):
            reason = "no query was timed"
            yield _verdict(name, "median", None, reason, ())
            continue
        yield _over_rounds(name, "median", findings)


def _round_of_medians(
    measured: Round, floors: Mapping[str, float | None], budget: float
) -> dict[str, LatencyFinding]:
    ready = {}
    for times in measured.measured:
        spread, floor = median_ratio(times), floors[times.configuration]
        if spread is not None and floor is not None:
            ratios = ratios_of(times)
            ready[times.configuration] = (spread, floor, ratios)
    corrected = holm(
        {name: sign_test(ratios, floor) for name, (_, floor, ratios) in ready.items()}
    )
    enough = fewest(len(corrected)) if corrected else 0
    return {
        name: _finding(
            spread,
            Limits(1 + budget, floor),
            p=corrected[name],
            lacking=_lacking(len(ratios), enough),
        )
        for name, (spread, floor, ratios) in ready.items()
    }


def _lacking(queries: int, enough: int) -> str:
    if queries >= enough:
        return ""
    return f"{queries} queries show nothing, it takes {enough}"


def _tails(rounds: Sequence[Round], budget: float) -> Iterator[LatencyVerdict]:
    for name in [times.configuration for times in rounds[0].measured]:
        measured = [_tail(times) for times in _of(rounds, name, "measured")]
        floors = [_tail(times) for times in _of(rounds, name, "floor")]
        floor = _floor(floors)
        spreads = [each for each in measured if each is not None]
        judged = len(spreads) == len(rounds) and None not in floors
        if floor is None or not judged:
            samples = [
                times.tails.samples
                for times in _of(rounds, name, "measured")
                if times.tails is not None
            ]
            reason = "no query was timed"
            if samples:
                reason = f"not judged, {min(samples):,} of {ENOUGH_FOR_TAILS:,} samples"
            yield _verdict(name, "p95", None, reason, ())
            continue
        limits = Limits(1 + budget, floor)
        findings = tuple(_finding(each, limits, p=None) for each in spreads)
        yield _over_rounds(name, "p95", findings)


def _tail(times: Times) -> Spread | None:
    tails = times.tails
    if tails is None or tails.ratio is None or tails.low is None or tails.high is None:
        return None
    return Spread(tails.ratio, tails.low, tails.high)


def _finding(
    spread: Spread, limits: Limits, *, p: float | None, lacking: str = ""
) -> LatencyFinding:
    word, reason = _word(spread, limits, p, lacking)
    return LatencyFinding(
        ratio=spread.ratio,
        low=spread.low,
        high=spread.high,
        floor=limits.floor,
        p=p,
        word=word,
        reason=reason,
    )


def _word(
    spread: Spread, limits: Limits, p: float | None, lacking: str
) -> tuple[Word, str]:
    """Find the word for one round's figure, and why it is not another."""
    if spread.low is None or spread.high is None:
        return "inconclusive", "a single query gives no interval"
    if max(spread.ratio, 1 / spread.ratio) > limits.budget:
        why_not = _unshown(spread, limits, p, lacking)
        if why_not:
            return "inconclusive", why_not
        return ("slower" if spread.ratio > 1 else "faster"), ""
    why_not = _unsteady(spread, limits)
    return ("inconclusive" if why_not else "same"), why_not


def _unshown(spread: Spread, limits: Limits, p: float | None, lacking: str) -> str:
    """Say why a median beyond the budget shows nothing; empty where it does."""
    over = f"beyond the budget of {share(limits.budget)}, but"
    low, high = spread.low, spread.high
    slower = low is not None and low > limits.floor
    faster = high is not None and high < 1 / limits.floor
    if not (slower or faster):
        return f"{over} its interval does not clear the floor of {share(limits.floor)}"
    if p is not None and p > ALPHA:
        return f"{over} not shown (p {p:.3f}{lacking and f'; {lacking}'})"
    return ""


def _unsteady(spread: Spread, limits: Limits) -> str:
    """Say why a median within the budget is not known to be; empty where it is."""
    if limits.floor > limits.budget:
        return (
            f"the base differs from itself by up to {share(limits.floor)} here, so no "
            f"budget of {share(limits.budget)} can be held"
        )
    if spread.reach > limits.budget:
        return (
            f"within the budget of {share(limits.budget)}, but not shown to stay there"
        )
    return ""


def _over_rounds(
    name: str, figure: Literal["median", "p95"], findings: tuple[LatencyFinding, ...]
) -> LatencyVerdict:
    """Let a direction count that every round shows, of which there must be two."""
    first, *others = findings
    words = {finding.word for finding in findings}
    if first.word in DIRECTIONS:
        if not others:
            reason = f"{first.word} in one round, which must recur before it counts"
            return _verdict(name, figure, "inconclusive", reason, findings)
        if len(words) > 1:
            again = next(each for each in others if each.word != first.word)
            reason = f"{first.word} in round 1, which did not recur: {_again(again)}"
            return _verdict(name, figure, "inconclusive", reason, findings)
    elif first.word == "same" and words & set(DIRECTIONS):
        again = next(each for each in others if each.word in DIRECTIONS)
        reason = f"same in round 1, and then not: {_again(again)}"
        return _verdict(name, figure, "inconclusive", reason, findings)
    return _verdict(name, figure, first.word, first.reason, findings)


def _again(finding: LatencyFinding) -> str:
    return f"x{finding.ratio:.3f}, {finding.word}"


def _verdict(
    name: str,
    figure: Literal["median", "p95"],
    word: Word | None,
    reason: str,
    findings: tuple[LatencyFinding, ...],
) -> LatencyVerdict:
    return LatencyVerdict(
        configuration=name, figure=figure, word=word, reason=reason, rounds=findings
    )


def _floor(spreads: Sequence[Spread | None]) -> float | None:
    """Take the most that the base differed from itself by, in any round."""
    known = [spread.reach for spread in spreads if spread is not None]
    return max(known) if known else None


def _of(
    rounds: Sequence[Round], name: str, half: Literal["floor", "measured"]
) -> list[Times]:
    return [
        times
        for each in rounds
        for times in (each.floor if half == "floor" else each.measured)
        if times.configuration == name
    ]
