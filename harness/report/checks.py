"""One measured value against one committed value."""

from typing import Literal, Self

from pydantic import model_validator

from harness.report.part import Amount, Part


class Check(Part):
    """A value, what it must be, and whether it is. Not measured never passes."""

    name: str
    """Configuration and rule, as in ``document-hybrid.recall@5``."""
    value: float | None
    """What was measured; ``null`` where it was not, which fails."""
    unit: Literal["ratio", "ms", "count"]
    exact: float | None = None
    """The value it must have, within *tolerance*."""
    tolerance: Amount | None = None
    least: float | None = None
    most: float | None = None
    passed: bool
    why: str = ""
    """What a failed check found, for people; empty where it passed."""

    @model_validator(mode="after")
    def _null_fails(self) -> Self:
        """Refuse a check that passed without a value or without a limit."""
        if self.passed and self.value is None:
            raise ValueError(f"{self.name}: what was not measured cannot pass")
        if self.exact is None and self.least is None and self.most is None:
            raise ValueError(f"{self.name}: a check without a limit cannot fail")
        return self
