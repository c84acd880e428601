"""Sentences about parts of a report, shared by everything that shows them."""

from harness.report.model import Violation


def of_violation(violation: Violation) -> str:
    """Say which hit must not have been there, and why."""
    return (
        f"{violation.configuration}, query {violation.query}, rank {violation.rank}, "
        f"document {violation.document}: {violation.reason}"
    )
