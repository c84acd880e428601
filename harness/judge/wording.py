"""One sentence for each thing the judge can see, shared by all its faces."""

from harness.judge.compare import Change, OneSided
from harness.judge.preconditions import Difference


def of_scope(scope: str) -> str:
    """Name a scope for people: ``overall``, or the category's own name."""
    return scope.removeprefix("category:")


def of_change(change: Change) -> str:
    """Write a metric's move with both values and the signed difference."""
    return (
        f"{change.configuration}, {of_scope(change.scope)}, {change.metric}: "
        f"{change.base:.4f} -> {change.new:.4f} ({change.change:+.4f})"
    )


def of_difference(difference: Difference) -> str:
    """Write what differs with both values."""
    return f"{difference.field}: {difference.base!r} and {difference.new!r}"


def of_one_sided(item: OneSided) -> str:
    """Name what only one side has."""
    if item.scope is None:
        return f"configuration {item.configuration}"
    if item.metric is None:
        return f"{item.configuration}, category {of_scope(item.scope)}"
    return f"{item.configuration}, {of_scope(item.scope)}, {item.metric}"
