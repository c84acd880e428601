"""What keeps one question's haystack from moving another question's figures."""

from collections.abc import Set

from harness.daemon.haystack import FEATURE_DELETE, FEATURE_SCOPED
from harness.errors import PrerequisiteError, UsageError
from harness.measure.target import Target
from harness.report.longmemeval import Isolation


def require(
    isolation: Isolation, features: Set[str], *, resumed: bool, workers: int = 1
) -> None:
    """Refuse a way of isolating that this daemon cannot hold up.

    Args:
        isolation: What was asked for.
        features: What the daemon announces.
        resumed: Whether some questions were asked before, beside other wings.
        workers: How many daemons the questions are spread over.

    Raises:
        PrerequisiteError: The daemon lacks what it takes.
        UsageError: There is no such thing, whatever the daemon.
    """
    if isolation == "shared" and workers > 1:
        raise UsageError(
            f"{workers} workers have {workers} stores, and 'shared' means one.",
            remedy="Leave --workers out, or isolate by wing.",
        )
    if isolation == "isolated" and FEATURE_DELETE not in features:
        raise PrerequisiteError(
            f"the daemon does not announce {FEATURE_DELETE!r}, without which no wing "
            "can be taken away.",
            remedy="Use --isolation wing.",
        )
    spread = resumed or workers > 1
    if isolation == "wing" and spread and FEATURE_SCOPED not in features:
        how = "resumed" if resumed else "spread over workers"
        raise PrerequisiteError(
            f"a run by wing cannot be {how}: the daemon does not announce "
            f"{FEATURE_SCOPED!r}, so the wings that are there move every score.",
            remedy="Use --isolation isolated, or begin again with another --journal.",
        )


def require_empty(target: Target, isolation: Isolation, *, resumed: bool) -> None:
    """Refuse a palace whose drawers would take part in what is measured.

    The wings that a resumed run left in its own palace do not: their statistics are
    their own, and every search names its wing.

    Raises:
        PrerequisiteError: It holds drawers.
    """
    harmless = resumed and isolation != "shared" and FEATURE_SCOPED in target.features
    if target.foreign and not harmless:
        raise PrerequisiteError(
            f"the palace is not empty: it holds {target.foreign} drawers or wings.",
            where=target.client.url,
            remedy="Measure a fresh palace, or allow it with --allow-nonempty.",
        )
