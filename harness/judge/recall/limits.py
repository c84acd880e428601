"""Checks of one value: what it must be, and a reason where it is not."""

from dataclasses import dataclass
from typing import Literal

from harness.report.checks import Check

Unit = Literal["ratio", "ms", "count"]

SLACK = 1e-12
"""Rounding by which a floor may be missed: in doubles, 0.7 - 0.4 is below 0.3."""

NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Measured:
    """A named value, or the reason why there is none."""

    name: str
    value: float | None
    unit: Unit = "ratio"
    why: str = NOT_MEASURED
    """What to say where *value* is ``None``."""

    def exactly(self, wanted: float, tolerance: float = 0.0) -> Check:
        """Demand *wanted*, give or take *tolerance*."""
        found = self.value
        return Check(
            name=self.name,
            value=found,
            unit=self.unit,
            exact=wanted,
            tolerance=tolerance,
            passed=found is not None and abs(found - wanted) <= tolerance + SLACK,
            why=self._unmeasured(),
        )

    def at_least(self, floor: float) -> Check:
        """Demand *floor* or more."""
        found = self.value
        return Check(
            name=self.name,
            value=found,
            unit=self.unit,
            least=floor,
            passed=found is not None and found >= floor - SLACK,
            why=self._unmeasured(),
        )

    def at_most(self, ceiling: float) -> Check:
        """Demand *ceiling* or less."""
        found = self.value
        return Check(
            name=self.name,
            value=found,
            unit=self.unit,
            most=ceiling,
            passed=found is not None and found <= ceiling,
            why=self._unmeasured(),
        )

    def _unmeasured(self) -> str:
        return self.why if self.value is None else ""
