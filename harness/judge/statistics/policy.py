"""What a verdict means for the exit code: the floor rule, the statistics, or both.

    floor        a metric that lost more than the threshold fails, shown or not
    statistics   a configuration fails when it is shown to be worse
    both         as statistics; and a loss beyond the threshold that is not shown fails
                 too, unless inconclusive is to pass

Whatever the policy: two sides that do not compare, and what is missing, broken or not a
number, never pass. Where there are no statistics, the floor rule judges alone.
"""

import math
from dataclasses import dataclass
from typing import Literal

from harness.errors import ExitCode, UsageError
from harness.judge.compare import OVERALL, Change, Comparison
from harness.judge.statistics.verdict import Verdict, Word, overall, verdicts

Policy = Literal["floor", "statistics", "both"]
POLICIES: tuple[Policy, ...] = ("floor", "statistics", "both")
Inconclusive = Literal["fail", "pass"]
OUTCOMES: tuple[Inconclusive, ...] = ("fail", "pass")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A comparison, what it has shown, and what that means here."""

    comparison: Comparison
    policy: Policy
    inconclusive: Inconclusive
    verdicts: tuple[Verdict, ...]

    @property
    def word(self) -> Word | None:
        """Give the verdict over all; ``None`` where there are no statistics at all."""
        return overall(self.verdicts)

    @property
    def without(self) -> tuple[Verdict, ...]:
        """Give the configurations without statistics, which the floor judges alone."""
        return tuple(each for each in self.verdicts if each.word is None)

    @property
    def failing(self) -> tuple[Verdict, ...]:
        """Give the verdicts that fail under the policy; none under ``floor``."""
        return tuple(each for each in self.verdicts if self._fails(each))

    @property
    def regressions(self) -> tuple[Change, ...]:
        """Give the losses that the floor rule fails under the policy, worst first."""
        alone = {each.configuration for each in self.without}
        return tuple(
            change
            for change in self.comparison.regressions
            if self.policy == "floor"
            or change.configuration in alone
            or not math.isfinite(change.change)
        )

    @property
    def unjudged(self) -> tuple[Change, ...]:
        """Give the losses beyond the threshold that the policy lets pass unjudged."""
        failing = {id(change) for change in self.regressions}
        primary = {
            (each.configuration, OVERALL, each.test.metric)
            for each in self.verdicts
            if each.test
        }
        return tuple(
            change
            for change in self.comparison.regressions
            if id(change) not in failing
            and (change.configuration, change.scope, change.metric) not in primary
        )

    @property
    def exit_code(self) -> ExitCode:
        """Say how a command that only compares must end."""
        plain = self.comparison.exit_code
        if self.policy == "floor" or plain is ExitCode.NOTHING_MEASURED:
            return plain
        if any(each.word == "not comparable" for each in self.verdicts):
            return ExitCode.NOTHING_MEASURED
        if self.comparison.missing or self.comparison.broken:
            return ExitCode.GATE_FAILED
        if self.regressions or self.failing:
            return ExitCode.GATE_FAILED
        return ExitCode.PASSED

    def _fails(self, verdict: Verdict) -> bool:
        if self.policy == "floor":
            return False
        if verdict.word == "inconclusive" and verdict.over_budget:
            return self.policy == "both" and self.inconclusive == "fail"
        return verdict.word == "worse"


def judge(
    comparison: Comparison,
    policy: Policy = "floor",
    inconclusive: Inconclusive | None = None,
) -> Judgement:
    """Find what *comparison* has shown, and judge it by *policy*.

    Args:
        comparison: Of two stored results.
        policy: What may fail it.
        inconclusive: Under ``both``: what becomes of a loss beyond the threshold that
            is not shown; ``fail`` where missing.

    Raises:
        UsageError: *inconclusive* is given with a policy that does not ask for it.
    """
    if inconclusive is not None and policy != "both":
        raise UsageError(
            f"--inconclusive {inconclusive} says nothing under the policy {policy!r}.",
            remedy="It belongs to --policy both.",
        )
    return Judgement(comparison, policy, inconclusive or "fail", verdicts(comparison))
