"""Checks as a person reads them: failed ones in full, the others as a number."""

from collections.abc import Sequence

from rich.console import Console

from harness.report.checks import Check
from harness.report.layout import count, say

MAX_FAILED = 40
"""More of the same teach nothing; the report has them all."""

UNIT = {"ratio": "", "ms": " ms", "count": ""}


def print_checks(checks: Sequence[Check], console: Console) -> None:
    """Print the checks that failed, with what was found and what was wanted.

    Args:
        checks: Of one report; without any there is nothing to go by, and it says so.
        console: Where to.
    """
    if not checks:
        say(console, "checks", "none was made", style="bold red")
        return
    failed = [check for check in checks if not check.passed]
    if not failed:
        text = f"all {count(len(checks), 'check')} hold"
        say(console, "checks", text, style="green")
        return
    lines = [f"{len(failed):,} of {count(len(checks), 'check')} FAIL"]
    lines += map(of_check, failed[:MAX_FAILED])
    if len(failed) > MAX_FAILED:
        lines.append(f"and {len(failed) - MAX_FAILED:,} more in the report")
    say(console, "checks", *lines, style="bold red")


def of_check(check: Check) -> str:
    """Write what was found, and what it had to be."""
    found = check.why if check.value is None else _figure(check, check.value)
    why = f" ({check.why})" if check.value is not None and check.why else ""
    return f"{check.name}: {found}{why}, must be {_wanted(check)}"


def _wanted(check: Check) -> str:
    if check.exact is not None:
        exact = _figure(check, check.exact)
        return f"{exact} +- {check.tolerance:g}" if check.tolerance else exact
    if check.least is not None:
        return f"at least {_figure(check, check.least)}"
    return f"at most {_figure(check, check.most or 0)}"


def _figure(check: Check, value: float) -> str:
    """Write as many digits as a tolerance of a millionth asks for, and no more."""
    return f"{value:.8g}{UNIT[check.unit]}"
